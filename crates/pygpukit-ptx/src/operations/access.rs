//! Reads and writes of memory.

use super::arity::each;
use crate::execute::{Core, Files, Flow, NO_SLOT, Space, Step, Value, WIDTH, dispatched};
use crate::memory::Plain;
use std::marker::PhantomData;

/// Bits of [`Step::extra`] of an access; the lowest two are the [`Space`].
pub(crate) mod flags {
    /// The address is a register of 32 bits.
    pub(crate) const NARROW: u32 = 1 << 2;
    /// There is no register: the address is the immediate.
    pub(crate) const ABSOLUTE: u32 = 1 << 3;
}

/// What is in memory, and the register that it goes to or comes from.
pub(crate) trait Access {
    /// One or more values.
    type Memory: Plain;
    type Register: Value;
    const COUNT: usize;
    fn get(memory: &Self::Memory, index: usize) -> Self::Register;
    fn set(memory: &mut Self::Memory, index: usize, value: Self::Register);
    fn zero() -> Self::Memory;
}

/// `V` values of memory type `M` in registers of type `R`.
#[derive(Debug)]
pub(crate) struct Cast<M, R, const V: usize>(PhantomData<(M, R)>);

macro_rules! casts {
    ($($memory:ty => $($register:ty)*;)*) => { $( $(
        impl<const V: usize> Access for Cast<$memory, $register, V> {
            type Memory = [$memory; V];
            type Register = $register;
            const COUNT: usize = V;
            #[inline(always)]
            fn get(memory: &[$memory; V], index: usize) -> $register {
                memory[index] as $register
            }
            #[inline(always)]
            fn set(memory: &mut [$memory; V], index: usize, value: $register) {
                memory[index] = value as $memory;
            }
            #[inline(always)]
            fn zero() -> [$memory; V] { [0; V] }
        }
    )* )* };
}

casts! {
    u8 => u16 u32 u64;
    i8 => u16 u32 u64;
    u16 => u16 u32 u64;
    i16 => u16 u32 u64;
    u32 => u32 u64;
    i32 => u32 u64;
    u64 => u64;
}

/// The addresses of a chunk of lanes.
#[inline(always)]
fn addresses(files: &Files<'_>, step: &Step, chunk: usize) -> [u64; WIDTH] {
    if step.extra & flags::ABSOLUTE != 0 {
        return [step.immediate; WIDTH];
    }
    if step.extra & flags::NARROW != 0 {
        let bases = u32::read(files, step.a, chunk);
        let offset = step.immediate as u32;
        return each!(i => u64::from(bases[i].wrapping_add(offset)));
    }
    let bases = u64::read(files, step.a, chunk);
    each!(i => bases[i].wrapping_add(step.immediate))
}

/// The address of one lane.
pub(super) fn address(files: &Files<'_>, step: &Step, lane: usize) -> u64 {
    addresses(files, step, lane / WIDTH)[lane % WIDTH]
}

/// How the addresses of a chunk lie.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pattern {
    /// Each lane's is one value above the one before, from there on.
    Consecutive(u64),
    /// All are the same.
    Uniform(u64),
    Scattered,
}

/// From one lane's address to the next one's, round the chunk: all lanes are treated alike,
/// so that they stay one vector.
#[inline(always)]
fn wanted(lane: usize, stride: u64) -> u64 {
    if lane == WIDTH - 1 {
        stride.wrapping_mul(WIDTH as u64 - 1).wrapping_neg()
    } else {
        stride
    }
}

#[inline(always)]
fn pattern(files: &Files<'_>, step: &Step, chunk: usize, stride: u64) -> Pattern {
    if step.extra & flags::ABSOLUTE != 0 {
        return Pattern::Uniform(step.immediate);
    }
    // Compared as they are in the register: the offset changes nothing.
    let (base, distances) = if step.extra & flags::NARROW != 0 {
        let bases = u32::read(files, step.a, chunk);
        let distances: [u32; WIDTH] = each!(i => bases[(i + 1) % WIDTH].wrapping_sub(bases[i]));
        let wanted: [u32; WIDTH] = each!(i => wanted(i, stride) as u32);
        let (mut apart, mut together) = (0, 0);
        for i in 0..WIDTH {
            apart |= distances[i] ^ wanted[i];
            together |= distances[i];
        }
        let base = bases[0].wrapping_add(step.immediate as u32);
        (u64::from(base), (apart == 0, together == 0))
    } else {
        let bases = u64::read(files, step.a, chunk);
        let distances: [u64; WIDTH] = each!(i => bases[(i + 1) % WIDTH].wrapping_sub(bases[i]));
        let wanted: [u64; WIDTH] = each!(i => wanted(i, stride));
        let (mut apart, mut together) = (0, 0);
        for i in 0..WIDTH {
            apart |= distances[i] ^ wanted[i];
            together |= distances[i];
        }
        let base = bases[0].wrapping_add(step.immediate);
        (base, (apart == 0, together == 0))
    };
    match distances {
        _ if base & (stride - 1) != 0 => Pattern::Scattered,
        (true, _) => Pattern::Consecutive(base),
        (_, true) => Pattern::Uniform(base),
        _ => Pattern::Scattered,
    }
}

