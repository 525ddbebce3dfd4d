//! Basic indexing: integers, slices, `...` and `None` select a view.

#![expect(
    clippy::similar_names,
    reason = "`stop` and `step` are Python's own words"
)]

use super::layout::{Dims, Layout, MAX_DIMENSIONS, Strides};
use smallvec::SmallVec;

/// One item of an index expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    /// `i`: one element along a dimension, which disappears. Counts from the end if negative.
    At(isize),
    /// `start:stop:step`, `None` where it was left out.
    Slice(Option<isize>, Option<isize>, Option<isize>),
    /// `...`: as many whole dimensions as are needed.
    Ellipsis,
    /// `None`: a new dimension of length 1.
    NewAxis,
}

/// An index expression that an array does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IndexError {
    /// An integer beyond the ends.
    #[error("index {index} is out of bounds for axis {axis} with size {size}")]
    OutOfBounds {
        /// What was given.
        index: isize,
        /// The dimension it was for.
        axis: usize,
        /// The length of that dimension.
        size: usize,
    },
    /// More items than dimensions.
    #[error("too many indices: the array has {ndim} dimensions, {given} were indexed")]
    TooMany {
        /// Dimensions of the array.
        ndim: usize,
        /// Dimensions indexed.
        given: usize,
    },
    /// More new dimensions than an array can have in all.
    #[error("the index gives {given} dimensions; an array has at most {MAX_DIMENSIONS}")]
    TooManyResult {
        /// Dimensions of the view.
        given: usize,
    },
    /// `...` twice.
    #[error("an index can have only one ellipsis ('...')")]
    TwoEllipses,
    /// A step of 0.
    #[error("slice step cannot be zero")]
    ZeroStep,
}

impl Layout {
    /// The view that an index expression selects.
    ///
    /// # Errors
    /// See [`IndexError`].
    pub fn index(&self, items: &[Index]) -> Result<Self, IndexError> {
        let ellipses = items.iter().filter(|i| **i == Index::Ellipsis).count();
        let used = items
            .iter()
            .filter(|i| matches!(i, Index::At(_) | Index::Slice(..)))
            .count();
        if ellipses > 1 {
            return Err(IndexError::TwoEllipses);
        }
        let Some(left_over) = self.ndim().checked_sub(used) else {
            return Err(IndexError::TooMany {
                ndim: self.ndim(),
                given: used,
            });
        };
        let (mut shape, mut strides) = (Dims::new(), Strides::new());
        let mut offset = self.offset().cast_signed();
        let mut axis = 0;
        let keep = |count: usize, axis: &mut usize, shape: &mut Dims, strides: &mut Strides| {
            for _ in 0..count {
                shape.push(self.shape()[*axis]);
                strides.push(self.strides()[*axis]);
                *axis += 1;
            }
        };
        for &item in items {
            match item {
                Index::NewAxis => {
                    shape.push(1);
                    strides.push(0);
                }
                Index::Ellipsis => keep(left_over, &mut axis, &mut shape, &mut strides),
                Index::At(index) => {
                    let size = self.shape()[axis];
                    let at = if index < 0 {
                        index + size.cast_signed()
                    } else {
                        index
                    };
                    if at < 0 || at >= size.cast_signed() {
                        return Err(IndexError::OutOfBounds { index, axis, size });
                    }
                    offset += at * self.strides()[axis];
                    axis += 1;
                }
                Index::Slice(start, stop, step) => {
                    let size = self.shape()[axis];
                    let (start, length, step) = resolve_slice(start, stop, step, size)?;
                    if length > 0 {
                        offset += start * self.strides()[axis];
                    }
                    shape.push(length);
                    // A step beyond the array occurs only with length 1 or 0.
                    strides.push(self.strides()[axis].saturating_mul(step));
                    axis += 1;
                }
            }
        }
        let rest = self.ndim() - axis;
        keep(rest, &mut axis, &mut shape, &mut strides);
        if shape.len() > MAX_DIMENSIONS {
            return Err(IndexError::TooManyResult { given: shape.len() });
        }
        Ok(self.with_parts(shape, strides, offset.cast_unsigned()))
    }

    /// The byte offset of an element, given one index a dimension, all in range.
    pub fn offset_of(&self, index: &SmallVec<[usize; 4]>) -> usize {
        let steps = index
            .iter()
            .zip(self.strides())
            .map(|(&i, &stride)| i.cast_signed() * stride)
            .sum::<isize>();
        (self.offset().cast_signed() + steps).cast_unsigned()
    }
}

/// Python's `slice.indices`: (first index, number of indices, step).
fn resolve_slice(
    start: Option<isize>,
    stop: Option<isize>,
    step: Option<isize>,
    size: usize,
) -> Result<(isize, usize, isize), IndexError> {
    let step = step.unwrap_or(1);
    if step == 0 {
        return Err(IndexError::ZeroStep);
    }
    let size = size.cast_signed();
    let (lowest, highest) = if step > 0 { (0, size) } else { (-1, size - 1) };
    let clip = |bound: isize| {
        let bound = if bound < 0 {
            bound.saturating_add(size)
        } else {
            bound
        };
        bound.clamp(lowest, highest)
    };
    let first = start.map_or(if step > 0 { lowest } else { highest }, clip);
    let end = stop.map_or(if step > 0 { highest } else { lowest }, clip);
    let distance = if step > 0 { end - first } else { first - end };
    let length = if distance <= 0 {
        0
    } else {
        (distance.cast_unsigned() - 1) / step.unsigned_abs() + 1
    };
    Ok((first, length, step))
}
