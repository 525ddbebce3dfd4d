//! How a pool grows, what it takes back, and how much it may promise.

use super::size_class::{GRANULE, SizeClass};
use crate::units::Bytes;

/// How large the regions are that a pool asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// The size of a region for blocks that are smaller.
    pub minimum: Bytes,
    /// What a region's size is a multiple of, itself rounded up to one of 256 bytes.
    pub granule: Bytes,
}

/// A region for each block that nothing else serves, exactly as large.
impl Default for Growth {
    fn default() -> Self {
        Self {
            minimum: Bytes::ZERO,
            granule: Bytes::new(GRANULE),
        }
    }
}

impl Growth {
    fn granule(self) -> u64 {
        let granule = self.granule.get().max(1);
        granule
            .checked_next_multiple_of(GRANULE)
            .unwrap_or(u64::MAX / GRANULE * GRANULE)
    }

    /// The region for a block of `bytes`, if it fits into `room`.
    pub(super) fn region(self, bytes: u64, room: u64) -> Option<Bytes> {
        let granule = self.granule();
        let least = bytes.checked_next_multiple_of(granule)?;
        let wanted = self.minimum.get().checked_next_multiple_of(granule);
        let most = room / granule * granule;
        let size = wanted.unwrap_or(least).clamp(least, most.max(least));
        (size <= room).then_some(Bytes::new(size))
    }

    /// The largest block that a region within `room` could serve.
    pub(super) fn largest(self, room: u64) -> Option<SizeClass> {
        SizeClass::within(room / self.granule() * self.granule())
    }
}

/// What a pool that is full takes back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reclaim {
    /// Nothing: regions stay, and so do blocks.
    Never,
    /// Regions that are wholly free.
    #[default]
    Cached,
    /// Those, and then blocks that nobody uses, the longest unused first: they
    /// move to the host.
    Evict,
}

/// How much memory the quotas of all accounts may promise together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overcommit {
    /// What there is.
    #[default]
    Forbidden,
    /// That much more than there is.
    By(Bytes),
    /// Any amount.
    Unlimited,
}

impl Overcommit {
    pub(super) fn limit(self, capacity: Bytes) -> Bytes {
        match self {
            Self::Forbidden => capacity,
            Self::By(more) => Bytes::new(capacity.get().saturating_add(more.get())),
            Self::Unlimited => Bytes::new(u64::MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_region_holds_its_block_and_fits(
            minimum in 0_u64..10_000, granule in 0_u64..3000, room in 0_u64..20_000, asked in 0_u64..20_000
        ) {
            let growth = Growth { minimum: Bytes::new(minimum), granule: Bytes::new(granule) };
            let granule = granule.max(1).next_multiple_of(256);
            let class = SizeClass::holding(asked).unwrap();
            let region = growth.region(class.bytes(), room).map(Bytes::get);
            let fits = growth.largest(room).is_some_and(|largest| class <= largest);
            prop_assert_eq!(region.is_some(), fits);
            if let Some(region) = region {
                prop_assert!(region >= class.bytes() && region <= room);
                prop_assert_eq!(region % granule, 0);
                let wanted = minimum.next_multiple_of(granule);
                prop_assert!(region >= wanted || region + granule > room);
            }
        }
    }
}
