//! Simulated events a second.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pygpukit_core::scheduler::Policy;
use pygpukit_core::simulator::{Arrivals, Gpu, Job, Scenario, Tenant, simulate};
use pygpukit_core::timeshare::{ClientSpec, TimeConfig};
use pygpukit_core::units::{Nanoseconds, Share};

const MS: u64 = 1_000_000;

const fn ns(value: u64) -> Nanoseconds {
    Nanoseconds::new(value)
}

/// Half of the tenants were promised something; jobs come in all ways.
fn tenant(number: u32, tenants: u32, partition: usize) -> Tenant {
    let each = Share::ONE.units() / u64::from(tenants.max(2)) / 2;
    let mean = ns(u64::from(tenants) * 130_000);
    let (arrivals, floor) = match number % 4 {
        0 => (Arrivals::Saturating, 0),
        1 => (Arrivals::Poisson { mean }, each),
        2 => (
            Arrivals::Bursty {
                jobs: 8,
                every: ns(8 * mean.get()),
            },
            0,
        ),
        _ => (Arrivals::Adversarial { least: mean }, each),
    };
    Tenant {
        partition,
        client: ClientSpec {
            policy: Policy::Burstable,
            weight: 1 + number % 7,
            floor: Share::from_units(floor).expect("half of it at most"),
            ..ClientSpec::default()
        },
        arrivals,
        job: Job {
            spread: Share::from_units(100_000_000).expect("a tenth"),
            ..Job::new(ns(60_000))
        },
    }
}

fn scenario(tenants: u32, partitions: u32) -> Scenario {
    let sms = 128 / partitions;
    let tenants = (0..tenants)
        .map(|number| tenant(number, tenants, (number % partitions) as usize))
        .collect();
    Scenario {
        gpu: Gpu::h200(),
        partitions: vec![sms; partitions as usize],
        time: TimeConfig::default(),
        tenants,
        seed: 1,
    }
}

fn events(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("simulated events");
    group.sample_size(20);
    for (tenants, partitions) in [(1, 1), (4, 1), (16, 1), (1000, 1), (16, 4)] {
        let scenario = scenario(tenants, partitions);
        let span = ns(4000 * MS);
        let events = simulate(&scenario, span).expect("it fits").events;
        group.throughput(Throughput::Elements(events));
        let id = BenchmarkId::new(format!("{partitions} partitions"), tenants);
        group.bench_function(id, |bencher| {
            bencher.iter(|| simulate(&scenario, span).expect("it fits"));
        });
    }
    group.finish();
}

criterion_group!(benches, events);
criterion_main!(benches);
