//! Arithmetic of whole numbers.

use super::{Binary, Ternary, Unary};
use crate::execute::Value;
use std::marker::PhantomData;

/// A whole number of a register.
pub(crate) trait Integer: Value + Ord {
    const BITS: u32;
    /// The type of twice as many bits; for 64 bits, itself.
    type Double: Value;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn mul_high(self, other: Self) -> Self;
    fn mul_wide(self, other: Self) -> Self::Double;
    fn add_double(a: Self::Double, b: Self::Double) -> Self::Double;
    fn add_saturated(self, other: Self) -> Self;
    fn sub_saturated(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn rem(self, other: Self) -> Self;
    fn neg(self) -> Self;
    fn abs(self) -> Self;
    fn distance(self, other: Self) -> Self;
    fn shift_left(self, count: u32) -> Self;
    fn shift_right(self, count: u32) -> Self;
    /// The lowest bits of any number.
    fn truncate(bits: u64) -> Self;
    /// Extended by zeros or by its sign.
    fn extend(self) -> u64;
}

macro_rules! integers {
    ($($type:ty, $wide:ty, $double:ty;)*) => { $(
        impl Integer for $type {
            const BITS: u32 = <$type>::BITS;
            type Double = $double;
            #[inline(always)]
            fn add(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn sub(self, other: Self) -> Self { self.wrapping_sub(other) }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self.wrapping_mul(other) }
            #[inline(always)]
            fn mul_high(self, other: Self) -> Self {
                (<$wide>::from(self) * <$wide>::from(other) >> Self::BITS) as Self
            }
            #[inline(always)]
            fn mul_wide(self, other: Self) -> $double {
                <$double>::from(self).wrapping_mul(<$double>::from(other))
            }
            #[inline(always)]
            fn add_double(a: $double, b: $double) -> $double { a.wrapping_add(b) }
            #[inline(always)]
            fn add_saturated(self, other: Self) -> Self { self.saturating_add(other) }
            #[inline(always)]
            fn sub_saturated(self, other: Self) -> Self { self.saturating_sub(other) }
            // What PTX leaves open is done as devices do it: all ones, and the dividend.
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                if other == 0 { !0 } else { self.wrapping_div(other) }
            }
            #[inline(always)]
            fn rem(self, other: Self) -> Self {
                if other == 0 { self } else { self.wrapping_rem(other) }
            }
            #[inline(always)]
            fn neg(self) -> Self { self.wrapping_neg() }
            #[inline(always)]
            fn abs(self) -> Self { if self.extend().cast_signed() < 0 { self.wrapping_neg() } else { self } }
            #[inline(always)]
            fn distance(self, other: Self) -> Self { self.abs_diff(other) as Self }
            #[inline(always)]
            fn shift_left(self, count: u32) -> Self {
                if count < Self::BITS { self << count } else { 0 }
            }
            #[inline(always)]
            fn shift_right(self, count: u32) -> Self {
                // One more than the highest: twice, so that all bits leave.
                let most = Self::BITS - 1;
                if count > most { self >> most >> 1 } else { self >> count }
            }
            #[inline(always)]
            fn truncate(bits: u64) -> Self { bits as Self }
            #[inline(always)]
            fn extend(self) -> u64 { self as i64 as u64 }
        }
    )* };
}

integers! {
    u16, u32, u32; i16, i32, i32;
    u32, u64, u64; i32, i64, i64;
    u64, u128, u64; i64, i128, i64;
}

/// Operations with two operands of one type.
macro_rules! binaries {
    ($($name:ident: $a:ident, $b:ident => $body:expr;)*) => { $(
        #[derive(Debug)]
        pub(crate) struct $name<T>(PhantomData<T>);
        impl<T: Integer> Binary for $name<T> {
            type A = T;
            type B = T;
            type To = T;
            #[inline(always)]
            fn apply($a: T, $b: T) -> T { $body }
        }
    )* };
}

binaries! {
    Add: a, b => a.add(b);
    Sub: a, b => a.sub(b);
    AddSaturated: a, b => a.add_saturated(b);
    SubSaturated: a, b => a.sub_saturated(b);
    MulLow: a, b => a.mul(b);
    MulHigh: a, b => a.mul_high(b);
    Div: a, b => a.div(b);
    Rem: a, b => a.rem(b);
    Min: a, b => if b < a { b } else { a };
    Max: a, b => if b > a { b } else { a };
}

