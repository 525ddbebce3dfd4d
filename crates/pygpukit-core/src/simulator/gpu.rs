//! How fast work goes beside other work.

use crate::units::Share;

/// How fast work goes on a device, beside what runs on its other partitions.
///
/// Fitted to measurements of one H200. Two effects cross the borders of
/// partitions: memory bandwidth, of which each partition that waits for memory
/// gets a part by its multiprocessors once together they ask for more than there
/// is; and the clock, which falls as power is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gpu {
    /// Multiprocessors.
    pub sms: u32,
    /// Bandwidth that so many multiprocessors reach by themselves: pairs, by number
    /// of multiprocessors. Any unit.
    pub bandwidth: Vec<(u32, u64)>,
    /// The clock when no power is drawn. Any unit.
    pub highest_clock: u64,
    /// The clock when the whole device draws all it can.
    pub lowest_clock: u64,
}

/// Work that runs on a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running {
    /// Multiprocessors of the partition.
    pub sms: u32,
    /// The part of the time for which the work waits for memory.
    pub memory_bound: Share,
    /// How much power it draws.
    pub power: Share,
}

const ONE: u64 = Share::ONE.units();

impl Gpu {
    /// An H200: copies reach from 773 GB/s on 8 multiprocessors to 3955 GB/s on 132,
    /// and the clock falls from 1980 MHz to 1348 MHz under a large product.
    pub fn h200() -> Self {
        Self {
            sms: 132,
            bandwidth: vec![
                (8, 773),
                (16, 1539),
                (24, 2291),
                (32, 2942),
                (48, 3508),
                (64, 3853),
                (132, 3955),
            ],
            highest_clock: 1980,
            lowest_clock: 1348,
        }
    }

    /// A device on which nothing slows down anything.
    pub fn ideal(sms: u32) -> Self {
        Self {
            sms,
            bandwidth: vec![(sms, u64::from(sms))],
            highest_clock: 1,
            lowest_clock: 1,
        }
    }

    /// Bandwidth that so many multiprocessors reach by themselves, between the
    /// known points along a line.
    pub fn bandwidth_of(&self, sms: u32) -> u64 {
        let (mut below, mut reached) = (0, 0);
        for &(count, bandwidth) in &self.bandwidth {
            if sms <= count {
                let span = u64::from(count - below);
                let part = u64::from(sms - below);
                return reached + (bandwidth - reached) * part / span.max(1);
            }
            (below, reached) = (count, bandwidth);
        }
        reached
    }

    /// How fast each of `all` goes, of what it would alone on its partition with
    /// nothing on the others: in units of a share.
    pub fn rates(&self, all: &[Running]) -> Vec<u64> {
        let mut rates = Vec::new();
        self.rates_into(all, &mut rates);
        rates
    }

    /// The same, in place of what is in `rates`.
    pub fn rates_into(&self, all: &[Running], rates: &mut Vec<u64>) {
        rates.clear();
        // Nothing but itself slows it down.
        if all.len() == 1 {
            rates.push(ONE);
            return;
        }
        let waiting = all.iter().filter(|work| work.memory_bound > Share::ZERO);
        let sms: u64 = waiting.clone().map(|work| u64::from(work.sms)).sum();
        let asked: u64 = waiting
            .map(|work| scaled(self.bandwidth_of(work.sms), work.memory_bound.units()))
            .sum();
        let most = self.bandwidth_of(self.sms);
        let clock = self.clock(all);
        rates.extend(all.iter().map(|work| {
            let alone = self.bandwidth_of(work.sms).max(1);
            let got = if asked <= most {
                alone
            } else {
                alone.min(most * u64::from(work.sms) / sms.max(1)).max(1)
            };
            let alone_clock = self.clock(std::slice::from_ref(work));
            let bound = work.memory_bound.units();
            // The time for what takes one alone, in units of a share: what waits for
            // memory, and what waits for the clock.
            let time = u128::from(bound) * u128::from(alone) / u128::from(got)
                + u128::from(ONE - bound) * u128::from(alone_clock) / u128::from(clock.max(1));
            let rate = u128::from(ONE) * u128::from(ONE) / time.max(1);
            u64::try_from(rate).unwrap_or(ONE)
        }));
    }

    /// The clock while `all` run.
    pub fn clock(&self, all: &[Running]) -> u64 {
        let drawn: u64 = all
            .iter()
            .map(|work| scaled(u64::from(work.sms) * ONE, work.power.units()))
            .sum();
        let whole = u64::from(self.sms.max(1)) * ONE;
        let fall = self.highest_clock - self.lowest_clock;
        let fallen = u128::from(fall) * u128::from(drawn.min(whole)) / u128::from(whole);
        self.highest_clock - u64::try_from(fallen).unwrap_or(0)
    }
}

/// So many parts of 10^9 of a value.
pub(super) fn scaled(value: u64, parts: u64) -> u64 {
    // Wide divisions are slow.
    if let Some(product) = value.checked_mul(parts) {
        return product / ONE;
    }
    let scaled = u128::from(value) * u128::from(parts) / u128::from(ONE);
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(sms: u32) -> Running {
        Running {
            sms,
            memory_bound: Share::ONE,
            power: Share::ZERO,
        }
    }

    /// In percent, how much slower the first gets beside the second.
    fn slowdown(first: Running, second: Running) -> u64 {
        100 * ONE / Gpu::h200().rates(&[first, second])[0]
    }

    /// Measured: 3.1, 1.95 and 1.31 times slower.
    #[test]
    fn a_copy_is_slowed_down_as_measured() {
        assert!((295..=325).contains(&slowdown(copy(16), copy(116))));
        assert!((185..=205).contains(&slowdown(copy(16), copy(64))));
        assert!((110..=135).contains(&slowdown(copy(16), copy(32))));
        assert_eq!(slowdown(copy(16), copy(16)), 100);
    }

    /// Measured: 1980 MHz alone, 1484 MHz beside a large product, which costs a chain
    /// of small products 1.29 times its time.
    #[test]
    fn a_product_beside_lowers_the_clock_as_measured() {
        let chain = Running {
            sms: 16,
            memory_bound: Share::ZERO,
            power: Share::ZERO,
        };
        let product = Running {
            sms: 116,
            power: 0.9.try_into().unwrap(),
            ..chain
        };
        let clock = Gpu::h200().clock(&[chain, product]);
        assert!((1450..1500).contains(&clock), "{clock}");
        assert!((125..=140).contains(&slowdown(chain, product)));
    }

    #[test]
    fn parts_are_rounded_down_however_large_the_value() {
        assert_eq!(scaled(7, ONE), 7);
        assert_eq!(scaled(10, ONE / 4), 2);
        assert_eq!(scaled(u64::MAX, ONE), u64::MAX);
        assert_eq!(scaled(u64::MAX, ONE / 2), u64::MAX / 2);
    }

    #[test]
    fn bandwidth_is_a_line_between_points() {
        let gpu = Gpu::h200();
        assert_eq!(gpu.bandwidth_of(4), 386);
        assert_eq!(gpu.bandwidth_of(16), 1539);
        assert_eq!(gpu.bandwidth_of(20), 1915);
        assert_eq!(gpu.bandwidth_of(500), 3955);
    }
}
