//! A pool, case by case.

use super::*;
use crate::id::{BlockId, TenantId};
use crate::units::Bytes;

/// A pool of one region, its account and two lanes.
struct Case {
    pool: MemoryPool,
    account: AccountId,
    lanes: [LaneId; 2],
}

fn bytes(bytes: u64) -> Bytes {
    Bytes::new(bytes)
}

impl Case {
    fn new(capacity: u64, reclaim: Reclaim) -> Self {
        let mut pool = MemoryPool::new(PoolConfig {
            growth: Growth {
                minimum: bytes(capacity),
                granule: bytes(256),
            },
            reclaim,
            overcommit: Overcommit::By(bytes(1024)),
            ..PoolConfig::new(bytes(capacity))
        });
        let first = pool.open_lane();
        Self {
            account: pool.open_account(TenantId::DEFAULT),
            lanes: [first, pool.open_lane()],
            pool,
        }
    }

    fn allocate(&mut self, size: u64, lane: usize) -> Result<Allocation, PoolError> {
        self.pool
            .allocate(self.account, bytes(size), self.lanes[lane])
    }

    fn place(&mut self, size: u64, lane: usize) -> Block {
        loop {
            match self.allocate(size, lane).unwrap() {
                Allocation::Placed(block) => return block,
                Allocation::NotUntil(Need::Region(size)) => {
                    self.pool.add_region(size).unwrap();
                }
                Allocation::NotUntil(other) => panic!("{other:?}"),
            }
        }
    }

    fn at(&self, lane: usize, ticket: u64) -> Use {
        let lane = self.lanes[lane];
        Use { lane, ticket }
    }

    fn touch(&mut self, block: Block, lane: usize, ticket: u64) {
        self.pool.touch(block.id, self.at(lane, ticket)).unwrap();
    }

    fn complete(&mut self, lane: usize, ticket: u64) {
        self.pool.complete(self.at(lane, ticket)).unwrap();
    }

    /// What has to be done before there is room.
    fn need(&mut self, size: u64, lane: usize) -> Need {
        match self.allocate(size, lane).unwrap() {
            Allocation::NotUntil(need) => need,
            Allocation::Placed(block) => panic!("{block:?}"),
        }
    }

    fn evict(&mut self, block: BlockId) {
        self.pool.start_eviction(block).unwrap();
        self.pool.finish_eviction(block).unwrap();
    }
}

#[test]
fn the_lane_that_used_a_block_reuses_it_at_once_and_others_wait() {
    let mut case = Case::new(1024, Reclaim::Cached);
    let block = case.place(1024, 0);
    case.touch(block, 0, 7);
    case.pool.free(block.id).unwrap();
    let until = case.at(0, 7);
    assert_eq!(case.need(1024, 1), Need::Work(until));
    case.complete(0, 6);
    assert_eq!(case.need(1024, 1), Need::Work(until));
    let again = case.place(1024, 0);
    assert_eq!(again.residency.place(), block.residency.place());
    assert_ne!(again.id, block.id);
    // Freed without a new use: the old one still counts.
    case.pool.free(again.id).unwrap();
    assert_eq!(case.need(1024, 1), Need::Work(until));
    case.complete(0, 7);
    case.place(1024, 1);
}

#[test]
fn memory_of_one_lane_does_not_hold_up_what_another_freed_beside_it() {
    let mut case = Case::new(1024, Reclaim::Cached);
    let blocks = [0, 1].map(|lane| case.place(512, lane));
    case.touch(blocks[0], 0, 5);
    case.touch(blocks[1], 1, 3);
    for block in blocks {
        case.pool.free(block.id).unwrap();
    }
    assert_eq!(case.pool.stats().free_pieces, 2);
    // Each lane has its own half. Both together need both lanes' work.
    let mine = case.place(512, 1);
    assert_eq!(mine.residency, blocks[1].residency);
    case.pool.free(mine.id).unwrap();
    assert_eq!(case.need(1024, 0), Need::Work(case.at(0, 5)));
    case.complete(0, 5);
    assert_eq!(case.need(1024, 0), Need::Work(case.at(1, 3)));
    case.complete(1, 3);
    assert_eq!(case.pool.stats().free_pieces, 1);
    case.place(1024, 0);
}

