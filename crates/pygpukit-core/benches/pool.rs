//! Blocks of a pool that has settled: nothing is allocated, however long it runs.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use pygpukit_core::id::{BlockId, TenantId};
use pygpukit_core::pool::{
    AccountId, Allocation, Growth, LaneId, MemoryPool, Need, PoolConfig, Use,
};
use pygpukit_core::units::Bytes;
use std::collections::VecDeque;

/// A pool that grows by 64 MiB, and who uses it.
struct Settled {
    pool: MemoryPool,
    account: AccountId,
    lane: LaneId,
    live: VecDeque<BlockId>,
    random: u64,
}

impl Settled {
    /// With so many blocks of 256 bytes to 64 KiB.
    fn with_blocks(blocks: usize) -> Self {
        let mut pool = MemoryPool::new(PoolConfig {
            growth: Growth {
                minimum: Bytes::new(64 << 20),
                granule: Bytes::new(2 << 20),
            },
            ..PoolConfig::new(Bytes::new(1 << 40))
        });
        let mut settled = Self {
            account: pool.open_account(TenantId::DEFAULT),
            lane: pool.open_lane(),
            pool,
            live: VecDeque::new(),
            random: 1,
        };
        for _ in 0..blocks {
            let size = settled.size();
            let block = settled.allocate(size);
            settled.live.push_back(block);
        }
        settled
    }

    /// The next of a fixed row of sizes (Marsaglia's xorshift).
    fn size(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        256 << (self.random % 9)
    }

    fn allocate(&mut self, size: u64) -> BlockId {
        loop {
            let answer = self
                .pool
                .allocate(self.account, Bytes::new(size), self.lane);
            match answer.expect("room for a block") {
                Allocation::Placed(block) => return block.id,
                Allocation::NotUntil(Need::Region(size)) => {
                    self.pool.add_region(size).expect("room for a region");
                }
                Allocation::NotUntil(other) => panic!("{other:?}"),
            }
        }
    }

    /// Frees the oldest block and takes another, of any size.
    fn replace(&mut self) {
        let oldest = self.live.pop_front().expect("a block");
        self.pool.free(oldest).expect("a live block");
        let size = self.size();
        let block = self.allocate(size);
        self.live.push_back(block);
    }
}

fn blocks(criterion: &mut Criterion) {
    let mut settled = Settled::with_blocks(1000);
    criterion.bench_function("allocate and free a block", |bencher| {
        bencher.iter(|| {
            let block = settled.allocate(4096);
            settled.pool.free(block)
        });
    });
    let mut ticket = 0;
    criterion.bench_function("allocate, use, free and complete a block", |bencher| {
        bencher.iter(|| {
            let block = settled.allocate(4096);
            ticket += 1;
            let lane = settled.lane;
            settled.pool.touch(block, Use { lane, ticket })?;
            settled.pool.free(block)?;
            settled.pool.complete(Use { lane, ticket })
        });
    });
    let mut group = criterion.benchmark_group("free the oldest block and allocate another");
    for live in [100, 1000, 10_000, 100_000] {
        let mut settled = Settled::with_blocks(live);
        (0..10 * live).for_each(|_| settled.replace());
        group.bench_function(BenchmarkId::from_parameter(live), |bencher| {
            bencher.iter(|| settled.replace());
        });
    }
    group.finish();
}

criterion_group!(benches, blocks);
criterion_main!(benches);
