//! A dispatcher in numbers.

use crate::units::Nanoseconds;

/// A dispatcher in numbers. Counters of events never go down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DispatchStats {
    /// Launches that were ever queued.
    pub queued: u64,
    /// Those that have run.
    pub completed: u64,
    /// Those that failed.
    pub failed: u64,
    /// Those that were cancelled.
    pub cancelled: u64,
    /// Those that run.
    pub running: usize,
    /// How long those that have run did run, together.
    pub run_time: Nanoseconds,
}

impl DispatchStats {
    /// Whether any launch has not ended.
    pub const fn is_busy(&self) -> bool {
        self.running > 0 || self.pending() > 0
    }

    /// How long those that have run did run, on average; no time if none has.
    pub fn average_run_time(&self) -> Nanoseconds {
        let average = self.run_time.get().checked_div(self.completed);
        average.map_or(Nanoseconds::ZERO, Nanoseconds::new)
    }

    /// Launches that have not been launched and not ended.
    pub const fn pending(&self) -> u64 {
        self.queued - self.completed - self.failed - self.cancelled - self.running as u64
    }
}
