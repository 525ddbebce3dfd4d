//! A pool in numbers.

use crate::units::Bytes;

/// A pool in numbers, at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolStats {
    /// What the pool may take.
    pub capacity: Bytes,
    /// What it has taken: its regions.
    pub reserved: Bytes,
    /// Of that, in blocks.
    pub used: Bytes,
    /// What was asked for in blocks, wherever they are now.
    pub asked: Bytes,
    /// What quotas promise.
    pub promised: Bytes,
    /// Regions.
    pub regions: usize,
    /// Blocks, wherever they are.
    pub blocks: usize,
    /// Of those, without memory on the device.
    pub on_host: usize,
    /// Pieces of regions that no block has.
    pub free_pieces: usize,
    /// What has happened so far.
    pub events: PoolEvents,
}

impl PoolStats {
    /// In regions, and in no block.
    pub fn cached(&self) -> Bytes {
        Bytes::new(self.reserved.get() - self.used.get())
    }
}

/// What has happened in a pool so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolEvents {
    /// Blocks handed out.
    pub allocations: u64,
    /// Regions added.
    pub growths: u64,
    /// Regions removed.
    pub returns: u64,
    /// Blocks that moved to the host.
    pub evictions: u64,
    /// Blocks that moved back.
    pub restores: u64,
}
