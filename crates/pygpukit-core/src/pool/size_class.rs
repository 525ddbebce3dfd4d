//! Sizes of blocks.

/// What every size is a multiple of, and the smallest.
pub(super) const GRANULE: u64 = 256;

/// How many classes there are: all whose size is a number of 64 bits.
pub(super) const CLASSES: usize = 4 * 53 + 7;

/// One of the sizes that blocks have: four per power of two, multiples of 256.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SizeClass(u8);

impl SizeClass {
    /// The smallest class that holds `bytes`; `None` if there is no such number.
    pub(super) const fn holding(bytes: u64) -> Option<Self> {
        let granules = if bytes == 0 {
            1
        } else {
            bytes.div_ceil(GRANULE)
        };
        if granules >= 1 << 56 {
            return None;
        }
        // The one above the largest that is too small.
        match granules - 1 {
            0 => Some(Self(0)),
            less => {
                let index = Self::floor(less).0 + 1;
                if (index as usize) < CLASSES {
                    Some(Self(index))
                } else {
                    None
                }
            }
        }
    }

    /// The largest class that fits into `bytes`, which are a granule at least.
    pub(super) const fn within(bytes: u64) -> Option<Self> {
        if bytes < GRANULE {
            return None;
        }
        Some(Self::floor(bytes / GRANULE))
    }

    /// 1, 2 and 3 granules, then four classes to each power of two.
    #[expect(clippy::cast_possible_truncation, reason = "there are 219 classes")]
    #[inline]
    const fn floor(granules: u64) -> Self {
        if granules < 4 {
            return Self(granules as u8 - 1);
        }
        let power = granules.ilog2() - 2;
        Self((4 * power + 3) as u8 + ((granules >> power) & 3) as u8)
    }

    #[inline]
    const fn granules(self) -> u64 {
        match self.0 {
            index @ 0..3 => index as u64 + 1,
            index => ((index as u64 - 3) % 4 + 4) << ((index - 3) / 4),
        }
    }

    /// The size.
    pub(super) const fn bytes(self) -> u64 {
        self.granules() * GRANULE
    }

    /// Its place among all classes.
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Bytes of the block that serves a request for `bytes`: one of four sizes per
/// power of two, at least 256, and at most a quarter (or 255 bytes) too large.
///
/// `None` if there is no such number.
pub const fn size_class(bytes: u64) -> Option<u64> {
    match SizeClass::holding(bytes) {
        Some(class) => Some(class.bytes()),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn classes_hold_what_they_serve_and_waste_a_quarter(
            bytes in prop_oneof![0_u64..10_000, any::<u64>(), (0_u32..63).prop_map(|n| 1 << n)]
        ) {
            match size_class(bytes) {
                Some(class) => {
                    prop_assert!(class >= bytes.max(256) && class % 256 == 0);
                    let most = (u128::from(bytes) * 5 / 4).max(u128::from(bytes) + 255).max(256);
                    prop_assert!(u128::from(class) <= most);
                    prop_assert_eq!(size_class(class), Some(class));
                }
                None => prop_assert!(bytes > u64::MAX / 8 * 7),
            }
            match SizeClass::within(bytes) {
                Some(class) => {
                    prop_assert!(class.bytes() <= bytes);
                    let next = SizeClass(class.0 + 1);
                    prop_assert!(next.index() == CLASSES || next.bytes() > bytes);
                }
                None => prop_assert!(bytes < 256),
            }
        }
    }

    #[test]
    fn there_are_four_a_power_of_two() {
        let classes = u8::try_from(CLASSES).unwrap();
        let all: Vec<_> = (0..classes).map(|index| SizeClass(index).bytes()).collect();
        assert!(all.is_sorted_by(|a, b| a < b));
        assert_eq!(
            all[..9],
            [256, 512, 768, 1024, 1280, 1536, 1792, 2048, 2560]
        );
        let large = (64 << 20) + 1;
        assert_eq!(size_class(large), Some(80 << 20));
    }
}
