//! Shape and strides: where the elements of an array lie.

use smallvec::SmallVec;
use std::fmt;

/// Lengths of the dimensions.
pub type Dims = SmallVec<[usize; 4]>;
/// Bytes from one element to the next along each dimension; may be 0 or negative.
pub type Strides = SmallVec<[isize; 4]>;

/// The most dimensions that an array has: as many as NumPy's.
pub const MAX_DIMENSIONS: usize = 64;

/// Where the elements of an array lie, in bytes from the start of its memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    shape: Dims,
    strides: Strides,
    offset: usize,
    itemsize: usize,
}

/// Shapes that do not fit together, or that no array can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// Two shapes that cannot be broadcast together.
    #[error("shapes {} and {} cannot be broadcast together", Tuple(.left), Tuple(.right))]
    Broadcast {
        /// The first shape.
        left: Dims,
        /// The second shape.
        right: Dims,
    },
    /// A shape that cannot be broadcast *to* another without changing it.
    #[error("shape {} cannot be broadcast to {}", Tuple(.from), Tuple(.to))]
    BroadcastTo {
        /// The shape at hand.
        from: Dims,
        /// The shape wanted.
        to: Dims,
    },
    /// More bytes than an address can count.
    #[error("shape {} of {itemsize}-byte elements is larger than memory can address", Tuple(.shape))]
    TooLarge {
        /// The shape asked for.
        shape: Dims,
        /// Bytes an element takes.
        itemsize: usize,
    },
    /// `reshape` to another number of elements.
    #[error("cannot reshape {} ({} elements) into {}", Tuple(.from), .from.iter().product::<usize>(), SignedTuple(.to))]
    Reshape {
        /// The shape at hand.
        from: Dims,
        /// The shape asked for, -1 where it was to be inferred.
        to: SmallVec<[isize; 4]>,
    },
    /// More dimensions than [`MAX_DIMENSIONS`].
    #[error("{0} dimensions; an array has at most {MAX_DIMENSIONS}")]
    TooManyDimensions(usize),
    /// A negative length.
    #[error("negative dimension `{0}` in a shape")]
    Negative(isize),
}

impl Layout {
    /// A C-contiguous layout.
    ///
    /// # Errors
    /// [`ShapeError::TooLarge`] if its size in bytes exceeds `isize::MAX`;
    /// [`ShapeError::TooManyDimensions`].
    pub fn contiguous(shape: &[usize], itemsize: usize) -> Result<Self, ShapeError> {
        check_dimensions(shape.len())?;
        let mut strides: Strides = SmallVec::from_elem(0, shape.len());
        let too_large = || ShapeError::TooLarge {
            shape: shape.into(),
            itemsize,
        };
        // Zero-size arrays need no memory, but their strides must be countable too.
        let mut step = isize::try_from(itemsize).map_err(|_| too_large())?;
        for (stride, &length) in strides.iter_mut().zip(shape).rev() {
            *stride = step;
            let factor = isize::try_from(length.max(1)).map_err(|_| too_large())?;
            step = step.checked_mul(factor).ok_or_else(too_large)?;
        }
        Ok(Self {
            shape: shape.into(),
            strides,
            offset: 0,
            itemsize,
        })
    }

    /// A layout with given strides, all counted in bytes.
    ///
    /// # Panics
    /// If `shape` and `strides` differ in length.
    pub fn strided(shape: &[usize], strides: &[isize], offset: usize, itemsize: usize) -> Self {
        assert_eq!(shape.len(), strides.len(), "one stride a dimension");
        Self {
            shape: shape.into(),
            strides: strides.into(),
            offset,
            itemsize,
        }
    }

    /// Lengths of the dimensions.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Bytes from one element to the next along each dimension.
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// Bytes from the start of the memory to element (0, 0, …).
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// Bytes an element takes.
    pub const fn itemsize(&self) -> usize {
        self.itemsize
    }

    /// Number of dimensions.
    pub fn ndim(&self) -> usize {
        self.shape.len()
    }

