//! Comparisons of integers that have no common dtype: exact all the same.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the operations named are the exceptions"
)]

use super::copy::cast;
use super::elementwise::binary;
use super::operand::{Arg, in_dtype};
use crate::array::Array;
use crate::error::Result;
use crate::stream::Stream;
use pygpukit_core::array::{BinaryOp, DType, Kind, Scalar};

/// The answer for a Python integer outside the dtype's range: one for all elements.
pub(super) fn compare_constant(op: BinaryOp, left: Arg<'_>, right: Arg<'_>) -> Option<bool> {
    let (op, array, value) = match (left, right) {
        (Arg::Array(array), Arg::Scalar(Scalar::Int(value))) => (op, array, value),
        (Arg::Scalar(Scalar::Int(value)), Arg::Array(array)) => (mirrored(op), array, value),
        _ => return None,
    };
    let promoted = Arg::Array(array).promoted(&Arg::Scalar(Scalar::Int(value)));
    if !promoted.is_integral() || Scalar::Int(value).to_element(promoted).is_ok() {
        return None;
    }
    Some(match op {
        BinaryOp::NotEqual => true,
        BinaryOp::Less | BinaryOp::LessEqual => value > 0,
        BinaryOp::Greater | BinaryOp::GreaterEqual => value < 0,
        _ => false,
    })
}

/// Signed with 64-bit unsigned integers, which promote to float64: compared by
/// their bits as uint64, corrected where the signed one is negative.
pub(super) fn compare_signed_unsigned(
    stream: &Stream,
    op: BinaryOp,
    left: Arg<'_>,
    right: Arg<'_>,
    out: Option<&Array>,
) -> Result<Option<Array>> {
    let (Arg::Array(left), Arg::Array(right)) = (left, right) else {
        return Ok(None);
    };
    let (op, signed, unsigned) = match (left.dtype().kind(), right.dtype()) {
        (Kind::Signed, DType::UInt64) => (op, left, right),
        _ if left.dtype() == DType::UInt64 && right.dtype().kind() == Kind::Signed => {
            (mirrored(op), right, left)
        }
        _ => return Ok(None),
    };
    let signed = in_dtype(stream, signed, DType::Int64)?;
    let bits = cast(stream, &signed, DType::UInt64)?;
    let by_bits = binary(stream, op, Arg::Array(&bits), Arg::Array(unsigned), None)?;
    // A negative number is less than every unsigned one.
    let (sign, combine) = match op {
        BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::NotEqual => {
            (BinaryOp::Less, BinaryOp::Add)
        }
        _ => (BinaryOp::GreaterEqual, BinaryOp::Multiply),
    };
    let zero = Arg::Scalar(Scalar::Int(0));
    let by_sign = binary(stream, sign, Arg::Array(&signed), zero, None)?;
    let (by_bits, by_sign) = (Arg::Array(&by_bits), Arg::Array(&by_sign));
    binary(stream, combine, by_bits, by_sign, out).map(Some)
}

/// The comparison with its operands exchanged.
fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        other => other,
    }
}
