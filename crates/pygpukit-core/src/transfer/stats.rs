//! Transfers in numbers.

use super::direction::{ByDirection, Direction};
use crate::units::{Bytes, Nanoseconds};

/// Transfers in numbers. Counters of events never go down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransferStats {
    /// Transfers that were ever queued.
    pub queued: u64,
    /// Those of which all bytes were copied.
    pub completed: u64,
    /// Those that failed.
    pub failed: u64,
    /// Those that were cancelled.
    pub cancelled: u64,
    /// Those in progress.
    pub in_progress: usize,
    /// Bytes that were copied, also of transfers that did not complete.
    pub bytes: ByDirection<Bytes>,
    /// How long any chunk was under way, up to when one last came to its end.
    pub busy: ByDirection<Nanoseconds>,
}

impl TransferStats {
    /// Transfers of which nothing was handed out yet, and that have not ended.
    pub const fn pending(&self) -> u64 {
        self.queued - self.completed - self.failed - self.cancelled - self.in_progress as u64
    }

    /// Whether any transfer has not ended.
    pub const fn is_busy(&self) -> bool {
        self.in_progress > 0 || self.pending() > 0
    }

    /// Bytes that were copied in all directions.
    pub fn total_bytes(&self) -> Bytes {
        let bytes = self.bytes.iter().map(|bytes| bytes.get());
        Bytes::new(bytes.fold(0, u64::saturating_add))
    }

    /// Bytes a second while anything was under way, rounded down; none if that took no time.
    pub fn bandwidth(&self, direction: Direction) -> Bytes {
        let bytes = u128::from(self.bytes[direction].get());
        let a_second = bytes * u128::from(Nanoseconds::ONE_SECOND.get());
        let bandwidth = a_second.checked_div(u128::from(self.busy[direction].get()));
        let bandwidth = bandwidth.map_or(0, |each| u64::try_from(each).unwrap_or(u64::MAX));
        Bytes::new(bandwidth)
    }
}