#[test]
fn a_block_that_two_lanes_use_is_nobodys_until_both_are_done() {
    let mut case = Case::new(1024, Reclaim::Cached);
    let block = case.place(1024, 0);
    case.touch(block, 0, 1);
    case.touch(block, 1, 1);
    case.touch(block, 0, 4);
    case.pool.free(block.id).unwrap();
    assert!(matches!(case.need(1024, 0), Need::Work(_)));
    case.complete(1, 1);
    // Now lane 0 alone touches it.
    assert_eq!(case.need(1024, 1), Need::Work(case.at(0, 4)));
    case.place(1024, 0);
}

#[test]
fn the_smallest_piece_that_fits_is_taken() {
    let mut case = Case::new(8192, Reclaim::Cached);
    let blocks = [2048, 256, 512, 256, 1024, 256].map(|size| case.place(size, 0));
    for at in [0, 2, 4] {
        case.pool.free(blocks[at].id).unwrap();
    }
    let place = |block: Block| block.residency.place();
    assert_eq!(place(case.place(512, 0)), place(blocks[2]));
    assert_eq!(place(case.place(700, 0)), place(blocks[4]));
    assert_eq!(place(case.place(1500, 0)), place(blocks[0]));
}

#[test]
fn the_longest_unused_is_evicted_where_unused_means_completed() {
    let mut case = Case::new(1024, Reclaim::Evict);
    let blocks = [0, 1, 2, 3].map(|_| case.place(256, 0));
    // 0 is used first, but its work is done last; 2 is pinned.
    case.touch(blocks[0], 0, 2);
    case.touch(blocks[1], 1, 1);
    case.pool.pin(blocks[2].id).unwrap();
    assert_eq!(case.need(256, 0), Need::Eviction(blocks[3].id));
    case.complete(1, 1);
    case.complete(0, 2);
    for at in [3, 1, 0] {
        assert_eq!(case.need(256, 0), Need::Eviction(blocks[at].id));
        case.pool.start_eviction(blocks[at].id).unwrap();
        // What is on its way is waited for before another is asked for.
        assert_eq!(case.need(256, 0), Need::Eviction(blocks[at].id));
        case.pool.finish_eviction(blocks[at].id).unwrap();
        let block = case.place(256, 0);
        case.pool.pin(block.id).unwrap();
    }
    let refusal = case.allocate(256, 0).unwrap_err();
    assert!(matches!(
        refusal,
        PoolError::OutOfMemory {
            available: Bytes::ZERO,
            ..
        }
    ));
    assert_eq!(case.pool.stats().events.evictions, 3);
}

#[test]
fn nothing_is_evicted_for_a_request_that_fits_in_no_case() {
    let mut case = Case::new(1024, Reclaim::Evict);
    let blocks = [0, 1, 2, 3].map(|_| case.place(256, 0));
    case.pool.pin(blocks[1].id).unwrap();
    let refusal = case.allocate(768, 0).unwrap_err();
    let text = "the pool has no room for a block of 768 bytes (768 bytes rounded up): \
                512 bytes available of 1024 bytes";
    assert_eq!(refusal.to_string(), text);
    assert!(matches!(case.need(512, 0), Need::Eviction(_)));
}

#[test]
fn work_on_a_block_is_waited_for_when_nothing_else_can_move() {
    let mut case = Case::new(1024, Reclaim::Evict);
    let block = case.place(1024, 0);
    case.touch(block, 1, 9);
    let until = case.at(1, 9);
    assert_eq!(case.need(256, 0), Need::Work(until));
    let busy = PoolError::Busy {
        block: block.id,
        until,
    };
    assert_eq!(case.pool.start_eviction(block.id), Err(busy));
    case.complete(1, 9);
    case.evict(block.id);
    case.place(256, 0);
}

#[test]
fn an_evicted_block_comes_back_elsewhere_and_waits_for_room() {
    let mut case = Case::new(1024, Reclaim::Evict);
    let block = case.place(512, 0);
    let other = case.place(256, 0);
    case.evict(block.id);
    assert_eq!(
        case.pool.block(block.id).unwrap().residency,
        Residency::Host
    );
    case.place(512, 0);
    let (host, lane) = (block.id, case.lanes[0]);
    let answer = case.pool.start_restore(host, lane);
    assert_eq!(answer, Ok(Allocation::NotUntil(Need::Eviction(other.id))));
    case.evict(other.id);
    let Ok(Allocation::Placed(back)) = case.pool.start_restore(host, lane) else {
        panic!("there is room");
    };
    assert!(matches!(back.residency, Residency::Restoring { .. }));
    // Not yet: neither moved out, nor pinned.
    assert!(case.pool.start_eviction(host).is_err() && case.pool.pin(host).is_err());
    case.pool.cancel_move(host).unwrap();
    assert_eq!(case.pool.used(), bytes(512));
    assert!(matches!(
        case.pool.start_restore(host, lane),
        Ok(Allocation::Placed(_))
    ));
    case.pool.finish_restore(host).unwrap();
    assert_eq!(
        (case.pool.stats().on_host, case.pool.used()),
        (1, bytes(1024))
    );
}

