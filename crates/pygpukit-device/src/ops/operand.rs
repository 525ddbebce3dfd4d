//! Operands: arrays and Python scalars, made ready for an operation.

use super::copy::cast;
use crate::array::Array;
use crate::backend::{Operand, Work};
use crate::buffer::Buffer;
use crate::error::Result;
use crate::stream::Stream;
use pygpukit_core::array::{DType, Element, Scalar, promote, promote_weak};

/// An operand of an operation.
#[derive(Clone, Copy, Debug)]
pub enum Arg<'a> {
    /// An array, whose dtype counts.
    Array(&'a Array),
    /// A Python scalar: its kind counts, its width does not (NEP 50).
    Scalar(Scalar),
}

impl<'a> Arg<'a> {
    pub(super) fn shape(&self) -> &'a [usize] {
        match self {
            Self::Array(array) => array.shape(),
            Self::Scalar(_) => &[],
        }
    }

    /// The dtype that both operands promote to.
    pub(super) fn promoted(&self, other: &Self) -> DType {
        match (self, other) {
            (Self::Array(left), Self::Array(right)) => promote(left.dtype(), right.dtype()),
            (Self::Array(array), Self::Scalar(scalar))
            | (Self::Scalar(scalar), Self::Array(array)) => {
                promote_weak(array.dtype(), scalar.weak())
            }
            (Self::Scalar(left), Self::Scalar(right)) => {
                promote(left.weak().default_dtype(), right.weak().default_dtype())
            }
        }
    }

    /// The operand in `dtype` and broadcast to `shape`.
    pub(super) fn prepare(
        &self,
        stream: &Stream,
        dtype: DType,
        shape: &[usize],
    ) -> Result<Prepared> {
        match self {
            Self::Array(array) => {
                let array = in_dtype(stream, array, dtype)?;
                Ok(Prepared::Array(array.broadcast_to(shape)?))
            }
            Self::Scalar(scalar) => Ok(Prepared::Scalar(scalar.to_element(dtype)?)),
        }
    }
}

/// An operand of the dtype and shape that the operation computes in.
pub(super) enum Prepared {
    Array(Array),
    Scalar(Element),
}

impl Prepared {
    pub(super) fn array(&self) -> Option<&Array> {
        match self {
            Self::Array(array) => Some(array),
            Self::Scalar(_) => None,
        }
    }

    pub(super) fn operand(&self) -> Operand {
        match self {
            Self::Array(array) => Operand::Array(array.view()),
            Self::Scalar(element) => Operand::Scalar(*element),
        }
    }
}

/// The array itself if it has that dtype, else a copy that does.
pub(super) fn in_dtype(stream: &Stream, array: &Array, dtype: DType) -> Result<Array> {
    if array.dtype() == dtype {
        Ok(array.clone())
    } else {
        cast(stream, array, dtype)
    }
}

/// Refuses arrays of another device than the stream's.
pub(super) fn check_devices(stream: &Stream, arrays: &[&Array]) -> Result<()> {
    match arrays
        .iter()
        .find(|array| array.device() != stream.device())
    {
        Some(array) => Err(stream.device().refusal_of(array.device())),
        None => Ok(()),
    }
}

/// Queues work whose every address is a view of one of these arrays.
pub(super) fn submit(
    stream: &Stream,
    work: Work,
    reads: &[&Array],
    writes: &[&Array],
) -> Result<()> {
    fn buffers<'a>(arrays: &[&'a Array]) -> smallvec::SmallVec<[&'a Buffer; 4]> {
        arrays.iter().map(|array| &**array.buffer()).collect()
    }
    // SAFETY: the views in `work` were made from these arrays, whose layouts
    // lie inside their buffers.
    unsafe { stream.submit(work, &buffers(reads), &buffers(writes)) }.map(drop)
}
