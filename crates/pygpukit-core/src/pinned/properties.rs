//! What holds for every pool, whatever its blocks do.

use super::*;
use crate::id::{PinnedId, TaskId};
use crate::units::{Bytes, Nanoseconds};
use proptest::prelude::*;
use std::collections::BTreeMap;

const NOW: Nanoseconds = Nanoseconds::ZERO;
/// Whole pages, so that exact fits happen.
const LIMIT: u64 = 49 * 4096;

#[derive(Clone, Debug)]
enum Step {
    Allocate(u64, bool),
    Free(usize),
    Trim(u64),
    FreeAll,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let size = || prop_oneof![0_u64..20_000, 0..2 * LIMIT];
    let step = prop_oneof![
        6 => (size(), prop::bool::weighted(0.9)).prop_map(|(size, works)| Step::Allocate(size, works)),
        5 => any::<usize>().prop_map(Step::Free),
        1 => size().prop_map(Step::Trim),
        1 => Just(Step::FreeAll),
    ];
    prop::collection::vec(step, 0..150)
}

/// A pool, and beside it the memory of the host.
struct Model {
    pool: PinnedPool,
    /// Size of the memory at each address that is locked.
    locked: BTreeMap<u64, u64>,
    /// Address of each block in use.
    in_use: BTreeMap<PinnedId, u64>,
    next_address: u64,
}

impl Model {
    fn lock(&mut self, id: PinnedId) {
        let size = self.pool.get(id).unwrap().size();
        let address = self.next_address;
        self.next_address += size.get();
        self.pool.register(id, address, size).unwrap();
        self.locked.insert(address, size.get());
        self.in_use.insert(id, address);
    }

    fn unlock(&mut self, addresses: &[u64]) {
        for address in addresses {
            assert!(self.locked.remove(address).is_some(), "unlocked twice");
        }
    }

    fn trim(&mut self, bytes: Bytes) {
        let mut unlock = Vec::new();
        let before = self.pool.stats().kept;
        let gone = self.pool.trim(bytes, &mut unlock);
        assert!(gone >= bytes.min(before));
        self.unlock(&unlock);
    }

    fn free(&mut self, id: PinnedId) {
        let address = self.in_use.remove(&id).unwrap();
        assert_eq!(self.pool.free(id), Ok(Freed::Kept(address)));
    }

    /// Goes to exactly where a refusal said that it would be let through.
    fn fulfil(&mut self, size: Bytes, refusal: Refusal) {
        match refusal {
            Refusal::TooLarge { .. } => {
                let block = self.pool.config().block_size(size).unwrap();
                assert!(block.get() > LIMIT);
                return;
            }
            Refusal::Kept { asked, lacking, .. } => {
                let spare = self.locked.iter().any(|(address, &size)| {
                    size == asked.get() && !self.in_use.values().any(|each| each == address)
                });
                assert!(!spare, "there is memory of just that size");
                self.trim(lacking);
            }
            Refusal::InUse { lacking, .. } => {
                let mut freed = 0;
                while freed < lacking.get() {
                    let refused = self.pool.check(size);
                    assert!(matches!(refused, Err(Refusal::InUse { .. })), "{refused:?}");
                    let id = *self.in_use.keys().next().unwrap();
                    freed += self.pool.get(id).unwrap().size().get();
                    self.free(id);
                }
                // It is kept, unless it has just the size.
                if let Err(Refusal::Kept { lacking, .. }) = self.pool.check(size) {
                    self.trim(lacking);
                }
            }
        }
        assert_eq!(self.pool.check(size), Ok(()));
    }

    fn apply(&mut self, step: &Step) {
        match *step {
            Step::Allocate(size, works) => {
                let size = Bytes::new(size);
                match self.pool.allocate(NOW, size) {
                    Ok(Allocation::Reused(id)) => {
                        let block = self.pool.get(id).unwrap();
                        let address = block.address().unwrap();
                        assert_eq!(self.locked[&address], block.size().get());
                        assert!(!self.in_use.values().any(|&each| each == address));
                        self.in_use.insert(id, address);
                        self.pool.assign(id, TaskId::new(1)).unwrap();
                    }
                    Ok(Allocation::Fresh(id)) if works => self.lock(id),
                    Ok(Allocation::Fresh(id)) => {
                        assert_eq!(self.pool.free(id), Ok(Freed::Nothing));
                    }
                    Err(refusal) => self.fulfil(size, refusal),
                }
            }
            Step::Free(which) => {
                let id = self.in_use.keys().nth(which % self.in_use.len().max(1));
                if let Some(&id) = id {
                    self.free(id);
                }
            }
            Step::Trim(bytes) => self.trim(Bytes::new(bytes)),
            Step::FreeAll => {
                let owner = TaskId::new(1);
                let ids: Vec<_> = self.pool.blocks_of(&owner).collect();
                assert_eq!(self.pool.free_all_of(&owner).len(), ids.len());
                self.in_use.retain(|id, _| !ids.contains(id));
            }
        }
        self.check();
    }

    fn check(&self) {
        let stats = self.pool.stats();
        let locked: u64 = self.locked.values().sum();
        assert_eq!(stats.held.get(), locked);
        assert!(locked <= LIMIT);
        let in_use: u64 = self
            .in_use
            .values()
            .map(|address| self.locked[address])
            .sum();
        assert_eq!(stats.in_use.get(), in_use);
        assert_eq!(stats.kept.get(), locked - in_use);
        assert_eq!(stats.blocks, self.in_use.len());
        assert_eq!(stats.kept_blocks, self.locked.len() - self.in_use.len());
        assert_eq!(
            stats.reused + stats.fresh - stats.freed,
            stats.blocks as u64
        );
        assert!(stats.peak_in_use >= stats.in_use);
    }
}

proptest! {
    #[test]
    fn locked_memory_is_counted_once_and_never_exceeds_the_quota(steps in steps()) {
        let limit = Bytes::new(LIMIT);
        let mut model = Model {
            pool: PinnedPool::new(Config { limit, ..Config::default() }),
            locked: BTreeMap::new(),
            in_use: BTreeMap::new(),
            next_address: 4096,
        };
        for step in &steps {
            model.apply(step);
        }
        let mut unlock = Vec::new();
        model.pool.clear(&mut unlock);
        model.unlock(&unlock);
        prop_assert!(model.locked.is_empty());
    }
}
