//! Blocks of memory, as their owners see them.

use super::lane::Use;
use super::residency::Residency;
use super::size_class::SizeClass;
use super::slab::Index;
use crate::id::{BlockId, RegionId};
use crate::units::Bytes;

/// A block, as its owner sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its name, which no other block ever has.
    pub id: BlockId,
    /// Bytes asked for.
    pub asked: Bytes,
    /// Bytes it takes: those asked for, rounded up to a size class.
    pub size: Bytes,
    /// Where its contents are.
    pub residency: Residency,
}

/// The answer to a request that can be granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a need has to be met before the request is made again"]
pub enum Allocation {
    /// Granted.
    Placed(Block),
    /// Not until something is done. Nothing has changed; ask again when it is.
    NotUntil(Need),
}

/// One thing that the pool's owner has to do before a request can be granted.
/// More may be needed after it, but never without end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Add a region of that size.
    Region(Bytes),
    /// Remove that region, which is wholly free, for one of another size.
    Return(RegionId),
    /// Wait for that work, and say when it is done.
    Work(Use),
    /// Move that block to the host.
    Eviction(BlockId),
}

/// A block, as the pool sees it.
#[derive(Debug, Default)]
pub(super) struct Record<T> {
    pub(super) account: Index,
    pub(super) asked: Bytes,
    pub(super) class: SizeClass,
    /// Where it is, and its piece if that is on the device.
    pub(super) residency: Residency<Index>,
    pub(super) contents: T,
}
