//! The approximate functions of devices. Results are nearer than the manual promises; the
//! last bit may differ from a device's.

use super::Unary;
use super::float::{Real, flushed};

/// `1 / (first + k * step)` for each k.
const fn reciprocals<const N: usize>(first: f64, step: f64) -> [f64; N] {
    let mut found = [0.0; N];
    let mut k = 0;
    while k < N {
        found[k] = 1.0 / (first + step * k as f64);
        k += 1;
    }
    found
}

/// `1 / (n * (n + 1))` for n = first, first + 2, and so on.
const fn pairs<const N: usize>(first: f64) -> [f64; N] {
    let mut found = [0.0; N];
    let mut k = 0;
    while k < N {
        let n = first + 2.0 * k as f64;
        found[k] = 1.0 / (n * (n + 1.0));
        k += 1;
    }
    found
}

/// Two to the power of `x`, of a double: ten terms of the series around the nearest whole
/// power leave less than 2^-40.
#[inline(always)]
fn power_of_two(x: f64) -> f64 {
    const TERMS: [f64; 10] = reciprocals(1.0, 1.0);
    let x = x.clamp(-1070.0, 1030.0);
    let whole = x.round_ties_even();
    let rest = (x - whole) * std::f64::consts::LN_2;
    let mut sum = 1.0;
    for term in TERMS.iter().rev() {
        sum = 1.0 + rest * term * sum;
    }
    scaled(sum, whole)
}

/// `x * 2^power`, in two steps so that neither factor is out of range.
#[inline(always)]
fn scaled(x: f64, power: f64) -> f64 {
    let half = (power * 0.5).round_ties_even();
    let factor = |power: f64| f64::from_bits(((power as i64 + 1023) as u64) << 52);
    x * factor(half) * factor(power - half)
}

/// The logarithm to base two of a positive normal double.
#[inline(always)]
fn logarithm(x: f64) -> f64 {
    const TERMS: [f64; 10] = reciprocals(1.0, 2.0);
    let bits = x.to_bits();
    let root_half = 0x3fe6_a09e_667f_3bcd_u64;
    // The fraction lies between the root of one half and the root of two.
    let shifted = bits.wrapping_sub(root_half);
    let power = (shifted.cast_signed() >> 52) as f64;
    let fraction = f64::from_bits(bits.wrapping_sub(((shifted.cast_signed() >> 52) << 52) as u64));
    let t = (fraction - 1.0) / (fraction + 1.0);
    let square = t * t;
    let mut sum = 0.0;
    for term in TERMS.iter().rev() {
        sum = term + square * sum;
    }
    power + 2.0 * t * sum * std::f64::consts::LOG2_E
}

/// The sine of `x + quarter * pi / 2`.
#[inline(always)]
fn sine(x: f64, quarter: i64) -> f64 {
    const ODD: [f64; 7] = pairs(2.0);
    const EVEN: [f64; 7] = pairs(1.0);
    let turns = (x * std::f64::consts::FRAC_2_PI).round_ties_even();
    // pi / 2 in two parts, of which the first has room for the product.
    let rest = (x - turns * 1.570_796_326_734_125_6) - turns * 6.077_100_506_506_192e-11;
    let square = rest * rest;
    let (mut odd, mut even) = (1.0, 1.0);
    for (term, other) in ODD.iter().zip(&EVEN).rev() {
        odd = 1.0 - square * term * odd;
        even = 1.0 - square * other * even;
    }
    let place = (turns as i64).wrapping_add(quarter);
    let size = if place & 1 == 0 { rest * odd } else { even };
    if place & 2 == 0 { size } else { -size }
}

macro_rules! functions {
    ($($name:ident: $x:ident => $body:expr;)*) => { $(
        #[derive(Debug)]
        pub(crate) struct $name<const FTZ: bool>;
        impl<const FTZ: bool> Unary for $name<FTZ> {
            type A = f32;
            type To = f32;
            #[inline(always)]
            fn apply(x: f32) -> f32 {
                let $x = flushed::<f32, FTZ>(x);
                let result: f32 = $body;
                flushed::<f32, FTZ>(result).canonical()
            }
        }
    )* };
}

functions! {
    Exp2: x => if x.is_nan() { x } else { power_of_two(f64::from(x)) as f32 };
    Log2: x => match x {
        // A subnormal number is a normal double.
        x if x > 0.0 && x < f32::INFINITY => logarithm(f64::from(x)) as f32,
        0.0 => f32::NEG_INFINITY,
        x if x == f32::INFINITY => x,
        _ => f32::NAN,
    };
    Sin: x => if x == 0.0 { x } else if x.is_finite() { sine(f64::from(x), 0) as f32 } else { f32::NAN };
    Cos: x => if x.is_finite() { sine(f64::from(x), 1) as f32 } else { f32::NAN };
    ReciprocalRoot: x => (1.0 / f64::from(x).sqrt()) as f32;
    Tanh: x => {
        let size = f64::from(x.abs()).min(20.0);
        let power = power_of_two(size * (2.0 * std::f64::consts::LOG2_E));
        // Near zero the difference would lose all digits.
        let small = size - size * size * size / 3.0;
        let result = if size < 1e-3 { small } else { (power - 1.0) / (power + 1.0) };
        if x.is_nan() { x } else { (result as f32).copysign(x) }
    };
}

/// `rsqrt.approx.f64`.
#[derive(Debug)]
pub(crate) struct ReciprocalRoot64;
impl Unary for ReciprocalRoot64 {
    type A = f64;
    type To = f64;
    #[inline(always)]
    fn apply(x: f64) -> f64 {
        (1.0 / x.sqrt()).canonical()
    }
}

/// `rcp.approx.ftz.f64` and `rsqrt.approx.ftz.f64`: only the upper half of the number and
/// of the result counts.
#[derive(Debug)]
pub(crate) struct Rough64<const ROOT: bool>;
impl<const ROOT: bool> Unary for Rough64<ROOT> {
    type A = f64;
    type To = f64;
    #[inline(always)]
    fn apply(x: f64) -> f64 {
        let upper = 0xffff_ffff_0000_0000;
        let flush = |x: f64| {
            let bits = x.to_bits() & upper;
            let subnormal = bits & 0x7ff0_0000_0000_0000 == 0;
            f64::from_bits(if subnormal { bits & 1 << 63 } else { bits })
        };
        let x = flush(x);
        let result = if ROOT { 1.0 / x.sqrt() } else { 1.0 / x };
        if result.is_nan() {
            return f64::from_bits(0x7fff_ffff_0000_0000);
        }
        // To the nearest of what the upper half can say.
        flush(f64::from_bits(result.to_bits().saturating_add(1 << 31)))
    }
}