#[test]
fn whoever_takes_the_memory_of_an_evicted_block_waits_for_the_copy() {
    let mut case = Case::new(1024, Reclaim::Evict);
    let block = case.place(1024, 0);
    case.pool.start_eviction(block.id).unwrap();
    case.touch(block, 1, 3);
    case.pool.finish_eviction(block.id).unwrap();
    assert_eq!(case.need(256, 0), Need::Work(case.at(1, 3)));
    case.place(256, 1);
}

#[test]
fn a_full_pool_takes_back_what_its_policy_says() {
    for reclaim in [Reclaim::Never, Reclaim::Cached, Reclaim::Evict] {
        let mut pool = MemoryPool::<()>::new(PoolConfig {
            reclaim,
            ..PoolConfig::new(bytes(512))
        });
        let (account, lane) = (pool.open_account(TenantId::DEFAULT), pool.open_lane());
        let region = pool.add_region(bytes(256)).unwrap();
        pool.add_region(bytes(256)).unwrap();
        let answer = pool.allocate(account, bytes(512), lane);
        let returned = Ok(Allocation::NotUntil(Need::Return(region)));
        assert_eq!(answer == returned, reclaim != Reclaim::Never);
        assert_eq!(answer.is_err(), reclaim == Reclaim::Never);
    }
}

#[test]
fn quotas_count_bytes_asked_for_wherever_they_are() {
    let mut case = Case::new(4096, Reclaim::Evict);
    let tenant = TenantId::new(3);
    case.account = case.pool.open_limited_account(tenant, bytes(1000)).unwrap();
    let block = case.place(600, 0);
    assert_eq!(block.size, bytes(768));
    case.evict(block.id);
    let refusal = case.allocate(401, 0).unwrap_err();
    let text = "tenant 3's quota does not allow a block of 401 bytes: \
                400 bytes available of 1000 bytes";
    assert_eq!(refusal.to_string(), text);
    let rest = case.place(400, 0);
    let used = PoolError::AccountInUse {
        account: case.account,
        used: bytes(1000),
    };
    assert_eq!(case.pool.close_account(case.account), Err(used));
    for id in [block.id, rest.id] {
        case.pool.free(id).unwrap();
    }
    case.pool.close_account(case.account).unwrap();
    let closed = case.allocate(1, 0);
    assert_eq!(closed, Err(PoolError::UnknownAccount(case.account)));
}

#[test]
fn quotas_together_promise_what_the_pool_may() {
    let mut case = Case::new(4096, Reclaim::Never);
    let first = case
        .pool
        .open_limited_account(TenantId::new(1), bytes(4096))
        .unwrap();
    let refusal = case
        .pool
        .open_limited_account(TenantId::new(2), bytes(1025));
    let Err(PoolError::OverPromised(shortage)) = refusal else {
        panic!("{refusal:?}");
    };
    assert_eq!((shortage.available, shortage.limit), (1024, 5120));
    case.pool
        .open_limited_account(TenantId::new(2), bytes(1024))
        .unwrap();
    assert_eq!(case.pool.stats().promised, bytes(5120));
    case.pool.close_account(first).unwrap();
    assert_eq!(case.pool.stats().promised, bytes(1024));
    assert_eq!(Overcommit::Forbidden.limit(bytes(5)), bytes(5));
    assert_eq!(Overcommit::Unlimited.limit(bytes(5)), bytes(u64::MAX));
}

