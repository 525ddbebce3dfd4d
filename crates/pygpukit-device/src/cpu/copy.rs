//! Filling and copying, by the size of an element.

use super::block::Sink;
use super::cast::{Same, cast};
use super::kernel::map1;
use super::pool::Pool;
use super::storage::{BLOCK, Plain};
use super::unary::map;
use super::walk::plan;
use crate::backend::View;
use pygpukit_core::array::Element;

/// `target[...] = value`.
///
/// # Safety
/// As [`Queue::push`](crate::backend::Queue::push): the memory is there and ours.
pub(super) unsafe fn fill(pool: &Pool, target: &View, value: &Element) {
    // SAFETY: the caller's promise; the element has that many bytes.
    unsafe {
        match value.as_bytes().len() {
            1 => fill_with::<u8>(pool, target, value),
            2 => fill_with::<u16>(pool, target, value),
            4 => fill_with::<u32>(pool, target, value),
            8 => fill_with::<u64>(pool, target, value),
            _ => fill_with::<[u64; 2]>(pool, target, value),
        }
    }
}

/// # Safety
/// As [`fill`]; the element is as large as a `T`.
unsafe fn fill_with<T: Plain>(pool: &Pool, target: &View, value: &Element) {
    // SAFETY: the element is as large as a `T`.
    let value = unsafe { value.as_bytes().as_ptr().cast::<T>().read_unaligned() };
    let total = target.layout.size();
    let [walk] = plan([target]);
    let sink = Sink::<T, T>::new(&walk);
    pool.split(total, 1 << 16, |range| {
        let mut out = sink.writer();
        let step = if sink.is_dense() { range.len() } else { BLOCK };
        for start in range.clone().step_by(step) {
            let count = step.min(range.end - start);
            let room = out.room(start);
            // SAFETY: the elements exist, the caller's promise, and nobody else
            // writes this range.
            unsafe {
                for i in 0..count {
                    room.add(i).write(value);
                }
                out.commit(start, count);
            }
        }
    });
}

/// `target[...] = source`, converted if the dtypes differ.
///
/// # Safety
/// As [`fill`].
pub(super) unsafe fn copy(pool: &Pool, target: &View, source: &View) {
    // SAFETY: the caller's promise; elements of one dtype have one size.
    unsafe {
        if target.dtype != source.dtype {
            return cast(pool, target, source);
        }
        match target.dtype.itemsize() {
            1 => map::<u8, u8, u8, u8>(pool, target, source, map1::<u8, Same>),
            2 => map::<u16, u16, u16, u16>(pool, target, source, map1::<u16, Same>),
            4 => map::<u32, u32, u32, u32>(pool, target, source, map1::<u32, Same>),
            8 => map::<u64, u64, u64, u64>(pool, target, source, map1::<u64, Same>),
            _ => {
                let kernel = map1::<[u64; 2], Same>;
                map::<[u64; 2], [u64; 2], [u64; 2], [u64; 2]>(pool, target, source, kernel);
            }
        }
    }
}
