//! The life of a transfer.

use super::direction::Direction;
use crate::id::TransferId;
use crate::units::{Bytes, Nanoseconds};
use std::num::NonZeroU64;

/// How far a transfer has come.
///
/// `Queued`, then `InProgress`; it ends as `Completed`, `Failed` or `Cancelled`, and an end
/// is final. What is stopped while chunks of it are under way ends when the last of those
/// is reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing of it was handed out.
    Queued,
    /// Some of it was handed out.
    InProgress {
        /// Since when.
        started: Nanoseconds,
    },
    /// No more of it will be handed out, but chunks are under way.
    Stopping {
        /// Since when it was in progress.
        started: Nanoseconds,
        /// What it will end as.
        end: Stop,
    },
    /// All bytes were copied.
    Completed {
        /// Since when it was in progress.
        started: Nanoseconds,
        /// When it ended.
        at: Nanoseconds,
    },
    /// Not all bytes were copied: something went wrong.
    Failed {
        /// Since when it was in progress, if it was.
        started: Option<Nanoseconds>,
        /// When it ended.
        at: Nanoseconds,
        /// What went wrong.
        error: String,
    },
    /// Not all bytes were copied: nobody wants them.
    Cancelled {
        /// Since when it was in progress, if it was.
        started: Option<Nanoseconds>,
        /// When it ended.
        at: Nanoseconds,
    },
}

/// Why a transfer ends before all is copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Something went wrong.
    Failed(String),
    /// Nobody wants it.
    Cancelled,
}

impl Stop {
    pub(super) fn at(self, started: Option<Nanoseconds>, at: Nanoseconds) -> State {
        match self {
            Self::Failed(error) => State::Failed { started, at, error },
            Self::Cancelled => State::Cancelled { started, at },
        }
    }
}

impl State {
    /// Whether it has come to its end.
    pub const fn is_terminal(&self) -> bool {
        self.ended().is_some()
    }

    /// Since when it was in progress; `None` if it never was.
    pub const fn started(&self) -> Option<Nanoseconds> {
        match self {
            Self::InProgress { started }
            | Self::Stopping { started, .. }
            | Self::Completed { started, .. } => Some(*started),
            Self::Failed { started, .. } | Self::Cancelled { started, .. } => *started,
            Self::Queued => None,
        }
    }

    /// When it came to its end; `None` before that.
    pub const fn ended(&self) -> Option<Nanoseconds> {
        match self {
            Self::Completed { at, .. } | Self::Failed { at, .. } | Self::Cancelled { at, .. } => {
                Some(*at)
            }
            Self::Queued | Self::InProgress { .. } | Self::Stopping { .. } => None,
        }
    }

    /// What went wrong, if anything did.
    pub fn error(&self) -> Option<&str> {
        match self {
            Self::Failed { error, .. }
            | Self::Stopping {
                end: Stop::Failed(error),
                ..
            } => Some(error),
            Self::Queued
            | Self::InProgress { .. }
            | Self::Stopping { .. }
            | Self::Completed { .. }
            | Self::Cancelled { .. } => None,
        }
    }
}

/// Some bytes of a transfer that are to be copied now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Of which transfer.
    pub transfer: TransferId,
    /// In which direction.
    pub direction: Direction,
    /// The first byte, counted from the transfer's first.
    pub offset: Bytes,
    /// How many.
    pub size: Bytes,
}

/// A transfer, with whatever its owner needs to carry it out.
#[derive(Clone, Debug)]
pub struct Transfer<T> {
    pub(super) id: TransferId,
    pub(super) direction: Direction,
    pub(super) priority: i32,
    pub(super) size: Bytes,
    pub(super) chunk: NonZeroU64,
    pub(super) queued: Nanoseconds,
    /// Chunks that were handed out.
    pub(super) handed_out: u64,
    /// Chunks of those that have come to their end, in their order.
    pub(super) ended: u64,
    pub(super) copied: Bytes,
    pub(super) state: State,
    pub(super) payload: T,
}

impl<T> Transfer<T> {
    /// Its name.
    pub const fn id(&self) -> TransferId {
        self.id
    }

    /// In which direction it goes.
    pub const fn direction(&self) -> Direction {
        self.direction
    }

    /// More is more urgent.
    pub const fn priority(&self) -> i32 {
        self.priority
    }

    /// How many bytes.
    pub const fn size(&self) -> Bytes {
        self.size
    }

    /// How many of them are copied.
    pub const fn copied(&self) -> Bytes {
        self.copied
    }

    /// When it was queued.
    pub const fn queued(&self) -> Nanoseconds {
        self.queued
    }

    /// How far it has come.
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// What its owner needs to carry it out.
    pub const fn payload(&self) -> &T {
        &self.payload
    }

    /// How long it waited until it was in progress; `None` if it never was.
    pub fn waited(&self) -> Option<Nanoseconds> {
        let started = self.state.started()?;
        Some(started.saturating_sub(self.queued))
    }

    /// How long it was in progress; `None` if it never was, or is still.
    pub fn took(&self) -> Option<Nanoseconds> {
        let ended = self.state.ended()?;
        Some(ended.saturating_sub(self.state.started()?))
    }

    /// Chunks handed out that have not come to their end.
    pub const fn under_way(&self) -> u64 {
        self.handed_out - self.ended
    }

    /// How many chunks it is cut into: one at least, though it be empty.
    pub(super) fn chunks(&self) -> u64 {
        self.size.get().div_ceil(self.chunk.get()).max(1)
    }

    /// One of its chunks, counted from 0.
    pub(super) fn chunk_at(&self, number: u64) -> Chunk {
        let offset = number * self.chunk.get();
        Chunk {
            transfer: self.id,
            direction: self.direction,
            offset: Bytes::new(offset),
            size: Bytes::new(self.chunk.get().min(self.size.get() - offset)),
        }
    }
}
