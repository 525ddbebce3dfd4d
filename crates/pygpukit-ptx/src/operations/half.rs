//! Arithmetic by whole numbers: half precision, and roundings that the host has not.

use super::Lanewise;
use super::exact::{Exact, Format, Number, Rounding, formats};
use crate::execute::{Files, Step, Value};
use std::marker::PhantomData;

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Compute {
    Add,
    Sub,
    Mul,
    Fma,
    Div,
    Sqrt,
    Reciprocal,
    Min,
    Max,
    MinNan,
    MaxNan,
    Neg,
    Abs,
}

const ALL: [Compute; 13] = [
    Compute::Add,
    Compute::Sub,
    Compute::Mul,
    Compute::Fma,
    Compute::Div,
    Compute::Sqrt,
    Compute::Reciprocal,
    Compute::Min,
    Compute::Max,
    Compute::MinNan,
    Compute::MaxNan,
    Compute::Neg,
    Compute::Abs,
];

pub(crate) const FORMATS: [Format; 4] = [formats::F16, formats::BF16, formats::F32, formats::F64];
pub(crate) const ROUNDINGS: [Rounding; 5] = [
    Rounding::Nearest,
    Rounding::Away,
    Rounding::Zero,
    Rounding::Down,
    Rounding::Up,
];

/// A computation in full: all that a form of an instruction says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) compute: Compute,
    /// Of [`FORMATS`].
    pub(crate) format: usize,
    pub(crate) rounding: Rounding,
    pub(crate) ftz: bool,
    /// Held between 0 and 1.
    pub(crate) sat: bool,
    /// Not below 0.
    pub(crate) relu: bool,
}

impl Form {
    /// As one number, for a step.
    pub(crate) fn encode(self) -> u32 {
        let rounding = ROUNDINGS.iter().position(|it| *it == self.rounding);
        self.compute as u32
            | (self.format as u32) << 8
            | (rounding.unwrap_or(0) as u32) << 12
            | u32::from(self.ftz) << 16
            | u32::from(self.sat) << 17
            | u32::from(self.relu) << 18
    }

    fn decode(code: u32) -> Self {
        Self {
            compute: ALL[(code & 0xff) as usize % ALL.len()],
            format: (code >> 8 & 3) as usize,
            rounding: ROUNDINGS[(code >> 12 & 0xf) as usize % ROUNDINGS.len()],
            ftz: code >> 16 & 1 == 1,
            sat: code >> 17 & 1 == 1,
            relu: code >> 18 & 1 == 1,
        }
    }

    /// The result for operands given as bits.
    pub(crate) fn apply(self, a: u64, b: u64, c: u64) -> u64 {
        let format = FORMATS[self.format];
        let input = |bits| if self.ftz { format.flush(bits) } else { bits };
        let [a, b, c] = [a, b, c].map(input);
        let result = self.compute(format, a, b, c);
        let result = if self.ftz {
            format.flush(result)
        } else {
            result
        };
        self.held(format, result)
    }

    fn held(self, format: Format, bits: u64) -> u64 {
        let one = (FORMATS[self.format].largest(false) >> 1) & !((1 << format.fraction_bits) - 1);
        match format.unpack(bits) {
            Number::Nan if self.sat => 0,
            Number::Infinite { negative: true } | Number::Finite(Exact { negative: true, .. })
                if self.sat || self.relu =>
            {
                0
            }
            Number::Nan => bits,
            _ if self.sat && bits > one => one,
            _ => bits,
        }
    }

    fn compute(self, format: Format, a: u64, b: u64, c: u64) -> u64 {
        let unpack = |bits| format.unpack(bits);
        let sign = format.infinity(true) ^ format.infinity(false);
        let one = 1.0_f64.to_bits();
        match self.compute {
            Compute::Add => self.fma(format, unpack(a), None, unpack(b)),
            Compute::Sub => self.fma(format, unpack(a), None, unpack(b ^ sign)),
            Compute::Fma => self.fma(format, unpack(a), Some(unpack(b)), unpack(c)),
            Compute::Mul => self.product(format, unpack(a), unpack(b)),
            Compute::Div => self.quotient(format, unpack(a), unpack(b)),
            Compute::Reciprocal => self.quotient(format, formats::F64.unpack(one), unpack(a)),
            Compute::Sqrt => self.root(format, unpack(a)),
            Compute::Neg => a ^ sign,
            Compute::Abs => a & !sign,
            Compute::Min | Compute::Max | Compute::MinNan | Compute::MaxNan => {
                self.choose(format, a, b)
            }
        }
    }

    fn fma(self, format: Format, a: Number, b: Option<Number>, c: Number) -> u64 {
        let product = match b {
            None => a,
            Some(b) => times(a, b),
        };
        match (product, c) {
            (Number::Nan, _) | (_, Number::Nan) => format.nan(),
            (Number::Infinite { negative }, Number::Infinite { negative: other })
                if negative != other =>
            {
                format.nan()
            }
            (Number::Infinite { negative }, _) | (_, Number::Infinite { negative }) => {
                format.infinity(negative)
            }
            (Number::Finite(a), Number::Finite(b)) => {
                format.pack(a.plus(b, self.rounding), self.rounding)
            }
        }
    }

