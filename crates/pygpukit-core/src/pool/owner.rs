//! Whoever owns a pool, with a memory of his own: the model of the property tests.

use super::properties::{CAPACITY, LANES, Op, QUOTA};
use super::*;
use crate::id::{BlockId, RegionId, TenantId};
use crate::units::Bytes;
use std::collections::{BTreeMap, BTreeSet};

/// What the owner of a pool knows by itself.
pub(super) struct Owner {
    pool: MemoryPool,
    reclaim: Reclaim,
    accounts: [AccountId; 2],
    lanes: Vec<LaneId>,
    blocks: Vec<BlockId>,
    charged: BTreeMap<BlockId, (usize, u64)>,
    /// How far lanes are, and how far they were ever asked to be.
    completed: [u64; LANES],
    asked: [u64; LANES],
    /// Who last used which 256 bytes.
    last: BTreeMap<(RegionId, usize), [u64; LANES]>,
    /// When a block was last used up: the moment, or none while it is in use.
    idle_since: BTreeMap<BlockId, u64>,
    moment: u64,
}

fn index(number: u64) -> usize {
    usize::try_from(number).unwrap()
}

fn granules(block: &Block) -> impl Iterator<Item = (RegionId, usize)> + use<> {
    let (place, size) = (block.residency.place(), index(block.size.get()));
    place.into_iter().flat_map(move |place| {
        let first = index(place.offset.get()) / 256;
        (first..first + size / 256).map(move |granule| (place.region, granule))
    })
}

impl Owner {
    pub(super) fn new(config: PoolConfig) -> Self {
        let mut pool = MemoryPool::new(config);
        let lanes = (0..LANES).map(|_| pool.open_lane()).collect();
        let limited = pool.open_limited_account(TenantId::new(1), Bytes::new(QUOTA));
        Self {
            accounts: [pool.open_account(TenantId::DEFAULT), limited.unwrap()],
            pool,
            reclaim: config.reclaim,
            lanes,
            blocks: Vec::new(),
            charged: BTreeMap::new(),
            completed: [0; LANES],
            asked: [0; LANES],
            last: BTreeMap::new(),
            idle_since: BTreeMap::new(),
            moment: 0,
        }
    }

    fn pick(&self, at: usize) -> Option<BlockId> {
        (!self.blocks.is_empty()).then(|| self.blocks[at % self.blocks.len()])
    }

    /// Whether work that the owner knows of still touches a block's memory.
    fn is_busy(&self, block: &Block) -> bool {
        granules(block)
            .filter_map(|granule| self.last.get(&granule))
            .any(|last| (0..LANES).any(|lane| last[lane] > self.completed[lane]))
    }

    /// Notes which blocks have become idle, in the order that the pool says: all
    /// that one completion leaves idle do so at once.
    fn note_idle(&mut self) {
        self.moment += 1;
        for block in self.pool.blocks() {
            let idle = matches!(block.residency, Residency::Resident { .. })
                && self.pool.unfinished_use(block.id) == Ok(None);
            if idle {
                self.idle_since.entry(block.id).or_insert(self.moment);
            } else {
                self.idle_since.remove(&block.id);
            }
        }
    }

    fn may_move(&self, block: &Block) -> bool {
        self.reclaim == Reclaim::Evict
            && matches!(
                block.residency,
                Residency::Resident { pins: 0, .. } | Residency::Evicting { .. }
            )
    }

    /// The most room for one block, once all work is done and all have moved that may.
    fn most_room(&self) -> u64 {
        let mut most = 0;
        let mut kept = 0;
        for (region, size) in self.pool.regions() {
            let mut free = vec![true; index(size.get()) / 256];
            let mut returns = self.reclaim != Reclaim::Never;
            for block in self.pool.blocks() {
                for (at, granule) in granules(&block) {
                    if at == region {
                        free[granule] = self.may_move(&block);
                        returns &= self.may_move(&block);
                    }
                }
            }
            let longest = free.split(|&free| !free).map(<[bool]>::len).max();
            most = most.max(longest.unwrap_or(0) as u64 * 256);
            kept += if returns { 0 } else { size.get() };
        }
        let granule = self.pool.growth.granule.get().max(1).next_multiple_of(256);
        most.max((CAPACITY - kept) / granule * granule)
    }

