//! Floating-point arithmetic of any format and rounding, by whole numbers.
//!
//! Slow but simple: what the host has no instruction for is done here, and the fast
//! handlers are tested against it.

pub(crate) use super::number::{Exact, Rounding};
use super::number::{rounds_up, split};

/// A binary format: 1 sign bit, then exponent, then fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    pub(crate) exponent_bits: u32,
    pub(crate) fraction_bits: u32,
    /// The NaN that devices make.
    nan: u64,
}

#[rustfmt::skip]
pub(crate) mod formats {
    use super::Format;
    pub(crate) const F16: Format = Format { exponent_bits: 5, fraction_bits: 10, nan: 0x7fff };
    pub(crate) const BF16: Format = Format { exponent_bits: 8, fraction_bits: 7, nan: 0x7fff };
    pub(crate) const F32: Format = Format { exponent_bits: 8, fraction_bits: 23, nan: 0x7fff_ffff };
    pub(crate) const F64: Format =
        Format { exponent_bits: 11, fraction_bits: 52, nan: 0xfff8_0000_0000_0000 };
}

/// What bits of a format stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    Nan,
    Infinite {
        negative: bool,
    },
    /// Zero has a mantissa of 0.
    Finite(Exact),
}

impl Format {
    /// The upper 19 bits of an `f32`.
    pub(crate) const TF32: Self = Self {
        exponent_bits: 8,
        fraction_bits: 10,
        nan: 0x3ffff,
    };

    const fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    const fn width(self) -> u32 {
        1 + self.exponent_bits + self.fraction_bits
    }

    pub(crate) const fn nan(self) -> u64 {
        self.nan
    }

    const fn sign(self, negative: bool) -> u64 {
        (negative as u64) << (self.width() - 1)
    }

    pub(crate) const fn infinity(self, negative: bool) -> u64 {
        self.sign(negative) | ((1 << self.exponent_bits) - 1) << self.fraction_bits
    }

    /// The largest finite number.
    pub(crate) const fn largest(self, negative: bool) -> u64 {
        self.infinity(negative) - 1
    }

    pub(crate) const fn is_subnormal(self, bits: u64) -> bool {
        let all = (1 << self.exponent_bits) - 1;
        bits >> self.fraction_bits & all == 0
    }

    /// Subnormal numbers become zero.
    pub(crate) const fn flush(self, bits: u64) -> u64 {
        if self.is_subnormal(bits) {
            bits & self.sign(true)
        } else {
            bits
        }
    }

    pub(crate) fn unpack(self, bits: u64) -> Number {
        let negative = bits >> (self.width() - 1) & 1 == 1;
        let most = (1_u64 << self.exponent_bits) - 1;
        let exponent = bits >> self.fraction_bits & most;
        let fraction = bits & ((1 << self.fraction_bits) - 1);
        if exponent == most {
            return match fraction {
                0 => Number::Infinite { negative },
                _ => Number::Nan,
            };
        }
        let hidden = if exponent == 0 {
            0
        } else {
            1 << self.fraction_bits
        };
        let place = exponent.max(1) as i32 - self.bias() - self.fraction_bits as i32;
        Number::Finite(Exact {
            negative,
            mantissa: u128::from(fraction | hidden),
            exponent: place,
            sticky: false,
        })
    }

    /// Rounds a number. One with `sticky` needs two bits more than the format has.
    pub(crate) fn pack(self, value: Exact, rounding: Rounding) -> u64 {
        let sign = self.sign(value.negative);
        if value.mantissa == 0 {
            return sign;
        }
        let length = 128 - value.mantissa.leading_zeros() as i32;
        let leading = value.exponent.saturating_add(length - 1);
        let lowest = 1 - self.bias();
        let place = leading.max(lowest);
        let shift = (place - self.fraction_bits as i32).saturating_sub(value.exponent);
        let (kept, up) = if shift <= 0 {
            (value.mantissa << -shift, false)
        } else {
            let (kept, half, below) = split(value.mantissa, shift as u32);
            let up = rounds_up(
                rounding,
                value.negative,
                kept & 1 == 1,
                half,
                below | value.sticky,
            );
            (kept, up)
        };
        let kept = kept as u64 + u64::from(up);
        if leading > self.bias() {
            return self.overflow(value.negative, rounding);
        }
        // A carry out of the fraction goes on into the exponent, as it should.
        let bits = ((place + self.bias() - 1) as u64) << self.fraction_bits;
        let bits = bits.wrapping_add(kept);
        if bits >= self.infinity(false) {
            return self.overflow(value.negative, rounding);
        }
        sign | bits
    }

    fn overflow(self, negative: bool, rounding: Rounding) -> u64 {
        let stays = match rounding {
            Rounding::Nearest | Rounding::Away => false,
            Rounding::Zero => true,
            Rounding::Down => !negative,
            Rounding::Up => negative,
        };
        if stays {
            self.largest(negative)
        } else {
            self.infinity(negative)
        }
    }
}
