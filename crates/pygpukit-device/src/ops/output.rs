//! Where results go: a new array, or the caller's `out`.

use super::copy::copy_into;
use crate::array::Array;
use crate::error::{Error, Result};
use crate::stream::Stream;
use pygpukit_core::array::{DType, ShapeError, can_cast_same_kind};

/// What an operation writes.
pub(super) struct Output {
    /// Where the operation itself writes.
    pub(super) target: Array,
    /// The caller's array, if the result must be copied there afterwards.
    destination: Option<Array>,
}

impl Output {
    /// Chooses where an operation writes a result of `shape` and `dtype`.
    ///
    /// The caller's `out` is written directly if it has that dtype and
    /// `is_direct` allows it; otherwise through a temporary array.
    ///
    /// # Errors
    /// `out` of another shape, with overlapping elements, or of a dtype that the
    /// result cannot be cast to within its kind.
    pub(super) fn new(
        stream: &Stream,
        op: &'static str,
        shape: &[usize],
        dtype: DType,
        out: Option<&Array>,
        is_direct: impl FnOnce(&Array) -> bool,
    ) -> Result<Self> {
        let Some(out) = out else {
            return Ok(Self {
                target: Array::empty(stream, shape, dtype)?,
                destination: None,
            });
        };
        if out.shape() != shape {
            return Err(Error::Shape(ShapeError::BroadcastTo {
                from: shape.into(),
                to: out.shape().into(),
            }));
        }
        check_writable(out)?;
        if !can_cast_same_kind(dtype, out.dtype()) {
            return Err(Error::Cast {
                op,
                from: dtype,
                to: out.dtype(),
            });
        }
        if out.dtype() == dtype && is_direct(out) {
            return Ok(Self {
                target: out.clone(),
                destination: None,
            });
        }
        Ok(Self {
            target: Array::empty(stream, shape, dtype)?,
            destination: Some(out.clone()),
        })
    }

    /// Brings the result to where the caller wants it.
    pub(super) fn finish(self, stream: &Stream) -> Result<Array> {
        match self.destination {
            None => Ok(self.target),
            Some(destination) => {
                copy_into(stream, &destination, &self.target)?;
                Ok(destination)
            }
        }
    }
}

/// Refuses to write an array in which one address is several elements.
pub(super) fn check_writable(array: &Array) -> Result<()> {
    if array.size() > 0 && array.layout().has_zero_stride() {
        return Err(Error::Value(format!(
            "cannot write to a broadcast view: several elements of its shape {:?} share one address \
             (strides {:?})",
            array.shape(),
            array.layout().strides()
        )));
    }
    Ok(())
}

/// True if the arrays are one and the same view of one memory.
pub(super) fn is_identical(left: &Array, right: &Array) -> bool {
    left.dtype() == right.dtype()
        && left.address() == right.address()
        && left.layout().shape() == right.layout().shape()
        && left.layout().strides() == right.layout().strides()
}

/// True if writing one array could change the other, also where two buffers
/// were made over the same foreign memory.
pub(super) fn may_overlap(left: &Array, right: &Array) -> bool {
    let span = |array: &Array| {
        let base = array.buffer().address();
        let (low, high) = array.layout().extent()?;
        Some((base + low as u64, base + high as u64))
    };
    match (span(left), span(right)) {
        (Some((low, high)), Some((other_low, other_high))) => low < other_high && other_low < high,
        _ => false,
    }
}
