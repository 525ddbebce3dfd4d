//! Arithmetic on one pair of elements, as NumPy does it.

use super::storage::{Plain, Truth};
use num_complex::Complex;

/// `+`, `-`, `*`, `**` and negation. Integers wrap.
pub(super) trait Ring: Plain {
    fn add(self, other: Self) -> Self;
    fn subtract(self, other: Self) -> Self;
    fn multiply(self, other: Self) -> Self;
    fn power(self, exponent: Self) -> Self;
    fn negative(self) -> Self;
}

/// `//` and `%`: rounded towards minus infinity, the remainder with the sign of the divisor.
pub(super) trait Floored: Plain {
    fn floor_divide(self, divisor: Self) -> Self;
    fn remainder(self, divisor: Self) -> Self;
}

/// `/`.
pub(super) trait Field: Plain {
    fn divide(self, divisor: Self) -> Self;
}

/// By squaring. A negative exponent gives the exact result rounded towards zero:
/// 0 unless the base is 1 or -1.
macro_rules! integer_power {
    ($name:ident, $base:expr, $exponent:expr) => {{
        let (mut base, mut exponent): ($name, $name) = ($base, $exponent);
        #[allow(
            unused_comparisons,
            clippy::allow_attributes,
            reason = "signed and unsigned types share this"
        )]
        if exponent < 0 {
            return match base {
                1 => 1,
                base if base.wrapping_add(1) == 0 => {
                    if exponent & 1 == 0 {
                        1
                    } else {
                        base
                    }
                }
                _ => 0,
            };
        }
        let mut power: $name = 1;
        while exponent != 0 {
            if exponent & 1 != 0 {
                power = power.wrapping_mul(base);
            }
            base = base.wrapping_mul(base);
            exponent >>= 1;
        }
        power
    }};
}
macro_rules! integers {
    ($($name:ident),*) => { $(
        impl Ring for $name {
            #[inline]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline]
            fn subtract(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline]
            fn multiply(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline]
            fn power(self, exponent: Self) -> Self {
                integer_power!($name, self, exponent)
            }
            #[inline]
            fn negative(self) -> Self {
                self.wrapping_neg()
            }
        }
    )* };
}

