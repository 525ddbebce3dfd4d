//! What a transfer, a pinned block and a cached kernel cost, with few and with many others.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use pygpukit_core::cache::{CompileOptions, KernelCache, KernelKey, Limits as CacheLimits};
use pygpukit_core::pinned::{Config, PinnedPool};
use pygpukit_core::transfer::{Direction, Limits, Request, TransferEngine};
use pygpukit_core::units::{Bytes, Nanoseconds};
use std::hint::black_box;

const NOW: Nanoseconds = Nanoseconds::ZERO;
const SIZES: [usize; 5] = [100, 1_000, 10_000, 100_000, 1_000_000];

fn request(number: usize) -> Request<()> {
    Request {
        direction: Direction::ALL[number % 3],
        priority: i32::try_from(number % 7).unwrap_or(0),
        size: Bytes::new(4096),
        payload: (),
    }
}

/// Queue, hand out, complete and forget one transfer while others wait.
fn transfers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("transfer");
    for queued in SIZES {
        let mut engine = TransferEngine::new(Limits::default());
        for number in 0..queued {
            engine.queue(NOW, request(number));
        }
        let mut number = 0;
        group.bench_function(BenchmarkId::from_parameter(queued), |bencher| {
            bencher.iter(|| {
                number += 1;
                engine.queue(NOW, request(number));
                if let Some(chunk) = engine.next(NOW).chunk() {
                    engine.completed(NOW, chunk.transfer);
                    black_box(engine.forget(chunk.transfer));
                }
            });
        });
    }
    group.finish();
}

/// Allocate and free one block while others are in use.
fn pinned(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pinned");
    for blocks in SIZES {
        let limit = Bytes::new(u64::MAX);
        let mut pool: PinnedPool = PinnedPool::new(Config {
            limit,
            ..Config::default()
        });
        let page = Bytes::new(4096);
        let mut block = || {
            let id = pool.allocate(NOW, page).expect("there is room").id();
            let _ = pool.register(id, id.get() * 4096, page);
            id
        };
        let ids: Vec<_> = (0..blocks).map(|_| block()).collect();
        let _ = pool.free(ids[0]);
        group.bench_function(BenchmarkId::from_parameter(blocks), |bencher| {
            bencher.iter(|| {
                let id = pool.allocate(NOW, page).expect("it was freed").id();
                black_box(pool.free(id))
            });
        });
    }
    group.finish();
}

/// Find one of many kernels, and put in one that another leaves for.
fn cache(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cache");
    for entries in SIZES {
        let limits = CacheLimits {
            entries,
            bytes: Bytes::new(u64::MAX),
            ..CacheLimits::default()
        };
        let mut cache: KernelCache<()> = KernelCache::new(limits);
        let key = |number: usize| {
            KernelKey::new(
                "source",
                format!("kernel {number}"),
                CompileOptions::default(),
            )
        };
        let keys: Vec<_> = (0..=entries).map(key).collect();
        let mut gone = Vec::new();
        let mut at = 0;
        let mut step = |cache: &mut KernelCache<()>| {
            let key = &keys[at];
            at = (at + 1) % keys.len();
            if cache.get(NOW, key, &mut gone).is_none() {
                let _ = cache.insert(NOW, key.clone(), Bytes::new(1), (), &mut gone);
            }
            gone.clear();
        };
        for _ in 0..entries {
            step(&mut cache);
        }
        group.bench_function(BenchmarkId::from_parameter(entries), |bencher| {
            bencher.iter(|| step(&mut cache));
        });
    }
    group.finish();
}

criterion_group!(benches, transfers, pinned, cache);
criterion_main!(benches);
