//! The common conversions between types, fast.

use super::Unary;
use super::float::Real;
use std::marker::PhantomData;

/// The common conversions.
#[derive(Debug)]
pub(crate) struct As<A, To>(PhantomData<(A, To)>);

macro_rules! casts {
    ($($a:ty => $($to:ty)*;)*) => { $( $(
        impl Unary for As<$a, $to> {
            type A = $a;
            type To = $to;
            #[inline(always)]
            fn apply(a: $a) -> $to { a as $to }
        }
    )* )* };
}

casts! {
    u16 => u32 u64 f32;
    i16 => i32 i64 f32;
    u32 => u16 u64 f32 f64;
    i32 => i64 f32 f64;
    u64 => u16 u32 f32 f64;
    i64 => f32 f64;
}

/// `cvt.rzi`, as Rust does it: held at the ends; NaN is zero.
macro_rules! truncations {
    ($($a:ty => $($to:ty)*;)*) => { $( $(
        impl Unary for As<$a, $to> {
            type A = $a;
            type To = $to;
            #[inline(always)]
            fn apply(a: $a) -> $to { a as $to }
        }
    )* )* };
}

truncations! { f32 => i32 u32; }

/// A float of another width.
impl Unary for As<f32, f64> {
    type A = f32;
    type To = f64;
    #[inline(always)]
    fn apply(a: f32) -> f64 {
        Real::canonical(f64::from(a))
    }
}
impl Unary for As<f64, f32> {
    type A = f64;
    type To = f32;
    #[inline(always)]
    fn apply(a: f64) -> f32 {
        Real::canonical(a as f32)
    }
}

/// Half precision to single: all of them are exact.
#[derive(Debug)]
pub(crate) struct WidenHalf<const BF16: bool>;
impl<const BF16: bool> Unary for WidenHalf<BF16> {
    type A = u16;
    type To = f32;
    #[inline(always)]
    fn apply(a: u16) -> f32 {
        let a = u32::from(a);
        if BF16 {
            return Real::canonical(f32::from_bits(a << 16));
        }
        // The exponent is rebiased by a product, which makes subnormals right as well.
        let sign = (a & 0x8000) << 16;
        let rest = (a & 0x7fff) << 13;
        let size = f32::from_bits(rest) * f32::from_bits((254 - 15) << 23);
        let is_special = a & 0x7c00 == 0x7c00;
        let size = if is_special {
            rest | 0x7f80_0000
        } else {
            size.to_bits()
        };
        Real::canonical(f32::from_bits(sign | size))
    }
}
