//! Where a pool's memory comes from, and goes to.

use super::error::PoolError;
use super::memory_pool::MemoryPool;
use super::size_class::GRANULE;
use crate::id::RegionId;
use crate::ledger::{Amount, Ledger};
use crate::units::Bytes;

impl<T: Default> MemoryPool<T> {
    /// Adds a region; all of it but what is beyond a multiple of 256 bytes is used.
    ///
    /// # Errors
    /// [`PoolError::OverCapacity`] with how much would be taken.
    pub fn add_region(&mut self, size: Bytes) -> Result<RegionId, PoolError> {
        if size.get() < GRANULE {
            return Err(PoolError::RegionTooSmall(size));
        }
        let grant = self.ledger.reserve(Amount::of_memory(size));
        let grant = grant.map_err(PoolError::OverCapacity)?;
        self.events.growths += 1;
        let usable = size.get() / GRANULE * GRANULE;
        Ok(self.arena.add_region(grant, usable))
    }

    /// Removes a region that is wholly free; returns its size.
    ///
    /// # Errors
    /// [`PoolError::RegionInUse`] if it has blocks, or work that is not done.
    pub fn remove_region(&mut self, id: RegionId) -> Result<Bytes, PoolError> {
        let region = self.arena.regions.find(id);
        let region = region.ok_or(PoolError::UnknownRegion(id))?;
        let grant = self.arena.remove_region(region);
        let grant = grant.ok_or(PoolError::RegionInUse(id))?;
        let size = grant.amount().bytes();
        self.ledger.give_back(grant);
        self.events.returns += 1;
        Ok(size)
    }

    /// Removes regions that are wholly free, the longest so first, until the others
    /// take no more than `keep`; adds them to `removed`.
    pub fn trim(&mut self, keep: Bytes, removed: &mut Vec<RegionId>) {
        while self.reserved() > keep
            && let Some(region) = self.arena.idle_region()
        {
            let id = self.arena.regions.id(region);
            if self.remove_region(id).is_ok() {
                removed.push(id);
            }
        }
    }

    /// Changes what the pool may take, for example to what it has because the device
    /// has no more. What quotas promise stays as it is.
    ///
    /// # Errors
    /// [`PoolError::OverCapacity`] for less than its regions take.
    pub fn set_capacity(&mut self, capacity: Bytes) -> Result<(), PoolError> {
        let mut ledger = Ledger::new(Amount::of_memory(capacity));
        let reserved = Amount::of_memory(self.reserved());
        ledger
            .check_ever(&reserved)
            .map_err(PoolError::OverCapacity)?;
        for grant in self.arena.regions.grants_mut() {
            // There is room for all: that was checked.
            *grant = ledger
                .reserve(*grant.amount())
                .map_err(PoolError::OverCapacity)?;
        }
        self.ledger = ledger;
        Ok(())
    }
}