/// The register of a value of a vector.
#[inline(always)]
fn slot(step: &Step, index: usize) -> u16 {
    [step.to, step.b, step.c, step.d][index & 3]
}

#[inline(always)]
fn load_body<O: Access>(core: &mut Core<'_>, step: &Step) -> Flow {
    let stride = size_of::<O::Memory>() as u64;
    let active = core.active;
    let mut window = core.likely(step);
    for chunk in 0..4 {
        let mask = active >> (chunk * WIDTH) & 0xff;
        if mask == 0 {
            continue;
        }
        let mut files = core.files.again();
        // Each way writes by itself: joined, the values would pass through scalars.
        if mask == 0xff {
            match pattern(&files, step, chunk, stride) {
                Pattern::Consecutive(base) => {
                    if let Some(values) = window.read(base) {
                        put::<O>(&mut files, step, chunk, &values);
                        continue;
                    }
                }
                Pattern::Uniform(base) => {
                    if let Some(value) = window.read(base) {
                        put::<O>(&mut files, step, chunk, &[value; WIDTH]);
                        continue;
                    }
                }
                Pattern::Scattered => {}
            }
        }
        if !load_lanes::<O>(core, step, mask, chunk) {
            return Flow::Fault;
        }
        window = core.likely(step);
    }
    Flow::Next
}

/// Writes what was read for all lanes of a chunk.
#[inline(always)]
fn put<O: Access>(files: &mut Files<'_>, step: &Step, chunk: usize, values: &[O::Memory; WIDTH]) {
    for index in 0..O::COUNT {
        let slot = slot(step, index);
        if slot != NO_SLOT {
            let lanes = each!(i => O::get(&values[i], index));
            O::Register::write(files, slot, chunk, lanes);
        }
    }
}

/// Reads for each lane by itself; false if one must not.
#[inline(never)]
fn load_lanes<O: Access>(core: &mut Core<'_>, step: &Step, mask: u32, chunk: usize) -> bool {
    let addresses = addresses(&core.files.again(), step, chunk);
    let mut values = [O::zero(); WIDTH];
    for (i, value) in values.iter_mut().enumerate() {
        if mask >> i & 1 == 1 {
            match core.read(step, addresses[i], chunk * WIDTH + i) {
                Some(read) => *value = read,
                None => return false,
            }
        }
    }
    let mut files = core.files.again();
    for index in 0..O::COUNT {
        let slot = slot(step, index);
        if slot != NO_SLOT {
            let lanes = each!(i => O::get(&values[i], index));
            O::Register::blend(&mut files, slot, chunk, lanes, mask);
        }
    }
    true
}

/// The values that are written for the lanes of a chunk.
#[inline(always)]
fn values<O: Access>(files: &Files<'_>, step: &Step, chunk: usize) -> [O::Memory; WIDTH] {
    let mut values = [O::zero(); WIDTH];
    for index in 0..O::COUNT {
        let lanes = O::Register::read(files, slot(step, index), chunk);
        for i in 0..WIDTH {
            O::set(&mut values[i], index, lanes[i]);
        }
    }
    values
}

#[inline(always)]
fn store_body<O: Access>(core: &mut Core<'_>, step: &Step) -> Flow {
    let stride = size_of::<O::Memory>() as u64;
    let active = core.active;
    let mut window = core.likely(step);
    for chunk in 0..4 {
        let mask = active >> (chunk * WIDTH) & 0xff;
        if mask == 0 {
            continue;
        }
        let files = core.files.again();
        if mask == 0xff
            && let Pattern::Consecutive(base) = pattern(&files, step, chunk, stride)
            && window.write(base, values::<O>(&files, step, chunk))
        {
            continue;
        }
        if !store_lanes::<O>(core, step, mask, chunk) {
            return Flow::Fault;
        }
        window = core.likely(step);
    }
    Flow::Next
}

/// Writes for each lane by itself; false if one must not.
#[inline(never)]
fn store_lanes<O: Access>(core: &mut Core<'_>, step: &Step, mask: u32, chunk: usize) -> bool {
    let files = core.files.again();
    let addresses = addresses(&files, step, chunk);
    let values = values::<O>(&files, step, chunk);
    for (i, value) in values.iter().enumerate() {
        let lane = chunk * WIDTH + i;
        if mask >> i & 1 == 1 && core.write(step, addresses[i], *value, lane).is_none() {
            return false;
        }
    }
    true
}

dispatched! {
    /// `ld`: into `to`, and `b`, `c`, `d` for vectors; `a` is the address.
    load, load_body, Access
}
dispatched! {
    /// `st`: of `to`, and `b`, `c`, `d` for vectors; `a` is the address.
    store, store_body, Access
}

/// `isspacep`: whether a generic address lies in that space.
pub(crate) fn is_in_space(core: &mut Core<'_>, step: &Step) -> Flow {
    let mut bits = 0;
    for lane in 0..32 {
        let address = u64::lane(&core.files.again(), step.a, lane);
        let found = match address >> 60 {
            4 => Space::Shared,
            5 => Space::Local,
            6 => Space::Parameter,
            _ => Space::Generic,
        };
        bits |= u32::from(found as u32 == step.extra) << lane;
    }
    super::compare::put_predicate(core, step.to, bits);
    Flow::Next
}
