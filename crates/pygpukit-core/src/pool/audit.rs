//! What holds in a pool after every operation, looked at from inside.

use super::lane::Owner;
use super::memory_pool::MemoryPool;
use super::region::Holder;
use super::residency::Residency;
use std::collections::BTreeSet;

impl<T: Default> MemoryPool<T> {
    /// Checks everything that the pool's parts say twice.
    pub(super) fn audit(&self) {
        let regions = &self.arena.regions;
        let (mut used, mut reserved, mut unfinished, mut pieces) = (0, 0, 0, 0);
        let mut held = BTreeSet::new();
        for (index, size) in regions.sizes() {
            let mut end = 0;
            let mut before = None;
            for (piece, at) in regions.pieces_of(index) {
                assert_eq!((at.region, at.offset), (index, end), "side by side");
                assert!(at.size > 0 && at.size % 256 == 0);
                assert_eq!(regions.before(piece), before);
                let owner = self.arena.owner(piece);
                if let Some(before) = before
                    && at.holder == Holder::Free
                    && regions[before].holder == Holder::Free
                    && owner != Owner::Several
                {
                    assert_ne!(self.arena.owner(before), owner, "joined with its neighbour");
                }
                if let Holder::Block(block) = at.holder {
                    assert!(held.insert(block), "one piece for a block");
                    let record = &self.blocks[block];
                    assert_eq!(record.residency.place(), Some(piece));
                    assert_eq!(record.class.bytes(), at.size);
                    used += at.size;
                }
                unfinished += self.arena.lanes.uses_of(&at.uses).count();
                end += at.size;
                pieces += 1;
                before = Some(piece);
            }
            assert_eq!(end, size / 256 * 256, "pieces fill their region");
            reserved += size;
        }
        assert_eq!(pieces, regions.pieces());
        assert_eq!(unfinished, self.arena.lanes.unfinished());
        assert_eq!(self.used().get(), used);
        assert_eq!(self.reserved().get(), reserved);
        assert!(self.reserved() <= self.capacity());
        let is_idle = |&(region, _): &(_, u64)| {
            let piece = regions.first(region);
            regions.is_whole(piece)
                && regions[piece].holder == Holder::Free
                && self.arena.owner(piece) == Owner::Nobody
        };
        let idle: u64 = regions.sizes().filter(is_idle).map(|(_, size)| size).sum();
        assert_eq!(self.arena.idle_bytes(), idle);
        self.audit_lists();
        for (block, record) in self.blocks.iter() {
            assert_eq!(held.contains(&block), record.residency.place().is_some());
        }
        assert_eq!(self.on_host, self.blocks.len() - held.len());
    }

    /// Blocks are in the lists that their residency says.
    fn audit_lists(&self) {
        let unused: BTreeSet<_> = self.links.iter(self.unused).collect();
        let evicting: BTreeSet<_> = self.links.iter(self.evicting).collect();
        for (block, record) in self.blocks.iter() {
            let residency = record.residency;
            let may_move =
                matches!(residency, Residency::Resident { at, pins: 0 } if self.arena.is_idle(at));
            assert_eq!(unused.contains(&block), may_move);
            let moves = matches!(residency, Residency::Evicting { .. });
            assert_eq!(evicting.contains(&block), moves);
        }
        assert!(unused.len() + evicting.len() <= self.blocks.len());
    }

    /// How many things there is room for without asking for memory.
    pub(super) fn footprint(&self) -> usize {
        let arena = &self.arena;
        arena.regions.footprint()
            + arena.lanes.footprint()
            + arena.free.footprint()
            + self.blocks.footprint()
            + self.links.footprint()
    }
}
