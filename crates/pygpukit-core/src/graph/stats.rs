//! A graph in numbers.

use crate::units::Nanoseconds;

/// A graph in numbers: what is there, and what has been.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphStats {
    /// Tasks that were submitted and kept.
    pub submitted: u64,
    /// Tasks that were turned away.
    pub rejected: u64,
    /// Tasks that have done what they were to do.
    pub completed: u64,
    /// Tasks that have not.
    pub failed: u64,
    /// Tasks that were cancelled.
    pub cancelled: u64,
    /// Tasks that wait for others.
    pub blocked: usize,
    /// Tasks that run.
    pub running: usize,
    /// Tasks that have started.
    pub started: u64,
    /// What these have waited, in all.
    pub waited: Nanoseconds,
    /// Tasks that have run to an end of any kind.
    pub ended_runs: u64,
    /// How long these have run, in all.
    pub ran: Nanoseconds,
}

impl GraphStats {
    /// Tasks that have not started and may.
    pub fn pending(&self) -> u64 {
        let running = u64::try_from(self.running).unwrap_or(u64::MAX);
        let ended = self.completed + self.failed + self.cancelled;
        self.submitted - ended - running
    }

    /// What a task has waited for its start on average; nothing before there is one.
    pub fn average_wait(&self) -> Nanoseconds {
        Nanoseconds::new(self.waited.get().checked_div(self.started).unwrap_or(0))
    }

    /// How long a task has run on average; nothing before one has ended.
    pub fn average_run(&self) -> Nanoseconds {
        Nanoseconds::new(self.ran.get().checked_div(self.ended_runs).unwrap_or(0))
    }
}
