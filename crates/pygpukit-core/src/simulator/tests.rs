//! What promises are worth, played.

use super::*;
use crate::scheduler::Policy;
use crate::timeshare::{ClientSpec, TimeConfig};
use crate::units::{Nanoseconds, Share};

const US: u64 = 1000;
const MS: u64 = 1_000_000;

const fn ns(value: u64) -> Nanoseconds {
    Nanoseconds::new(value)
}

fn share(part: u64, whole: u64) -> Share {
    Share::from_ratio(part, whole).unwrap()
}

fn alone(tenants: Vec<Tenant>, time: TimeConfig) -> Scenario {
    Scenario {
        gpu: Gpu::ideal(1),
        partitions: vec![1],
        time,
        tenants,
        seed: 1,
    }
}

fn saturating(client: ClientSpec) -> Tenant {
    Tenant {
        partition: 0,
        client,
        arrivals: Arrivals::Saturating,
        job: Job::new(ns(MS)),
    }
}

fn burstable(weight: u32) -> ClientSpec {
    ClientSpec {
        policy: Policy::Burstable,
        weight,
        ..ClientSpec::default()
    }
}

/// How far a share is from what it should be, in units of 10^-9.
fn error(got: Share, due: Share) -> u64 {
    got.units().abs_diff(due.units())
}

#[test]
fn weights_divide_what_is_left_over() {
    let weights = [7, 2, 1];
    let tenants = weights.map(|weight| saturating(burstable(weight))).to_vec();
    let report = simulate(&alone(tenants, TimeConfig::default()), ns(1000 * MS)).unwrap();
    for (tenant, weight) in weights.into_iter().enumerate() {
        let off = error(report.share(tenant), share(weight.into(), 10));
        // A slice of 100 us in a second is 10^-4.
        assert!(off <= 200_000, "{tenant}: off by {off}e-9");
    }
}

#[test]
fn a_floor_is_had_and_a_cap_is_kept() {
    let floor = |part| ClientSpec {
        floor: share(part, 10),
        ..burstable(1)
    };
    let capped = ClientSpec {
        cap: share(1, 10),
        ..burstable(1000)
    };
    let tenants = vec![
        saturating(floor(3)),
        saturating(capped),
        saturating(burstable(1)),
        saturating(ClientSpec::default()),
    ];
    let report = simulate(&alone(tenants, TimeConfig::default()), ns(1000 * MS)).unwrap();
    // 0.3 and half of the 0.6 that the capped one cannot use; best effort gets nothing.
    for (tenant, due) in [(0, 6), (1, 1), (2, 3), (3, 0)] {
        let off = error(report.share(tenant), share(due, 10));
        assert!(off <= 3_000_000, "{tenant}: off by {off}e-9");
    }
}

#[test]
fn best_effort_has_a_floor_where_it_is_set() {
    let time = TimeConfig {
        best_effort_floor: share(2, 100),
        ..TimeConfig::default()
    };
    let tenants = vec![
        saturating(burstable(1)),
        saturating(ClientSpec::default()),
        saturating(ClientSpec::default()),
    ];
    let report = simulate(&alone(tenants, time), ns(1000 * MS)).unwrap();
    for tenant in [1, 2] {
        assert!(error(report.share(tenant), share(1, 100)) <= 1_000_000);
    }
}

#[test]
fn an_unused_budget_is_left_over_at_once() {
    let idle = Tenant {
        arrivals: Arrivals::Periodic {
            period: ns(1000 * MS),
            offset: ns(2000 * MS),
        },
        ..saturating(ClientSpec {
            policy: Policy::Guaranteed,
            floor: share(9, 10),
            ..ClientSpec::default()
        })
    };
    let tenants = vec![idle, saturating(ClientSpec::default())];
    let report = simulate(&alone(tenants, TimeConfig::default()), ns(1000 * MS)).unwrap();
    assert!(error(report.share(1), Share::ONE) <= 1_000_000);
}

#[test]
fn larger_priorities_go_first_in_their_tier() {
    let tenants = vec![
        saturating(burstable(1)),
        saturating(ClientSpec {
            priority: 1,
            ..burstable(1)
        }),
        saturating(ClientSpec {
            priority: 9,
            ..ClientSpec::default()
        }),
    ];
    let report = simulate(&alone(tenants, TimeConfig::default()), ns(100 * MS)).unwrap();
    assert!(error(report.share(1), Share::ONE) <= 10_000_000);
}

