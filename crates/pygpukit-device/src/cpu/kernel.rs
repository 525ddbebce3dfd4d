//! The inner loops: contiguous elements in, contiguous elements out.

use super::storage::Plain;

/// `out[i] = op(left[i], right[i])` for `count` elements.
///
/// `out` may be `left` or `right` itself.
pub(super) type Kernel2<T, O> = unsafe fn(*const T, *const T, *mut O, usize);

/// `out[i] = op(source[i])` for `count` elements.
///
/// `out` may be `source` itself.
pub(super) type Kernel1<T, O> = unsafe fn(*const T, *mut O, usize);

/// An operation on two elements.
pub(super) trait Map2<T: Plain>: 'static {
    /// The type of the result.
    type Out: Plain;

    /// Applies it.
    fn apply(left: T, right: T) -> Self::Out;
}

/// An operation on one element.
pub(super) trait Map1<T: Plain>: 'static {
    /// The type of the result.
    type Out: Plain;

    /// Applies it.
    fn apply(source: T) -> Self::Out;
}

/// Elements that are read before any of them is written: the compiler need not
/// ask whether operands overlap, and in-place work is as fast as any other.
const WIDTH: usize = 32;

/// The loop for an operation on two elements.
///
/// # Safety
/// See [`Kernel2`]; pointers are aligned and valid for `count` elements.
pub(super) unsafe fn map2<T: Plain, F: Map2<T>>(
    left: *const T,
    right: *const T,
    out: *mut F::Out,
    count: usize,
) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        unsafe fn wide<T: Plain, F: Map2<T>>(
            left: *const T,
            right: *const T,
            out: *mut F::Out,
            count: usize,
        ) {
            // SAFETY: the caller's promise.
            unsafe { body2::<T, F>(left, right, out, count) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: AVX2 is there; the caller's promise.
            return unsafe { wide::<T, F>(left, right, out, count) };
        }
    }
    // SAFETY: the caller's promise.
    unsafe { body2::<T, F>(left, right, out, count) };
}

#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "inlined into callers of several instruction sets"
)]
unsafe fn body2<T: Plain, F: Map2<T>>(
    left: *const T,
    right: *const T,
    out: *mut F::Out,
    count: usize,
) {
    let whole = count - count % WIDTH;
    // SAFETY: all indices are below `count`.
    unsafe {
        for i in (0..whole).step_by(WIDTH) {
            let left = left.add(i).cast::<[T; WIDTH]>().read();
            let right = right.add(i).cast::<[T; WIDTH]>().read();
            let result: [F::Out; WIDTH] = std::array::from_fn(|i| F::apply(left[i], right[i]));
            out.add(i).cast::<[F::Out; WIDTH]>().write(result);
        }
        for i in whole..count {
            out.add(i)
                .write(F::apply(left.add(i).read(), right.add(i).read()));
        }
    }
}

/// The loop for an operation on one element.
///
/// # Safety
/// See [`Kernel1`]; pointers are aligned and valid for `count` elements.
pub(super) unsafe fn map1<T: Plain, F: Map1<T>>(source: *const T, out: *mut F::Out, count: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        unsafe fn wide<T: Plain, F: Map1<T>>(source: *const T, out: *mut F::Out, count: usize) {
            // SAFETY: the caller's promise.
            unsafe { body1::<T, F>(source, out, count) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: AVX2 is there; the caller's promise.
            return unsafe { wide::<T, F>(source, out, count) };
        }
    }
    // SAFETY: the caller's promise.
    unsafe { body1::<T, F>(source, out, count) };
}

#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "inlined into callers of several instruction sets"
)]
unsafe fn body1<T: Plain, F: Map1<T>>(source: *const T, out: *mut F::Out, count: usize) {
    let whole = count - count % WIDTH;
    // SAFETY: all indices are below `count`.
    unsafe {
        for i in (0..whole).step_by(WIDTH) {
            let source = source.add(i).cast::<[T; WIDTH]>().read();
            let result: [F::Out; WIDTH] = std::array::from_fn(|i| F::apply(source[i]));
            out.add(i).cast::<[F::Out; WIDTH]>().write(result);
        }
        for i in whole..count {
            out.add(i).write(F::apply(source.add(i).read()));
        }
    }
}
