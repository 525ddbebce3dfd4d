//! Walking strided elements in one order for all operands.

use crate::backend::View;
use smallvec::SmallVec;

/// The elements of one operand, in the order that all operands share.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    /// The address of the first element.
    address: u64,
    /// Runs along the last dimension first. At least one dimension.
    dims: SmallVec<[Dim; 4]>,
    itemsize: usize,
}

#[derive(Clone, Copy, Debug)]
struct Dim {
    length: usize,
    stride: isize,
}

/// Plans a walk over views of one shape, which has elements.
///
/// Elements may be visited in any order, as long as it is the same for all: the
/// one in which the first view, which is written, lies in memory.
pub(super) fn plan<const N: usize>(views: [&View; N]) -> [Walk; N] {
    let shape = views[0].layout.shape();
    let mut axes: SmallVec<[usize; 4]> = (0..shape.len()).filter(|&i| shape[i] != 1).collect();
    let target = views[0].layout.strides();
    axes.sort_by_key(|&axis| std::cmp::Reverse(target[axis].unsigned_abs()));
    views.map(|view| {
        let mut address = view.address + view.layout.offset() as u64;
        let dims = axes.iter().map(|&axis| {
            let (length, stride) = (shape[axis], view.layout.strides()[axis]);
            if target[axis] >= 0 {
                return Dim { length, stride };
            }
            // Backwards in the target: everybody starts at the other end.
            address = address.wrapping_add_signed(((length - 1).cast_signed() * stride) as i64);
            Dim {
                length,
                stride: -stride,
            }
        });
        let dims = merge(dims.collect());
        Walk {
            address,
            dims: if dims.is_empty() {
                smallvec::smallvec![Dim {
                    length: 1,
                    stride: view.layout.itemsize().cast_signed()
                }]
            } else {
                dims
            },
            itemsize: view.layout.itemsize(),
        }
    })
}

/// Joins neighbouring dimensions that one stride walks through.
fn merge(dims: SmallVec<[Dim; 4]>) -> SmallVec<[Dim; 4]> {
    let mut merged: SmallVec<[Dim; 4]> = SmallVec::new();
    for dim in dims {
        match merged.last_mut() {
            Some(outer) if outer.stride == dim.length.cast_signed() * dim.stride => {
                outer.length *= dim.length;
                outer.stride = dim.stride;
            }
            _ => merged.push(dim),
        }
    }
    merged
}

impl Walk {
    /// The address of the first element, if all lie in order without gaps.
    pub(super) fn dense(&self) -> Option<u64> {
        let [dim] = self.dims[..] else { return None };
        (dim.stride == self.itemsize.cast_signed()).then_some(self.address)
    }

    /// The address of the only element, if it stands for all.
    pub(super) fn constant(&self) -> Option<u64> {
        let [dim] = self.dims[..] else { return None };
        (dim.stride == 0).then_some(self.address)
    }

    /// Calls `visit(address, stride, first, count)` for runs of elements at one
    /// stride, which together are those numbered `start .. start + count`;
    /// `first` counts from `start`.
    pub(super) fn runs(
        &self,
        start: usize,
        count: usize,
        mut visit: impl FnMut(u64, isize, usize, usize),
    ) {
        let Some((inner, outer)) = self.dims.split_last() else {
            return;
        };
        let mut at: SmallVec<[usize; 4]> = SmallVec::from_elem(0, outer.len());
        let mut along = start % inner.length;
        let mut rest = start / inner.length;
        let mut row = self.address;
        let step = |address: u64, count: usize, stride: isize| {
            address.wrapping_add_signed((count.cast_signed() * stride) as i64)
        };
        for (at, dim) in at.iter_mut().zip(outer).rev() {
            *at = rest % dim.length;
            rest /= dim.length;
            row = step(row, *at, dim.stride);
        }
        let mut done = 0;
        while done < count {
            let run = (inner.length - along).min(count - done);
            visit(step(row, along, inner.stride), inner.stride, done, run);
            done += run;
            along = 0;
            for (at, dim) in at.iter_mut().zip(outer).rev() {
                *at += 1;
                row = step(row, 1, dim.stride);
                if *at < dim.length {
                    break;
                }
                row = step(row, dim.length, -dim.stride);
                *at = 0;
            }
        }
    }
}
