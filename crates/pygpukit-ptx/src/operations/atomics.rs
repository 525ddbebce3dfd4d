//! Changes of memory that no other thread comes between.

use super::access::address;
use crate::execute::{Core, Flow, NO_SLOT, Step, Value};
use crate::memory::{Atomic, Plain};
use std::marker::PhantomData;

/// A change of a value in memory by an operand, or two for `cas`.
pub(crate) trait Change {
    type Of: Atomic + Value;
    fn change(old: Self::Of, b: Self::Of, c: Self::Of) -> Self::Of;
}

/// `atom` and `red`: address `a`, operands `b` and `c`, the old value to `to`.
pub(crate) fn atomic<O: Change>(core: &mut Core<'_>, step: &Step) -> Flow {
    for lane in 0..32 {
        if core.active >> lane & 1 == 0 {
            continue;
        }
        let files = core.files.again();
        let address = address(&files, step, lane);
        let b = O::Of::lane(&files, step.b, lane);
        let c = match step.c {
            NO_SLOT => b,
            slot => O::Of::lane(&files, slot, lane),
        };
        let bytes = size_of::<O::Of>() as u64;
        let change = |old| O::change(old, b, c);
        let fast = core.likely(step);
        let mut old = O::Of::update(&fast, address, change);
        if old.is_none() {
            let Some((window, address)) = core.seek(step, address, bytes, lane, true) else {
                return Flow::Fault;
            };
            old = O::Of::update(&window, address, change);
        }
        if step.to != NO_SLOT
            && let Some(old) = old
        {
            put(core, step.to, lane, old);
        }
    }
    Flow::Next
}

fn put<T: Value + Plain>(core: &mut Core<'_>, slot: u16, lane: usize, value: T) {
    let mut files = core.files.again();
    let mask = 1 << (lane % 8);
    T::blend(&mut files, slot, lane / 8, [value; 8], mask);
}

macro_rules! changes {
    ($($name:ident<$type:ident>: $old:ident, $b:ident, $c:ident => $body:expr;)*) => { $(
        impl Change for $name<$type> {
            type Of = changes!(@bits $type);
            #[inline(always)]
            fn change($old: Self::Of, $b: Self::Of, $c: Self::Of) -> Self::Of {
                let _ = ($old, $c);
                $body
            }
        }
    )* };
    (@bits u16) => { u16 };
    (@bits u32) => { u32 };
    (@bits i32) => { u32 };
    (@bits f32) => { u32 };
    (@bits u64) => { u64 };
    (@bits i64) => { u64 };
    (@bits f64) => { u64 };
}

macro_rules! names {
    ($($name:ident)*) => { $(
        #[derive(Debug)]
        pub(crate) struct $name<T>(PhantomData<T>);
    )* };
}

names! { Add Min Max And Or Xor Exchange Increment Decrement CompareAndSwap }

changes! {
    Add<u32>: old, b, c => old.wrapping_add(b);
    Add<u64>: old, b, c => old.wrapping_add(b);
    Add<f32>: old, b, c => canonical32(f32::from_bits(old) + f32::from_bits(b));
    Add<f64>: old, b, c => (f64::from_bits(old) + f64::from_bits(b)).to_bits();
    Min<u32>: old, b, c => old.min(b);
    Min<u64>: old, b, c => old.min(b);
    Min<i32>: old, b, c => old.cast_signed().min(b.cast_signed()).cast_unsigned();
    Min<i64>: old, b, c => old.cast_signed().min(b.cast_signed()).cast_unsigned();
    Max<u32>: old, b, c => old.max(b);
    Max<u64>: old, b, c => old.max(b);
    Max<i32>: old, b, c => old.cast_signed().max(b.cast_signed()).cast_unsigned();
    Max<i64>: old, b, c => old.cast_signed().max(b.cast_signed()).cast_unsigned();
    And<u32>: old, b, c => old & b;
    And<u64>: old, b, c => old & b;
    Or<u32>: old, b, c => old | b;
    Or<u64>: old, b, c => old | b;
    Xor<u32>: old, b, c => old ^ b;
    Xor<u64>: old, b, c => old ^ b;
    Exchange<u16>: old, b, c => b;
    Exchange<u32>: old, b, c => b;
    Exchange<u64>: old, b, c => b;
    Increment<u32>: old, b, c => if old >= b { 0 } else { old + 1 };
    Decrement<u32>: old, b, c => if old == 0 || old > b { b } else { old - 1 };
    CompareAndSwap<u16>: old, b, c => if old == b { c } else { old };
    CompareAndSwap<u32>: old, b, c => if old == b { c } else { old };
    CompareAndSwap<u64>: old, b, c => if old == b { c } else { old };
}

fn canonical32(value: f32) -> u32 {
    if value.is_nan() {
        0x7fff_ffff
    } else {
        value.to_bits()
    }
}
