//! Operations element by element.

use super::compare::{compare_constant, compare_signed_unsigned};
use super::create::full;
use super::operand::{Arg, Prepared, check_devices, submit};
use super::output::{Output, is_identical, may_overlap};
use crate::array::Array;
use crate::backend::Work;
use crate::error::{Error, Result};
use crate::stream::Stream;
use pygpukit_core::array::{BinaryOp, DType, Kind, Scalar, UnaryOp, broadcast_shapes};

/// `op(left, right)`, broadcast and promoted, into `out` or a new array.
///
/// `out` may share memory with the operands. Comparisons are exact for all
/// integers, whatever their dtypes.
///
/// # Errors
/// Shapes that cannot be broadcast; an operation that the dtype does not have; a
/// Python integer that does not fit the dtype (but compares); an integer raised
/// to a negative Python integer (see [`check_exponent`]); `out` of another shape, of a dtype that the
/// result cannot be cast to within its kind, or with overlapping elements;
/// operands on different devices.
pub fn binary(
    stream: &Stream,
    op: BinaryOp,
    left: Arg<'_>,
    right: Arg<'_>,
    out: Option<&Array>,
) -> Result<Array> {
    if let (Arg::Scalar(value), Arg::Scalar(_)) = (left, right) {
        let left = full(stream, &[], value, value.weak().default_dtype())?;
        return binary(stream, op, Arg::Array(&left), right, out);
    }
    let arrays = [left, right].into_iter().filter_map(|arg| match arg {
        Arg::Array(array) => Some(array),
        Arg::Scalar(_) => None,
    });
    let arrays: smallvec::SmallVec<[&Array; 3]> = arrays.chain(out).collect();
    check_devices(stream, &arrays)?;
    let shape = broadcast_shapes(left.shape(), right.shape())?;
    if op.is_comparison() {
        if let Some(result) = compare_signed_unsigned(stream, op, left, right, out)? {
            return Ok(result);
        }
        if let Some(answer) = compare_constant(op, left, right) {
            let output = Output::new(stream, op.name(), &shape, DType::Bool, out, |_| true)?;
            super::fill(stream, &output.target, Scalar::Bool(answer))?;
            return output.finish(stream);
        }
    }
    let promoted = left.promoted(&right);
    if let (BinaryOp::Power, Arg::Scalar(exponent)) = (op, right) {
        check_exponent(promoted, exponent)?;
    }
    let signature = op.signature(promoted)?;
    let left = left.prepare(stream, signature.compute, &shape)?;
    let (op, right) = match (op, is_two(right), &left) {
        // `x ** 2` is by far the most frequent power, and a product is as exact.
        (BinaryOp::Power, true, Prepared::Array(left)) => {
            (BinaryOp::Multiply, Prepared::Array(left.clone()))
        }
        _ => (op, right.prepare(stream, signature.compute, &shape)?),
    };
    let operands: smallvec::SmallVec<[&Array; 2]> = [&left, &right]
        .into_iter()
        .filter_map(Prepared::array)
        .collect();
    let output = Output::new(stream, op.name(), &shape, signature.result, out, |out| {
        operands.iter().all(|operand| can_share(operand, out))
    })?;
    if output.target.size() > 0 {
        let work = Work::Binary {
            op,
            target: output.target.view(),
            left: left.operand(),
            right: right.operand(),
        };
        submit(stream, work, &operands, &[&output.target])?;
    }
    output.finish(stream)
}

/// `op(source)` into `out` or a new array. `out` may share memory with `source`.
///
/// # Errors
/// As [`binary`].
pub fn unary(stream: &Stream, op: UnaryOp, source: &Array, out: Option<&Array>) -> Result<Array> {
    let arrays: smallvec::SmallVec<[&Array; 2]> = [source].into_iter().chain(out).collect();
    check_devices(stream, &arrays)?;
    let signature = op.signature(source.dtype())?;
    let source = super::operand::in_dtype(stream, source, signature.compute)?;
    let shape = source.shape();
    let output = Output::new(stream, op.name(), shape, signature.result, out, |out| {
        can_share(&source, out)
    })?;
    if output.target.size() > 0 {
        let work = Work::Unary {
            op,
            target: output.target.view(),
            source: source.view(),
        };
        submit(stream, work, &[&source], &[&output.target])?;
    }
    output.finish(stream)
}

/// True if an operation that goes element by element may read one while it writes the other.
fn can_share(operand: &Array, out: &Array) -> bool {
    is_identical(operand, out) || !may_overlap(operand, out)
}

fn is_two(arg: Arg<'_>) -> bool {
    match arg {
        Arg::Scalar(Scalar::Int(value)) => value == 2,
        #[expect(clippy::float_cmp, reason = "2 is exact")]
        Arg::Scalar(Scalar::Float(value)) => value == 2.0,
        Arg::Scalar(Scalar::Bool(_) | Scalar::Complex(..)) | Arg::Array(_) => false,
    }
}

/// Refuses a negative number of the host as the exponent of a power computed in an
/// integer dtype, as NumPy does.
///
/// # Errors
/// [`Error::Value`] with the exponent.
pub fn check_exponent(promoted: DType, exponent: Scalar) -> Result<()> {
    // An unsigned dtype does not hold the number at all: its own error says so.
    match (promoted.kind(), exponent) {
        (Kind::Bool | Kind::Signed, Scalar::Int(exponent)) if exponent < 0 => Err(Error::Value(
            format!("integers to negative integer powers are not allowed: exponent `{exponent}`"),
        )),
        _ => Ok(()),
    }
}
