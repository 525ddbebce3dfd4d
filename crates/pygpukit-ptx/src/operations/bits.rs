//! Operations on bits.

use super::arity::chunks;
use super::integer::Integer;
use super::{Binary, Lanewise, Ternary, Unary};
use crate::execute::{Core, Files, Flow, Step, Value, WIDTH};
use std::marker::PhantomData;

macro_rules! binaries {
    ($($name:ident: $a:ident, $b:ident => $body:expr;)*) => { $(
        #[derive(Debug)]
        pub(crate) struct $name<T>(PhantomData<T>);
        impl<T: Integer> Binary for $name<T> {
            type A = T;
            type B = T;
            type To = T;
            #[inline(always)]
            fn apply($a: T, $b: T) -> T { T::truncate($body) }
        }
    )* };
}

binaries! {
    And: a, b => a.extend() & b.extend();
    Or: a, b => a.extend() | b.extend();
    Xor: a, b => a.extend() ^ b.extend();
}

macro_rules! unaries {
    ($($name:ident: $a:ident => $to:ty, $body:expr;)*) => { $(
        #[derive(Debug)]
        pub(crate) struct $name<T>(PhantomData<T>);
        impl<T: Integer> Unary for $name<T> {
            type A = T;
            type To = $to;
            #[inline(always)]
            fn apply($a: T) -> $to { $body }
        }
    )* };
}

unaries! {
    Not: a => T, T::truncate(!a.extend());
    ZeroNot: a => T, T::truncate(u64::from(a.extend() == 0));
    PopulationCount: a => u32, a.extend().count_ones();
    LeadingZeros: a => u32, a.extend().leading_zeros() + T::BITS - 64;
    Reverse: a => T, T::truncate(a.extend().reverse_bits() >> (64 - T::BITS));
    FindHighest: a => u32, find_highest(a);
    ShiftToHighest: a => u32, match find_highest(a) {
        u32::MAX => u32::MAX,
        place => T::BITS - 1 - place,
    };
}

/// The place of the highest bit that differs from the sign; all ones if there is none.
#[inline(always)]
fn find_highest<T: Integer>(a: T) -> u32 {
    let bits = a.extend();
    // Only signed types extend to a negative number, apart from `u64` itself.
    let negative = T::truncate(1).shift_left(T::BITS - 1) < T::truncate(0);
    let bits = if negative && bits.cast_signed() < 0 {
        !bits
    } else {
        bits
    };
    63_u32.wrapping_sub(bits.leading_zeros())
}

macro_rules! operations {
    ($($kind:ident $name:ident: $($arg:ident: $type:ty),* => $to:ty, $body:expr;)*) => { $(
        #[derive(Debug)]
        pub(crate) struct $name;
        operations!(@$kind $name: $($arg: $type),* => $to, $body);
    )* };
    (@Binary $name:ident: $a:ident: $ta:ty, $b:ident: $tb:ty => $to:ty, $body:expr) => {
        impl Binary for $name {
            type A = $ta;
            type B = $tb;
            type To = $to;
            #[inline(always)]
            fn apply($a: $ta, $b: $tb) -> $to { $body }
        }
    };
    (@Ternary $name:ident: $a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty => $to:ty, $body:expr) => {
        impl Ternary for $name {
            type A = $ta;
            type B = $tb;
            type C = $tc;
            type To = $to;
            #[inline(always)]
            fn apply($a: $ta, $b: $tb, $c: $tc) -> $to { $body }
        }
    };
}

operations! {
    Ternary FunnelLeftWrap: a: u32, b: u32, c: u32 => u32, funnel_left(a, b, c & 31);
    Ternary FunnelLeftClamp: a: u32, b: u32, c: u32 => u32, funnel_left(a, b, c.min(32));
    Ternary FunnelRightWrap: a: u32, b: u32, c: u32 => u32, funnel_right(a, b, c & 31);
    Ternary FunnelRightClamp: a: u32, b: u32, c: u32 => u32, funnel_right(a, b, c.min(32));
    Ternary Permute: a: u32, b: u32, c: u32 => u32, permute(a, b, c);
    Binary MaskClamp: a: u32, b: u32 => u32, mask(a, b);
    Binary MaskWrap: a: u32, b: u32 => u32, mask(a & 31, b & 31);
    Ternary Dot4Unsigned: a: u32, b: u32, c: u32 => u32, {
        let products = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
        products.fold(c, |sum, (x, y)| sum.wrapping_add(u32::from(x) * u32::from(y)))
    };
    Ternary Dot4Signed: a: u32, b: u32, c: u32 => u32, {
        let products = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
        products.fold(c, |sum, (x, y)| {
            let product = i32::from(x.cast_signed()) * i32::from(y.cast_signed());
            sum.wrapping_add(product.cast_unsigned())
        })
    };
}

#[inline(always)]
fn funnel_left(low: u32, high: u32, count: u32) -> u32 {
    let both = u64::from(high) << 32 | u64::from(low);
    (both << count >> 32) as u32
}

#[inline(always)]
fn funnel_right(low: u32, high: u32, count: u32) -> u32 {
    let both = u64::from(high) << 32 | u64::from(low);
    (both >> count) as u32
}

/// `bmsk`: `count` ones from bit `start` on.
#[inline(always)]
fn mask(start: u32, count: u32) -> u32 {
    let ones = u32::MAX.checked_shr(32 - count.min(32)).unwrap_or(0);
    ones.checked_shl(start).unwrap_or(0)
}

