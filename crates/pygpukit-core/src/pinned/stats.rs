//! A pool in numbers.

use crate::units::Bytes;

/// A pool in numbers. Counters of events never go down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PinnedStats {
    /// Bytes in use and kept: all that is locked, and what is about to be.
    pub held: Bytes,
    /// Bytes of blocks in use.
    pub in_use: Bytes,
    /// The most that ever were in use.
    pub peak_in_use: Bytes,
    /// Bytes that are kept.
    pub kept: Bytes,
    /// Blocks in use.
    pub blocks: usize,
    /// Pieces of memory that are kept.
    pub kept_blocks: usize,
    /// Blocks that got memory that was kept.
    pub reused: u64,
    /// Blocks that did not.
    pub fresh: u64,
    /// Blocks that were freed.
    pub freed: u64,
}
