//! Matrix products of integers, which wrap, and of bools.

use super::matmul::{Matrix, matrices};
use super::pool::Pool;
use super::storage::{Plain, Truth};
use crate::backend::View;
use std::slice;

/// `sum + left * right` in the dtype's own arithmetic.
pub(super) trait Accumulate: Plain {
    const ZERO: Self;
    fn accumulate(self, left: Self, right: Self) -> Self;
}

macro_rules! integers {
    ($($name:ident),*) => { $(
        impl Accumulate for $name {
            const ZERO: Self = 0;
            fn accumulate(self, left: Self, right: Self) -> Self {
                self.wrapping_add(left.wrapping_mul(right))
            }
        }
    )* };
}
integers!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Accumulate for Truth {
    const ZERO: Self = Self::new(false);
    fn accumulate(self, left: Self, right: Self) -> Self {
        self.or(left.and(right))
    }
}

/// `target = left @ right`, batch by batch.
///
/// # Safety
/// The memory is there and ours; the dtype is stored as `T`; `target` is C-contiguous.
pub(super) unsafe fn integers<T: Accumulate>(
    pool: &Pool,
    target: &View,
    left: &View,
    right: &View,
) {
    let mut packed = Vec::<T>::new();
    for ((target, left), right) in matrices(target).zip(matrices(left)).zip(matrices(right)) {
        // SAFETY: the caller's promise.
        let right = unsafe { in_rows(right, &mut packed) };
        // A thread's share is worth about a hundred microseconds.
        let row_cost = (target.columns * left.columns).max(1);
        let grain = (1_usize << 18).div_ceil(row_cost);
        pool.split(target.rows, grain, |range| {
            for row in range.clone().step_by(ROWS) {
                let rows = row..range.end.min(row + ROWS);
                for column in (0..target.columns).step_by(COLUMNS) {
                    let columns = column..target.columns.min(column + COLUMNS);
                    // SAFETY: the caller's promise, and nobody else writes these rows.
                    unsafe { tile::<T>(&target, &left, &right, rows.clone(), columns) };
                }
            }
        });
    }
}

/// Rows that share what is read of the right operand.
const ROWS: usize = 8;
/// Columns whose sums stay in the L1 cache meanwhile.
const COLUMNS: usize = 512;

/// # Safety
/// As [`integers`], for this part of the result.
unsafe fn tile<T: Accumulate>(
    target: &Matrix,
    left: &Matrix,
    right: &Matrix,
    rows: std::ops::Range<usize>,
    columns: std::ops::Range<usize>,
) {
    // SAFETY: the caller's promise; rows of the target and of `right` are contiguous.
    unsafe {
        for row in rows.clone() {
            let sums = target.at::<T>(row, columns.start);
            slice::from_raw_parts_mut(sums, columns.len()).fill(T::ZERO);
        }
        for inner in 0..left.columns {
            let line = right.at::<T>(inner, columns.start);
            let line = slice::from_raw_parts(line, columns.len());
            for row in rows.clone() {
                let factor = left.at::<T>(row, inner).read();
                let sums = target.at::<T>(row, columns.start);
                let sums = slice::from_raw_parts_mut(sums, columns.len());
                for (sum, &value) in sums.iter_mut().zip(line) {
                    *sum = sum.accumulate(factor, value);
                }
            }
        }
    }
}

/// The matrix itself if its rows are contiguous, else a copy in `memory` whose are.
///
/// # Safety
/// The matrix is readable memory, stored as `T`.
unsafe fn in_rows<T: Accumulate>(matrix: Matrix, memory: &mut Vec<T>) -> Matrix {
    if matrix.column_stride == 1 {
        return matrix;
    }
    memory.clear();
    memory.reserve_exact(matrix.rows * matrix.columns);
    for row in 0..matrix.rows {
        // SAFETY: the caller's promise.
        memory.extend(
            (0..matrix.columns).map(|column| unsafe { matrix.at::<T>(row, column).read() }),
        );
    }
    Matrix {
        address: memory.as_mut_ptr().expose_provenance() as u64,
        row_stride: matrix.columns.cast_signed(),
        column_stride: 1,
        ..matrix
    }
}
