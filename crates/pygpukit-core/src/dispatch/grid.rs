//! How many blocks so many items take.

/// The most blocks of a grid along x.
pub const MAX_BLOCKS: u32 = (1 << 31) - 1;

/// Items that no grid has a thread for each of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GridError {
    /// Blocks without threads.
    #[error("a block of `{0:?}` has no threads")]
    EmptyBlock([u32; 3]),
    /// More blocks than a grid has.
    #[error(
        "`{items}` items in blocks of {threads} are {blocks} blocks; a grid has at most {MAX_BLOCKS}"
    )]
    TooManyBlocks {
        /// The items.
        items: u64,
        /// Threads of a block along x.
        threads: u32,
        /// Blocks that it would take.
        blocks: u64,
    },
}

/// How many blocks have at least one thread along x for each item; none for no items.
///
/// # Errors
/// [`GridError`] for a block without threads, and for more blocks than a grid has.
pub fn linear_grid(items: u64, block: [u32; 3]) -> Result<u32, GridError> {
    if block.contains(&0) {
        return Err(GridError::EmptyBlock(block));
    }
    let blocks = items.div_ceil(u64::from(block[0]));
    u32::try_from(blocks)
        .ok()
        .filter(|&blocks| blocks <= MAX_BLOCKS)
        .ok_or(GridError::TooManyBlocks {
            items,
            threads: block[0],
            blocks,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_thread_for_each_item() {
        let blocks = |items, threads| linear_grid(items, [threads, 1, 1]);
        assert_eq!(blocks(1 << 32, 256), Ok(1 << 24));
        assert_eq!(blocks((1 << 32) - 1, 256), Ok(1 << 24));
        assert_eq!(blocks((1 << 33) + 5, 256), Ok((1 << 25) + 1));
        assert_eq!(blocks(0, 256), Ok(0));
        assert_eq!(blocks(u64::from(MAX_BLOCKS), 1), Ok(MAX_BLOCKS));
        let error = blocks(1 << 31, 1).unwrap_err().to_string();
        assert!(
            error.ends_with("2147483648 blocks; a grid has at most 2147483647"),
            "{error}"
        );
        let empty = linear_grid(10, [32, 0, 1]).unwrap_err();
        assert_eq!(empty.to_string(), "a block of `[32, 0, 1]` has no threads");
    }
}
