//! Blocks within a quota.

use super::answer::{Allocation, Freed};
use super::block::{Block, State};
use super::config::Config;
use super::error::{Refusal, RegisterError, UnknownBlock};
use super::spares::{Spare, Spares};
use super::stats::PinnedStats;
use crate::collections::{IdMap, Slab, Slot};
use crate::id::{PinnedId, TaskId};
use crate::ledger::{Amount, Grant, Ledger};
use crate::units::{Bytes, Nanoseconds};
use std::collections::BTreeSet;

/// Pinned memory by the block.
///
/// Blocks in use and memory that is kept count once, in one ledger, from when a block is
/// promised to when its memory is given up. `O` names owners.
///
/// ```
/// use pygpukit_core::pinned::{Allocation, Config, Freed, PinnedPool, Refusal};
/// use pygpukit_core::units::{Bytes, Nanoseconds};
///
/// let (now, page) = (Nanoseconds::ZERO, Bytes::new(4096));
/// let config = Config { limit: page, ..Config::default() };
/// let mut pool: PinnedPool = PinnedPool::new(config);
/// let Ok(Allocation::Fresh(block)) = pool.allocate(now, Bytes::new(100)) else { panic!() };
/// pool.register(block, 0x7f00_0000, page)?;
/// assert!(matches!(pool.allocate(now, page), Err(Refusal::InUse { .. })));
/// assert_eq!(pool.free(block)?, Freed::Kept(0x7f00_0000));
/// assert!(matches!(pool.allocate(now, page), Ok(Allocation::Reused(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PinnedPool<O = TaskId> {
    config: Config,
    ledger: Ledger,
    blocks: Slab<Block<O>>,
    by_id: IdMap<PinnedId>,
    by_owner: BTreeSet<(O, PinnedId)>,
    spares: Spares,
    next: u64,
    peak_in_use: Bytes,
    reused: u64,
    fresh: u64,
    freed: u64,
}

impl<O: Clone + Ord> PinnedPool<O> {
    /// Without blocks. The first id is 1, and no id is used twice.
    pub fn new(config: Config) -> Self {
        Self {
            config,
            ledger: Ledger::new(Amount::of_memory(config.limit)),
            blocks: Slab::default(),
            by_id: IdMap::default(),
            by_owner: BTreeSet::new(),
            spares: Spares::default(),
            next: 1,
            peak_in_use: Bytes::ZERO,
            reused: 0,
            fresh: 0,
            freed: 0,
        }
    }

    /// What it was told.
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// Whether [`allocate`](Self::allocate) would give a block now.
    ///
    /// # Errors
    /// Why not, and until when.
    pub fn check(&self, size: Bytes) -> Result<(), Refusal> {
        self.room_for(size).map(drop)
    }

    /// How large a block of that size would be, if there is room for it.
    fn room_for(&self, size: Bytes) -> Result<Bytes, Refusal> {
        let limit = self.config.limit;
        let too_large = Refusal::TooLarge { size, limit };
        let asked = self.config.block_size(size).ok_or(too_large)?;
        if asked > limit {
            return Err(too_large);
        }
        let available = self.ledger.available().bytes();
        if asked <= available || self.spares.has(asked) {
            return Ok(asked);
        }
        let lacking = asked.get() - available.get();
        let kept = self.spares.bytes();
        if lacking <= kept.get() {
            return Err(Refusal::Kept {
                asked,
                available,
                limit,
                kept,
                lacking: Bytes::new(lacking),
            });
        }
        Err(Refusal::InUse {
            asked,
            available: Bytes::new(available.get() + kept.get()),
            limit,
            in_use: self.in_use(),
            lacking: Bytes::new(lacking - kept.get()),
        })
    }

    /// Gives a block of at least that size: memory that is kept if there is any of its size
    /// class, else room for new memory.
    ///
    /// # Errors
    /// As [`check`](Self::check) says.
    pub fn allocate(&mut self, now: Nanoseconds, size: Bytes) -> Result<Allocation, Refusal> {
        let asked = self.room_for(size)?;
        let allocation = if let Some(Spare { grant, address }) = self.spares.take(asked) {
            self.reused += 1;
            Allocation::Reused(self.insert(now, grant, State::Present { address }))
        } else {
            let limit = self.config.limit;
            let grant = self.ledger.reserve(Amount::of_memory(asked));
            let grant = grant.map_err(|_| Refusal::TooLarge { size, limit })?;
            self.fresh += 1;
            Allocation::Fresh(self.insert(now, grant, State::Awaited))
        };
        self.peak_in_use = self.peak_in_use.max(self.in_use());
        Ok(allocation)
    }

    /// Says where the memory of a block is, and how large. It has to stay locked until the
    /// pool says otherwise.
    ///
    /// # Errors
    /// If there is no such block, it has memory, or this cannot be its memory. The block is
    /// as it was.
    pub fn register(
        &mut self,
        id: PinnedId,
        address: u64,
        size: Bytes,
    ) -> Result<(), RegisterError> {
        let alignment = self.config.alignment;
        let block = self.block_mut(id)?;
        if let State::Present { address } = block.state {
            return Err(RegisterError::HasMemory { id, address });
        }
        if address == 0 {
            return Err(RegisterError::Null);
        }
        if !address.is_multiple_of(alignment.get()) {
            return Err(RegisterError::Misaligned { address, alignment });
        }
        if size < block.size() {
            return Err(RegisterError::TooSmall {
                id,
                size: block.size(),
                given: size,
            });
        }
        block.state = State::Present { address };
        Ok(())
    }