    fn product(self, format: Format, a: Number, b: Number) -> u64 {
        match times(a, b) {
            Number::Nan => format.nan(),
            Number::Infinite { negative } => format.infinity(negative),
            Number::Finite(product) => format.pack(product, self.rounding),
        }
    }

    fn quotient(self, format: Format, a: Number, b: Number) -> u64 {
        let zero =
            |negative| format.infinity(negative) & format.infinity(true) & !format.infinity(false);
        match (a, b) {
            (Number::Nan, _)
            | (_, Number::Nan)
            | (Number::Infinite { .. }, Number::Infinite { .. }) => format.nan(),
            (Number::Infinite { negative }, Number::Finite(b)) => {
                format.infinity(negative != b.negative)
            }
            (Number::Finite(a), Number::Infinite { negative }) => zero(a.negative != negative),
            (Number::Finite(a), Number::Finite(b)) => match (a.mantissa, b.mantissa) {
                (0, 0) => format.nan(),
                (0, _) => zero(a.negative != b.negative),
                (_, 0) => format.infinity(a.negative != b.negative),
                _ => format.pack(a.over(b), self.rounding),
            },
        }
    }

    fn root(self, format: Format, a: Number) -> u64 {
        match a {
            Number::Finite(a) if a.mantissa == 0 => format.pack(a, self.rounding),
            Number::Finite(a) if !a.negative => format.pack(a.root(), self.rounding),
            Number::Infinite { negative: false } => format.infinity(false),
            Number::Nan | Number::Finite(_) | Number::Infinite { .. } => format.nan(),
        }
    }

    fn choose(self, format: Format, a: u64, b: u64) -> u64 {
        let is_nan = |bits| format.unpack(bits) == Number::Nan;
        let keeps_nan = matches!(self.compute, Compute::MinNan | Compute::MaxNan);
        match (is_nan(a), is_nan(b)) {
            (true, true) => return format.nan(),
            (true, _) | (_, true) if keeps_nan => return format.nan(),
            (true, false) => return b,
            (false, true) => return a,
            (false, false) => {}
        }
        // As whole numbers the bits are in order, apart from the sign.
        let sign = format.infinity(true) ^ format.infinity(false);
        let order = |bits: u64| {
            if bits & sign != 0 {
                !bits & (sign | (sign - 1))
            } else {
                bits | sign
            }
        };
        let takes_smaller = matches!(self.compute, Compute::Min | Compute::MinNan);
        if (order(a) < order(b)) == takes_smaller {
            a
        } else {
            b
        }
    }
}

fn times(a: Number, b: Number) -> Number {
    match (a, b) {
        (Number::Nan, _) | (_, Number::Nan) => Number::Nan,
        (Number::Finite(a), Number::Finite(b)) => Number::Finite(a.times(b)),
        (Number::Infinite { negative }, Number::Finite(x))
        | (Number::Finite(x), Number::Infinite { negative }) => match x.mantissa {
            0 => Number::Nan,
            _ => Number::Infinite {
                negative: negative != x.negative,
            },
        },
        (Number::Infinite { negative }, Number::Infinite { negative: other }) => Number::Infinite {
            negative: negative != other,
        },
    }
}

/// A scalar computation, in registers of `T`.
#[derive(Debug)]
pub(crate) struct Scalar<T>(PhantomData<T>);

macro_rules! scalars {
    ($($type:ty)*) => { $(
        impl Lanewise for Scalar<$type> {
            type To = $type;
            fn apply(files: &Files<'_>, step: &Step, lane: usize) -> $type {
                let [a, b, c] = [step.a, step.b, step.c].map(|slot| match slot {
                    crate::execute::NO_SLOT => 0,
                    slot => u64::from(<$type>::lane(files, slot, lane)),
                });
                Form::decode(step.extra).apply(a, b, c) as $type
            }
        }
    )* };
}

scalars! { u16 u32 u64 }

/// The same for both halves of a register of 32 bits.
#[derive(Debug)]
pub(crate) struct Packed;
impl Lanewise for Packed {
    type To = u32;
    fn apply(files: &Files<'_>, step: &Step, lane: usize) -> u32 {
        let [a, b, c] = [step.a, step.b, step.c].map(|slot| match slot {
            crate::execute::NO_SLOT => 0,
            slot => u32::lane(files, slot, lane),
        });
        let form = Form::decode(step.extra);
        let half = |shift: u32| {
            let [a, b, c] = [a, b, c].map(|value| u64::from(value >> shift & 0xffff));
            (form.apply(a, b, c) as u32) << shift
        };
        half(0) | half(16)
    }
}