integers!(i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! signed_division {
    ($($name:ident),*) => { $(
        impl Floored for $name {
            #[inline]
            fn floor_divide(self, divisor: Self) -> Self {
                if divisor == 0 {
                    return 0;
                }
                let quotient = self.wrapping_div(divisor);
                let inexact = self.wrapping_rem(divisor) != 0;
                quotient - Self::from(inexact && (self < 0) != (divisor < 0))
            }
            #[inline]
            fn remainder(self, divisor: Self) -> Self {
                if divisor == 0 {
                    return 0;
                }
                let remainder = self.wrapping_rem(divisor);
                if remainder != 0 && (remainder < 0) != (divisor < 0) {
                    remainder + divisor
                } else {
                    remainder
                }
            }
        }
    )* };
}
signed_division!(i8, i16, i32, i64);

macro_rules! unsigned_division {
    ($($name:ident),*) => { $(
        impl Floored for $name {
            #[inline]
            fn floor_divide(self, divisor: Self) -> Self {
                self.checked_div(divisor).unwrap_or(0)
            }
            #[inline]
            fn remainder(self, divisor: Self) -> Self {
                self.checked_rem(divisor).unwrap_or(0)
            }
        }
    )* };
}
unsigned_division!(u8, u16, u32, u64);

macro_rules! floats {
    ($($name:ident),*) => { $(
        impl Ring for $name {
            #[inline]
            fn add(self, other: Self) -> Self {
                self + other
            }
            #[inline]
            fn subtract(self, other: Self) -> Self {
                self - other
            }
            #[inline]
            fn multiply(self, other: Self) -> Self {
                self * other
            }
            #[inline]
            fn power(self, exponent: Self) -> Self {
                self.powf(exponent)
            }
            #[inline]
            fn negative(self) -> Self {
                -self
            }
        }

        impl Floored for $name {
            // The quotient is corrected by the remainder, which is exact: rounding
            // `self / divisor` could reach the next whole number.
            #[inline]
            fn floor_divide(self, divisor: Self) -> Self {
                if divisor == 0.0 {
                    return self / divisor;
                }
                let truncated = self % divisor;
                let mut quotient = (self - truncated) / divisor;
                if truncated != 0.0 && (truncated < 0.0) != (divisor < 0.0) {
                    quotient -= 1.0;
                }
                if quotient == 0.0 {
                    return (0.0 as $name).copysign(self / divisor);
                }
                let floor = quotient.floor();
                if quotient - floor > 0.5 { floor + 1.0 } else { floor }
            }
            #[inline]
            fn remainder(self, divisor: Self) -> Self {
                let truncated = self % divisor;
                if divisor == 0.0 {
                    truncated
                } else if truncated == 0.0 {
                    (0.0 as $name).copysign(divisor)
                } else if (truncated < 0.0) != (divisor < 0.0) {
                    truncated + divisor
                } else {
                    truncated
                }
            }
        }

        impl Field for $name {
            #[inline]
            fn divide(self, divisor: Self) -> Self {
                self / divisor
            }
        }

        impl Ring for Complex<$name> {
            #[inline]
            fn add(self, other: Self) -> Self {
                self + other
            }
            #[inline]
            fn subtract(self, other: Self) -> Self {
                self - other
            }
            #[inline]
            fn multiply(self, other: Self) -> Self {
                Self::new(
                    self.re * other.re - self.im * other.im,
                    self.re * other.im + self.im * other.re,
                )
            }
            #[inline]
            #[allow(
                clippy::cast_possible_truncation,
                clippy::allow_attributes,
                reason = "for single precision only: rounding is the point"
            )]
            fn power(self, exponent: Self) -> Self {
                let wide = |x: Self| Complex::<f64>::new(x.re.into(), x.im.into());
                let power = complex_power(wide(self), wide(exponent));
                Self::new(power.re as $name, power.im as $name)
            }
            #[inline]
            fn negative(self) -> Self {
                -self
            }
        }

        /// Smith's algorithm: no overflow where the quotient has none.
        impl Field for Complex<$name> {
            #[inline]
            fn divide(self, divisor: Self) -> Self {
                let (re, im) = (divisor.re.abs(), divisor.im.abs());
                if re >= im {
                    if re == 0.0 && im == 0.0 {
                        return Self::new(self.re / re, self.im / re);
                    }
                    let ratio = divisor.im / divisor.re;
                    let scale = 1.0 / (divisor.re + divisor.im * ratio);
                    Self::new(
                        (self.re + self.im * ratio) * scale,
                        (self.im - self.re * ratio) * scale,
                    )
                } else {
                    let ratio = divisor.re / divisor.im;
                    let scale = 1.0 / (divisor.im + divisor.re * ratio);
                    Self::new(
                        (self.re * ratio + self.im) * scale,
                        (self.im * ratio - self.re) * scale,
                    )
                }
            }
        }
    )* };
}
floats!(f32, f64);

/// In double precision: the angle of a large power has no digits to spare.
fn complex_power(base: Complex<f64>, exponent: Complex<f64>) -> Complex<f64> {
    let one = Complex::new(1.0, 0.0);
    if exponent.re == 0.0 && exponent.im == 0.0 {
        return one;
    }
    if base.re == 0.0 && base.im == 0.0 {
        // Below or beside the right half plane the limit does not exist.
        return if exponent.re > 0.0 {
            Complex::new(0.0, 0.0)
        } else {
            Complex::new(f64::NAN, f64::NAN)
        };
    }
    // Small whole exponents by squaring: exact where the products are.
    if exponent.im == 0.0 && exponent.re.fract() == 0.0 && exponent.re.abs() < 100.0 {
        #[expect(clippy::cast_possible_truncation, reason = "a whole number below 100")]
        let whole = exponent.re as i32;
        let mut left = whole.unsigned_abs();
        let (mut base, mut power) = (base, one);
        loop {
            if left & 1 == 1 {
                power = if power == one {
                    base
                } else {
                    power.multiply(base)
                };
            }
            left >>= 1;
            if left == 0 {
                break;
            }
            base = base.multiply(base);
        }
        return if whole < 0 { one.divide(power) } else { power };
    }
    base.powc(exponent)
}

impl Truth {
    /// Logical or.
    #[inline]
    pub(super) const fn or(self, other: Self) -> Self {
        Self::new(self.get() | other.get())
    }

    /// Logical and.
    #[inline]
    pub(super) const fn and(self, other: Self) -> Self {
        Self::new(self.get() & other.get())
    }
}