    /// Number of elements; 1 for no dimensions.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }

    /// Bytes that the elements take, without gaps.
    pub fn nbytes(&self) -> usize {
        self.size() * self.itemsize
    }

    /// True if the elements lie in C order without gaps.
    pub fn is_contiguous(&self) -> bool {
        if self.size() == 0 {
            return true;
        }
        let mut expected = self.itemsize.cast_signed();
        for (&length, &stride) in self.shape.iter().zip(&self.strides).rev() {
            if length != 1 {
                if stride != expected {
                    return false;
                }
                expected *= length.cast_signed();
            }
        }
        true
    }

    /// The bytes touched, as a half-open range from the start of the memory;
    /// `None` if there are no elements.
    pub fn extent(&self) -> Option<(usize, usize)> {
        if self.size() == 0 {
            return None;
        }
        let (mut low, mut high) = (self.offset.cast_signed(), self.offset.cast_signed());
        for (&length, &stride) in self.shape.iter().zip(&self.strides) {
            let reach = (length - 1).cast_signed() * stride;
            if reach < 0 {
                low += reach;
            } else {
                high += reach;
            }
        }
        Some((low.cast_unsigned(), high.cast_unsigned() + self.itemsize))
    }

    /// True if writing one of two views of the same memory could change the
    /// other. May say true for interleaved views that share no element.
    pub fn may_overlap(&self, other: &Self) -> bool {
        match (self.extent(), other.extent()) {
            (Some((low, high)), Some((other_low, other_high))) => {
                low < other_high && other_low < high
            }
            _ => false,
        }
    }

    /// True if two indices can lie at the same address (a broadcast view).
    pub fn has_zero_stride(&self) -> bool {
        self.shape
            .iter()
            .zip(&self.strides)
            .any(|(&length, &stride)| length > 1 && stride == 0)
    }