/// `mul.wide`: all bits of the product.
#[derive(Debug)]
pub(crate) struct MulWide<T>(PhantomData<T>);
impl<T: Integer> Binary for MulWide<T> {
    type A = T;
    type B = T;
    type To = T::Double;
    #[inline(always)]
    fn apply(a: T, b: T) -> T::Double {
        a.mul_wide(b)
    }
}

/// Shifts: the count is unsigned and held at the width.
#[derive(Debug)]
pub(crate) struct ShiftLeft<T>(PhantomData<T>);
impl<T: Integer> Binary for ShiftLeft<T> {
    type A = T;
    type B = u32;
    type To = T;
    #[inline(always)]
    fn apply(a: T, b: u32) -> T {
        a.shift_left(b)
    }
}

/// `shr`, with zeros or the sign.
#[derive(Debug)]
pub(crate) struct ShiftRight<T>(PhantomData<T>);
impl<T: Integer> Binary for ShiftRight<T> {
    type A = T;
    type B = u32;
    type To = T;
    #[inline(always)]
    fn apply(a: T, b: u32) -> T {
        a.shift_right(b)
    }
}

macro_rules! unaries {
    ($($name:ident: $a:ident => $body:expr;)*) => { $(
        #[derive(Debug)]
        pub(crate) struct $name<T>(PhantomData<T>);
        impl<T: Integer> Unary for $name<T> {
            type A = T;
            type To = T;
            #[inline(always)]
            fn apply($a: T) -> T { $body }
        }
    )* };
}

unaries! {
    Neg: a => a.neg();
    Abs: a => a.abs();
    Copy: a => a;
}

macro_rules! ternaries {
    ($($name:ident: $a:ident, $b:ident, $c:ident => $body:expr;)*) => { $(
        #[derive(Debug)]
        pub(crate) struct $name<T>(PhantomData<T>);
        impl<T: Integer> Ternary for $name<T> {
            type A = T;
            type B = T;
            type C = T;
            type To = T;
            #[inline(always)]
            fn apply($a: T, $b: T, $c: T) -> T { $body }
        }
    )* };
}

ternaries! {
    MadLow: a, b, c => a.mul(b).add(c);
    MadHigh: a, b, c => a.mul_high(b).add(c);
    MadHighSaturated: a, b, c => a.mul_high(b).add_saturated(c);
    Sad: a, b, c => a.distance(b).add(c);
}

/// `mad.wide`.
#[derive(Debug)]
pub(crate) struct MadWide<T>(PhantomData<T>);
impl<T: Integer> Ternary for MadWide<T> {
    type A = T;
    type B = T;
    type C = T::Double;
    type To = T::Double;
    #[inline(always)]
    fn apply(a: T, b: T, c: T::Double) -> T::Double {
        T::add_double(a.mul_wide(b), c)
    }
}

/// The lowest 24 bits, extended by their sign if `T` has one.
#[inline(always)]
fn low24<T: Integer>(a: T) -> T {
    a.shift_left(8).shift_right(8)
}

/// The lowest 32 of the 48 bits of a product of 24 bits.
#[derive(Debug)]
pub(crate) struct Mul24Low<T>(PhantomData<T>);
impl<T: Integer> Binary for Mul24Low<T> {
    type A = T;
    type B = T;
    type To = T;
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
        low24(a).mul(low24(b))
    }
}

/// The highest 32 of the 48 bits of a product of 24 bits.
#[derive(Debug)]
pub(crate) struct Mul24High<T>(PhantomData<T>);
impl<T: Integer> Binary for Mul24High<T> {
    type A = T;
    type B = T;
    type To = T;
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
        let product = low24(a).extend().wrapping_mul(low24(b).extend());
        T::truncate(product >> 16)
    }
}

/// `mad24.lo`.
#[derive(Debug)]
pub(crate) struct Mad24Low<T>(PhantomData<T>);
impl<T: Integer> Ternary for Mad24Low<T> {
    type A = T;
    type B = T;
    type C = T;
    type To = T;
    #[inline(always)]
    fn apply(a: T, b: T, c: T) -> T {
        Mul24Low::apply(a, b).add(c)
    }
}
