//! A pool of memory with a quota.

use super::size_class::size_class;
use crate::id::BlockId;
use crate::ledger::{Amount, Grant, Ledger};
use crate::units::Bytes;
use std::collections::{BTreeMap, BTreeSet};

/// Hands out blocks of memory within a quota, and keeps freed ones for reuse.
///
/// It decides only: the memory is its caller's. What is in use and what is kept
/// together never exceed the quota. A block in use is never taken away; freed
/// ones are given up, the longest unused first, if the pool may evict.
#[derive(Debug)]
pub struct MemoryPool {
    ledger: Ledger,
    evicts: bool,
    blocks: BTreeMap<BlockId, InUse>,
    /// Freed blocks by when they were freed: the first is the longest unused.
    idle: BTreeMap<u64, Grant>,
    /// The same by size: (class, when freed).
    idle_by_class: BTreeSet<(u64, u64)>,
    cached: u64,
    next: u64,
    clock: u64,
    counters: PoolCounters,
}

/// A block in use.
#[derive(Debug)]
struct InUse {
    asked: Bytes,
    grant: Grant,
}

#[derive(Clone, Copy, Debug, Default)]
struct PoolCounters {
    allocations: u64,
    reused: u64,
    evictions: u64,
}

/// A block in use, as its owner sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its name.
    pub id: BlockId,
    /// Bytes asked for.
    pub asked: Bytes,
    /// Bytes it takes: those asked for, rounded up to a size class.
    pub size: Bytes,
}

/// A pool in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolStats {
    /// The most that may be in use and kept together.
    pub quota: Bytes,
    /// In blocks in use.
    pub used: Bytes,
    /// In blocks that were freed and kept.
    pub cached: Bytes,
    /// Blocks in use.
    pub active_blocks: usize,
    /// Blocks that were freed and kept.
    pub free_blocks: usize,
    /// Requests served.
    pub allocations: u64,
    /// Of those, served with a freed block.
    pub reused: u64,
    /// Freed blocks given up for others.
    pub evictions: u64,
}

/// What a pool refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoolError {
    /// More than fits into the quota, now or ever.
    #[error(
        "the pool's quota does not allow a block of {asked} ({rounded} rounded up): \
         {available} available of {quota}"
    )]
    OutOfMemory {
        /// Bytes asked for.
        asked: Bytes,
        /// Bytes of the block that would have served.
        rounded: Bytes,
        /// Bytes that the largest block that could be had has.
        available: Bytes,
        /// The quota.
        quota: Bytes,
    },
    /// A block that is not in use: never was, or was freed.
    #[error("no block {0} is in use in this pool")]
    UnknownBlock(BlockId),
}

impl MemoryPool {
    /// An empty pool. `evicts` says whether freed blocks are given up when a
    /// request needs their room.
    pub fn new(quota: Bytes, evicts: bool) -> Self {
        Self {
            ledger: Ledger::new(Amount::of_memory(quota)),
            evicts,
            blocks: BTreeMap::new(),
            idle: BTreeMap::new(),
            idle_by_class: BTreeSet::new(),
            cached: 0,
            next: 0,
            clock: 0,
            counters: PoolCounters::default(),
        }
    }

    /// A block of at least `asked` bytes.
    ///
    /// # Errors
    /// [`PoolError::OutOfMemory`], and nothing has changed.
    pub fn allocate(&mut self, asked: Bytes) -> Result<Block, PoolError> {
        let rounded = size_class(asked.get()).unwrap_or(u64::MAX);
        let reused = self.take_idle(rounded);
        self.counters.reused += u64::from(reused.is_some());
        let grant = match reused {
            Some(grant) => grant,
            None => self.fresh(asked, Bytes::new(rounded))?,
        };
        self.counters.allocations += 1;
        let id = BlockId::new(self.next);
        self.next += 1;
        let size = grant.amount().bytes();
        self.blocks.insert(id, InUse { asked, grant });
        Ok(Block { id, asked, size })
    }

    /// The last freed block of that size, which is likeliest to be in a cache.
    fn take_idle(&mut self, size: u64) -> Option<Grant> {
        let &(class, freed) = self.idle_by_class.range(..=(size, u64::MAX)).next_back()?;
        if class != size {
            return None;
        }
        self.forget_idle(freed)
    }

