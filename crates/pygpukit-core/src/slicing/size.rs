//! How large slices are for a bound on latency.

use crate::units::{Nanoseconds, SmNanoseconds};

/// How many blocks of a kernel run at once on its lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Residency {
    /// Multiprocessors of the lane.
    pub sms: u32,
    /// Blocks that a multiprocessor holds.
    pub blocks_per_sm: u32,
}

impl Residency {
    /// Blocks that run at once: a wave.
    pub const fn wave(self) -> u64 {
        self.sms as u64 * self.blocks_per_sm as u64
    }
}

/// How large a slice is, and what that means for whoever waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceSize {
    /// Blocks of a slice.
    pub blocks: u64,
    /// How long it is predicted to take: longer than the bound where one wave is.
    pub takes: Nanoseconds,
}

/// The most whole waves of blocks that take at most `bound`; at least one wave.
///
/// `cost` is what a launch of `launched` blocks is predicted to cost. Less than a wave
/// would take as long as a wave, and leave multiprocessors idle; so a wave that is longer
/// than the bound is not cut. The caller then knows from [`SliceSize::takes`] how long
/// the kernel holds its lane.
pub fn blocks_within(
    bound: Nanoseconds,
    cost: SmNanoseconds,
    launched: u64,
    residency: Residency,
) -> SliceSize {
    let wave = residency.wave().max(1);
    let launched = u128::from(launched.max(1));
    // A block holds one part in `blocks_per_sm` of a multiprocessor while it runs.
    let held = u128::from(cost.get()) * u128::from(residency.blocks_per_sm.max(1));
    let takes = |waves: u128| held.saturating_mul(waves).div_ceil(launched);
    let all = launched.div_ceil(u128::from(wave));
    let bound = u128::from(bound.get());
    let waves = (bound * launched)
        .checked_div(held)
        .map_or(all, |within| within.clamp(1, all));
    let narrow = |number: u128| u64::try_from(number).unwrap_or(u64::MAX);
    SliceSize {
        blocks: narrow(waves.saturating_mul(u128::from(wave))),
        takes: Nanoseconds::new(narrow(takes(waves))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LANE: Residency = Residency {
        sms: 16,
        blocks_per_sm: 4,
    };

    fn size(bound: u64, cost: u64, launched: u64) -> (u64, u64) {
        let bound = Nanoseconds::new(bound);
        let size = blocks_within(bound, SmNanoseconds::new(cost), launched, LANE);
        (size.blocks, size.takes.get())
    }

    #[test]
    fn slices_are_whole_waves() {
        // 10 waves of 64 blocks, 1000 ns each, on 16 multiprocessors.
        let cost = 10 * 1000 * 16;
        assert_eq!(size(3500, cost, 640), (192, 3000));
        assert_eq!(size(3000, cost, 640), (192, 3000));
        assert_eq!(size(2999, cost, 640), (128, 2000));
        // A wave is not cut, and the whole is no larger than it is.
        assert_eq!(size(10, cost, 640), (64, 1000));
        assert_eq!(size(u64::MAX, cost, 640), (640, 10_000));
        assert_eq!(size(1, 0, 640), (640, 0));
    }

    proptest! {
        #[test]
        fn it_is_the_most_that_keeps_the_bound(
            bound: u64,
            cost: u64,
            launched: u64,
            sms in 0_u32..200,
            blocks_per_sm in 0_u32..33,
        ) {
            let residency = Residency { sms, blocks_per_sm };
            let bound = Nanoseconds::new(bound);
            let size = blocks_within(bound, SmNanoseconds::new(cost), launched, residency);
            let wave = residency.wave().max(1);
            prop_assert!(size.blocks >= wave);
            prop_assert!(size.blocks.is_multiple_of(wave) || size.blocks == u64::MAX);
            prop_assert!(size.takes <= bound || size.blocks == wave);
            // One wave more would be too long, or more than the launch has.
            let waves = u128::from(size.blocks / wave) + 1;
            let held = u128::from(cost) * u128::from(blocks_per_sm.max(1));
            let longer = held.saturating_mul(waves).div_ceil(u128::from(launched.max(1)));
            prop_assert!(longer > u128::from(bound.get()) || size.blocks >= launched);
        }
    }
}
