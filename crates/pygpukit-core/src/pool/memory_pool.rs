//! A pool of device memory.

use super::account::{AccountId, Accounts};
use super::arena::Arena;
use super::block::{Allocation, Block, Record};
use super::error::PoolError;
use super::lane::{LaneId, Use};
use super::list::{Links, List};
use super::policy::{Growth, Overcommit, Reclaim};
use super::residency::{Place, Residency};
use super::room::Found;
use super::slab::{Index, Slab};
use super::stats::PoolEvents;
use crate::id::BlockId;
use crate::ledger::{Amount, Ledger};
use crate::units::Bytes;

/// Hands out blocks of memory that its owner adds in regions.
///
/// It decides only. Memory is regions and offsets to it, time is tickets of lanes;
/// what has to be done with either, its answers ask of the owner. Each block
/// carries a `T` for whoever uses the pool.
///
/// - A block that was freed may be used at once by the one lane whose work touches
///   it, since that works in order; by anyone once that work is done.
/// - Regions together never exceed the capacity, and a tenant's blocks, in bytes
///   asked for, never its quota.
/// - A block that is pinned, or that unfinished work touches, never moves.
///
/// ```
/// use pygpukit_core::id::TenantId;
/// use pygpukit_core::pool::{Allocation, MemoryPool, Need, PoolConfig, Use};
/// use pygpukit_core::units::Bytes;
///
/// let mut pool = MemoryPool::<()>::new(PoolConfig::new(Bytes::new(1 << 20)));
/// let account = pool.open_account(TenantId::DEFAULT);
/// let (lane, other) = (pool.open_lane(), pool.open_lane());
/// let block = loop {
///     match pool.allocate(account, Bytes::new(1 << 20), lane)? {
///         Allocation::Placed(block) => break block,
///         Allocation::NotUntil(Need::Region(size)) => {
///             // Here the owner takes so much memory from the device.
///             pool.add_region(size)?;
///         }
///         Allocation::NotUntil(other) => unreachable!("{other:?}"),
///     }
/// };
/// let at = Use { lane, ticket: 1 };
/// pool.touch(block.id, at)?;
/// pool.free(block.id)?;
/// // Work of `lane` still touches it, so another lane has to wait for that.
/// let answer = pool.allocate(account, Bytes::new(1 << 20), other)?;
/// assert_eq!(answer, Allocation::NotUntil(Need::Work(at)));
/// # Ok::<(), pygpukit_core::pool::PoolError>(())
/// ```
#[derive(Debug)]
pub struct MemoryPool<T = ()> {
    /// What may be taken; the grants are the regions'.
    pub(super) ledger: Ledger,
    pub(super) growth: Growth,
    pub(super) reclaim: Reclaim,
    pub(super) accounts: Accounts,
    pub(super) arena: Arena,
    pub(super) blocks: Slab<Record<T>>,
    /// Blocks that may move, the longest unused first.
    pub(super) unused: List,
    /// Blocks that are being evicted, in order.
    pub(super) evicting: List,
    /// Of both lists.
    pub(super) links: Links,
    pub(super) on_host: usize,
    pub(super) events: PoolEvents,
}

/// What a pool does when it is empty, full, or asked for promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolConfig {
    /// What it may take.
    pub capacity: Bytes,
    /// How large the regions are that it asks for.
    pub growth: Growth,
    /// What it takes back when it is full.
    pub reclaim: Reclaim,
    /// How much the quotas of all accounts may promise together.
    pub overcommit: Overcommit,
}

impl PoolConfig {
    /// A pool that may take that much, with the default of everything else.
    pub fn new(capacity: Bytes) -> Self {
        Self {
            capacity,
            growth: Growth::default(),
            reclaim: Reclaim::default(),
            overcommit: Overcommit::default(),
        }
    }
}

impl<T: Default> MemoryPool<T> {
    /// A pool without regions, lanes and accounts.
    pub fn new(config: PoolConfig) -> Self {
        Self {
            ledger: Ledger::new(Amount::of_memory(config.capacity)),
            growth: config.growth,
            reclaim: config.reclaim,
            accounts: Accounts::new(config.capacity, config.overcommit),
            arena: Arena::default(),
            blocks: Slab::default(),
            unused: List::default(),
            evicting: List::default(),
            links: Links::default(),
            on_host: 0,
            events: PoolEvents::default(),
        }
    }

