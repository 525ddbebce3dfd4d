//! Where a block's contents are.

use crate::id::RegionId;
use crate::units::Bytes;

/// Where a block's contents are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Residency<P = Place> {
    /// In device memory.
    Resident {
        /// There.
        at: P,
        /// How many want it to stay there.
        pins: u32,
    },
    /// On their way to the host. The memory is still theirs.
    Evicting {
        /// From there.
        at: P,
    },
    /// On the host. The block has no memory on the device.
    #[default]
    Host,
    /// On their way back. The memory is theirs already.
    Restoring {
        /// To there.
        at: P,
    },
}

/// A place in a pool's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The region.
    pub region: RegionId,
    /// Bytes from the region's start.
    pub offset: Bytes,
}

impl<P: Copy> Residency<P> {
    /// The memory that the block has on the device.
    pub const fn place(&self) -> Option<P> {
        match *self {
            Self::Resident { at, .. } | Self::Evicting { at } | Self::Restoring { at } => Some(at),
            Self::Host => None,
        }
    }

    /// Which of them, in words.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Resident { .. } => "resident",
            Self::Evicting { .. } => "being evicted",
            Self::Host => "on the host",
            Self::Restoring { .. } => "being restored",
        }
    }

    #[inline]
    pub(super) fn map<Q>(self, place: impl FnOnce(P) -> Q) -> Residency<Q> {
        match self {
            Self::Resident { at, pins } => Residency::Resident {
                at: place(at),
                pins,
            },
            Self::Evicting { at } => Residency::Evicting { at: place(at) },
            Self::Host => Residency::Host,
            Self::Restoring { at } => Residency::Restoring { at: place(at) },
        }
    }
}
