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

/// True if each lane's address is `stride` above the one before.
#[inline(always)]
fn are_consecutive(addresses: &[u64; WIDTH], stride: u64) -> bool {
    let mut differences = 0;
    for i in 0..WIDTH {
        differences |= addresses[i] ^ addresses[0].wrapping_add(i as u64 * stride);
    }
    differences == 0
}

/// The register of a value of a vector.
#[inline(always)]
fn slot(step: &Step, index: usize) -> u16 {
    [step.to, step.b, step.c, step.d][index & 3]
}

#[inline(always)]
fn load_body<O: Access>(core: &mut Core<'_>, step: &Step) -> Flow {
    let stride = size_of::<O::Memory>() as u64;
    for chunk in 0..4 {
        let mask = core.active >> (chunk * WIDTH) & 0xff;
        if mask == 0 {
            continue;
        }
        let addresses = addresses(&core.files.again(), step, chunk);
        let Some(values) = load_chunk::<O>(core, step, &addresses, mask, chunk, stride) else {
            return Flow::Fault;
        };
        let mut files = core.files.again();
        for index in 0..O::COUNT {
            let slot = slot(step, index);
            let lanes = each!(i => O::get(&values[i], index));
            if slot == NO_SLOT {
                continue;
            }
            if mask == 0xff {
                O::Register::write(&mut files, slot, chunk, lanes);
            } else {
                O::Register::blend(&mut files, slot, chunk, lanes, mask);
            }
        }
    }
    Flow::Next
}

#[inline(always)]
fn load_chunk<O: Access>(
    core: &mut Core<'_>,
    step: &Step,
    addresses: &[u64; WIDTH],
    mask: u32,
    chunk: usize,
    stride: u64,
) -> Option<[O::Memory; WIDTH]> {
    let base = addresses[0];
    if mask == 0xff && base & (stride - 1) == 0 {
        if are_consecutive(addresses, stride) {
            if let Some(values) = core.likely(step).read(base) {
                return Some(values);
            }
        } else if are_consecutive(addresses, 0)
            && let Some(value) = core.likely(step).read(base)
        {
            return Some([value; WIDTH]);
        }
    }
    let mut values = [O::zero(); WIDTH];
    for (i, value) in values.iter_mut().enumerate() {
        if mask >> i & 1 == 1 {
            *value = core.read(step, addresses[i], chunk * WIDTH + i)?;
        }
    }
    Some(values)
}

#[inline(always)]
fn store_body<O: Access>(core: &mut Core<'_>, step: &Step) -> Flow {
    let stride = size_of::<O::Memory>() as u64;
    for chunk in 0..4 {
        let mask = core.active >> (chunk * WIDTH) & 0xff;
        if mask == 0 {
            continue;
        }
        let files = core.files.again();
        let addresses = addresses(&files, step, chunk);
        let mut values = [O::zero(); WIDTH];
        for index in 0..O::COUNT {
            let lanes = O::Register::read(&files, slot(step, index), chunk);
            for i in 0..WIDTH {
                O::set(&mut values[i], index, lanes[i]);
            }
        }
        let base = addresses[0];
        if mask == 0xff
            && base & (stride - 1) == 0
            && are_consecutive(&addresses, stride)
            && core.likely(step).write(base, values)
        {
            continue;
        }
        for (i, value) in values.iter().enumerate() {
            let lane = chunk * WIDTH + i;
            if mask >> i & 1 == 1 && core.write(step, addresses[i], *value, lane).is_none() {
                return Flow::Fault;
            }
        }
    }
    Flow::Next
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
