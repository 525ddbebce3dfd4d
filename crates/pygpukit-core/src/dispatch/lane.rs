//! One lane: who waits for it, and how much is under way.

use crate::id::LaunchId;
use crate::units::Nanoseconds;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZeroUsize;

/// How much may be under way on a lane. What is under way cannot be overtaken, so this is
/// how long something urgent waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many launches.
    pub launches: NonZeroUsize,
    /// How long they are predicted to take together. A launch that is longer by itself
    /// has the lane alone.
    pub time: Nanoseconds,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            launches: NonZeroUsize::MIN.saturating_add(3),
            time: Nanoseconds::new(u64::MAX),
        }
    }
}

/// A launch that waits: the largest is next, by priority, then by age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Waiting {
    pub(super) priority: i32,
    pub(super) id: Reverse<LaunchId>,
}

/// One lane.
#[derive(Clone, Debug, Default)]
pub(super) struct Lane {
    /// Some of these may have ended since.
    pub(super) waiting: BinaryHeap<Waiting>,
    /// Launches handed out and not ended.
    pub(super) under_way: usize,
    /// How long they are predicted to take.
    pub(super) time: u128,
    /// How many were ever launched.
    pub(super) launched: u64,
}

impl Lane {
    /// Whether a launch that is predicted to take so long has a place.
    pub(super) fn has_room(&self, predicted: Nanoseconds, limits: &Limits) -> bool {
        let time = self.time + u128::from(predicted.get());
        let fits = time <= u128::from(limits.time.get());
        self.under_way < limits.launches.get() && (self.under_way == 0 || fits)
    }

    pub(super) fn take_place(&mut self, predicted: Nanoseconds) {
        self.under_way += 1;
        self.time += u128::from(predicted.get());
    }

    pub(super) fn leave_place(&mut self, predicted: Nanoseconds) {
        self.under_way -= 1;
        self.time -= u128::from(predicted.get());
    }
}
