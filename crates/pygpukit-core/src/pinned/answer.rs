//! What a pool answers.

use crate::id::PinnedId;

/// A block that is in use from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a block is in use until it is freed"]
pub enum Allocation {
    /// It has memory.
    Reused(PinnedId),
    /// The caller locks as much as the block's size, and
    /// [registers](super::PinnedPool::register) it; or frees the block if that fails.
    Fresh(PinnedId),
}

impl Allocation {
    /// Which block.
    pub const fn id(self) -> PinnedId {
        match self {
            Self::Reused(id) | Self::Fresh(id) => id,
        }
    }
}

/// What becomes of the memory of a block that was freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "memory that is not kept is to be unlocked"]
pub enum Freed {
    /// It never had any.
    Nothing,
    /// It is kept.
    Kept(u64),
    /// The caller unlocks it.
    Unlock(u64),
}
