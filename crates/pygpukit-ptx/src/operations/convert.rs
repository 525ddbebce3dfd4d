//! Conversions between types: any of them by whole numbers, the common ones fast.

use super::Lanewise;
use super::exact::{Exact, Format, Number, Rounding, formats};
use super::half::ROUNDINGS;
use crate::execute::{Files, NO_SLOT, Step, Value};
use crate::parse::Scalar;
use std::marker::PhantomData;

/// A conversion in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent modifiers")]
pub(crate) struct Conversion {
    pub(crate) from: Kind,
    pub(crate) to: Kind,
    pub(crate) rounding: Rounding,
    /// Rounded to a whole number.
    pub(crate) integral: bool,
    pub(crate) ftz: bool,
    pub(crate) sat: bool,
    pub(crate) relu: bool,
}

/// What is converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Integer {
        bits: u32,
        signed: bool,
    },
    Float(Format),
    /// A float of 32 bits whose fraction has 10.
    Tf32,
}

const KINDS: [Kind; 13] = [
    Kind::Integer {
        bits: 8,
        signed: false,
    },
    Kind::Integer {
        bits: 16,
        signed: false,
    },
    Kind::Integer {
        bits: 32,
        signed: false,
    },
    Kind::Integer {
        bits: 64,
        signed: false,
    },
    Kind::Integer {
        bits: 8,
        signed: true,
    },
    Kind::Integer {
        bits: 16,
        signed: true,
    },
    Kind::Integer {
        bits: 32,
        signed: true,
    },
    Kind::Integer {
        bits: 64,
        signed: true,
    },
    Kind::Float(formats::F16),
    Kind::Float(formats::BF16),
    Kind::Float(formats::F32),
    Kind::Float(formats::F64),
    Kind::Tf32,
];

impl Kind {
    pub(crate) fn of(scalar: Scalar) -> Option<Self> {
        Some(match scalar {
            Scalar::F16 => Self::Float(formats::F16),
            Scalar::Bf16 => Self::Float(formats::BF16),
            Scalar::F32 => Self::Float(formats::F32),
            Scalar::F64 => Self::Float(formats::F64),
            Scalar::Tf32 => Self::Tf32,
            Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64
            | Scalar::S8
            | Scalar::S16
            | Scalar::S32
            | Scalar::S64 => Self::Integer {
                bits: scalar.bytes() as u32 * 8,
                signed: scalar.is_signed(),
            },
            Scalar::B8
            | Scalar::B16
            | Scalar::B32
            | Scalar::B64
            | Scalar::B128
            | Scalar::F16x2
            | Scalar::Bf16x2
            | Scalar::F32x2
            | Scalar::Pred => return None,
        })
    }

    fn code(self) -> u32 {
        KINDS.iter().position(|kind| *kind == self).unwrap_or(0) as u32
    }
}

impl Conversion {
    /// As one number, for a step.
    pub(crate) fn encode(self) -> u32 {
        let rounding = ROUNDINGS.iter().position(|it| *it == self.rounding);
        self.from.code()
            | self.to.code() << 5
            | (rounding.unwrap_or(0) as u32) << 10
            | u32::from(self.integral) << 16
            | u32::from(self.ftz) << 17
            | u32::from(self.sat) << 18
            | u32::from(self.relu) << 19
    }

    fn decode(code: u32) -> Self {
        let kind = |shift: u32| KINDS[(code >> shift & 0x1f) as usize % KINDS.len()];
        Self {
            from: kind(0),
            to: kind(5),
            rounding: ROUNDINGS[(code >> 10 & 0xf) as usize % ROUNDINGS.len()],
            integral: code >> 16 & 1 == 1,
            ftz: code >> 17 & 1 == 1,
            sat: code >> 18 & 1 == 1,
            relu: code >> 19 & 1 == 1,
        }
    }

    /// The result, extended to 64 bits as its type says, for the lowest bits given.
    pub(crate) fn apply(self, bits: u64) -> u64 {
        match (self.from, self.to) {
            (
                Kind::Integer {
                    bits: width,
                    signed,
                },
                to,
            ) => {
                let value = extend(bits, width, signed);
                let negative = signed && value.cast_signed() < 0;
                let magnitude = if negative {
                    value.wrapping_neg()
                } else {
                    value
                };
                match to {
                    Kind::Integer { bits, signed } if self.sat => {
                        held(negative, magnitude.into(), bits, signed)
                    }
                    Kind::Integer { bits, signed } => extend(value, bits, signed),
                    Kind::Float(format) => self.to_float(
                        Number::Finite(Exact {
                            negative,
                            mantissa: magnitude.into(),
                            exponent: 0,
                            sticky: false,
                        }),
                        format,
                    ),
                    Kind::Tf32 => 0,
                }
            }
            (Kind::Float(from), to) => self.of_float(from, to, bits),
            (Kind::Tf32, to) => self.of_float(formats::F32, to, bits),
        }
    }

