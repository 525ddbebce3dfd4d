//! What is found feasible is kept, whatever comes.

use super::random::Random;
use super::*;
use crate::scheduler::Policy;
use crate::soak::{IS_LONG, seed};
use crate::timeshare::{ClientSpec, TimeConfig};
use crate::units::{Nanoseconds, Share};
use proptest::prelude::*;

const US: u64 = 1000;
const MS: u64 = 1_000_000;

const fn ns(value: u64) -> Nanoseconds {
    Nanoseconds::new(value)
}

/// A budget in every period, to be kept strictly.
#[derive(Clone, Copy, Debug)]
struct Strict {
    period: Nanoseconds,
    /// In thousandths of the period.
    permille: u64,
}

impl Strict {
    /// Somebody who asks for all of the budget each time, as inconveniently as can be.
    fn tenant(self) -> Tenant {
        let share = Share::from_ratio(self.permille, 1000).unwrap();
        Tenant {
            client: ClientSpec {
                policy: Policy::Guaranteed,
                floor: share,
                period: Some(self.period),
                ..ClientSpec::default()
            },
            arrivals: Arrivals::Adversarial { least: self.period },
            job: Job {
                deadline: Some(self.period),
                ..Job::new(ns(self.period.get() * self.permille / 1000))
            },
            partition: 0,
        }
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

/// Work without end that cannot be interrupted, and work of a larger weight.
fn background(time: TimeConfig) -> Scenario {
    let unsliceable = ClientSpec {
        piece: time.longest,
        ..ClientSpec::default()
    };
    let heavy = ClientSpec {
        policy: Policy::Burstable,
        weight: 5,
        ..ClientSpec::default()
    };
    Scenario {
        gpu: Gpu::ideal(1),
        partitions: vec![1],
        time,
        tenants: vec![saturating(unsliceable), saturating(heavy)],
        seed: 1,
    }
}

const USUAL: TimeConfig = TimeConfig {
    slice: ns(50 * US),
    window: ns(100 * US),
    longest: ns(300 * US),
    period: ns(10 * MS),
    best_effort_floor: Share::ZERO,
};

/// Lets somebody in if all promises can be kept then.
fn admit(scenario: &mut Scenario, strict: Strict) -> bool {
    scenario.tenants.push(strict.tenant());
    let fits = simulate(scenario, ns(0)).is_ok();
    if !fits {
        scenario.tenants.pop();
    }
    fits
}

/// Jobs with deadlines, and how many of them were late.
fn play(scenario: &Scenario, span: u64) -> (u64, u64) {
    let report = simulate(scenario, ns(span)).unwrap();
    let strict = report.tenants.iter().zip(&scenario.tenants);
    let strict = strict.filter(|(_, tenant)| tenant.job.deadline.is_some());
    strict.fold((0, 0), |(jobs, missed), (tenant, _)| {
        (jobs + tenant.arrived, missed + tenant.missed)
    })
}

/// Promises at random, and one more that takes all that is left.
fn full(random: &mut Random) -> Scenario {
    let slice = 20 + random.below(80);
    let mut scenario = background(TimeConfig {
        slice: ns(slice * US),
        window: ns(slice * (1 + random.below(3)) * US),
        longest: ns((100 + random.below(400)) * US),
        ..USUAL
    });
    scenario.seed = random.next();
    let period = |random: &mut Random| {
        // Short ones as often as long ones.
        let doubled = 500 << random.below(6);
        ns((doubled + random.below(doubled)) * US)
    };
    for _ in 0..random.below(5) {
        let permille = 1 + random.below(400);
        let period = period(random);
        admit(&mut scenario, Strict { period, permille });
    }
    let period = period(random);
    let _ = (1..1000)
        .rev()
        .any(|permille| admit(&mut scenario, Strict { period, permille }));
    scenario
}

/// Plays scenarios until there were that many jobs with deadlines.
fn soak(first: u64, wanted: u64) {
    let (mut played, mut shown) = (0, 0);
    for seed in first.. {
        let scenario = full(&mut Random::new(seed));
        let (jobs, missed) = play(&scenario, 1000 * MS);
        assert_eq!(missed, 0, "of {jobs}, SOAK_SEED={seed}: {scenario:?}");
        played += jobs;
        if played >= shown {
            println!("{played} jobs kept their deadlines; the last seed was {seed}");
            shown = played + wanted / 20;
        }
        if played >= wanted {
            return;
        }
    }
}

/// The largest budget found feasible is kept, and one that leaves no room for work
/// that cannot be interrupted is missed: the test of feasibility is neither wrong
/// nor idle.
#[test]
fn the_bound_lies_between_what_is_kept_and_what_is_missed() {
    let mut scenario = background(USUAL);
    let period = ns(1000 * US);
    let largest = (1..1000)
        .rev()
        .find(|&permille| admit(&mut scenario, Strict { period, permille }));
    // 1000 us less 300 us of others' work and a slice of 50 us.
    assert_eq!(largest, Some(650));
    let (jobs, missed) = play(&scenario, 2000 * MS);
    assert!(jobs > 1000);
    assert_eq!(missed, 0);
    // The same without asking for it to be kept strictly.
    let mut eager = Strict {
        period,
        permille: 800,
    }
    .tenant();
    eager.client.period = None;
    let mut scenario = background(TimeConfig { period, ..USUAL });
    // Beside work that cannot be interrupted alone.
    scenario.tenants.truncate(1);
    scenario.tenants.push(eager);
    let (_, missed) = play(&scenario, 2000 * MS);
    assert!(missed > 10, "{missed}");
}

#[test]
fn what_fills_the_bound_misses_nothing() {
    // Ten million by `make soak-core`.
    soak(seed(), if IS_LONG { 10_000_000 } else { 20_000 });
}

proptest! {
    // More with `PROPTEST_CASES`: a case plays some hundreds of jobs.
    #[test]
    fn what_is_found_feasible_misses_nothing(
        promises in prop::collection::vec((500_u64..20_000, 10_u64..600), 1..6),
        seed: u64,
    ) {
        let mut scenario = background(USUAL);
        scenario.seed = seed;
        for (period, permille) in promises {
            admit(&mut scenario, Strict { period: ns(period * US), permille });
        }
        let (_, missed) = play(&scenario, 50 * MS);
        prop_assert_eq!(missed, 0);
    }
}
