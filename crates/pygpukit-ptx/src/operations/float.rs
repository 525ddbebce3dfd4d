//! Arithmetic of `f32` and `f64`, rounded to the nearest.

use super::{Binary, Ternary, Unary};
use crate::execute::Value;
use std::marker::PhantomData;

/// A floating-point number of a register.
pub(crate) trait Real: Value + PartialOrd {
    /// Subnormal numbers become zero, as `.ftz` asks; `f64` knows no such form.
    fn flush(self) -> Self;
    /// The NaN that devices make, for any NaN.
    fn canonical(self) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn fma(self, b: Self, c: Self) -> Self;
    fn sqrt(self) -> Self;
    fn neg(self) -> Self;
    fn abs(self) -> Self;
    fn is_nan(self) -> bool;
    fn is_negative(self) -> bool;
    fn one() -> Self;
    fn copy_sign(self, sign: Self) -> Self;
}

macro_rules! reals {
    ($($type:ty, $x:ident => $flush:expr, $nan:literal;)*) => { $(
        impl Real for $type {
            #[inline(always)]
            fn flush(self) -> Self { let $x = self; $flush }
            #[inline(always)]
            fn canonical(self) -> Self {
                if self.is_nan() { <$type>::from_bits($nan) } else { self }
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn sub(self, other: Self) -> Self { self - other }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self * other }
            #[inline(always)]
            fn div(self, other: Self) -> Self { self / other }
            #[inline(always)]
            fn fma(self, b: Self, c: Self) -> Self { self.mul_add(b, c) }
            #[inline(always)]
            fn sqrt(self) -> Self { <$type>::sqrt(self) }
            #[inline(always)]
            fn neg(self) -> Self { -self }
            #[inline(always)]
            fn abs(self) -> Self { <$type>::abs(self) }
            #[inline(always)]
            fn is_nan(self) -> bool { <$type>::is_nan(self) }
            #[inline(always)]
            fn is_negative(self) -> bool { self.is_sign_negative() }
            #[inline(always)]
            fn one() -> Self { 1.0 }
            #[inline(always)]
            fn copy_sign(self, sign: Self) -> Self { self.copysign(sign) }
        }
    )* };
}

reals! {
    f32, x => {
        let bits = x.to_bits();
        let subnormal = bits & 0x7f80_0000 == 0;
        f32::from_bits(if subnormal { bits & 0x8000_0000 } else { bits })
    }, 0x7fff_ffff;
    f64, x => x, 0xfff8_0000_0000_0000;
}

/// Flushed if the instruction says `.ftz`.
#[inline(always)]
pub(crate) fn flushed<T: Real, const FTZ: bool>(x: T) -> T {
    if FTZ { x.flush() } else { x }
}

#[inline(always)]
fn finish<T: Real, const FTZ: bool>(x: T) -> T {
    flushed::<T, FTZ>(x).canonical()
}

macro_rules! binaries {
    ($($name:ident: $a:ident, $b:ident => $body:expr;)*) => { $(
        #[derive(Debug)]
        pub(crate) struct $name<T, const FTZ: bool>(PhantomData<T>);
        impl<T: Real, const FTZ: bool> Binary for $name<T, FTZ> {
            type A = T;
            type B = T;
            type To = T;
            #[inline(always)]
            fn apply(a: T, b: T) -> T {
                let ($a, $b) = (flushed::<T, FTZ>(a), flushed::<T, FTZ>(b));
                finish::<T, FTZ>($body)
            }
        }
    )* };
}

binaries! {
    Add: a, b => a.add(b);
    Sub: a, b => a.sub(b);
    Mul: a, b => a.mul(b);
    Div: a, b => a.div(b);
    Min: a, b => minimum(a, b);
    Max: a, b => maximum(a, b);
    MinNan: a, b => if a.is_nan() { a } else if b.is_nan() { b } else { minimum(a, b) };
    MaxNan: a, b => if a.is_nan() { a } else if b.is_nan() { b } else { maximum(a, b) };
}

/// The smaller; a number rather than NaN; -0 before +0.
#[inline(always)]
fn minimum<T: Real>(a: T, b: T) -> T {
    let takes_a = a < b || b.is_nan() || (a == b && a.is_negative());
    if takes_a { a } else { b }
}

/// The larger; a number rather than NaN; +0 before -0.
#[inline(always)]
fn maximum<T: Real>(a: T, b: T) -> T {
    let takes_a = a > b || b.is_nan() || (a == b && !a.is_negative());
    if takes_a { a } else { b }
}

/// `fma`, rounded once.
#[derive(Debug)]
pub(crate) struct Fma<T, const FTZ: bool>(PhantomData<T>);
impl<T: Real, const FTZ: bool> Ternary for Fma<T, FTZ> {
    type A = T;
    type B = T;
    type C = T;
    type To = T;
    #[inline(always)]
    fn apply(a: T, b: T, c: T) -> T {
        let [a, b, c] = [a, b, c].map(flushed::<T, FTZ>);
        finish::<T, FTZ>(a.fma(b, c))
    }
}

macro_rules! unaries {
    ($($name:ident: $a:ident => $body:expr;)*) => { $(
        #[derive(Debug)]
        pub(crate) struct $name<T, const FTZ: bool>(PhantomData<T>);
        impl<T: Real, const FTZ: bool> Unary for $name<T, FTZ> {
            type A = T;
            type To = T;
            #[inline(always)]
            fn apply($a: T) -> T {
                let $a = flushed::<T, FTZ>($a);
                $body
            }
        }
    )* };
}

unaries! {
    Neg: a => a.neg();
    Abs: a => a.abs();
    Sqrt: a => finish::<T, FTZ>(a.sqrt());
    Reciprocal: a => finish::<T, FTZ>(T::one().div(a));
}

/// `copysign`: the sign of `a` on the size of `b`.
#[derive(Debug)]
pub(crate) struct CopySign<T>(PhantomData<T>);
impl<T: Real> Binary for CopySign<T> {
    type A = T;
    type B = T;
    type To = T;
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
        b.copy_sign(a)
    }
}
