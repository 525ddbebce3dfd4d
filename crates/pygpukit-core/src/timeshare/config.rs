//! How a device's time is handed out.

use super::feasibility::Promise;
use crate::units::{Nanoseconds, Share};

/// How a device's time is handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeConfig {
    /// The longest grant of those whose work can be cut into slices.
    pub slice: Nanoseconds,
    /// Grants are handed out ahead while those that are out are no longer than this
    /// together, so that the device never runs dry.
    pub window: Nanoseconds,
    /// The longest grant of those whose work cannot be cut.
    pub longest: Nanoseconds,
    /// The period of promises that name none.
    pub period: Nanoseconds,
    /// The share that best effort gets together even if others want everything.
    pub best_effort_floor: Share,
}

impl TimeConfig {
    /// Slices of 100 us, two of them ahead, 1 ms for what cannot be cut, periods of
    /// 10 ms, nothing for best effort.
    pub const USUAL: Self = Self {
        slice: Nanoseconds::new(100_000),
        window: Nanoseconds::new(200_000),
        longest: Nanoseconds::new(1_000_000),
        period: Nanoseconds::new(10_000_000),
        best_effort_floor: Share::ZERO,
    };

    /// What is promised to best effort together.
    pub(super) fn best_effort_promise(&self) -> Option<Promise> {
        (self.best_effort_floor > Share::ZERO).then_some(Promise {
            share: self.best_effort_floor,
            period: self.period,
            longest: self.longest.max(self.slice),
            is_strict: false,
        })
    }

    /// For how long others may hold the device once they were granted it.
    pub fn blocking(&self) -> Nanoseconds {
        self.window.max(self.longest).max(self.slice)
    }
}

impl Default for TimeConfig {
    /// [The usual one](Self::USUAL).
    fn default() -> Self {
        Self::USUAL
    }
}