    /// Does what the pool asks, if it had reason to.
    fn meet(&mut self, need: Need) {
        match need {
            Need::Region(size) => {
                // Sometimes there is more of it, and not all of that is of use.
                let more = Bytes::new(size.get() + 100);
                let added = self.pool.add_region(more);
                added.or_else(|_| self.pool.add_region(size)).unwrap();
            }
            Need::Return(region) => {
                assert!(self.reclaim != Reclaim::Never);
                self.pool.remove_region(region).unwrap();
                self.last.retain(|&(at, _), _| at != region);
            }
            Need::Work(until) => {
                let lane = until.lane.index() as usize;
                assert!(until.ticket > self.completed[lane], "work that is not done");
                assert!(until.ticket <= self.asked[lane], "work that there is");
                self.complete(lane, until.ticket);
            }
            Need::Eviction(id) => {
                let block = self.pool.block(id).unwrap();
                assert!(self.may_move(&block));
                if matches!(block.residency, Residency::Resident { .. }) {
                    assert!(!self.is_busy(&block), "in use");
                    let movable = self.pool.blocks().filter(|block| self.may_move(block));
                    let oldest = movable
                        .filter_map(|block| self.idle_since.get(&block.id))
                        .min();
                    assert_eq!(self.idle_since.get(&id), oldest, "the longest unused");
                    self.pool.start_eviction(id).unwrap();
                }
                self.pool.finish_eviction(id).unwrap();
            }
        }
        self.check();
    }

    fn complete(&mut self, lane: usize, ticket: u64) {
        self.completed[lane] = self.completed[lane].max(ticket);
        let lane = self.lanes[lane];
        self.pool.complete(Use { lane, ticket }).unwrap();
    }

    /// Nobody else's work may touch what a lane is given.
    fn placed(&self, block: &Block, lane: usize) {
        assert!(block.size >= block.asked);
        for granule in granules(block) {
            let last = self.last.get(&granule).copied().unwrap_or_default();
            for other in (0..LANES).filter(|&other| other != lane) {
                assert!(last[other] <= self.completed[other], "another lane's work");
            }
        }
    }

    /// Allocates, or restores `again`; meets at most `needs` needs.
    fn request(
        &mut self,
        account: usize,
        bytes: u64,
        lane: usize,
        again: Option<BlockId>,
        needs: usize,
    ) {
        for step in 0.. {
            assert!(step < 300, "no end of needs");
            let answer = match again {
                Some(id) => self.pool.start_restore(id, self.lanes[lane]),
                None => {
                    self.pool
                        .allocate(self.accounts[account], Bytes::new(bytes), self.lanes[lane])
                }
            };
            self.check();
            match answer {
                Ok(Allocation::Placed(block)) => {
                    self.placed(&block, lane);
                    if again.is_none() {
                        assert!(matches!(
                            block.residency,
                            Residency::Resident { pins: 0, .. }
                        ));
                        self.blocks.push(block.id);
                        self.charged.insert(block.id, (account, bytes));
                    }
                    return;
                }
                Ok(Allocation::NotUntil(_)) if step >= needs => return,
                Ok(Allocation::NotUntil(need)) => self.meet(need),
                Err(PoolError::OutOfMemory {
                    rounded, available, ..
                }) => {
                    assert!(rounded > available);
                    let most = self.most_room();
                    let fits = (0..=most)
                        .rev()
                        .find(|&fits| size_class(fits).is_some_and(|class| class <= most));
                    assert_eq!(available.get(), if most < 256 { 0 } else { fits.unwrap() });
                    if available > Bytes::ZERO && needs == usize::MAX {
                        self.request(0, available.get(), lane, None, usize::MAX - 1);
                        let (_, charged) = self.charged[self.blocks.last().unwrap()];
                        assert_eq!(charged, available.get(), "the amount of a refusal");
                    }
                    return;
                }
                Err(PoolError::OverQuota {
                    available, limit, ..
                }) => {
                    assert!(bytes > available.get() && again.is_none());
                    assert_eq!(limit.get(), if account == 1 { QUOTA } else { u64::MAX });
                    return;
                }
                Err(other) => panic!("{other}"),
            }
        }
    }

    pub(super) fn apply(&mut self, op: &Op) {
        match *op {
            Op::Allocate(account, bytes, lane, needs) => {
                self.request(account, bytes, lane, None, needs);
            }
            Op::Complete(lane, more) => {
                let ticket = (self.completed[lane] + more).min(self.asked[lane]);
                self.complete(lane, ticket);
            }
            Op::Trim(keep) => {
                let mut removed = Vec::new();
                self.pool.trim(Bytes::new(keep), &mut removed);
                self.last.retain(|(region, _), _| !removed.contains(region));
                let idle = self.pool.regions().any(|(region, _)| {
                    !self.last.iter().any(|(&(at, _), last)| {
                        at == region && (0..LANES).any(|lane| last[lane] > self.completed[lane])
                    }) && !self.pool.blocks().any(|block| {
                        block
                            .residency
                            .place()
                            .is_some_and(|place| place.region == region)
                    })
                });
                assert!(
                    self.pool.reserved().get() <= keep || !idle,
                    "no idle region is left"
                );
            }
            Op::Free(at) => {
                if let Some(id) = self.pick(at) {
                    self.pool.free(id).unwrap();
                    self.blocks.retain(|&block| block != id);
                    self.charged.remove(&id);
                    self.idle_since.remove(&id);
                    assert_eq!(self.pool.free(id), Err(PoolError::UnknownBlock(id)));
                }
            }
            Op::Touch(at, _, _)
            | Op::Pin(at)
            | Op::Unpin(at)
            | Op::StartEviction(at)
            | Op::Restore(at, _)
            | Op::Finish(at)
            | Op::Cancel(at) => {
                if let Some(id) = self.pick(at) {
                    self.apply_to(id, op);
                }
            }
        }
    }