/// 64 frames at 48 kHz, beside a vision job of 3 ms every 10 ms and work without end.
#[test]
fn audio_blocks_keep_their_deadlines() {
    let audio = Tenant {
        partition: 0,
        client: ClientSpec {
            policy: Policy::Guaranteed,
            floor: share(2, 10),
            period: Some(ns(1333 * US)),
            ..ClientSpec::default()
        },
        arrivals: Arrivals::Periodic {
            period: ns(1333 * US),
            offset: ns(0),
        },
        job: Job {
            deadline: Some(ns(1333 * US)),
            ..Job::new(ns(250 * US))
        },
    };
    let vision = Tenant {
        client: ClientSpec {
            floor: share(32, 100),
            period: Some(ns(10 * MS)),
            ..audio.client
        },
        arrivals: Arrivals::Periodic {
            period: ns(10 * MS),
            offset: ns(700 * US),
        },
        job: Job {
            deadline: Some(ns(10 * MS)),
            ..Job::new(ns(3 * MS))
        },
        ..audio.clone()
    };
    let time = TimeConfig {
        longest: ns(200 * US),
        ..TimeConfig::default()
    };
    let tenants = vec![audio, vision, saturating(ClientSpec::default())];
    let report = simulate(&alone(tenants, time), ns(60_000 * MS)).unwrap();
    assert!(report.tenants[0].arrived > 45_000);
    assert_eq!(report.tenants[0].missed, 0);
    assert_eq!(report.tenants[1].missed, 0);
    let left_over = report.share(2).as_f64();
    assert!((0.5..0.53).contains(&left_over), "{left_over}");
}

#[test]
fn disjoint_partitions_keep_latency_but_share_bandwidth_and_power() {
    let chain = |memory_bound| Tenant {
        partition: 0,
        client: burstable(1),
        arrivals: Arrivals::Poisson { mean: ns(MS) },
        job: Job {
            memory_bound,
            ..Job::new(ns(120 * US))
        },
    };
    let neighbour = |memory_bound, power| Tenant {
        partition: 1,
        job: Job {
            memory_bound,
            power,
            ..Job::new(ns(MS))
        },
        ..saturating(ClientSpec::default())
    };
    let median = |tenants| {
        let scenario = Scenario {
            gpu: Gpu::h200(),
            partitions: vec![16, 116],
            ..alone(tenants, TimeConfig::default())
        };
        let report = simulate(&scenario, ns(1000 * MS)).unwrap();
        report.tenants[0].latency(share(1, 2)).unwrap().get()
    };
    let product: Share = 0.9.try_into().unwrap();
    let undisturbed = median(vec![chain(Share::ZERO)]);
    let beside_product = median(vec![chain(Share::ZERO), neighbour(Share::ZERO, product)]);
    let beside_copy = median(vec![chain(Share::ONE), neighbour(Share::ONE, Share::ZERO)]);
    let slower = |median| 100 * median / undisturbed;
    assert!((120..150).contains(&slower(beside_product)));
    assert!((290..400).contains(&slower(beside_copy)));
}

#[test]
fn the_same_scenario_gives_the_same_report() {
    let poisson = Tenant {
        arrivals: Arrivals::Poisson { mean: ns(200 * US) },
        job: Job {
            spread: share(1, 4),
            ..Job::new(ns(90 * US))
        },
        ..saturating(burstable(3))
    };
    let bursty = Tenant {
        arrivals: Arrivals::Bursty {
            jobs: 10,
            every: ns(5 * MS),
        },
        ..poisson.clone()
    };
    let scenario = alone(vec![poisson, bursty], TimeConfig::default());
    let first = simulate(&scenario, ns(100 * MS)).unwrap();
    assert_eq!(simulate(&scenario, ns(100 * MS)).unwrap(), first);
    let other = Scenario {
        seed: 2,
        ..scenario
    };
    assert_ne!(simulate(&other, ns(100 * MS)).unwrap(), first);
}
