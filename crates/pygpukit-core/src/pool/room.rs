//! How a pool finds room for a block.

use super::block::Need;
use super::error::PoolError;
use super::lane::LaneId;
use super::memory_pool::MemoryPool;
use super::policy::Reclaim;
use super::residency::Residency;
use super::size_class::SizeClass;
use super::slab::Index;
use super::survey::{Room, most_room};
use crate::units::Bytes;

/// What there is for a request.
pub(super) enum Found {
    /// A piece that holds a block of the class.
    Piece(Index, SizeClass),
    /// Nothing yet.
    Need(Need),
}

impl<T: Default> MemoryPool<T> {
    /// A free piece for a block, or what to do to get one.
    pub(super) fn find(&self, asked: Bytes, lane: LaneId) -> Result<Found, PoolError> {
        self.check_lane(lane)?;
        let Some(class) = SizeClass::holding(asked.get()) else {
            return Err(self.out_of_memory(asked, u64::MAX, self.room(true).class));
        };
        if let Some(piece) = self.arena.find(class, lane) {
            return Ok(Found::Piece(piece, class));
        }
        self.need(asked, class).map(Found::Need)
    }

    /// What to do to get a piece: grow rather than wait, wait rather than take
    /// regions back, and evict last.
    fn need(&self, asked: Bytes, class: SizeClass) -> Result<Need, PoolError> {
        let bytes = class.bytes();
        let unreserved = self.ledger.available().bytes().get();
        if let Some(region) = self.growth.region(bytes, unreserved) {
            return Ok(Need::Region(region));
        }
        if let Some(until) = self.arena.find_elsewhere(class) {
            return Ok(Need::Work(until));
        }
        if self.reclaim >= Reclaim::Cached
            && let Some(idle) = self.arena.idle_region()
        {
            let returned = unreserved + self.arena.idle_bytes();
            if self.growth.region(bytes, returned).is_some() {
                return Ok(Need::Return(self.arena.regions.id(idle)));
            }
        }
        let waited = self.room(false);
        if let Some(until) = waited.until
            && waited.class >= Some(class)
        {
            return Ok(Need::Work(until));
        }
        let moved = self.room(true);
        if moved.class < Some(class) {
            return Err(self.out_of_memory(asked, bytes, moved.class));
        }
        // One at a time: what is being evicted may be enough.
        let evicted = self.evicting.first().or(self.unused.first());
        let eviction = evicted.map(|block| Need::Eviction(self.id(block)));
        let work = moved.until.map(Need::Work);
        eviction
            .or(work)
            .ok_or_else(|| self.out_of_memory(asked, bytes, waited.class))
    }

    /// The most room once all work is done, and, with `eviction`, blocks are moved
    /// as far as the pool may.
    fn room(&self, eviction: bool) -> Room {
        let evicts = eviction && self.reclaim == Reclaim::Evict;
        most_room(
            &self.arena.regions,
            (self.growth, self.reclaim),
            self.capacity().get(),
            |piece| self.arena.first_use(piece),
            |block| {
                let residency = self.blocks[block].residency;
                let moves = matches!(
                    residency,
                    Residency::Resident { pins: 0, .. } | Residency::Evicting { .. }
                );
                evicts && moves
            },
        )
    }

    fn out_of_memory(&self, asked: Bytes, rounded: u64, room: Option<SizeClass>) -> PoolError {
        PoolError::OutOfMemory {
            asked,
            rounded: Bytes::new(rounded),
            available: Bytes::new(room.map_or(0, SizeClass::bytes)),
            limit: self.capacity(),
        }
    }
}
