//! Device memory: freed blocks are kept and used again.
//!
//! Sizes are rounded up to a size class, so that a freed block fits the next
//! request of about that size. A block that queued work still touches carries
//! the tickets of that work; whoever gets it next waits for them.
//!
//! `PYGPUKIT_ALLOCATOR=direct` allocates each buffer by itself, exactly as large
//! as asked, and frees it once its work is done: memory checkers need that.

use crate::backend::{Backend, Queue, Ticket};
use crate::buffer::Foreign;
use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Work that touches a block of memory.
#[derive(Clone, Debug)]
pub(crate) struct Use {
    pub(crate) queue: Arc<dyn Queue>,
    pub(crate) ticket: Ticket,
}

impl Use {
    pub(crate) fn is_of(&self, queue: &Arc<dyn Queue>) -> bool {
        std::ptr::addr_eq(Arc::as_ptr(&self.queue), Arc::as_ptr(queue))
    }
}

/// A piece of device memory, not yet or no longer a buffer.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) address: u64,
    /// Bytes as the backend knows them.
    pub(crate) bytes: usize,
    /// Work that must be done before anyone else may touch the memory.
    pub(crate) pending: Vec<Use>,
}

/// Bytes of a device's memory, by what they are doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryStats {
    /// In live buffers, rounded up to their size classes.
    pub used: u64,
    /// Freed, and kept to be used again.
    pub cached: u64,
    /// The most that was ever used at once.
    pub peak: u64,
    /// Requests served.
    pub allocations: u64,
    /// Requests served without asking the device.
    pub reused: u64,
}

/// The blocks of one device.
#[derive(Debug)]
pub(crate) struct Memory {
    direct: bool,
    /// Held only for map operations, never while calling the backend.
    state: Mutex<State>,
    /// Others' memory, kept until our work on it is done. Held only for list operations.
    foreign: Mutex<Vec<(Foreign, Vec<Use>)>>,
}

#[derive(Debug, Default)]
struct State {
    free: BTreeMap<usize, Vec<Block>>,
    stats: MemoryStats,
}

impl Memory {
    pub(crate) fn new(direct: bool) -> Self {
        Self {
            direct,
            state: Mutex::default(),
            foreign: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn stats(&self) -> MemoryStats {
        self.lock().stats
    }

    /// A block of at least `bytes` bytes (more than 0).
    pub(crate) fn take(&self, backend: &dyn Backend, bytes: usize) -> Result<Block> {
        let rounded = if self.direct {
            bytes
        } else {
            size_class(bytes)
        };
        let cached = {
            let mut state = self.lock();
            let block = state.free.get_mut(&rounded).and_then(Vec::pop);
            if block.is_some() {
                state.stats.cached -= rounded as u64;
                state.stats.reused += 1;
            }
            block
        };
        let block = if let Some(block) = cached {
            block
        } else {
            let address = match backend.allocate(rounded) {
                Err(Error::OutOfMemory(_)) => {
                    self.trim(backend);
                    backend.allocate(rounded)?
                }
                other => other?,
            };
            Block {
                address,
                bytes: rounded,
                pending: Vec::new(),
            }
        };
        let stats = &mut self.lock().stats;
        stats.allocations += 1;
        stats.used += rounded as u64;
        stats.peak = stats.peak.max(stats.used);
        Ok(block)
    }

    /// Takes a block back. Never blocks: memory that is still in use stays in
    /// the cache, also with the direct allocator, until its work is done.
    pub(crate) fn give_back(&self, backend: &dyn Backend, block: Block) {
        let bytes = block.bytes;
        let mut idle = Vec::new();
        {
            let mut state = self.lock();
            state.stats.used -= bytes as u64;
            state.stats.cached += bytes as u64;
            state.free.entry(bytes).or_default().push(block);
            if self.direct {
                idle = take_idle(&mut state);
            }
        }
        release_all(backend, idle);
    }

    /// Drops foreign memory as soon as no work touches it. Never blocks: what is
    /// still in use is looked at again when the next piece comes.
    pub(crate) fn release_foreign(&self, owner: Foreign, pending: Vec<Use>) {
        let idle: Vec<_> = {
            let mut waiting = self.foreign.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.push((owner, pending));
            waiting
                .extract_if(.., |(_, pending)| is_idle(pending))
                .collect()
        };
        // Dropped without the lock: the owner's code may call anything.
        drop(idle);
    }

    /// Waits for the work on cached blocks and gives them all back to the device.
    pub(crate) fn trim(&self, backend: &dyn Backend) -> u64 {
        let blocks: Vec<Block> = {
            let mut state = self.lock();
            state.stats.cached = 0;
            std::mem::take(&mut state.free)
                .into_values()
                .flatten()
                .collect()
        };
        for pending in blocks.iter().flat_map(|block| &block.pending) {
            // After a fault nothing touches the memory any more.
            while !pending
                .queue
                .wait(pending.ticket, Duration::from_secs(3600))
                .unwrap_or(true)
            {}
        }
        let bytes = blocks.iter().map(|block| block.bytes as u64).sum();
        release_all(backend, blocks);
        bytes
    }
}

fn take_idle(state: &mut State) -> Vec<Block> {
    let mut idle = Vec::new();
    for blocks in state.free.values_mut() {
        idle.extend(blocks.extract_if(.., |block| is_idle(&block.pending)));
    }
    state.stats.cached -= idle.iter().map(|block| block.bytes as u64).sum::<u64>();
    idle
}

/// True if no work touches the memory any more: it is done, or it failed.
fn is_idle(pending: &[Use]) -> bool {
    pending
        .iter()
        .all(|pending| pending.queue.is_done(pending.ticket).unwrap_or(true))
}

fn release_all(backend: &dyn Backend, blocks: Vec<Block>) {
    for block in blocks {
        // SAFETY: the block came from `allocate`, left the free list just now,
        // and its pending work is done.
        unsafe { backend.release(block.address, block.bytes) };
    }
}

/// Rounds up to one of four sizes per power of two, at least 512 bytes and at
/// most a quarter too large.
fn size_class(bytes: usize) -> usize {
    const SMALLEST: usize = 512;
    if bytes <= SMALLEST {
        return SMALLEST;
    }
    let step = (bytes.next_power_of_two() / 8).max(256);
    bytes.next_multiple_of(step)
}

#[cfg(test)]
mod tests {
    use super::size_class;

    #[test]
    fn size_classes_waste_at_most_a_quarter() {
        for bytes in (1..100_000).chain([(1 << 26) + 1, (1 << 40) + 1]) {
            let class = size_class(bytes);
            assert!(class >= bytes && class.is_multiple_of(256));
            assert!(class <= 512 || class * 4 <= bytes * 5 + 1024, "{bytes}");
            assert_eq!(size_class(class), class);
        }
    }
}
