//! Matrix products of 16-bit floats, in float32 blocks.

use super::matmul::{Matrix, matrices, product};
use super::pool::Pool;
use super::storage::Storage;
use crate::backend::View;
use std::slice;

/// 16-bit floats: blocks are widened to float32, multiplied and rounded once.
///
/// # Safety
/// The memory is there and ours; `target` is C-contiguous; the dtype is stored as `S`.
pub(super) unsafe fn halves<S: Storage<f32>>(
    pool: &Pool,
    target: &View,
    left: &View,
    right: &View,
) {
    for ((target, left), right) in matrices(target).zip(matrices(left)).zip(matrices(right)) {
        let (rows, columns) = (target.rows.min(SIDE), target.columns.min(SIDE));
        let depth = left.columns.min(DEPTH);
        let mut left_block = vec![0.0_f32; rows * depth];
        let mut right_block = vec![0.0_f32; depth * columns];
        let mut sum = vec![0.0_f32; rows * columns];
        for column in (0..target.columns).step_by(SIDE) {
            let columns = SIDE.min(target.columns - column);
            for row in (0..target.rows).step_by(SIDE) {
                let rows = SIDE.min(target.rows - row);
                let sum = dense(&mut sum, rows, columns);
                for inner in (0..left.columns).step_by(DEPTH) {
                    let depth = DEPTH.min(left.columns - inner);
                    // SAFETY: the caller's promise: the blocks lie in the matrices.
                    unsafe {
                        let left =
                            widen::<S>(&left, row, inner, dense(&mut left_block, rows, depth));
                        let right = widen::<S>(
                            &right,
                            inner,
                            column,
                            dense(&mut right_block, depth, columns),
                        );
                        product::<f32>(pool, sum, left, right, inner > 0);
                    }
                }
                // SAFETY: as above.
                unsafe { narrow::<S>(sum, &target, row, column) };
            }
        }
    }
}

/// Rows and columns of a block of the result.
const SIDE: usize = 512;
/// How much of the inner dimension is widened at once.
const DEPTH: usize = 1024;

/// A row-major matrix at the start of a buffer.
fn dense(buffer: &mut [f32], rows: usize, columns: usize) -> Matrix {
    Matrix {
        address: buffer.as_mut_ptr().expose_provenance() as u64,
        rows,
        columns,
        row_stride: columns.cast_signed(),
        column_stride: 1,
    }
}

/// Converts the block of a matrix that starts at (`row`, `column`) and is as large
/// as `block`. Returns the block, transposed in memory if the matrix is.
///
/// # Safety
/// The block lies in readable memory, stored as `S`.
unsafe fn widen<S: Storage<f32>>(
    source: &Matrix,
    row: usize,
    column: usize,
    mut block: Matrix,
) -> Matrix {
    let is_transposed = source.row_stride == 1 && source.column_stride != 1;
    let (lines, length) = if is_transposed {
        block.row_stride = 1;
        block.column_stride = block.rows.cast_signed();
        (block.columns, block.rows)
    } else {
        (block.rows, block.columns)
    };
    let mut gathered = Vec::new();
    for line in 0..lines {
        let (i, j) = if is_transposed { (0, line) } else { (line, 0) };
        let first = source.at::<S>(row + i, column + j);
        let step = if is_transposed {
            1
        } else {
            source.column_stride
        };
        // SAFETY: the caller's promise; the block has room for every line.
        unsafe {
            let target = slice::from_raw_parts_mut(block.at::<f32>(i, j), length);
            if step == 1 {
                S::widen(slice::from_raw_parts(first, length), target);
            } else {
                gathered.clear();
                gathered.extend(
                    (0..length.cast_signed()).map(|at| first.wrapping_offset(at * step).read()),
                );
                S::widen(&gathered, target);
            }
        }
    }
    block
}

/// Rounds a row-major block into the row-major target.
///
/// # Safety
/// The block's place in the target is writable memory, stored as `S`.
unsafe fn narrow<S: Storage<f32>>(block: Matrix, target: &Matrix, row: usize, column: usize) {
    for line in 0..block.rows {
        // SAFETY: the caller's promise; a line of each is contiguous.
        unsafe {
            S::narrow(
                slice::from_raw_parts(block.at::<f32>(line, 0), block.columns),
                slice::from_raw_parts_mut(target.at::<S>(row + line, column), block.columns),
            );
        }
    }
}
