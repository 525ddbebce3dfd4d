//! How blocks move to the host and back.

use super::block::{Allocation, Block};
use super::error::PoolError;
use super::lane::LaneId;
use super::memory_pool::MemoryPool;
use super::residency::Residency;
use super::room::Found;
use super::slab::Index;
use crate::id::BlockId;

impl<T: Default> MemoryPool<T> {
    /// Keeps a block where it is, until it is unpinned as often.
    ///
    /// # Errors
    /// [`PoolError::Misplaced`] for a block that is not resident.
    pub fn pin(&mut self, id: BlockId) -> Result<(), PoolError> {
        let block = self.index(id)?;
        let Residency::Resident { at, pins } = self.blocks[block].residency else {
            return Err(self.misplaced(block, "resident"));
        };
        let pins = pins.checked_add(1);
        let pins = pins.ok_or(PoolError::Pinned {
            block: id,
            pins: u32::MAX,
        })?;
        self.change(block, Residency::Resident { at, pins });
        Ok(())
    }

    /// Takes back what one [`pin`](Self::pin) did.
    ///
    /// # Errors
    /// [`PoolError::Misplaced`] for a block that is not pinned.
    pub fn unpin(&mut self, id: BlockId) -> Result<(), PoolError> {
        let block = self.index(id)?;
        let Residency::Resident {
            at,
            pins: pins @ 1..,
        } = self.blocks[block].residency
        else {
            return Err(self.misplaced(block, "pinned"));
        };
        let pins = pins - 1;
        self.change(block, Residency::Resident { at, pins });
        Ok(())
    }

    /// Begins to move a block to the host: its owner copies it, and then
    /// [finishes](Self::finish_eviction).
    ///
    /// # Errors
    /// [`PoolError::Pinned`], [`PoolError::Busy`] with what has to be done first,
    /// or [`PoolError::Misplaced`] for a block that is not resident.
    pub fn start_eviction(&mut self, id: BlockId) -> Result<Block, PoolError> {
        let block = self.index(id)?;
        let at = match self.blocks[block].residency {
            Residency::Resident { at, pins: 0 } => at,
            Residency::Resident { pins, .. } => return Err(PoolError::Pinned { block: id, pins }),
            Residency::Evicting { .. } | Residency::Host | Residency::Restoring { .. } => {
                return Err(self.misplaced(block, "resident"));
            }
        };
        if let Some(until) = self.arena.first_use(at) {
            return Err(PoolError::Busy { block: id, until });
        }
        self.change(block, Residency::Evicting { at });
        Ok(self.view(block))
    }

    /// Frees the memory of a block that was copied to the host. Whoever takes it
    /// next waits for the copy, if the block was [touched](Self::touch) by it.
    ///
    /// # Errors
    /// [`PoolError::Misplaced`] for a block that is not being evicted.
    pub fn finish_eviction(&mut self, id: BlockId) -> Result<(), PoolError> {
        let block = self.index(id)?;
        let Residency::Evicting { at } = self.blocks[block].residency else {
            return Err(self.misplaced(block, "being evicted"));
        };
        self.leave(block, at);
        self.events.evictions += 1;
        Ok(())
    }

    /// Begins to move a block back from the host, for work of `lane`.
    ///
    /// # Errors
    /// As [`allocate`](Self::allocate), and [`PoolError::Misplaced`] for a block
    /// that is not on the host.
    pub fn start_restore(&mut self, id: BlockId, lane: LaneId) -> Result<Allocation, PoolError> {
        let block = self.index(id)?;
        if self.blocks[block].residency != Residency::Host {
            return Err(self.misplaced(block, "on the host"));
        }
        let asked = self.blocks[block].asked;
        match self.find(asked, lane)? {
            Found::Need(need) => Ok(Allocation::NotUntil(need)),
            Found::Piece(piece, class) => {
                let at = self.arena.take(piece, class, block);
                self.on_host -= 1;
                self.change(block, Residency::Restoring { at });
                Ok(Allocation::Placed(self.view(block)))
            }
        }
    }

    /// Ends the move of a block that was copied back.
    ///
    /// # Errors
    /// [`PoolError::Misplaced`] for a block that is not being restored.
    pub fn finish_restore(&mut self, id: BlockId) -> Result<(), PoolError> {
        let block = self.index(id)?;
        let Residency::Restoring { at } = self.blocks[block].residency else {
            return Err(self.misplaced(block, "being restored"));
        };
        self.change(block, Residency::Resident { at, pins: 0 });
        self.events.restores += 1;
        Ok(())
    }

    /// Leaves a block that moves where it came from, as if it had not begun.
    ///
    /// # Errors
    /// [`PoolError::Misplaced`] for a block that does not move.
    pub fn cancel_move(&mut self, id: BlockId) -> Result<(), PoolError> {
        let block = self.index(id)?;
        match self.blocks[block].residency {
            Residency::Evicting { at } => {
                self.change(block, Residency::Resident { at, pins: 0 });
            }
            Residency::Restoring { at } => self.leave(block, at),
            Residency::Resident { .. } | Residency::Host => {
                return Err(self.misplaced(block, "moving"));
            }
        }
        Ok(())
    }

    /// Gives a block's memory back, and leaves the block on the host.
    fn leave(&mut self, block: Index, at: Index) {
        self.change(block, Residency::Host);
        self.on_host += 1;
        self.arena.give(at);
    }

    fn change(&mut self, block: Index, residency: Residency<Index>) {
        self.unlist(block);
        self.blocks[block].residency = residency;
        self.settle(block);
    }

    pub(super) fn misplaced(&self, block: Index, wanted: &'static str) -> PoolError {
        PoolError::Misplaced {
            block: self.id(block),
            is: self.blocks[block].residency.name(),
            wanted,
        }
    }
}
