//! Rounding to 16-bit floats.
//!
//! Rounding twice, to float32 on the way, can end one step beside the nearest
//! value: the first rounding hits a tie that the number itself was not.

use half::{bf16, f16};

/// The nearest float16, ties to even.
#[inline]
pub fn f16_from_f64(value: f64) -> f16 {
    f16::from_f32(to_odd(value))
}

/// The nearest bfloat16, ties to even.
#[inline]
pub fn bf16_from_f64(value: f64) -> bf16 {
    bf16_from_f32(to_odd(value))
}

/// The nearest bfloat16, ties to even. Free of branches, so that loops vectorise.
#[inline]
pub const fn bf16_from_f32(value: f32) -> bf16 {
    let bits = value.to_bits();
    let upper = bits >> 16;
    let rounded = bits.wrapping_add(0x7fff + (upper & 1)) >> 16;
    // The payload of a NaN may lie in the lower half only: it must not end as infinity.
    let quiet = upper | 0x40;
    #[expect(clippy::cast_possible_truncation, reason = "shifted by 16")]
    bf16::from_bits(if value.is_nan() { quiet } else { rounded } as u16)
}

/// Rounds to float32 so that a second rounding, to fewer bits, is right: of the
/// two neighbours of a number between them, the one whose last bit is 1.
#[inline]
fn to_odd(value: f64) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "corrected below")]
    let nearest = value as f32;
    let back = f64::from(nearest);
    #[expect(clippy::float_cmp, reason = "whether it was exact is the question")]
    let is_exact = back == value || value.is_nan();
    let bits = nearest.to_bits();
    if is_exact || bits & 1 == 1 {
        nearest
    } else if back.abs() < value.abs() {
        f32::from_bits(bits + 1)
    } else {
        f32::from_bits(bits - 1)
    }
}

#[cfg(test)]
#[expect(
    clippy::float_cmp,
    clippy::cast_possible_truncation,
    reason = "exact results are the point"
)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The nearest of all finite values, by distance; of two, the even one.
    fn nearest<T: Copy>(
        value: f64,
        from_bits: fn(u16) -> T,
        to_f64: fn(T) -> f64,
        infinity: u16,
    ) -> f64 {
        let magnitude = value.abs();
        // Bit patterns of one sign are ordered as their values; the infinity
        // stands for the power of two that would come next.
        let step = |bits: u16| {
            if bits == infinity {
                2.0 * to_f64(from_bits(infinity - 1)) - to_f64(from_bits(infinity - 2))
            } else {
                to_f64(from_bits(bits))
            }
        };
        let (mut low, mut high) = (0, infinity);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if step(middle) <= magnitude {
                low = middle;
            } else {
                high = middle;
            }
        }
        let (below, above) = (magnitude - step(low), step(high) - magnitude);
        let bits = if below < above || (below == above && low & 1 == 0) {
            low
        } else {
            high
        };
        to_f64(from_bits(bits)).copysign(value)
    }

    fn check(value: f64) {
        let single = value as f32;
        let f16_expected = nearest(value, f16::from_bits, f16::to_f64, 0x7c00);
        assert_eq!(f16_from_f64(value).to_f64(), f16_expected, "{value:e}");
        let bf16_expected = nearest(value, bf16::from_bits, bf16::to_f64, 0x7f80);
        assert_eq!(bf16_from_f64(value).to_f64(), bf16_expected, "{value:e}");
        let bf16_expected = nearest(single.into(), bf16::from_bits, bf16::to_f64, 0x7f80);
        assert_eq!(bf16_from_f32(single).to_f64(), bf16_expected, "{single:e}");
    }

    #[test]
    fn not_a_number_stays_one() {
        for bits in [0x7f80_0001, 0xff80_0001, 0x7fc0_0000, 0x7fff_ffff] {
            assert!(bf16_from_f32(f32::from_bits(bits)).is_nan());
        }
        assert!(f16_from_f64(f64::NAN).is_nan() && bf16_from_f64(f64::NAN).is_nan());
    }

    proptest! {
        #[test]
        fn the_nearest_value_is_chosen(value in proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL | proptest::num::f64::ZERO) {
            check(value);
        }

        /// Numbers a little beside the middle between two 16-bit ones.
        #[test]
        fn near_ties(upper in 0_u16..0x7c00, nudge in -3_i64..=3, negative: bool) {
            let sign = if negative { -1.0 } else { 1.0 };
            let f16_tie = f64::midpoint(f16::from_bits(upper).to_f64(), f16::from_bits(upper + 1).to_f64());
            let bf16_tie = f64::from(f32::from_bits(u32::from(upper) << 16 | 0x8000));
            for tie in [f16_tie, bf16_tie].into_iter().filter(|tie| tie.is_finite()) {
                check(sign * f64::from_bits(tie.to_bits().saturating_add_signed(nudge)));
            }
        }
    }
}