    /// A block of at least `bytes` for work of `lane`, which `account` pays for.
    ///
    /// # Errors
    /// [`PoolError::OverQuota`] and [`PoolError::OutOfMemory`] say how much would
    /// be granted.
    pub fn allocate(
        &mut self,
        account: AccountId,
        bytes: Bytes,
        lane: LaneId,
    ) -> Result<Allocation, PoolError> {
        let account = self.accounts.find(account)?;
        self.accounts.check(account, bytes)?;
        let (piece, class) = match self.find(bytes, lane)? {
            Found::Piece(piece, class) => (piece, class),
            Found::Need(need) => return Ok(Allocation::NotUntil(need)),
        };
        self.accounts.charge(account, bytes);
        let block = self.blocks.insert(Record {
            account,
            asked: bytes,
            class,
            ..Record::default()
        });
        let at = self.arena.take(piece, class, block);
        self.blocks[block].residency = Residency::Resident { at, pins: 0 };
        if self.arena.is_idle(at) {
            self.links.push_last(&mut self.unused, block);
        }
        self.events.allocations += 1;
        Ok(Allocation::Placed(self.view(block)))
    }

    /// Takes a block back, wherever it is; returns what it carried.
    ///
    /// # Errors
    /// [`PoolError::UnknownBlock`], for one that was freed before too.
    pub fn free(&mut self, id: BlockId) -> Result<T, PoolError> {
        let block = self.index(id)?;
        self.unlist(block);
        let record = self.blocks.remove(block);
        match record.residency.place() {
            Some(piece) => self.arena.give(piece),
            None => self.on_host -= 1,
        }
        self.accounts.release(record.account, record.asked);
        Ok(record.contents)
    }

    /// Notes that a lane uses a block. What it did before is part of that.
    ///
    /// # Errors
    /// [`PoolError::Misplaced`] for a block on the host.
    pub fn touch(&mut self, id: BlockId, at: Use) -> Result<(), PoolError> {
        let block = self.index(id)?;
        self.check_lane(at.lane)?;
        let piece = self.piece(block)?;
        self.arena.note(piece, at);
        if matches!(self.blocks[block].residency, Residency::Resident { .. }) {
            self.settle(block);
        }
        Ok(())
    }

    /// Notes that a lane has done its work up to a ticket.
    ///
    /// # Errors
    /// [`PoolError::UnknownLane`].
    pub fn complete(&mut self, at: Use) -> Result<(), PoolError> {
        self.check_lane(at.lane)?;
        let (blocks, links, unused) = (&self.blocks, &mut self.links, &mut self.unused);
        self.arena.complete(at, |block| {
            if matches!(blocks[block].residency, Residency::Resident { pins: 0, .. }) {
                links.push_last(unused, block);
            }
        });
        Ok(())
    }

    /// A lane more, at ticket 0.
    pub fn open_lane(&mut self) -> LaneId {
        self.arena.open_lane()
    }

    /// Ends a lane.
    ///
    /// # Errors
    /// [`PoolError::LaneInUse`] with the last of its work on blocks.
    pub fn close_lane(&mut self, lane: LaneId) -> Result<(), PoolError> {
        self.check_lane(lane)?;
        let closed = self.arena.lanes.close(lane);
        closed.map_err(|until| PoolError::LaneInUse { until })
    }

    /// Puts a block where it belongs by now: last among those that may move or are
    /// moving, or in no list.
    pub(super) fn settle(&mut self, block: Index) {
        self.unlist(block);
        match self.blocks[block].residency {
            Residency::Resident { at, pins: 0 } if self.arena.is_idle(at) => {
                self.links.push_last(&mut self.unused, block);
            }
            Residency::Evicting { .. } => self.links.push_last(&mut self.evicting, block),
            Residency::Resident { .. } | Residency::Host | Residency::Restoring { .. } => {}
        }
    }

    /// Takes a block out of the list that its residency puts it in.
    pub(super) fn unlist(&mut self, block: Index) {
        let list = match self.blocks[block].residency {
            Residency::Evicting { .. } => &mut self.evicting,
            Residency::Resident { .. } | Residency::Host | Residency::Restoring { .. } => {
                &mut self.unused
            }
        };
        self.links.remove(list, block);
    }

    pub(super) fn check_lane(&self, lane: LaneId) -> Result<(), PoolError> {
        if self.arena.lanes.is_open(lane) {
            Ok(())
        } else {
            Err(PoolError::UnknownLane(lane))
        }
    }

    pub(super) fn index(&self, id: BlockId) -> Result<Index, PoolError> {
        self.blocks
            .find(id.get())
            .ok_or(PoolError::UnknownBlock(id))
    }

    pub(super) fn id(&self, block: Index) -> BlockId {
        BlockId::new(self.blocks.name(block))
    }

    /// The piece of a block that has memory on the device.
    fn piece(&self, block: Index) -> Result<Index, PoolError> {
        let residency = self.blocks[block].residency;
        residency
            .place()
            .ok_or_else(|| self.misplaced(block, "on the device"))
    }

    pub(super) fn view(&self, block: Index) -> Block {
        let record = &self.blocks[block];
        Block {
            id: self.id(block),
            asked: record.asked,
            size: Bytes::new(record.class.bytes()),
            residency: record.residency.map(|piece| {
                let piece = &self.arena.regions[piece];
                Place {
                    region: self.arena.regions.id(piece.region),
                    offset: Bytes::new(piece.offset),
                }
            }),
        }
    }
}
