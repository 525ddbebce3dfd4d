//! Fewer dimensions for the same elements.

use super::{Operand, Type};

/// A walk over the elements of several operands at once.
///
/// The order of the walk is not that of the shape: an elementwise operation may
/// visit its elements in any order.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Collapsed {
    /// Lengths, the innermost dimension last; none for one element.
    pub(super) shape: Vec<usize>,
    /// Bytes from one element to the next, for each operand and dimension; 0 for scalars.
    pub(super) strides: [Vec<isize>; 3],
    /// Bytes from element (0, 0, …) to where the walk begins, for each operand.
    pub(super) moved: [isize; 3],
}

/// One dimension of the walk.
#[derive(Clone, Copy)]
struct Axis {
    length: usize,
    strides: [isize; 3],
}

/// Drops dimensions of length 1, walks the target upwards with its smallest
/// stride innermost, and joins dimensions that one stride can walk.
pub(super) fn collapse(shape: &[usize], operands: [Operand<'_>; 3]) -> Collapsed {
    let mut moved = [0; 3];
    let mut axes: Vec<Axis> = Vec::with_capacity(shape.len());
    for (i, &length) in shape.iter().enumerate().filter(|&(_, &length)| length != 1) {
        let mut strides = operands.map(|operand| match operand {
            Operand::Array { strides, .. } => {
                assert_eq!(strides.len(), shape.len(), "one stride a dimension");
                strides[i]
            }
            Operand::Scalar(_) => 0,
        });
        if strides[0] < 0 {
            for (stride, moved) in strides.iter_mut().zip(&mut moved) {
                *moved += *stride * (length - 1).cast_signed();
                *stride = -*stride;
            }
        }
        axes.push(Axis { length, strides });
    }
    axes.sort_by_key(|axis| std::cmp::Reverse(axis.strides[0]));
    let mut joined: Vec<Axis> = Vec::with_capacity(axes.len());
    for axis in axes {
        match joined.last_mut() {
            Some(outer) if continues(*outer, axis) => {
                outer.length *= axis.length;
                outer.strides = axis.strides;
            }
            _ => joined.push(axis),
        }
    }
    Collapsed {
        shape: joined.iter().map(|axis| axis.length).collect(),
        strides: [0, 1, 2].map(|i| joined.iter().map(|axis| axis.strides[i]).collect()),
        moved,
    }
}

/// True if a step along `outer` is as far as walking all of `inner`.
fn continues(outer: Axis, inner: Axis) -> bool {
    outer
        .strides
        .iter()
        .zip(inner.strides)
        .all(|(&step, stride)| step == stride * inner.length.cast_signed())
}

impl Collapsed {
    /// True if every array lies without gaps, in the order of the walk.
    pub(super) fn is_contiguous(&self, operands: [Operand<'_>; 3], types: [Type; 3]) -> bool {
        let follows = |i: usize| match (operands[i], self.strides[i].as_slice()) {
            (Operand::Scalar(_), _) | (_, []) => true,
            (Operand::Array { .. }, [stride]) => *stride == types[i].size().cast_signed(),
            (Operand::Array { .. }, _) => false,
        };
        self.shape.len() <= 1 && (0..3).all(follows)
    }
}