    /// The same memory in reversed dimensions.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let mut result = self.clone();
        result.shape.reverse();
        result.strides.reverse();
        result
    }

    /// The same elements seen in a larger shape, repeated by zero strides.
    ///
    /// # Errors
    /// [`ShapeError::BroadcastTo`] if a length is neither equal nor 1.
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<Self, ShapeError> {
        let refuse = || ShapeError::BroadcastTo {
            from: self.shape.clone(),
            to: shape.into(),
        };
        let added = shape.len().checked_sub(self.ndim()).ok_or_else(refuse)?;
        let mut strides: Strides = SmallVec::from_elem(0, shape.len());
        for (i, (&length, &stride)) in self.shape.iter().zip(&self.strides).enumerate() {
            if length == shape[added + i] {
                strides[added + i] = stride;
            } else if length != 1 {
                return Err(refuse());
            }
        }
        Ok(Self {
            shape: shape.into(),
            strides,
            ..*self
        })
    }

    /// The view `reshape` gives, or `None` if the elements must be copied first.
    /// One length may be -1: it is inferred.
    ///
    /// # Errors
    /// [`ShapeError::Reshape`] if the number of elements differs;
    /// [`ShapeError::TooManyDimensions`].
    pub fn reshape(&self, shape: &[isize]) -> Result<(Dims, Option<Self>), ShapeError> {
        check_dimensions(shape.len())?;
        let target = self.infer(shape)?;
        let strides = if self.size() == 0 {
            Some(Self::contiguous(&target, self.itemsize)?.strides)
        } else {
            self.reshaped_strides(&target)
        };
        let view = strides.map(|strides| Self {
            shape: target.clone(),
            strides,
            ..*self
        });
        Ok((target, view))
    }

    fn infer(&self, shape: &[isize]) -> Result<Dims, ShapeError> {
        let refuse = || ShapeError::Reshape {
            from: self.shape.clone(),
            to: shape.into(),
        };
        if shape.iter().filter(|&&length| length == -1).count() > 1 {
            return Err(refuse());
        }
        let mut known = 1_usize;
        for &length in shape.iter().filter(|&&length| length != -1) {
            let length = usize::try_from(length).map_err(|_| ShapeError::Negative(length))?;
            known = known.checked_mul(length).ok_or_else(refuse)?;
        }
        let inferred = self.size().checked_div(known).unwrap_or(0);
        let target: Dims = shape
            .iter()
            .map(|&length| usize::try_from(length).unwrap_or(inferred))
            .collect();
        // With a -1 and a zero among the rest, any length would do: NumPy refuses.
        let ambiguous = known == 0 && shape.contains(&-1);
        if ambiguous || target.iter().product::<usize>() != self.size() {
            return Err(refuse());
        }
        Ok(target)
    }

    /// Strides of the reshaped view, by matching runs of dimensions that can be
    /// walked with one stride.
    fn reshaped_strides(&self, target: &[usize]) -> Option<Strides> {
        let (old_shape, old_strides): (Dims, Strides) = self
            .shape
            .iter()
            .zip(&self.strides)
            .filter(|&(&length, _)| length != 1)
            .map(|(&length, &stride)| (length, stride))
            .unzip();
        let mut strides: Strides = SmallVec::from_elem(self.itemsize.cast_signed(), target.len());
        let (mut old, mut new) = (0, 0);
        while old < old_shape.len() && new < target.len() {
            let (old_start, new_start) = (old, new);
            let (mut old_count, mut new_count) = (old_shape[old], target[new]);
            while old_count != new_count {
                if new_count < old_count {
                    new += 1;
                    new_count *= target[new];
                } else {
                    old += 1;
                    old_count *= old_shape[old];
                }
            }
            for i in old_start..old {
                let step = old_shape[i + 1].cast_signed() * old_strides[i + 1];
                if old_strides[i] != step {
                    return None;
                }
            }
            strides[new] = old_strides[old];
            for i in (new_start..new).rev() {
                strides[i] = strides[i + 1] * target[i + 1].cast_signed();
            }
            old += 1;
            new += 1;
        }
        Some(strides)
    }

    pub(super) fn with_parts(&self, shape: Dims, strides: Strides, offset: usize) -> Self {
        Self {
            shape,
            strides,
            offset,
            itemsize: self.itemsize,
        }
    }
}

/// Refuses more dimensions than an array has.
///
/// # Errors
/// [`ShapeError::TooManyDimensions`].
pub const fn check_dimensions(count: usize) -> Result<(), ShapeError> {
    if count > MAX_DIMENSIONS {
        return Err(ShapeError::TooManyDimensions(count));
    }
    Ok(())
}

/// The shape that both shapes broadcast to.
///
/// # Errors
/// [`ShapeError::Broadcast`] if lengths differ and neither is 1.
pub fn broadcast_shapes(left: &[usize], right: &[usize]) -> Result<Dims, ShapeError> {
    let ndim = left.len().max(right.len());
    let length = |shape: &[usize], i: usize| {
        (i + shape.len())
            .checked_sub(ndim)
            .map_or(1, |at| shape[at])
    };
    (0..ndim)
        .map(|i| match (length(left, i), length(right, i)) {
            (a, b) if a == b => Ok(a),
            (1, b) => Ok(b),
            (a, 1) => Ok(a),
            _ => Err(ShapeError::Broadcast {
                left: left.into(),
                right: right.into(),
            }),
        })
        .collect()
}

/// A shape as Python prints it.
struct Tuple<'a>(&'a [usize]);

impl fmt::Display for Tuple<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_tuple(f, self.0)
    }
}

struct SignedTuple<'a>(&'a [isize]);

impl fmt::Display for SignedTuple<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_tuple(f, self.0)
    }
}

fn write_tuple(f: &mut fmt::Formatter<'_>, items: &[impl fmt::Display]) -> fmt::Result {
    f.write_str("(")?;
    for (i, item) in items.iter().enumerate() {
        let separator = if i == 0 { "" } else { ", " };
        write!(f, "{separator}{item}")?;
    }
    f.write_str(if items.len() == 1 { ",)" } else { ")" })
}
