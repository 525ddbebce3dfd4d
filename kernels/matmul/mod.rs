//! The host half of the matrix products.

use crate::launch::{Launch, Limits, Parameters};
use crate::unit::{Type, Unit};

/// Threads of a block, and results along a side of its tile, as in tiled.cu.
const THREADS: u32 = 256;
const TILE: usize = 64;
/// Batch dimensions that the kernel has room for: more that are longer than 1
/// would have more results than any memory holds.
const BATCH_DIMS: usize = 40;
/// Largest grid along x and z.
const GRID_X: usize = 0x7fff_ffff;
const GRID_Z: usize = 0xffff;

/// An operand: a stack of matrices in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix<'a> {
    /// The address of element (0, …, 0, 0).
    pub address: u64,
    /// Bytes from one matrix to the next along each batch dimension.
    pub batch: &'a [isize],
    /// Bytes from one row to the next.
    pub row: isize,
    /// Bytes from one column to the next.
    pub column: isize,
}

/// The lengths of a product: `batch` matrices of `m` by `k` times `k` by `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product<'a> {
    /// Lengths of the batch dimensions.
    pub batch: &'a [usize],
    /// Rows of the result.
    pub m: usize,
    /// Columns of the result.
    pub n: usize,
    /// Products summed for each result.
    pub k: usize,
}

/// Plans a product into the contiguous memory at `target`. `None` if it has no
/// elements.
///
/// # Panics
/// If an operand has not one stride a batch dimension.
pub fn matmul(
    of: Type,
    product: Product<'_>,
    target: u64,
    left: Matrix<'_>,
    right: Matrix<'_>,
    _limits: Limits,
) -> Option<Launch> {
    let Product { m, n, k, .. } = product;
    let batches: usize = product.batch.iter().product();
    if batches * m * n == 0 {
        return None;
    }
    let batch = collapse_batch(product.batch, left.batch, right.batch);
    let tiles = m.div_ceil(TILE).saturating_mul(n.div_ceil(TILE));
    let mut parameters = Parameters::default();
    parameters.size(m).size(n).size(k).size(batches);
    parameters
        .unsigned(target)
        .unsigned(left.address)
        .unsigned(right.address);
    parameters.stride(left.row).stride(left.column);
    parameters.stride(right.row).stride(right.column);
    parameters.size(batch.len());
    parameters.array(
        BATCH_DIMS,
        batch.iter().map(|axis| axis.length.cast_signed()),
    );
    parameters.array(BATCH_DIMS, batch.iter().map(|axis| axis.left));
    parameters.array(BATCH_DIMS, batch.iter().map(|axis| axis.right));
    Some(Launch {
        unit: Unit::Matmul(of),
        entry: "matmul",
        grid: [narrow(tiles.min(GRID_X)), 1, narrow(batches.min(GRID_Z))],
        block: [THREADS, 1, 1],
        parameters: parameters.finish(),
    })
}

fn narrow(blocks: usize) -> u32 {
    u32::try_from(blocks).expect("clamped to the largest grid")
}

struct BatchAxis {
    length: usize,
    left: isize,
    right: isize,
}

/// Drops dimensions of length 1 and joins those that one stride can walk. The
/// order stays: results are numbered in it.
fn collapse_batch(lengths: &[usize], left: &[isize], right: &[isize]) -> Vec<BatchAxis> {
    assert_eq!(lengths.len(), left.len(), "one stride a batch dimension");
    assert_eq!(lengths.len(), right.len(), "one stride a batch dimension");
    let mut joined: Vec<BatchAxis> = Vec::with_capacity(lengths.len());
    for ((&length, &left), &right) in lengths.iter().zip(left).zip(right) {
        if length == 1 {
            continue;
        }
        let reach = length.cast_signed();
        match joined.last_mut() {
            Some(outer) if outer.left == left * reach && outer.right == right * reach => {
                outer.length *= length;
                (outer.left, outer.right) = (left, right);
            }
            _ => joined.push(BatchAxis {
                length,
                left,
                right,
            }),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { multiprocessors: 4 };

    fn plan(
        batch: &[usize],
        [m, n, k]: [usize; 3],
        left: &[isize],
        right: &[isize],
    ) -> Option<Launch> {
        let matrix = |batch| Matrix {
            address: 256,
            batch,
            row: 4,
            column: 4,
        };
        let product = Product { batch, m, n, k };
        matmul(
            Type::Float32,
            product,
            512,
            matrix(left),
            matrix(right),
            LIMITS,
        )
    }

    fn word(launch: &Launch, at: usize) -> i64 {
        i64::from_ne_bytes(launch.parameters[8 * at..8 * at + 8].try_into().unwrap())
    }

    #[test]
    fn every_type_has_a_plan() {
        for of in Type::ALL {
            let product = Product {
                batch: &[],
                m: 1,
                n: 1,
                k: 1,
            };
            let matrix = Matrix {
                address: 256,
                batch: &[],
                row: 0,
                column: 0,
            };
            let launch = matmul(of, product, 512, matrix, matrix, LIMITS).unwrap();
            assert_eq!(launch.unit, Unit::Matmul(of));
            assert_eq!(launch.parameters.len(), 8 * (12 + 3 * BATCH_DIMS));
        }
    }

    #[test]
    fn an_empty_sum_is_written_and_an_empty_result_is_not() {
        assert_eq!(plan(&[], [3, 3, 0], &[], &[]).unwrap().grid, [1, 1, 1]);
        assert_eq!(plan(&[], [0, 3, 3], &[], &[]), None);
        assert_eq!(plan(&[], [3, 0, 3], &[], &[]), None);
        assert_eq!(plan(&[2, 0], [3, 3, 3], &[4, 4], &[4, 4]), None);
    }

    #[test]
    fn grids_cover_the_tiles_and_stay_in_bounds() {
        assert_eq!(plan(&[], [64, 64, 1], &[], &[]).unwrap().grid, [1, 1, 1]);
        assert_eq!(plan(&[], [65, 129, 1], &[], &[]).unwrap().grid, [6, 1, 1]);
        let stack = plan(&[70_000], [1, 1, 1], &[4], &[4]).unwrap();
        assert_eq!(stack.grid, [1, 1, 65_535]);
        let huge = plan(&[], [1 << 30, 1 << 20, 1], &[], &[]).unwrap();
        assert_eq!(huge.grid, [0x7fff_ffff, 1, 1]);
    }

    #[test]
    fn batches_are_joined_where_both_operands_allow() {
        let batch_dims = |left: &[isize], right: &[isize]| {
            word(&plan(&[2, 1, 3], [1, 1, 1], left, right).unwrap(), 11)
        };
        assert_eq!(batch_dims(&[48, 7, 16], &[96, 7, 32]), 1);
        assert_eq!(batch_dims(&[48, 7, 16], &[0, 7, 32]), 2, "broadcast");
        assert_eq!(batch_dims(&[0, 0, 0], &[0, 0, 0]), 1);
        assert_eq!(batch_dims(&[16, 7, 32], &[48, 7, 16]), 2, "swapped axes");
    }
}
