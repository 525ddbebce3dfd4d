//! Why something cannot be.

use super::config::Alignment;
use crate::id::PinnedId;
use crate::units::Bytes;

/// Why there is no block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Not until memory that is kept is [given up](super::PinnedPool::trim).
    #[error(
        "not enough pinned memory: {} asked, {} available of {}; {} are kept for reuse, of which {} would have to go",
        asked.get(), available.get(), limit.get(), kept.get(), lacking.get()
    )]
    Kept {
        /// Bytes of the block, as large as its size class.
        asked: Bytes,
        /// Bytes that are neither in use nor kept.
        available: Bytes,
        /// The quota.
        limit: Bytes,
        /// Bytes that are kept.
        kept: Bytes,
        /// How many of those have to go.
        lacking: Bytes,
    },
    /// Not until blocks that are in use are freed, and what is kept is given up.
    #[error(
        "not enough pinned memory: {} asked, {} available of {}; {} are in use, of which {} would have to be freed",
        asked.get(), available.get(), limit.get(), in_use.get(), lacking.get()
    )]
    InUse {
        /// Bytes of the block, as large as its size class.
        asked: Bytes,
        /// Bytes that are not in use.
        available: Bytes,
        /// The quota.
        limit: Bytes,
        /// Bytes that are in use.
        in_use: Bytes,
        /// How many of those have to be freed.
        lacking: Bytes,
    },
    /// Never: it is larger than the quota.
    #[error("a pinned block for {} bytes is larger than the quota of {}", size.get(), limit.get())]
    TooLarge {
        /// Bytes that were asked for.
        size: Bytes,
        /// The quota.
        limit: Bytes,
    },
}

/// Why memory cannot be that of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegisterError {
    /// There is no such block.
    #[error(transparent)]
    Unknown(#[from] UnknownBlock),
    /// The block has memory.
    #[error("pinned block `{id}` has its memory at {address:#x} already")]
    HasMemory {
        /// Which block.
        id: PinnedId,
        /// Where its memory is.
        address: u64,
    },
    /// No memory is there.
    #[error("nothing is at address 0")]
    Null,
    /// It does not begin where memory of this pool begins.
    #[error("address {address:#x} is not a multiple of the alignment {}", alignment.get())]
    Misaligned {
        /// Where it is.
        address: u64,
        /// What its address has to be a multiple of.
        alignment: Alignment,
    },
    /// It is smaller than the block, and so than the block that may get it next.
    #[error("pinned block `{id}` has {} bytes, and {} are too few", size.get(), given.get())]
    TooSmall {
        /// Which block.
        id: PinnedId,
        /// Its size.
        size: Bytes,
        /// How large the memory is.
        given: Bytes,
    },
}

/// There is no such block: it never was, or has been freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no pinned block `{0}`")]
pub struct UnknownBlock(pub PinnedId);

/// Nothing can be aligned so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an alignment is a power of two, not `{0}`")]
pub struct AlignmentError(pub u64);