    fn apply_to(&mut self, id: BlockId, op: &Op) {
        let block = self.pool.block(id).unwrap();
        let is = block.residency;
        let resident = matches!(is, Residency::Resident { .. });
        match *op {
            Op::Touch(_, lane, more) => {
                let ticket = self.completed[lane] + more;
                let at = Use {
                    lane: self.lanes[lane],
                    ticket,
                };
                assert_eq!(self.pool.touch(id, at).is_ok(), is.place().is_some());
                for granule in granules(&block) {
                    let last = &mut self.last.entry(granule).or_default()[lane];
                    *last = (*last).max(ticket);
                }
                self.asked[lane] = self.asked[lane].max(ticket);
                self.idle_since.remove(&id);
            }
            Op::Pin(_) => assert_eq!(self.pool.pin(id).is_ok(), resident),
            Op::Unpin(_) => {
                let pinned = matches!(is, Residency::Resident { pins: 1.., .. });
                assert_eq!(self.pool.unpin(id).is_ok(), pinned);
                if pinned {
                    self.idle_since.remove(&id);
                }
            }
            Op::StartEviction(_) => {
                let free = matches!(is, Residency::Resident { pins: 0, .. });
                match self.pool.start_eviction(id) {
                    Ok(_) => assert!(free && !self.is_busy(&block)),
                    // Perhaps with what its lane had freed beside it.
                    Err(PoolError::Busy { until, .. }) => {
                        let lane = until.lane.index() as usize;
                        assert!(free && until.ticket > self.completed[lane]);
                        assert!(until.ticket <= self.asked[lane]);
                    }
                    Err(_) => assert!(!free),
                }
            }
            Op::Restore(_, lane) if is == Residency::Host => {
                self.request(0, block.asked.get(), lane, Some(id), usize::MAX);
            }
            Op::Restore(_, lane) => {
                assert!(self.pool.start_restore(id, self.lanes[lane]).is_err());
            }
            Op::Finish(_) => {
                let evicted = self.pool.finish_eviction(id).is_ok();
                assert_eq!(evicted, matches!(is, Residency::Evicting { .. }));
                let restored = self.pool.finish_restore(id).is_ok();
                assert_eq!(restored, matches!(is, Residency::Restoring { .. }));
            }
            Op::Cancel(_) => {
                let moves = !resident && is != Residency::Host;
                assert_eq!(self.pool.cancel_move(id).is_ok(), moves);
            }
            Op::Allocate(..) | Op::Free(_) | Op::Complete(..) | Op::Trim(_) => {}
        }
    }

    /// Bytes are conserved, and no two blocks overlap.
    pub(super) fn check(&mut self) {
        self.note_idle();
        self.pool.audit();
        let mut taken = BTreeSet::new();
        for block in self.pool.blocks() {
            assert_eq!(
                block.asked.get(),
                self.charged
                    .get(&block.id)
                    .map_or(block.asked.get(), |c| c.1)
            );
            for granule in granules(&block) {
                assert!(taken.insert(granule), "blocks overlap");
            }
        }
        let stats = self.pool.stats();
        assert_eq!(stats.used.get(), taken.len() as u64 * 256);
        assert_eq!(
            stats.used.get() + stats.cached().get(),
            stats.reserved.get()
        );
        assert_eq!(stats.regions, self.pool.regions().count());
    }

    pub(super) fn check_charges(&self) {
        assert_eq!(self.pool.stats().blocks, self.blocks.len());
        for (at, &account) in self.accounts.iter().enumerate() {
            let charged = self.charged.values().filter(|charge| charge.0 == at);
            let sum: u64 = charged.map(|charge| charge.1).sum();
            assert_eq!(self.pool.account_used(account).unwrap().get(), sum);
            assert!(at == 0 || sum <= QUOTA);
        }
    }

    /// Nothing is lost: all comes back.
    pub(super) fn take_everything_back(&mut self) {
        for id in std::mem::take(&mut self.blocks) {
            self.pool.free(id).unwrap();
        }
        for lane in 0..LANES {
            self.complete(lane, self.asked[lane]);
        }
        self.pool.audit();
        self.pool.trim(Bytes::ZERO, &mut Vec::new());
        let stats = self.pool.stats();
        assert_eq!((stats.reserved, stats.asked), (Bytes::ZERO, Bytes::ZERO));
        assert_eq!((stats.regions, stats.free_pieces), (0, 0));
    }
}