    fn forget_idle(&mut self, freed: u64) -> Option<Grant> {
        let grant = self.idle.remove(&freed)?;
        let size = grant.amount().bytes().get();
        self.idle_by_class.remove(&(size, freed));
        self.cached -= size;
        Some(grant)
    }

    fn fresh(&mut self, asked: Bytes, rounded: Bytes) -> Result<Grant, PoolError> {
        let available = self.available();
        if rounded > available {
            return Err(PoolError::OutOfMemory {
                asked,
                rounded,
                available,
                quota: self.quota(),
            });
        }
        loop {
            if let Ok(grant) = self.ledger.reserve(Amount::of_memory(rounded)) {
                return Ok(grant);
            }
            // There is one: what is available was enough.
            let oldest = self.idle.first_key_value().map(|(&freed, _)| freed);
            if let Some(grant) = oldest.and_then(|freed| self.forget_idle(freed)) {
                self.ledger.give_back(grant);
                self.counters.evictions += 1;
            }
        }
    }

    /// Takes a block back, and keeps it for reuse.
    ///
    /// # Errors
    /// [`PoolError::UnknownBlock`] for one that is not in use.
    pub fn free(&mut self, id: BlockId) -> Result<(), PoolError> {
        let block = self.blocks.remove(&id);
        let InUse { grant, .. } = block.ok_or(PoolError::UnknownBlock(id))?;
        let size = grant.amount().bytes().get();
        self.cached += size;
        self.idle_by_class.insert((size, self.clock));
        self.idle.insert(self.clock, grant);
        self.clock += 1;
        Ok(())
    }

    /// Gives up all freed blocks; returns their bytes.
    pub fn trim(&mut self) -> Bytes {
        let freed = Bytes::new(std::mem::take(&mut self.cached));
        self.idle_by_class.clear();
        for grant in std::mem::take(&mut self.idle).into_values() {
            self.ledger.give_back(grant);
        }
        freed
    }

    /// A block in use.
    ///
    /// # Errors
    /// [`PoolError::UnknownBlock`] for one that is not.
    pub fn block(&self, id: BlockId) -> Result<Block, PoolError> {
        let block = self.blocks.get(&id).ok_or(PoolError::UnknownBlock(id))?;
        Ok(Block {
            id,
            asked: block.asked,
            size: block.grant.amount().bytes(),
        })
    }

    /// The most that may be in use and kept together.
    pub fn quota(&self) -> Bytes {
        self.ledger.capacity().bytes()
    }

    /// In blocks in use.
    pub fn used(&self) -> Bytes {
        Bytes::new(self.ledger.granted().bytes().get() - self.cached)
    }

    /// In blocks that were freed and kept.
    pub fn cached(&self) -> Bytes {
        Bytes::new(self.cached)
    }

    /// What a new block could take: all that is not in use, or, if the pool does
    /// not evict, all that is neither in use nor kept.
    pub fn available(&self) -> Bytes {
        let free = self.ledger.available().bytes().get();
        let evictable = if self.evicts { self.cached } else { 0 };
        Bytes::new(free + evictable)
    }

