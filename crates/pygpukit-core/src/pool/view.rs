//! What can be seen of a pool.

use super::block::Block;
use super::error::PoolError;
use super::lane::Use;
use super::memory_pool::MemoryPool;
use super::stats::PoolStats;
use crate::id::{BlockId, RegionId};
use crate::units::Bytes;

impl<T: Default> MemoryPool<T> {
    /// A block.
    ///
    /// # Errors
    /// [`PoolError::UnknownBlock`].
    pub fn block(&self, id: BlockId) -> Result<Block, PoolError> {
        self.index(id).map(|block| self.view(block))
    }

    /// All blocks, in no order that means anything.
    pub fn blocks(&self) -> impl Iterator<Item = Block> {
        self.blocks.iter().map(|(block, _)| self.view(block))
    }

    /// What a block carries.
    ///
    /// # Errors
    /// [`PoolError::UnknownBlock`].
    pub fn contents(&self, id: BlockId) -> Result<&T, PoolError> {
        self.index(id).map(|block| &self.blocks[block].contents)
    }

    /// What a block carries, to be changed.
    ///
    /// # Errors
    /// [`PoolError::UnknownBlock`].
    pub fn contents_mut(&mut self, id: BlockId) -> Result<&mut T, PoolError> {
        let block = self.index(id)?;
        Ok(&mut self.blocks[block].contents)
    }

    /// Work that has to be done before a block may move; there may be more.
    ///
    /// # Errors
    /// [`PoolError::UnknownBlock`].
    pub fn unfinished_use(&self, id: BlockId) -> Result<Option<Use>, PoolError> {
        let place = self.blocks[self.index(id)?].residency.place();
        Ok(place.and_then(|piece| self.arena.first_use(piece)))
    }

    /// The regions with their sizes.
    pub fn regions(&self) -> impl Iterator<Item = (RegionId, Bytes)> {
        let sizes = self.arena.regions.sizes();
        sizes.map(|(index, size)| (self.arena.regions.id(index), Bytes::new(size)))
    }

    /// What the pool may take.
    pub fn capacity(&self) -> Bytes {
        self.ledger.capacity().bytes()
    }

    /// What it has taken: its regions.
    pub fn reserved(&self) -> Bytes {
        self.ledger.granted().bytes()
    }

    /// Of that, in blocks.
    pub fn used(&self) -> Bytes {
        Bytes::new(self.arena.used())
    }

    /// The pool in numbers.
    pub fn stats(&self) -> PoolStats {
        let resident = self.blocks.len() - self.on_host;
        PoolStats {
            capacity: self.capacity(),
            reserved: self.reserved(),
            used: self.used(),
            asked: self.accounts.asked(),
            promised: self.accounts.promised(),
            regions: self.arena.regions.len(),
            blocks: self.blocks.len(),
            on_host: self.on_host,
            free_pieces: self.arena.regions.pieces() - resident,
            events: self.events,
        }
    }
}
