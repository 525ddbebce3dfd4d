//! Clocks.

use pygpukit_core::units::Nanoseconds;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Says how much time has passed since some origin. Never goes backwards.
pub trait Clock: Send + Sync + fmt::Debug {
    /// The time.
    fn now(&self) -> Nanoseconds;
}

/// The machine's monotonic clock, counted from its making.
#[derive(Debug)]
pub struct MonotonicClock(Instant);

impl Default for MonotonicClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for MonotonicClock {
    fn now(&self) -> Nanoseconds {
        self.0.elapsed().into()
    }
}

/// A clock that stands still until it is moved.
#[derive(Debug, Default)]
pub struct ManualClock(AtomicU64);

impl ManualClock {
    /// Moves the clock forward.
    pub fn advance(&self, by: Nanoseconds) {
        self.0.fetch_add(by.get(), Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Nanoseconds {
        Nanoseconds::new(self.0.load(Ordering::SeqCst))
    }
}
