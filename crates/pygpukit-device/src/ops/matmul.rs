//! The matrix product.

use super::operand::{check_devices, in_dtype, submit};
use super::output::{Output, may_overlap};
use crate::array::Array;
use crate::backend::Work;
use crate::error::{Error, Result};
use crate::stream::Stream;
use pygpukit_core::array::{Dims, Index, Scalar, broadcast_shapes, promote};

/// The matrix product over the last two dimensions, the others broadcast.
///
/// A one-dimensional operand is a row on the left and a column on the right, and
/// its dimension is missing from the result. The result's dtype is the promoted
/// one. float16 and bfloat16 accumulate in float32; integers wrap; bool is "or"
/// of "and"s. `allow_tf32` lets float32 be rounded to TF32 where the device can.
///
/// # Errors
/// A 0-d operand; inner lengths that differ; batches that cannot be broadcast;
/// `out` as in [`binary`](super::binary).
pub fn matmul(
    stream: &Stream,
    left: &Array,
    right: &Array,
    out: Option<&Array>,
    allow_tf32: bool,
) -> Result<Array> {
    let arrays: smallvec::SmallVec<[&Array; 3]> = [left, right].into_iter().chain(out).collect();
    check_devices(stream, &arrays)?;
    let (left_matrix, right_matrix) = (as_matrix(left, true)?, as_matrix(right, false)?);
    let (left_batch, &[rows, inner]) = split(left_matrix.shape());
    let (right_batch, &[right_inner, columns]) = split(right_matrix.shape());
    if inner != right_inner {
        return Err(Error::Value(format!(
            "matmul: the last dimension of {:?} and the second last of {:?} differ: {inner} and {right_inner}",
            left.shape(),
            right.shape()
        )));
    }
    let batch = broadcast_shapes(left_batch, right_batch)?;
    let with_matrix = |matrix: &[usize]| -> Dims { batch.iter().chain(matrix).copied().collect() };
    let mut shape = batch.clone();
    shape.extend((left.layout().ndim() > 1).then_some(rows));
    shape.extend((right.layout().ndim() > 1).then_some(columns));

    let dtype = promote(left.dtype(), right.dtype());
    let left = in_dtype(stream, &left_matrix, dtype)?;
    let left = left.broadcast_to(&with_matrix(&[rows, inner]))?;
    let right = in_dtype(stream, &right_matrix, dtype)?;
    let right = right.broadcast_to(&with_matrix(&[inner, columns]))?;
    let output = Output::new(stream, "matmul", &shape, dtype, out, |out| {
        out.layout().is_contiguous() && !may_overlap(out, &left) && !may_overlap(out, &right)
    })?;
    if output.target.size() > 0 && inner == 0 {
        super::fill(stream, &output.target, Scalar::Int(0))?;
    } else if output.target.size() > 0 {
        let matrices = with_matrix(&[rows, columns]);
        let signed: smallvec::SmallVec<[isize; 4]> =
            matrices.iter().map(|length| length.cast_signed()).collect();
        // The target is contiguous, so this is a view.
        let target = super::reshape(stream, &output.target, &signed)?;
        let work = Work::Matmul {
            target: target.view(),
            left: left.view(),
            right: right.view(),
            allow_tf32,
        };
        submit(stream, work, &[&left, &right], &[&target])?;
    }
    output.finish(stream)
}

/// The operand with two dimensions at least.
fn as_matrix(array: &Array, is_left: bool) -> Result<Array> {
    match (array.layout().ndim(), is_left) {
        (0, _) => Err(Error::Value(
            "matmul: a 0-d array has no matrix product; use `*`".into(),
        )),
        (1, true) => array.index(&[Index::NewAxis, Index::Ellipsis]),
        (1, false) => array.index(&[Index::Ellipsis, Index::NewAxis]),
        _ => Ok(array.clone()),
    }
}

/// Batch dimensions and matrix dimensions.
fn split(shape: &[usize]) -> (&[usize], &[usize; 2]) {
    shape
        .split_last_chunk::<2>()
        .expect("`as_matrix` gave two dimensions")
}
