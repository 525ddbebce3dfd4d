//! What a pool is told.

use super::error::AlignmentError;
use crate::pool::size_class;
use crate::units::Bytes;

/// What addresses are multiples of: a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alignment(u64);

impl Alignment {
    /// # Errors
    /// If it is no power of two.
    pub const fn new(bytes: u64) -> Result<Self, AlignmentError> {
        if bytes.is_power_of_two() {
            Ok(Self(bytes))
        } else {
            Err(AlignmentError(bytes))
        }
    }

    /// In bytes.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl Default for Alignment {
    /// 256 bytes.
    fn default() -> Self {
        Self(256)
    }
}

/// What a pool is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// The most that may be in use and kept, together.
    pub limit: Bytes,
    /// Whether freed memory is kept.
    pub keep: bool,
    /// Of all memory.
    pub alignment: Alignment,
}

impl Config {
    /// Pages are locked whole.
    const PAGE: u64 = 4096;

    /// Bytes of the block that serves a request: whole pages, of a size class. `None` if
    /// there is no such number.
    pub const fn block_size(&self, size: Bytes) -> Option<Bytes> {
        let granule = if self.alignment.0 > Self::PAGE {
            self.alignment.0
        } else {
            Self::PAGE
        };
        let asked = if size.get() == 0 { 1 } else { size.get() };
        // A class of whole granules is whole granules: it is that many, or its step is larger.
        let Some(granules) = asked.checked_next_multiple_of(granule) else {
            return None;
        };
        match size_class(granules) {
            Some(class) => Some(Bytes::new(class)),
            None => None,
        }
    }
}

impl Default for Config {
    /// A quota of 1 GiB, of which freed memory is kept.
    fn default() -> Self {
        Self {
            limit: Bytes::new(1 << 30),
            keep: true,
            alignment: Alignment::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn blocks_are_whole_pages_and_waste_a_quarter_at_most(
            size in prop_oneof![0_u64..100_000, 0..=u64::MAX, (0_u32..63).prop_map(|n| 1 << n)],
            power in 0_u32..30,
        ) {
            let alignment = Alignment::new(1 << power).unwrap();
            let config = Config { alignment, ..Config::default() };
            let granule = alignment.get().max(4096);
            if let Some(block) = config.block_size(Bytes::new(size)) {
                prop_assert!(block.get() >= size.max(1) && block.get() % granule == 0);
                let pages = u128::from(size.max(1)).next_multiple_of(granule.into());
                prop_assert!(u128::from(block.get()) <= pages * 5 / 4);
                prop_assert_eq!(config.block_size(block), Some(block));
            } else {
                prop_assert!(size > u64::MAX / 8 * 7 - granule);
            }
        }
    }

    #[test]
    fn an_alignment_is_a_power_of_two() {
        for wrong in [0, 3, 4097] {
            assert_eq!(Alignment::new(wrong), Err(AlignmentError(wrong)));
        }
    }
}