#[test]
fn trimming_removes_the_longest_idle_regions_and_no_others() {
    let mut pool = MemoryPool::<()>::new(PoolConfig::new(bytes(4096)));
    let (account, lane) = (pool.open_account(TenantId::DEFAULT), pool.open_lane());
    let regions = [256, 300, 512].map(|size| pool.add_region(bytes(size)).unwrap());
    let Ok(Allocation::Placed(block)) = pool.allocate(account, bytes(512), lane) else {
        panic!("there is room");
    };
    let in_use = Err(PoolError::RegionInUse(regions[2]));
    assert_eq!(pool.remove_region(regions[2]), in_use);
    let mut removed = Vec::new();
    pool.trim(bytes(900), &mut removed);
    assert_eq!((&removed[..], pool.reserved()), (&regions[..1], bytes(812)));
    pool.trim(Bytes::ZERO, &mut removed);
    assert_eq!((&removed[..], pool.reserved()), (&regions[..2], bytes(512)));
    pool.free(block.id).unwrap();
    assert_eq!(pool.remove_region(regions[2]), Ok(bytes(512)));
    let gone = Err(PoolError::UnknownRegion(regions[2]));
    assert_eq!(pool.remove_region(regions[2]), gone);
    assert_eq!(
        pool.add_region(bytes(255)),
        Err(PoolError::RegionTooSmall(bytes(255)))
    );
    let Err(PoolError::OverCapacity(shortage)) = pool.add_region(bytes(4097)) else {
        panic!("more than there is");
    };
    pool.add_region(bytes(shortage.available)).unwrap();
}

#[test]
fn a_device_without_more_memory_makes_the_pool_do_with_what_it_has() {
    let mut pool = MemoryPool::<()>::new(PoolConfig {
        reclaim: Reclaim::Evict,
        ..PoolConfig::new(bytes(4096))
    });
    let (account, lane) = (pool.open_account(TenantId::DEFAULT), pool.open_lane());
    for _ in 0..2 {
        pool.add_region(bytes(512)).unwrap();
    }
    let Ok(Allocation::Placed(block)) = pool.allocate(account, bytes(512), lane) else {
        panic!("there is room");
    };
    let answer = pool.allocate(account, bytes(1024), lane);
    assert_eq!(answer, Ok(Allocation::NotUntil(Need::Region(bytes(1024)))));
    // The owner asks the device, in vain.
    pool.set_capacity(pool.reserved()).unwrap();
    let answer = pool.allocate(account, bytes(1024), lane);
    assert_eq!(answer, Ok(Allocation::NotUntil(Need::Eviction(block.id))));
    let Err(PoolError::OverCapacity(shortage)) = pool.set_capacity(bytes(1023)) else {
        panic!("less than its regions");
    };
    assert_eq!((shortage.asked, shortage.limit), (1024, 1023));
    assert_eq!(
        (pool.capacity(), pool.reserved()),
        (bytes(1024), bytes(1024))
    );
    pool.set_capacity(bytes(2048)).unwrap();
    pool.add_region(bytes(1024)).unwrap();
    pool.audit();
}

#[test]
fn a_lane_is_closed_after_its_work_and_its_name_is_gone() {
    let mut case = Case::new(1024, Reclaim::Cached);
    let block = case.place(1024, 1);
    case.touch(block, 1, 3);
    case.touch(block, 1, 5);
    case.pool.free(block.id).unwrap();
    let (lane, until) = (case.lanes[1], case.at(1, 5));
    assert_eq!(
        case.pool.close_lane(lane),
        Err(PoolError::LaneInUse { until })
    );
    case.complete(1, 5);
    case.pool.close_lane(lane).unwrap();
    let unknown = PoolError::UnknownLane(lane);
    assert_eq!(case.allocate(1, 1), Err(unknown));
    assert_eq!(
        case.pool.touch(block.id, until),
        Err(PoolError::UnknownBlock(block.id))
    );
    assert_eq!(case.pool.complete(until), Err(unknown));
    assert_eq!(case.pool.close_lane(lane), Err(unknown));
    // Its successor begins anew.
    case.lanes[1] = case.pool.open_lane();
    assert_ne!(case.lanes[1], lane);
    let block = case.place(1024, 1);
    assert_eq!(case.pool.touch(block.id, until), Err(unknown));
    case.touch(block, 1, 1);
    case.pool.free(block.id).unwrap();
    assert_eq!(case.need(256, 0), Need::Work(case.at(1, 1)));
}

#[test]
fn a_settled_pool_allocates_nothing() {
    let mut case = Case::new(1 << 20, Reclaim::Evict);
    let mut live = std::collections::VecDeque::new();
    let mut footprint = None;
    for round in 1..4000_u64 {
        let lane = usize::from(round % 3 == 0);
        let block = case.place(256 + round * 37 % 5000, lane);
        case.touch(block, lane, round);
        live.push_back(block.id);
        if live.len() > 64 {
            case.pool.free(live.pop_front().unwrap()).unwrap();
        }
        case.complete(lane, round.saturating_sub(20));
        if round == 2000 {
            footprint = Some(case.pool.footprint());
        }
    }
    assert_eq!(footprint, Some(case.pool.footprint()));
}
