//! Copying, casting, filling and assigning.

use super::operand::{Arg, check_devices, submit};
use super::output::{check_writable, is_identical, may_overlap};
use crate::array::Array;
use crate::backend::Work;
use crate::error::{Error, Result};
use crate::stream::Stream;
use pygpukit_core::array::{DType, Element, Layout, Scalar, can_store};

/// The array itself if its elements lie in C order without gaps, else a copy that does.
pub fn contiguous(stream: &Stream, array: &Array) -> Result<Array> {
    check_devices(stream, &[array])?;
    if array.layout().is_contiguous() {
        Ok(array.clone())
    } else {
        copy(stream, array)
    }
}

/// A new C-contiguous array with the same elements.
pub fn copy(stream: &Stream, array: &Array) -> Result<Array> {
    cast(stream, array, array.dtype())
}

/// A new C-contiguous array with the elements converted to `dtype`.
///
/// Conversions are C's: floats are truncated to integers, integers wrap, complex
/// numbers lose their imaginary part, and all but zero is true. A float beyond
/// the integer's range gives an unspecified integer.
pub fn cast(stream: &Stream, array: &Array, dtype: DType) -> Result<Array> {
    check_devices(stream, &[array])?;
    let result = Array::empty(stream, array.shape(), dtype)?;
    copy_into(stream, &result, array)?;
    Ok(result)
}

/// Sets every element to `value`.
///
/// # Errors
/// A value that the dtype cannot take (see [`assign`]); a broadcast view.
pub fn fill(stream: &Stream, array: &Array, value: Scalar) -> Result<()> {
    check_devices(stream, &[array])?;
    check_writable(array)?;
    let value = value.to_element(array.dtype())?;
    fill_element(stream, array, value)
}

/// `target[...] = value`: broadcast to the target's shape and cast to its dtype.
///
/// An array may share memory with the target. Its elements wrap or round as
/// [`cast`] does them; they cannot be looked at without waiting.
///
/// # Errors
/// [`Error::Cast`] for an array of a higher kind (see [`can_store`]); a scalar
/// that the dtype cannot take (see [`Scalar::to_element`]); a shape that cannot
/// be broadcast; a target that is a broadcast view.
pub fn assign(stream: &Stream, target: &Array, value: Arg<'_>) -> Result<()> {
    let source = match value {
        Arg::Scalar(value) => return fill(stream, target, value),
        Arg::Array(source) => source,
    };
    check_devices(stream, &[target, source])?;
    check_writable(target)?;
    if !can_store(source.dtype(), target.dtype()) {
        return Err(Error::Cast {
            op: "assign",
            from: source.dtype(),
            to: target.dtype(),
        });
    }
    let source = without_leading_ones(source, target.layout().ndim())?;
    let source = source.broadcast_to(target.shape())?;
    if is_identical(&source, target) {
        return Ok(());
    }
    if may_overlap(&source, target) {
        let source = copy(stream, &source)?;
        copy_into(stream, target, &source)
    } else {
        copy_into(stream, target, &source)
    }
}

/// The array in another shape: a view if that is possible, else a copy.
/// One length may be -1: it is inferred.
pub fn reshape(stream: &Stream, array: &Array, shape: &[isize]) -> Result<Array> {
    check_devices(stream, &[array])?;
    let (shape, view) = array.layout().reshape(shape)?;
    if let Some(layout) = view {
        return Ok(array.with_layout(layout));
    }
    let copied = copy(stream, array)?;
    let layout = Layout::contiguous(&shape, array.dtype().itemsize())?;
    Ok(copied.with_layout(layout))
}

/// Writes an element of the array's own dtype everywhere.
pub(super) fn fill_element(stream: &Stream, array: &Array, value: Element) -> Result<()> {
    if array.size() == 0 {
        return Ok(());
    }
    let work = Work::Fill {
        target: array.view(),
        value,
    };
    submit(stream, work, &[], &[array])
}

/// Copies between disjoint arrays of one shape.
pub(super) fn copy_into(stream: &Stream, target: &Array, source: &Array) -> Result<()> {
    if target.size() == 0 {
        return Ok(());
    }
    let work = Work::Copy {
        target: target.view(),
        source: source.view(),
    };
    submit(stream, work, &[source], &[target])
}

/// NumPy's assignment ignores leading dimensions of length 1 that the target lacks.
fn without_leading_ones(array: &Array, ndim: usize) -> Result<Array> {
    let layout = array.layout();
    let extra = layout.ndim().saturating_sub(ndim);
    let ones = layout.shape().iter().take_while(|&&n| n == 1).count();
    let at_zero = vec![pygpukit_core::array::Index::At(0); extra.min(ones)];
    array.index(&at_zero)
}
