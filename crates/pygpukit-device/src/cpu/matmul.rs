//! Matrix products: the `gemm` crate for floats, our own loops for the rest.
//!
//! `gemm` was chosen because it alone offers, in pure Rust, every float type
//! here, arbitrary strides, run-time choice of the instruction set and rayon.

use super::block::pointer;
use super::copy::copy;
use super::half_matmul;
use super::integer_matmul;
use super::pool::Pool;
use super::storage::{Plain, Truth};
use crate::backend::View;
use half::{bf16, f16};
use num_complex::Complex;
use pygpukit_core::array::{DType, Layout};

/// `target = left @ right`, batch by batch.
///
/// # Safety
/// As [`Queue::push`](crate::backend::Queue::push): the memory is there and ours.
pub(super) unsafe fn matmul(pool: &Pool, target: &View, left: &View, right: &View) {
    // SAFETY: the caller's promise, passed on.
    unsafe {
        if target.layout.size() == 0 {
            return;
        }
        if !is_aligned(left) {
            let (packed, _memory) = pack(pool, left);
            return matmul(pool, target, &packed, right);
        }
        if !is_aligned(right) {
            let (packed, _memory) = pack(pool, right);
            return matmul(pool, target, left, &packed);
        }
        match target.dtype {
            DType::Bool => integer_matmul::integers::<Truth>(pool, target, left, right),
            DType::Int8 => integer_matmul::integers::<i8>(pool, target, left, right),
            DType::Int16 => integer_matmul::integers::<i16>(pool, target, left, right),
            DType::Int32 => integer_matmul::integers::<i32>(pool, target, left, right),
            DType::Int64 => integer_matmul::integers::<i64>(pool, target, left, right),
            DType::UInt8 => integer_matmul::integers::<u8>(pool, target, left, right),
            DType::UInt16 => integer_matmul::integers::<u16>(pool, target, left, right),
            DType::UInt32 => integer_matmul::integers::<u32>(pool, target, left, right),
            DType::UInt64 => integer_matmul::integers::<u64>(pool, target, left, right),
            DType::Float16 => half_matmul::halves::<f16>(pool, target, left, right),
            DType::BFloat16 => half_matmul::halves::<bf16>(pool, target, left, right),
            DType::Float32 => floats::<f32>(pool, target, left, right),
            DType::Float64 => floats::<f64>(pool, target, left, right),
            DType::Complex64 => floats::<Complex<f32>>(pool, target, left, right),
            DType::Complex128 => floats::<Complex<f64>>(pool, target, left, right),
        }
    }
}

/// One matrix of a batch, its strides counted in elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matrix {
    pub(super) address: u64,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) row_stride: isize,
    pub(super) column_stride: isize,
}

impl Matrix {
    /// The address of an element.
    pub(super) fn at<T>(&self, row: usize, column: usize) -> *mut T {
        pointer::<T>(self.address).wrapping_offset(
            row.cast_signed() * self.row_stride + column.cast_signed() * self.column_stride,
        )
    }
}

/// The matrices of a view with batch dimensions, one after the other.
pub(super) fn matrices(view: &View) -> impl Iterator<Item = Matrix> {
    let itemsize = view.layout.itemsize().cast_signed();
    let (shape, strides) = (view.layout.shape(), view.layout.strides());
    let split = shape.len() - 2;
    let count: usize = shape[..split].iter().product();
    (0..count).map(move |index| {
        let (mut rest, mut address) = (index, view.address + view.layout.offset() as u64);
        for (&length, &stride) in shape[..split].iter().zip(&strides[..split]).rev() {
            let step = (rest % length).cast_signed() * stride;
            address = address.wrapping_add_signed(step as i64);
            rest /= length;
        }
        Matrix {
            address,
            rows: shape[split],
            columns: shape[split + 1],
            row_stride: strides[split] / itemsize,
            column_stride: strides[split + 1] / itemsize,
        }
    })
}

/// True if every element lies at a multiple of its size from a suitable address.
fn is_aligned(view: &View) -> bool {
    let itemsize = view.layout.itemsize();
    let align = itemsize.min(8) as u64;
    (view.address + view.layout.offset() as u64).is_multiple_of(align)
        && view
            .layout
            .strides()
            .iter()
            .all(|stride| stride.unsigned_abs().is_multiple_of(itemsize))
}

/// A contiguous copy, in memory that lives as long as what is returned with it.
///
/// # Safety
/// As [`matmul`].
unsafe fn pack(pool: &Pool, view: &View) -> (View, Vec<u128>) {
    let mut memory = vec![0_u128; view.layout.nbytes().div_ceil(16)];
    let mut strides: pygpukit_core::array::Strides = view.layout.strides().into();
    let mut step = view.layout.itemsize().cast_signed();
    for (stride, &length) in strides.iter_mut().zip(view.layout.shape()).rev() {
        *stride = step;
        step *= length.cast_signed();
    }
    let packed = View {
        address: memory.as_mut_ptr().expose_provenance() as u64,
        dtype: view.dtype,
        layout: Layout::strided(view.layout.shape(), &strides, 0, view.layout.itemsize()),
    };
    // SAFETY: the caller's promise, and room made above.
    unsafe { copy(pool, &packed, view) };
    (packed, memory)
}

/// The types that `gemm` knows.
pub(super) trait One: Plain {
    const ONE: Self;
}
impl One for f32 {
    const ONE: Self = 1.0;
}
impl One for f64 {
    const ONE: Self = 1.0;
}
impl One for Complex<f32> {
    const ONE: Self = Self::new(1.0, 0.0);
}
impl One for Complex<f64> {
    const ONE: Self = Self::new(1.0, 0.0);
}

/// # Safety
/// As [`matmul`]; the dtype is stored as `T`.
unsafe fn floats<T: One>(pool: &Pool, target: &View, left: &View, right: &View) {
    let batches = matrices(target).zip(matrices(left)).zip(matrices(right));
    for ((target, left), right) in batches {
        // SAFETY: the caller's promise.
        unsafe { product::<T>(pool, target, left, right, false) };
    }
}

/// `target = left @ right`, or `+=`.
///
/// # Safety
/// As [`floats`], for these three matrices.
pub(super) unsafe fn product<T: One>(
    pool: &Pool,
    target: Matrix,
    left: Matrix,
    right: Matrix,
    accumulate: bool,
) {
    let operations = target.rows as f64 * target.columns as f64 * left.columns as f64;
    let is_large = operations > 1e6 && pool.threads() > 1;
    let multiply = move |parallelism| {
        // SAFETY: the caller's promise; strides count elements.
        unsafe {
            gemm::gemm(
                target.rows,
                target.columns,
                left.columns,
                target.at::<T>(0, 0),
                target.column_stride,
                target.row_stride,
                accumulate,
                left.at::<T>(0, 0),
                left.column_stride,
                left.row_stride,
                right.at::<T>(0, 0),
                right.column_stride,
                right.row_stride,
                T::ONE,
                T::ONE,
                false,
                false,
                false,
                parallelism,
            );
        }
    };
    if is_large {
        pool.install(|| multiply(gemm::Parallelism::Rayon(pool.threads())));
    } else {
        multiply(gemm::Parallelism::None);
    }
}
