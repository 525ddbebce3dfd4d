//! What is asked of an engine, and what it answers.

use super::direction::Direction;
use super::state::Chunk;
use crate::units::Bytes;

/// What a transfer asks for.
#[derive(Clone, Debug)]
pub struct Request<T> {
    /// In which direction it goes.
    pub direction: Direction,
    /// More is more urgent.
    pub priority: i32,
    /// How many bytes.
    pub size: Bytes,
    /// What its owner needs to carry it out.
    pub payload: T,
}

/// What is to be copied next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a chunk that is handed out has its place until it is reported"]
pub enum Next {
    /// Copy this, and report it.
    Chunk(Chunk),
    /// Something waits, but not until one of the chunks under way is reported.
    Full {
        /// How many those are.
        under_way: usize,
    },
    /// Nothing waits.
    Idle,
}

impl Next {
    /// What is to be copied, if anything.
    pub const fn chunk(self) -> Option<Chunk> {
        match self {
            Self::Chunk(chunk) => Some(chunk),
            Self::Full { .. } | Self::Idle => None,
        }
    }
}