    /// The pool in numbers.
    pub fn stats(&self) -> PoolStats {
        PoolStats {
            quota: self.quota(),
            used: self.used(),
            cached: self.cached(),
            active_blocks: self.blocks.len(),
            free_blocks: self.idle.len(),
            allocations: self.counters.allocations,
            reused: self.counters.reused,
            evictions: self.counters.evictions,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pool(quota: u64, evicts: bool) -> MemoryPool {
        MemoryPool::new(Bytes::new(quota), evicts)
    }

    fn take(pool: &mut MemoryPool, bytes: u64) -> BlockId {
        pool.allocate(Bytes::new(bytes)).unwrap().id
    }

    #[test]
    fn reuse_and_kept_blocks_stay_within_the_quota() {
        for evicts in [false, true] {
            let mut pool = pool(4096, evicts);
            let large = take(&mut pool, 4096);
            pool.free(large).unwrap();
            let small = pool.allocate(Bytes::new(512));
            assert_eq!(small.is_ok(), evicts);
            // The large block is still there only if it was not given up.
            assert_eq!(pool.allocate(Bytes::new(4096)).is_ok(), !evicts);
            assert!(pool.used().get() + pool.cached().get() <= 4096);
        }
    }

    #[test]
    fn many_small_blocks_make_room_for_a_large_one() {
        let mut pool = pool(1 << 20, true);
        let blocks: Vec<_> = (0..2048).map(|_| take(&mut pool, 256)).collect();
        for id in blocks {
            pool.free(id).unwrap();
        }
        take(&mut pool, 1 << 20);
        assert_eq!((pool.used().get(), pool.cached().get()), (1 << 20, 0));
    }

    #[test]
    fn sizes_that_overflow_are_refused() {
        let mut pool = pool(1 << 20, true);
        let error = pool.allocate(Bytes::new(u64::MAX)).unwrap_err();
        assert!(
            error.to_string().contains("18446744073709551615"),
            "{error}"
        );
        assert!(error.to_string().contains("1048576"), "{error}");
        assert_eq!(pool.used(), Bytes::ZERO);
    }

    #[test]
    fn the_longest_unused_goes_first_and_blocks_in_use_stay() {
        let mut pool = pool(4 * 1024, true);
        let ids: Vec<_> = (0..4).map(|_| take(&mut pool, 1024)).collect();
        pool.free(ids[1]).unwrap();
        pool.free(ids[0]).unwrap();
        // Block 1 was freed first.
        take(&mut pool, 512);
        assert_eq!(pool.stats().evictions, 1);
        // Both halves of the room it left are of use.
        take(&mut pool, 512);
        assert_eq!(pool.stats().evictions, 1);
        assert!(pool.allocate(Bytes::new(2048)).is_err());
        assert!(pool.block(ids[2]).is_ok() && pool.block(ids[3]).is_ok());
    }

    #[test]
    fn a_block_is_freed_once() {
        let mut pool = pool(4096, false);
        let id = take(&mut pool, 100);
        assert_eq!(pool.block(id).unwrap().size, Bytes::new(512));
        pool.free(id).unwrap();
        assert_eq!(pool.free(id), Err(PoolError::UnknownBlock(id)));
        assert_eq!(pool.block(id), Err(PoolError::UnknownBlock(id)));
        // Its successor on the same memory has another name.
        assert_ne!(take(&mut pool, 100), id);
        assert_eq!(pool.stats().reused, 1);
        assert_eq!(pool.trim(), Bytes::ZERO);
    }

    proptest! {
        #[test]
        fn the_quota_holds_and_refusals_say_what_fits(
            evicts: bool,
            ops in prop::collection::vec((any::<bool>(), 0_u64..20_000, any::<usize>()), 0..200),
        ) {
            let mut pool = pool(65_536, evicts);
            let mut live = Vec::new();
            for (allocate, bytes, at) in ops {
                if allocate {
                    match pool.allocate(Bytes::new(bytes)) {
                        Ok(block) => live.push(block.id),
                        Err(PoolError::OutOfMemory { available, .. }) => {
                            // The largest class within what is available.
                            let fits = (0..=available.get())
                                .rev()
                                .step_by(256)
                                .find(|&size| size_class(size).is_some_and(|c| c <= available.get()));
                            if let Some(fits) = fits {
                                live.push(pool.allocate(Bytes::new(fits)).unwrap().id);
                            }
                        }
                        Err(other) => panic!("{other}"),
                    }
                } else if !live.is_empty() {
                    pool.free(live.swap_remove(at % live.len())).unwrap();
                }
                let used: u64 = live.iter().map(|&id| pool.block(id).unwrap().size.get()).sum();
                prop_assert_eq!(pool.used().get(), used);
                prop_assert!(used + pool.cached().get() <= 65_536);
            }
            for id in live {
                pool.free(id).unwrap();
            }
            prop_assert_eq!(pool.used(), Bytes::ZERO);
            pool.trim();
            prop_assert_eq!(pool.available(), pool.quota());
        }
    }
}
