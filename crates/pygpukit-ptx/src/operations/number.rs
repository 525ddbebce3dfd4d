//! Numbers as whole numbers times a power of two.

/// How a result between two numbers is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// To the nearest, and to even between two.
    Nearest,
    /// To the nearest, and away from zero between two.
    Away,
    Zero,
    Down,
    Up,
}

/// A number with a sign: `mantissa * 2^exponent`, and a little more if `sticky`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exact {
    pub(crate) negative: bool,
    pub(crate) mantissa: u128,
    pub(crate) exponent: i32,
    pub(crate) sticky: bool,
}

impl Exact {
    /// The whole number next to it.
    pub(crate) fn integer(self, rounding: Rounding) -> (bool, u128) {
        if self.exponent >= 0 {
            let size = self.mantissa.checked_shl(self.exponent as u32);
            // Beyond any type: more than 2^64 is all that matters.
            let fits = self.exponent as u32 <= self.mantissa.leading_zeros();
            return (self.negative, size.filter(|_| fits).unwrap_or(u128::MAX));
        }
        let (kept, half, below) = split(self.mantissa, self.exponent.unsigned_abs());
        let up = rounds_up(
            rounding,
            self.negative,
            kept & 1 == 1,
            half,
            below | self.sticky,
        );
        (self.negative, kept + u128::from(up))
    }

    /// The same number with its leading bit at a place, as far as no bit is lost.
    fn normal(self) -> Self {
        const LEADING: i32 = 125;
        let shift = LEADING - 127 + self.mantissa.leading_zeros() as i32;
        Self {
            mantissa: self.mantissa << shift.max(0),
            exponent: self.exponent - shift.max(0),
            ..self
        }
    }

    pub(crate) fn times(self, other: Self) -> Self {
        Self {
            negative: self.negative != other.negative,
            mantissa: self.mantissa * other.mantissa,
            exponent: self.exponent + other.exponent,
            sticky: false,
        }
    }

    /// The sum of numbers of at most 106 bits; an exact zero has the sign of the rounding.
    pub(crate) fn plus(self, other: Self, rounding: Rounding) -> Self {
        if self.mantissa == 0 && other.mantissa == 0 {
            let negative = match rounding {
                _ if self.negative == other.negative => self.negative,
                rounding => rounding == Rounding::Down,
            };
            return Self { negative, ..self };
        }
        if self.mantissa == 0 {
            return other;
        }
        if other.mantissa == 0 {
            return self;
        }
        let (a, b) = (self.normal(), other.normal());
        let a_is_larger = (a.exponent, a.mantissa) >= (b.exponent, b.mantissa);
        let (large, small) = if a_is_larger { (a, b) } else { (b, a) };
        let distance = large.exponent.abs_diff(small.exponent);
        let shifted = small.mantissa.checked_shr(distance).unwrap_or(0);
        let back = shifted.checked_shl(distance).unwrap_or(0);
        let sticky = back != small.mantissa;
        if large.negative == small.negative {
            return Self {
                mantissa: large.mantissa + shifted,
                sticky,
                ..large
            };
        }
        let mantissa = large.mantissa - shifted - u128::from(sticky);
        let negative = if mantissa == 0 && !sticky {
            rounding == Rounding::Down
        } else {
            large.negative
        };
        Self {
            negative,
            mantissa,
            sticky,
            ..large
        }
    }

    /// The quotient of numbers of at most 53 bits, neither of them zero.
    pub(crate) fn over(self, other: Self) -> Self {
        let (a, b) = (self.normal(), other);
        Self {
            negative: a.negative != b.negative,
            mantissa: a.mantissa / b.mantissa,
            exponent: a.exponent - b.exponent,
            sticky: a.mantissa % b.mantissa != 0,
        }
    }

    /// The root of a positive number.
    pub(crate) fn root(self) -> Self {
        let mut a = self.normal();
        if a.exponent % 2 != 0 {
            a.mantissa >>= 1;
            a.exponent += 1;
        }
        let root = a.mantissa.isqrt();
        Self {
            mantissa: root,
            exponent: a.exponent / 2,
            sticky: root * root != a.mantissa,
            ..a
        }
    }
}

/// What is left after a shift, the bit below it, and whether anything is below that.
pub(super) fn split(mantissa: u128, shift: u32) -> (u128, bool, bool) {
    if shift > 128 {
        return (0, false, mantissa != 0);
    }
    let half = mantissa >> (shift - 1) & 1 == 1;
    let below = mantissa & ((1 << (shift - 1)) - 1) != 0;
    (mantissa.checked_shr(shift).unwrap_or(0), half, below)
}

#[expect(clippy::fn_params_excessive_bools, reason = "bits of one number")]
pub(super) fn rounds_up(
    rounding: Rounding,
    negative: bool,
    odd: bool,
    half: bool,
    below: bool,
) -> bool {
    match rounding {
        Rounding::Nearest => half && (below || odd),
        Rounding::Away => half,
        Rounding::Zero => false,
        Rounding::Down => negative && (half || below),
        Rounding::Up => !negative && (half || below),
    }
}
