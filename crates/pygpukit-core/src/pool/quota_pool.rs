//! A pool whose memory is somebody else's.

use super::account::AccountId;
use super::block::{Allocation, Block, Need};
use super::error::PoolError;
use super::lane::{LaneId, Use};
use super::memory_pool::{MemoryPool, PoolConfig};
use super::policy::{Overcommit, Reclaim};
use super::stats::PoolStats;
use crate::id::{BlockId, TenantId};
use crate::units::{Bytes, Nanoseconds};

/// Hands out blocks by name, within a quota. Whose memory they are in is its
/// user's business: regions are taken, given back and emptied in numbers alone.
///
/// A block whose device memory the user has [named](Self::set_device_ptr) stays
/// until the user evicts it, since the pool can neither copy nor free that memory.
#[derive(Debug)]
pub struct QuotaPool {
    pool: MemoryPool<Contents>,
    account: AccountId,
    lane: LaneId,
    reused: u64,
}

/// What the user says of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// The address of its memory on the device.
    pub device_ptr: Option<u64>,
    /// Its contents, on the host.
    pub host_data: Option<Vec<u8>>,
    /// When it was last used.
    pub last_access: Nanoseconds,
}

impl QuotaPool {
    /// A pool that may take `quota` bytes; `evicts` says whether the block that is
    /// unused for the longest is evicted when there is no room.
    pub fn new(quota: Bytes, evicts: bool) -> Self {
        let mut pool = MemoryPool::new(PoolConfig {
            reclaim: if evicts {
                Reclaim::Evict
            } else {
                Reclaim::Cached
            },
            overcommit: Overcommit::Unlimited,
            ..PoolConfig::new(quota)
        });
        let lane = pool.open_lane();
        let account = pool.open_account(TenantId::DEFAULT);
        Self {
            pool,
            account,
            lane,
            reused: 0,
        }
    }

    /// A block of at least `bytes`.
    ///
    /// # Errors
    /// [`PoolError::OutOfMemory`] with what would be granted.
    pub fn allocate(&mut self, bytes: Bytes, now: Nanoseconds) -> Result<BlockId, PoolError> {
        let growths = self.pool.events.growths;
        loop {
            match self.pool.allocate(self.account, bytes, self.lane)? {
                Allocation::NotUntil(need) => self.meet(need)?,
                Allocation::Placed(block) => {
                    self.reused += u64::from(growths == self.pool.events.growths);
                    self.pool.contents_mut(block.id)?.last_access = now;
                    return Ok(block.id);
                }
            }
        }
    }

    /// Does what the pool needs, which here takes no time.
    fn meet(&mut self, need: Need) -> Result<(), PoolError> {
        match need {
            Need::Region(size) => self.pool.add_region(size).map(drop),
            Need::Return(region) => self.pool.remove_region(region).map(drop),
            Need::Work(until) => self.pool.complete(until),
            Need::Eviction(block) => self.move_out(block),
        }
    }

    fn move_out(&mut self, id: BlockId) -> Result<(), PoolError> {
        self.pool.start_eviction(id)?;
        self.pool.finish_eviction(id)
    }

    /// Takes a block back, and forgets what it held.
    ///
    /// # Errors
    /// [`PoolError::UnknownBlock`].
    pub fn free(&mut self, id: BlockId) -> Result<(), PoolError> {
        self.pool.free(id).map(drop)
    }

    /// Takes all blocks back, and gives all memory up.
    pub fn clear(&mut self) {
        let blocks: Vec<_> = self.pool.blocks().map(|block| block.id).collect();
        for block in blocks {
            // It is there: the pool has just said so.
            let _freed = self.pool.free(block);
        }
        self.pool.trim(Bytes::ZERO, &mut Vec::new());
    }

    /// Notes that a block is used now.
    ///
    /// # Errors
    /// [`PoolError::UnknownBlock`].
    pub fn touch(&mut self, id: BlockId, now: Nanoseconds) -> Result<(), PoolError> {
        if self.pool.block(id)?.residency.place().is_some() {
            let done = Use {
                lane: self.lane,
                ticket: 0,
            };
            self.pool.touch(id, done)?;
        }
        self.pool.contents_mut(id)?.last_access = now;
        Ok(())
    }

    /// Moves a block to the host: its user has copied what it held, and has its
    /// memory back.
    ///
    /// # Errors
    /// [`PoolError::Misplaced`] for a block that is on the host.
    pub fn evict(&mut self, id: BlockId) -> Result<(), PoolError> {
        if self.pool.contents_mut(id)?.device_ptr.take().is_some() {
            self.pool.unpin(id)?;
        }
        self.move_out(id)
    }

    /// Moves a block back from the host.
    ///
    /// # Errors
    /// As [`allocate`](Self::allocate), and [`PoolError::Misplaced`] for a block
    /// that is not on the host.
    pub fn restore(&mut self, id: BlockId, now: Nanoseconds) -> Result<(), PoolError> {
        while let Allocation::NotUntil(need) = self.pool.start_restore(id, self.lane)? {
            self.meet(need)?;
        }
        self.pool.finish_restore(id)?;
        self.pool.contents_mut(id)?.last_access = now;
        Ok(())
    }

    /// Says where a block's memory on the device is. It stays there until
    /// [evicted](Self::evict).
    ///
    /// # Errors
    /// [`PoolError::Misplaced`] for a block that is on the host.
    pub fn set_device_ptr(&mut self, id: BlockId, address: u64) -> Result<(), PoolError> {
        self.pool.pin(id)?;
        let before = self.pool.contents_mut(id)?.device_ptr.replace(address);
        // One pin, however often the address is named.
        before.map_or(Ok(()), |_| self.pool.unpin(id))
    }

    /// Keeps a block's contents, or forgets them.
    ///
    /// # Errors
    /// [`PoolError::ContentsTooLarge`] for more than the block holds.
    pub fn set_host_data(&mut self, id: BlockId, data: Option<Vec<u8>>) -> Result<(), PoolError> {
        let limit = self.pool.block(id)?.size;
        let size = data.as_ref().map_or(0, Vec::len) as u64;
        if size > limit.get() {
            return Err(PoolError::ContentsTooLarge {
                block: id,
                size: Bytes::new(size),
                limit,
            });
        }
        self.pool.contents_mut(id)?.host_data = data;
        Ok(())
    }

    /// A block, and what its user says of it.
    ///
    /// # Errors
    /// [`PoolError::UnknownBlock`].
    pub fn get(&self, id: BlockId) -> Result<(Block, &Contents), PoolError> {
        Ok((self.pool.block(id)?, self.pool.contents(id)?))
    }

    /// The quota.
    pub fn quota(&self) -> Bytes {
        self.pool.capacity()
    }

    /// In blocks on the device.
    pub fn used(&self) -> Bytes {
        self.pool.used()
    }

    /// Taken, and in no block.
    pub fn cached(&self) -> Bytes {
        self.pool.stats().cached()
    }

    /// In no block.
    pub fn available(&self) -> Bytes {
        Bytes::new(self.quota().get() - self.used().get())
    }

    /// The pool in numbers.
    pub fn stats(&self) -> PoolStats {
        self.pool.stats()
    }

    /// Blocks that were handed out without taking memory for them.
    pub fn reused(&self) -> u64 {
        self.reused
    }
}
