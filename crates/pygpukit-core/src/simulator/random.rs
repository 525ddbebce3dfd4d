//! Numbers that look random and are always the same.

use crate::units::Nanoseconds;

/// The natural logarithm of 2, in 2^-32.
const LN_2: u128 = 2_977_044_472;

/// Xorshift with a multiplication (Vigna, "An experimental exploration of
/// Marsaglia's xorshift generators, scrambled", 2016).
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        // Not zero, from which it would never move.
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// From 0 up to `below`, that excluded; 0 if that is 0.
    pub(super) fn below(&mut self, below: u64) -> u64 {
        let wide = u128::from(self.next()) * u128::from(below);
        u64::try_from(wide >> 64).unwrap_or(0)
    }

    /// Exponentially distributed.
    pub(super) fn exponential(&mut self, mean: Nanoseconds) -> Nanoseconds {
        // Minus the logarithm of a number in (0, 1], in 2^-32: digit by digit, with
        // integers only, so that every machine gets the same.
        let mut number = (self.next() >> 1) | 1;
        let zeros = number.leading_zeros() - 1;
        number <<= zeros;
        let mut log2 = 0_u64;
        for _ in 0..32 {
            let square = u128::from(number) * u128::from(number);
            log2 <<= 1;
            // 1 <= number < 2, as a fixed-point number with 62 binary digits.
            number = u64::try_from(square >> 62).unwrap_or(u64::MAX);
            if number >= 1 << 63 {
                log2 |= 1;
                number >>= 1;
            }
        }
        let negative = ((u64::from(zeros) + 1) << 32) - log2;
        let factor = (u128::from(negative) * LN_2) >> 32;
        let time = (u128::from(mean.get()) * factor) >> 32;
        Nanoseconds::new(u64::try_from(time).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_and_the_median_are_those_of_the_distribution() {
        let mut random = Random::new(1);
        let mean = Nanoseconds::new(1_000_000);
        let mut all: Vec<_> = (0..100_000)
            .map(|_| random.exponential(mean).get())
            .collect();
        all.sort_unstable();
        let average = all.iter().sum::<u64>() / all.len() as u64;
        assert!((990_000..1_010_000).contains(&average), "{average}");
        let median = all[all.len() / 2];
        assert!((685_000..700_000).contains(&median), "{median}");
        // One in a thousand is longer than 6.9 means.
        let tail = all[all.len() - all.len() / 1000];
        assert!((6_400_000..7_500_000).contains(&tail), "{tail}");
    }
}
