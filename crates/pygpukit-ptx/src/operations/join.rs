//! Halves of registers.

use super::{Binary, Unary};

macro_rules! halves {
    ($($name:ident: $a:ident: $from:ty => $to:ty, $body:expr;)*) => { $(
        #[derive(Debug)]
        pub(crate) struct $name;
        impl Unary for $name {
            type A = $from;
            type To = $to;
            #[inline(always)]
            fn apply($a: $from) -> $to { $body }
        }
    )* };
}

halves! {
    LowWord: a: u64 => u32, a as u32;
    HighWord: a: u64 => u32, (a >> 32) as u32;
    LowHalf: a: u32 => u16, a as u16;
    HighHalf: a: u32 => u16, (a >> 16) as u16;
}

/// Two words: `a` is the low half.
#[derive(Debug)]
pub(crate) struct JoinWords;
impl Binary for JoinWords {
    type A = u32;
    type B = u32;
    type To = u64;
    #[inline(always)]
    fn apply(a: u32, b: u32) -> u64 {
        u64::from(b) << 32 | u64::from(a)
    }
}

/// Two halves of a word: `a` is the low one.
#[derive(Debug)]
pub(crate) struct JoinHalves;
impl Binary for JoinHalves {
    type A = u16;
    type B = u16;
    type To = u32;
    #[inline(always)]
    fn apply(a: u16, b: u16) -> u32 {
        u32::from(b) << 16 | u32::from(a)
    }
}
