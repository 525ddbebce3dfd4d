//! A cache in numbers.

use crate::units::Bytes;

/// A cache in numbers. Counters of events never go down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStats {
    /// Kernels that are kept.
    pub entries: usize,
    /// How many bytes they have together.
    pub bytes: Bytes,
    /// Kernels that were asked for and found.
    pub hits: u64,
    /// Kernels that were asked for and not found.
    pub misses: u64,
    /// Kernels that left because something new needed their room.
    pub evicted: u64,
    /// Kernels that left because of their age.
    pub expired: u64,
}
