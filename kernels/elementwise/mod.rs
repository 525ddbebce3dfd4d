//! The host half of the elementwise kernels.

mod collapse;

use crate::launch::{Launch, Limits, Parameters, blocks};
use crate::unit::{Type, UnaryOp, Unit};
use collapse::{Collapsed, collapse};

const THREADS: u32 = 256;
/// Dimensions that `strided` has room for.
const DIMS: usize = 8;
/// Dimensions that `strided_large` has room for.
const DIMS_LARGE: usize = 40;
/// Elements that `strided` can count in 32 bits, with the threads on top.
const SIZE: usize = 1 << 31;

/// An operand of an elementwise kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand<'a> {
    /// Elements in memory.
    Array {
        /// The address of element (0, 0, …).
        address: u64,
        /// Bytes from one element to the next, one a dimension.
        strides: &'a [isize],
    },
    /// The bytes of one value, zeros behind.
    Scalar([u8; 16]),
}

impl Operand<'_> {
    fn address(self) -> u64 {
        match self {
            Self::Array { address, .. } => address,
            Self::Scalar(_) => 0,
        }
    }

    fn value(self) -> [u8; 16] {
        match self {
            Self::Array { .. } => [0; 16],
            Self::Scalar(value) => value,
        }
    }
}

/// Plans `target = unit(left, right)` for every index of `shape`; `right` is the
/// scalar 0 for copies and unary operations. `None` if there are no elements.
///
/// # Panics
/// If an operand has not one stride a dimension, the target is a scalar, or the
/// unit is not an elementwise one.
pub fn elementwise(
    unit: Unit,
    shape: &[usize],
    target: Operand<'_>,
    left: Operand<'_>,
    right: Operand<'_>,
    limits: Limits,
) -> Option<Launch> {
    let types = operand_types(unit);
    let mut size = 1_usize;
    for &length in shape {
        size *= length;
    }
    if size == 0 {
        return None;
    }
    let operands = [target, left, right];
    let collapsed = collapse(shape, operands);
    let width = 16 / types.map(Type::size).into_iter().max().unwrap_or(16);
    let is_contiguous = collapsed.is_contiguous(operands, types);
    let room = if is_contiguous {
        0
    } else if collapsed.shape.len() <= DIMS && size < SIZE {
        DIMS
    } else {
        DIMS_LARGE
    };
    let (entry, each) = match room {
        0 => ("contiguous", width * THREADS as usize),
        DIMS => ("strided", THREADS as usize),
        _ => ("strided_large", THREADS as usize),
    };
    Some(Launch {
        unit,
        entry,
        grid: [blocks(size, each, limits), 1, 1],
        block: [THREADS, 1, 1],
        parameters: parameters(size, room, operands, &collapsed),
    })
}

/// Plans `target[i] = start + i * step` for `size` elements without gaps. `None`
/// if there are none.
pub fn arange(
    of: Type,
    target: u64,
    size: usize,
    start: [u8; 16],
    step: [u8; 16],
    limits: Limits,
) -> Option<Launch> {
    let mut parameters = Parameters::default();
    parameters
        .bytes(start)
        .bytes(step)
        .unsigned(target)
        .size(size);
    (size > 0).then(|| Launch {
        unit: Unit::Arange(of),
        entry: "arange",
        grid: [blocks(size, THREADS as usize, limits), 1, 1],
        block: [THREADS, 1, 1],
        parameters: parameters.finish(),
    })
}

/// The types of target, left and right.
fn operand_types(unit: Unit) -> [Type; 3] {
    match unit {
        Unit::Copy { from, to } => [to, from, Type::UInt8],
        Unit::Unary(UnaryOp::Negative, of) => [of, of, Type::UInt8],
        Unit::Binary(op, operands) => [op.result(operands), operands, operands],
        Unit::Arange(_) | Unit::Matmul(_) => panic!("`{unit}` is not an elementwise unit"),
    }
}

/// The bytes of `Contiguous`, or of `Strided<room>`, in access.cu.
fn parameters(
    size: usize,
    room: usize,
    operands: [Operand<'_>; 3],
    collapsed: &Collapsed,
) -> Vec<u8> {
    let mut bytes = Parameters::default();
    bytes.size(size).size(collapsed.shape.len());
    for (operand, moved) in operands.into_iter().zip(collapsed.moved) {
        let address = operand.address().wrapping_add_signed(moved as i64);
        bytes.bytes(operand.value()).unsigned(address).unsigned(0);
    }
    if room > 0 {
        bytes.array(
            room,
            collapsed.shape.iter().map(|&length| length.cast_signed()),
        );
        for strides in &collapsed.strides {
            bytes.array(room, strides.iter().copied());
        }
    }
    bytes.finish()
}

#[cfg(test)]
mod tests;
