//! Sizes of blocks.

/// Bytes of the block that serves a request for `bytes`: one of four sizes per
/// power of two, at least 512, and at most a quarter (or 255 bytes) too large.
///
/// `None` if there is no such number.
pub const fn size_class(bytes: u64) -> Option<u64> {
    const SMALLEST: u64 = 512;
    if bytes <= SMALLEST {
        return Some(SMALLEST);
    }
    // A quarter of the power of two below, which is an eighth of the one above.
    let below = 1 << (bytes - 1).ilog2();
    let step = if below / 4 > 256 { below / 4 } else { 256 };
    bytes.checked_next_multiple_of(step)
}

#[cfg(test)]
mod tests {
    use super::size_class;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn classes_hold_what_they_serve_and_waste_a_quarter(
            bytes in prop_oneof![0_u64..10_000, any::<u64>(), (0_u32..63).prop_map(|n| 1 << n)]
        ) {
            match size_class(bytes) {
                Some(class) => {
                    prop_assert!(class >= bytes.max(512) && class % 256 == 0);
                    let most = (u128::from(bytes) * 5 / 4).max(u128::from(bytes) + 255).max(512);
                    prop_assert!(u128::from(class) <= most);
                    prop_assert_eq!(size_class(class), Some(class));
                }
                None => prop_assert!(bytes > u64::MAX / 8 * 7),
            }
        }
    }

    #[test]
    fn there_are_four_a_power_of_two() {
        let mut classes: Vec<_> = (1025..=2048).filter_map(size_class).collect();
        classes.dedup();
        assert_eq!(classes, [1280, 1536, 1792, 2048]);
        let large = (64 << 20) + 1;
        assert_eq!(size_class(large), Some(80 << 20));
    }
}
