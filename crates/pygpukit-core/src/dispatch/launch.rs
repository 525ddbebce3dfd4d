//! The life of a launch.

use crate::id::{LaneId, LaunchId};
use crate::units::Nanoseconds;

/// How far a launch has come.
///
/// `Queued`, then `HandedOut` once, then `Launched`; it ends as `Completed`, `Failed` or
/// `Cancelled`, and an end is final.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Waits for its turn.
    Queued,
    /// Has its place on the lane, and is about to be launched.
    HandedOut,
    /// Runs.
    Launched {
        /// Since when.
        at: Nanoseconds,
    },
    /// Has run.
    Completed {
        /// Since when it ran.
        launched: Nanoseconds,
        /// When it ended.
        at: Nanoseconds,
    },
    /// Did not run, or not to its end.
    Failed {
        /// Since when it ran, if it did.
        launched: Option<Nanoseconds>,
        /// When it failed.
        at: Nanoseconds,
        /// What happened.
        error: String,
    },
    /// Will not run.
    Cancelled {
        /// Since when.
        at: Nanoseconds,
    },
}

impl Stage {
    /// Whether it has come to its end.
    pub const fn is_terminal(&self) -> bool {
        match self {
            Self::Queued | Self::HandedOut | Self::Launched { .. } => false,
            Self::Completed { .. } | Self::Failed { .. } | Self::Cancelled { .. } => true,
        }
    }

    /// Since when it ran; `None` if it never did.
    pub const fn launched(&self) -> Option<Nanoseconds> {
        match self {
            Self::Launched { at } => Some(*at),
            Self::Completed { launched, .. } => Some(*launched),
            Self::Failed { launched, .. } => *launched,
            Self::Queued | Self::HandedOut | Self::Cancelled { .. } => None,
        }
    }

    /// What happened, if it failed.
    pub fn error(&self) -> Option<&str> {
        match self {
            Self::Failed { error, .. } => Some(error),
            Self::Queued
            | Self::HandedOut
            | Self::Launched { .. }
            | Self::Completed { .. }
            | Self::Cancelled { .. } => None,
        }
    }

    /// When it came to its end; `None` before that.
    pub const fn ended(&self) -> Option<Nanoseconds> {
        match self {
            Self::Completed { at, .. } | Self::Failed { at, .. } | Self::Cancelled { at } => {
                Some(*at)
            }
            Self::Queued | Self::HandedOut | Self::Launched { .. } => None,
        }
    }
}

/// A launch, with whatever its owner needs to carry it out.
#[derive(Clone, Debug)]
pub struct Launch<T> {
    pub(super) id: LaunchId,
    pub(super) lane: LaneId,
    pub(super) priority: i32,
    pub(super) predicted: Nanoseconds,
    pub(super) queued: Nanoseconds,
    pub(super) stage: Stage,
    pub(super) payload: T,
}

impl<T> Launch<T> {
    /// Its name.
    pub const fn id(&self) -> LaunchId {
        self.id
    }

    /// Where it runs.
    pub const fn lane(&self) -> LaneId {
        self.lane
    }

    /// More is more urgent.
    pub const fn priority(&self) -> i32 {
        self.priority
    }

    /// How long it is predicted to take.
    pub const fn predicted(&self) -> Nanoseconds {
        self.predicted
    }

    /// When it was queued.
    pub const fn queued(&self) -> Nanoseconds {
        self.queued
    }

    /// How far it has come.
    pub const fn stage(&self) -> &Stage {
        &self.stage
    }

    /// What its owner needs to carry it out.
    pub const fn payload(&self) -> &T {
        &self.payload
    }
}
