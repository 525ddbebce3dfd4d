//! A block in use.

use crate::id::PinnedId;
use crate::ledger::Grant;
use crate::units::{Bytes, Nanoseconds};

/// Whether a block has memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Its memory is being locked.
    Awaited,
    /// It has memory.
    Present {
        /// Where.
        address: u64,
    },
}

/// A block in use, and whose it is.
#[derive(Debug)]
pub struct Block<O> {
    pub(super) id: PinnedId,
    pub(super) grant: Grant,
    pub(super) state: State,
    pub(super) owner: Option<O>,
    pub(super) allocated: Nanoseconds,
    pub(super) used: Nanoseconds,
}

impl<O> Block<O> {
    /// Its name.
    pub const fn id(&self) -> PinnedId {
        self.id
    }

    /// How many bytes it has.
    pub const fn size(&self) -> Bytes {
        self.grant.amount().bytes()
    }

    /// Whether it has memory.
    pub const fn state(&self) -> State {
        self.state
    }

    /// Where its memory is, if it has any.
    pub const fn address(&self) -> Option<u64> {
        match self.state {
            State::Present { address } => Some(address),
            State::Awaited => None,
        }
    }

    /// Whose it is.
    pub const fn owner(&self) -> Option<&O> {
        self.owner.as_ref()
    }

    /// Since when it is in use.
    pub const fn allocated(&self) -> Nanoseconds {
        self.allocated
    }

    /// When it was last said to be used.
    pub const fn last_used(&self) -> Nanoseconds {
        self.used
    }
}
