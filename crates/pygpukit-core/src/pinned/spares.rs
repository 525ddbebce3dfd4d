//! Memory that is kept for reuse.

use crate::collections::{List, Slab, Slot};
use crate::ledger::Grant;
use crate::units::Bytes;
use std::collections::{BTreeMap, VecDeque};

/// Memory that no block has.
#[derive(Debug)]
pub(super) struct Spare {
    pub(super) grant: Grant,
    pub(super) address: u64,
}

/// Memory that is kept: the newest of a size goes out first, the oldest of all is given up
/// first.
#[derive(Debug, Default)]
pub(super) struct Spares {
    all: Slab<Spare>,
    /// By size, the newest last. A size that is out stays, so that nothing is allocated
    /// when it comes back.
    by_size: BTreeMap<Bytes, VecDeque<Slot>>,
    by_age: List,
    bytes: u64,
}

impl Spares {
    pub(super) fn push(&mut self, spare: Spare) {
        let size = spare.grant.amount().bytes();
        self.bytes += size.get();
        let slot = self.all.insert(spare);
        self.by_size.entry(size).or_default().push_back(slot);
        self.by_age.push(slot);
    }

    /// Whether there is any of exactly that size.
    pub(super) fn has(&self, size: Bytes) -> bool {
        self.by_size
            .get(&size)
            .is_some_and(|slots| !slots.is_empty())
    }

    /// The newest of exactly that size.
    pub(super) fn take(&mut self, size: Bytes) -> Option<Spare> {
        let slot = self.by_size.get_mut(&size)?.pop_back()?;
        self.remove(slot)
    }

    /// The oldest of all, which is the oldest of its size too.
    pub(super) fn take_oldest(&mut self) -> Option<Spare> {
        let spare = self.remove(self.by_age.first()?)?;
        let size = spare.grant.amount().bytes();
        self.by_size.get_mut(&size)?.pop_front();
        Some(spare)
    }

    /// Takes one out of everything but its size.
    fn remove(&mut self, slot: Slot) -> Option<Spare> {
        self.by_age.remove(slot);
        let spare = self.all.remove(slot)?;
        self.bytes -= spare.grant.amount().bytes().get();
        Some(spare)
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// How much they hold.
    pub(super) const fn bytes(&self) -> Bytes {
        Bytes::new(self.bytes)
    }
}
