//! Comparisons, choices and predicates.

use super::arity::{chunks, each};
use super::cast::WidenHalf;
use super::float::{Real, flushed};
use super::integer::Integer;
use super::{Ternary, Unary};
use crate::execute::{Core, Flow, NO_SLOT, Step, Value, WIDTH, dispatched};
use std::marker::PhantomData;

/// A test of two values. The other comparisons are these with operands swapped or the
/// answer turned round.
pub(crate) trait Test {
    type Of: Value;
    fn test(a: Self::Of, b: Self::Of) -> bool;
}

macro_rules! tests {
    ($bound:ident; $($name:ident: $a:ident, $b:ident => $body:expr;)*) => { $(
        #[derive(Debug)]
        pub(crate) struct $name<T>(PhantomData<T>);
        impl<T: $bound> Test for $name<T> {
            type Of = T;
            #[inline(always)]
            fn test($a: T, $b: T) -> bool { $body }
        }
    )* };
}

tests! { Integer;
    Equal: a, b => a == b;
    Less: a, b => a < b;
}

macro_rules! float_tests {
    ($($name:ident: $a:ident, $b:ident => $body:expr;)*) => { $(
        #[derive(Debug)]
        pub(crate) struct $name<T, const FTZ: bool>(PhantomData<T>);
        impl<T: Real, const FTZ: bool> Test for $name<T, FTZ> {
            type Of = T;
            #[inline(always)]
            fn test(a: T, b: T) -> bool {
                let ($a, $b) = (flushed::<T, FTZ>(a), flushed::<T, FTZ>(b));
                $body
            }
        }
    )* };
}

float_tests! {
    FloatEqual: a, b => a == b;
    FloatLess: a, b => a < b;
    FloatLessOrEqual: a, b => a <= b;
    Unordered: a, b => a.is_nan() | b.is_nan();
    FloatUnequal: a, b => a < b || b < a;
}

/// A test of halves, as single precision.
#[derive(Debug)]
pub(crate) struct OnHalves<O, const BF16: bool>(PhantomData<O>);
impl<O: Test<Of = f32>, const BF16: bool> Test for OnHalves<O, BF16> {
    type Of = u16;
    #[inline(always)]
    fn test(a: u16, b: u16) -> bool {
        O::test(WidenHalf::<BF16>::apply(a), WidenHalf::<BF16>::apply(b))
    }
}

/// Bits of [`Step::extra`] of a comparison.
pub(crate) mod flags {
    /// The answer is turned round.
    pub(crate) const INVERT: u32 = 1;
    /// How it is joined with the predicate `c`.
    pub(crate) const AND: u32 = 1 << 1;
    pub(crate) const OR: u32 = 2 << 1;
    pub(crate) const XOR: u32 = 3 << 1;
    /// The predicate `c` is turned round.
    pub(crate) const INVERT_C: u32 = 1 << 3;
}

#[inline(always)]
fn compare_body<O: Test>(core: &mut Core<'_>, step: &Step) -> Flow {
    let files = core.files.again();
    let mut bits = 0;
    for chunk in 0..4 {
        let a = O::Of::read(&files, step.a, chunk);
        let b = O::Of::read(&files, step.b, chunk);
        let mut part = 0_u32;
        for i in 0..WIDTH {
            part |= u32::from(O::test(a[i], b[i])) << i;
        }
        bits |= part << (chunk * WIDTH);
    }
    if step.extra & flags::INVERT != 0 {
        bits = !bits;
    }
    put_comparison(core, step, bits);
    Flow::Next
}

dispatched! {
    /// `setp`: predicates `to` and, turned round, `d`.
    compare, compare_body, Test
}

/// Joins with another predicate, and writes the answers.
pub(super) fn put_comparison(core: &mut Core<'_>, step: &Step, bits: u32) {
    let join = |bits: u32, other: u32| match step.extra & flags::XOR {
        flags::AND => bits & other,
        flags::OR => bits | other,
        flags::XOR => bits ^ other,
        _ => bits,
    };
    let mut other = 0;
    if step.c != NO_SLOT {
        other = core.files.predicates[usize::from(step.c)];
        if step.extra & flags::INVERT_C != 0 {
            other = !other;
        }
    }
    put_predicate(core, step.to, join(bits, other));
    put_predicate(core, step.d, join(!bits, other));
}

/// Writes a predicate for the active lanes.
pub(super) fn put_predicate(core: &mut Core<'_>, slot: u16, bits: u32) {
    if slot != NO_SLOT {
        let predicate = &mut core.files.predicates[usize::from(slot)];
        *predicate = (*predicate & !core.active) | (bits & core.active);
    }
}

/// `selp`: `a` where the predicate `c` holds, else `b`.
#[inline(always)]
fn select_body<T: Value>(core: &mut Core<'_>, step: &Step) -> Flow {
    let mut chosen = core.files.predicates[usize::from(step.c)];
    if step.extra & flags::INVERT_C != 0 {
        chosen = !chosen;
    }
    chunks!(core, step, T, |files, chunk| {
        let a = T::read(files, step.a, chunk);
        let b = T::read(files, step.b, chunk);
        let part = chosen >> (chunk * WIDTH);
        each!(i => if part >> i & 1 == 1 { a[i] } else { b[i] })
    })
}

dispatched! {
    /// `selp`, by the width of its values.
    select, select_body, Value
}

/// `slct`: `a` where `c` is not negative, else `b`.
#[derive(Debug)]
pub(crate) struct SelectBySign<T, C>(PhantomData<(T, C)>);
impl<T: Value> Ternary for SelectBySign<T, i32> {
    type A = T;
    type B = T;
    type C = i32;
    type To = T;
    #[inline(always)]
    fn apply(a: T, b: T, c: i32) -> T {
        if c >= 0 { a } else { b }
    }
}
impl<T: Value> Ternary for SelectBySign<T, f32> {
    type A = T;
    type B = T;
    type C = f32;
    type To = T;
    #[inline(always)]
    fn apply(a: T, b: T, c: f32) -> T {
        if c >= 0.0 { a } else { b }
    }
}

/// `and`, `or`, `xor`, `not` and `mov` of predicates: the table of `extra` by `a`, then `b`.
pub(crate) fn predicate_logic(core: &mut Core<'_>, step: &Step) -> Flow {
    let read = |slot: u16| match slot {
        NO_SLOT => 0,
        slot => core.files.predicates[usize::from(slot)],
    };
    let (a, b) = (read(step.a), read(step.b));
    let rows = [!a & !b, !a & b, a & !b, a & b];
    let all = |row: usize| (step.extra >> row & 1).wrapping_neg();
    let bits = (0..4).fold(0, |bits, row| bits | (rows[row] & all(row)));
    put_predicate(core, step.to, bits);
    Flow::Next
}

/// `testp`: what kind of number it is.
#[derive(Debug)]
pub(crate) struct Kind<T, const WHICH: u8>(PhantomData<T>);

macro_rules! kinds {
    ($($type:ty)*) => { $(
        impl<const WHICH: u8> Test for Kind<$type, WHICH> {
            type Of = $type;
            #[inline(always)]
            fn test(a: $type, _: $type) -> bool {
                match WHICH {
                    0 => a.is_finite(),
                    1 => a.is_infinite(),
                    2 => !a.is_nan(),
                    3 => a.is_nan(),
                    4 => a.is_normal(),
                    _ => a.is_subnormal(),
                }
            }
        }
    )* };
}

kinds! { f32 f64 }