    fn of_float(self, from: Format, to: Kind, bits: u64) -> u64 {
        let width = 1 + from.exponent_bits + from.fraction_bits;
        let bits = bits & u64::MAX >> (64 - width);
        let bits = if self.ftz && from == formats::F32 {
            from.flush(bits)
        } else {
            bits
        };
        let number = from.unpack(bits);
        match to {
            Kind::Integer { bits, signed } => match number {
                // The manual's rule for NaN.
                Number::Nan if from == formats::F64 || bits == 64 => {
                    extend(1 << (bits - 1), bits, signed)
                }
                Number::Nan => 0,
                Number::Infinite { negative } => held(negative, u128::MAX, bits, signed),
                Number::Finite(value) => {
                    let (negative, size) = value.integer(self.rounding);
                    held(negative, size, bits, signed)
                }
            },
            Kind::Float(format) => {
                let result = self.to_float(number, format);
                // Only `f32` knows subnormal numbers that are flushed.
                if self.ftz && format == formats::F32 {
                    format.flush(result)
                } else {
                    result
                }
            }
            Kind::Tf32 => match number {
                Number::Nan => formats::F32.nan(),
                number => self.to_float(number, Format::TF32) << 13,
            },
        }
    }

    fn to_float(self, number: Number, format: Format) -> u64 {
        let bits = match number {
            Number::Nan if self.sat => return 0,
            Number::Nan => return format.nan(),
            Number::Infinite { negative } => format.infinity(negative),
            Number::Finite(value) if self.integral => {
                let (negative, mantissa) = value.integer(self.rounding);
                // What is too large for this has no fraction anyway.
                let whole = Exact {
                    negative,
                    mantissa,
                    exponent: 0,
                    sticky: false,
                };
                let value = if mantissa == u128::MAX { value } else { whole };
                format.pack(value, self.rounding)
            }
            Number::Finite(value) => format.pack(value, self.rounding),
        };
        let negative = bits & (format.infinity(true) ^ format.infinity(false)) != 0;
        let one = (format.largest(false) >> 1) & !((1 << format.fraction_bits) - 1);
        match (self.sat, negative) {
            (true, true) => 0,
            (true, false) => bits.min(one),
            (false, true) if self.relu => 0,
            _ => bits,
        }
    }
}

/// The lowest bits, extended.
fn extend(value: u64, bits: u32, signed: bool) -> u64 {
    let unused = 64 - bits;
    if signed {
        ((value << unused).cast_signed() >> unused).cast_unsigned()
    } else {
        value << unused >> unused
    }
}

/// The nearest number that the type has.
fn held(negative: bool, size: u128, bits: u32, signed: bool) -> u64 {
    let most = u128::from(u64::MAX >> (64 - bits));
    let value = match (negative, signed) {
        (true, false) => 0,
        (false, false) => size.min(most),
        (false, true) => size.min(most >> 1),
        (true, true) => return (size.min((most >> 1) + 1) as u64).wrapping_neg(),
    };
    value as u64
}

/// Any conversion, from a register of `A` to one of `To`.
#[derive(Debug)]
pub(crate) struct Convert<A, To>(PhantomData<(A, To)>);

macro_rules! converts {
    ($($a:ty => $($to:ty)*;)*) => { $( $(
        impl Lanewise for Convert<$a, $to> {
            type To = $to;
            fn apply(files: &Files<'_>, step: &Step, lane: usize) -> $to {
                let a = u64::from(<$a>::lane(files, step.a, lane));
                Conversion::decode(step.extra).apply(a) as $to
            }
        }
    )* )* };
}

converts! {
    u16 => u16 u32 u64;
    u32 => u16 u32 u64;
    u64 => u16 u32 u64;
}

/// Two floats to the halves of a register: `a` above, `b` below.
#[derive(Debug)]
pub(crate) struct ConvertPair;
impl Lanewise for ConvertPair {
    type To = u32;
    fn apply(files: &Files<'_>, step: &Step, lane: usize) -> u32 {
        let conversion = Conversion::decode(step.extra);
        let half = |slot: u16| match slot {
            NO_SLOT => 0,
            slot => conversion.apply(u32::lane(files, slot, lane).into()) as u32 & 0xffff,
        };
        half(step.a) << 16 | half(step.b)
    }
}