    /// Takes a block back. A block that never got memory leaves nothing behind.
    ///
    /// # Errors
    /// If there is no such block.
    pub fn free(&mut self, id: PinnedId) -> Result<Freed, UnknownBlock> {
        let slot = self.by_id.remove(&id).ok_or(UnknownBlock(id))?;
        let block = self.blocks.remove(slot).ok_or(UnknownBlock(id))?;
        if let Some(owner) = block.owner {
            self.by_owner.remove(&(owner, id));
        }
        self.freed += 1;
        Ok(match block.state {
            State::Awaited => {
                self.ledger.give_back(block.grant);
                Freed::Nothing
            }
            State::Present { address } if self.config.keep => {
                let grant = block.grant;
                self.spares.push(Spare { grant, address });
                Freed::Kept(address)
            }
            State::Present { address } => {
                self.ledger.give_back(block.grant);
                Freed::Unlock(address)
            }
        })
    }

    /// Gives up memory that is kept, the oldest first: at least so many bytes, if there are.
    /// The caller unlocks what is added to `unlock`.
    pub fn trim(&mut self, bytes: Bytes, unlock: &mut Vec<u64>) -> Bytes {
        let mut gone = 0;
        while gone < bytes.get()
            && let Some(spare) = self.spares.take_oldest()
        {
            gone += spare.grant.amount().bytes().get();
            self.ledger.give_back(spare.grant);
            unlock.push(spare.address);
        }
        Bytes::new(gone)
    }

    /// Forgets all blocks and all memory, and begins to count anew. The caller unlocks what
    /// is added to `unlock`: the memory of blocks in use too.
    pub fn clear(&mut self, unlock: &mut Vec<u64>) {
        self.trim(Bytes::new(u64::MAX), unlock);
        unlock.extend(self.blocks().filter_map(Block::address));
        let next = self.next;
        *self = Self {
            next,
            ..Self::new(self.config)
        };
    }

    /// Says whose a block is; it is nobody else's from then on.
    ///
    /// # Errors
    /// If there is no such block.
    pub fn assign(&mut self, id: PinnedId, owner: O) -> Result<(), UnknownBlock> {
        let block = self.block_mut(id)?;
        if let Some(before) = block.owner.replace(owner.clone()) {
            self.by_owner.remove(&(before, id));
        }
        self.by_owner.insert((owner, id));
        Ok(())
    }

    /// Says that a block is used now.
    ///
    /// # Errors
    /// If there is no such block.
    pub fn touch(&mut self, now: Nanoseconds, id: PinnedId) -> Result<(), UnknownBlock> {
        self.block_mut(id)?.used = now;
        Ok(())
    }

    /// A block in use.
    pub fn get(&self, id: PinnedId) -> Option<&Block<O>> {
        self.blocks.get(self.by_id.get(&id)?)
    }

    /// The blocks in use, in no order.
    fn blocks(&self) -> impl Iterator<Item = &Block<O>> {
        self.blocks.iter().map(|(_, block)| block)
    }

    /// The blocks of an owner, the oldest first.
    pub fn blocks_of(&self, owner: &O) -> impl Iterator<Item = PinnedId> {
        let first = (owner.clone(), PinnedId::new(0));
        let last = (owner.clone(), PinnedId::new(u64::MAX));
        self.by_owner.range(first..=last).map(|&(_, id)| id)
    }

    /// Takes all blocks of an owner back, the oldest first.
    pub fn free_all_of(&mut self, owner: &O) -> Vec<Freed> {
        let blocks: Vec<_> = self.blocks_of(owner).collect();
        let freed = blocks.into_iter().map(|id| self.free(id));
        freed.filter_map(Result::ok).collect()
    }

    /// The pool in numbers.
    pub fn stats(&self) -> PinnedStats {
        PinnedStats {
            held: self.ledger.granted().bytes(),
            in_use: self.in_use(),
            peak_in_use: self.peak_in_use,
            kept: self.spares.bytes(),
            blocks: self.blocks.len(),
            kept_blocks: self.spares.len(),
            reused: self.reused,
            fresh: self.fresh,
            freed: self.freed,
        }
    }

    fn in_use(&self) -> Bytes {
        let held = self.ledger.granted().bytes();
        Bytes::new(held.get() - self.spares.bytes().get())
    }

    fn insert(&mut self, now: Nanoseconds, grant: Grant, state: State) -> PinnedId {
        let id = PinnedId::new(self.next);
        self.next += 1;
        let slot: Slot = self.blocks.insert(Block {
            id,
            grant,
            state,
            owner: None,
            allocated: now,
            used: now,
        });
        self.by_id.insert(id, slot);
        id
    }

    fn block_mut(&mut self, id: PinnedId) -> Result<&mut Block<O>, UnknownBlock> {
        let slot = self.by_id.get(&id).ok_or(UnknownBlock(id))?;
        self.blocks.get_mut(slot).ok_or(UnknownBlock(id))
    }
}