/// `prmt`: any four of eight bytes, or their signs.
#[inline(always)]
fn permute(a: u32, b: u32, selectors: u32) -> u32 {
    let both = u64::from(b) << 32 | u64::from(a);
    let mut result = 0;
    for i in 0..4 {
        let selector = selectors >> (4 * i) & 0xf;
        let byte = (both >> (8 * (selector & 7))) as u32 & 0xff;
        let sign = 0xff * (byte >> 7);
        let byte = if selector & 8 == 0 { byte } else { sign };
        result |= byte << (8 * i);
    }
    result
}

/// `prmt` with a mode: bytes chosen by the lowest bits of one number.
#[derive(Debug)]
pub(crate) struct PermuteMode;
impl Lanewise for PermuteMode {
    type To = u32;
    fn apply(files: &Files<'_>, step: &Step, lane: usize) -> u32 {
        let [a, b, c] = [step.a, step.b, step.c].map(|slot| u32::lane(files, slot, lane));
        let n = c & 3;
        let selectors = match step.extra {
            0 => [n, n + 1, n + 2, n + 3],
            1 => [n, n.wrapping_sub(1), n.wrapping_sub(2), n.wrapping_sub(3)],
            2 => [n; 4],
            3 => [n, n.max(1), n.max(2), 3],
            4 => [0, n.min(1), n.min(2), n],
            _ => [2 * (n & 1), 2 * (n & 1) + 1, 2 * (n & 1), 2 * (n & 1) + 1],
        };
        let joined = (0..4).fold(0, |all, i| all | (selectors[i] & 7) << (4 * i));
        permute(a, b, joined)
    }
}

/// `bfe`: bits from a place on, extended by zeros or the highest of them.
#[derive(Debug)]
pub(crate) struct Extract<T>(PhantomData<T>);
impl<T: Integer> Ternary for Extract<T> {
    type A = T;
    type B = u32;
    type C = u32;
    type To = T;
    #[inline(always)]
    fn apply(a: T, b: u32, c: u32) -> T {
        let (start, count) = (b & 0xff, c & 0xff);
        let signed = T::truncate(u64::MAX) < T::truncate(0);
        if count == 0 {
            return T::truncate(0);
        }
        let highest = (start + count - 1).min(T::BITS - 1);
        let sign = signed && a.extend() >> highest & 1 == 1;
        let wanted = u64::MAX.checked_shr(64 - count.min(64)).unwrap_or(0);
        // Only the bits that the register has; what lies above is the sign.
        let own = u64::MAX >> (64 - T::BITS);
        let found = (a.extend() & own).checked_shr(start).unwrap_or(0);
        let there = own.checked_shr(start).unwrap_or(0) & wanted;
        T::truncate(if sign { found | !there } else { found & there })
    }
}

/// `bfi`: the lowest bits of one number put into another. `c` is the place, `d` the count.
#[derive(Debug)]
pub(crate) struct Insert<T>(PhantomData<T>);
impl<T: Integer> Lanewise for Insert<T> {
    type To = T;
    fn apply(files: &Files<'_>, step: &Step, lane: usize) -> T {
        let a = T::lane(files, step.a, lane).extend();
        let b = T::lane(files, step.b, lane).extend();
        let start = u32::lane(files, step.c, lane) & 0xff;
        let count = u32::lane(files, step.d, lane) & 0xff;
        let ones = u64::MAX.checked_shr(64 - count.min(64)).unwrap_or(0);
        let mask = ones.checked_shl(start).unwrap_or(0);
        T::truncate((b & !mask) | (a.checked_shl(start).unwrap_or(0) & mask))
    }
}

/// `szext`: bits above a place become zeros or the sign.
#[derive(Debug)]
pub(crate) struct Extend<T>(PhantomData<T>);
impl<T: Integer> Lanewise for Extend<T> {
    type To = T;
    fn apply(files: &Files<'_>, step: &Step, lane: usize) -> T {
        let a = T::lane(files, step.a, lane);
        let count = u32::lane(files, step.b, lane);
        // `.wrap` takes the place modulo 32; `.clamp` holds it at 32.
        let count = if step.extra == 1 {
            count & 31
        } else {
            count.min(32)
        };
        if count == 0 {
            return T::truncate(0);
        }
        a.shift_left(32 - count).shift_right(32 - count)
    }
}

/// `lop3`: any function of three bits, by its table.
#[inline(always)]
fn logic3_body<O: Table>(core: &mut Core<'_>, step: &Step) -> Flow {
    let table = step.extra;
    chunks!(core, step, u32, |files, chunk| {
        let a = u32::read(files, step.a, chunk);
        let b = u32::read(files, step.b, chunk);
        let c = u32::read(files, step.c, chunk);
        let mut values = [0; WIDTH];
        for row in 0..8 {
            // The row of the table where these bits are so.
            let all = (table >> row & 1).wrapping_neg();
            let [x, y, z] = [4, 2, 1].map(|bit| u32::from(row & bit == 0).wrapping_neg());
            for i in 0..WIDTH {
                values[i] |= (a[i] ^ x) & (b[i] ^ y) & (c[i] ^ z) & all;
            }
        }
        values
    })
}

/// Marks the handler of `lop3`, whose table is in the step.
pub(crate) trait Table {}
impl Table for () {}

crate::execute::dispatched! {
    /// `lop3`: its table is in `extra`.
    logic3, logic3_body, Table
}
