//! Shares of time, played through.

use super::{PacingConfig, PacingDecision, PacingEngine};
use crate::id::LaneId;
use crate::units::{Nanoseconds, Share};
use proptest::prelude::*;

const STREAM: LaneId = LaneId::new(7);
const SECOND: u64 = 1_000_000_000;

fn ns(time: u64) -> Nanoseconds {
    Nanoseconds::new(time)
}

fn tenths(tenths: u64) -> Share {
    Share::from_ratio(tenths, 10).unwrap()
}

fn engine(bandwidth: Share) -> PacingEngine {
    let mut engine = PacingEngine::new(PacingConfig::default());
    engine.allocate(ns(0), STREAM, bandwidth).unwrap();
    engine
}

/// Launches in a second of a stream that asks every `tick`, by what its kernels take.
fn launches(bandwidth: Share, tick: u64, takes: Option<u64>) -> u64 {
    let mut engine = engine(bandwidth);
    let mut now = 0;
    while now < SECOND {
        if engine.decide(ns(now), STREAM) == PacingDecision::Launch {
            assert!(engine.launch(ns(now), STREAM));
            if let Some(takes) = takes {
                now += takes;
                assert!(engine.complete(ns(now), STREAM, ns(takes)));
                continue;
            }
        }
        now += tick;
    }
    engine.stats().launches
}

#[test]
fn launches_are_in_proportion_to_shares() {
    let counts = [1, 2, 5, 9, 10].map(|share| launches(tenths(share), 100_000, None));
    assert_eq!(counts, [1000, 2000, 5000, 9000, 10_000]);
}

#[test]
fn kernels_that_take_longer_are_launched_less_often() {
    let counts = [1, 2, 5, 9, 10].map(|share| launches(tenths(share), 10_000, Some(1_000_000)));
    for (count, expected) in counts.into_iter().zip([100, 200, 500, 900, 1000]) {
        assert!((expected - 1..=expected + 1).contains(&count), "{counts:?}");
    }
}

#[test]
fn a_kernel_longer_than_the_window_is_paid_for_afterwards() {
    let mut engine = engine(tenths(1));
    assert!(engine.launch(ns(0), STREAM));
    assert!(engine.complete(ns(SECOND), STREAM, ns(SECOND)));
    // A full burst of 10 ms was there; what it took beyond is owed.
    let stats = engine.stream_stats(ns(SECOND), STREAM).unwrap();
    assert_eq!(stats.debt, ns(990_000_000 - 100_000));
    let PacingDecision::Throttle { until: Some(until) } = engine.decide(ns(SECOND), STREAM) else {
        panic!("it used ten times its share")
    };
    // The next takes a full burst as well, since it is expected to take as long.
    assert_eq!(until, ns(SECOND + 10 * (1_000_000_000 - 100_000)));
    assert_eq!(engine.decide(until, STREAM), PacingDecision::Launch);
    let early = engine.decide(ns(until.get() - 1), STREAM);
    assert_eq!(early, PacingDecision::Throttle { until: Some(until) });
}

#[test]
fn allocating_again_replaces() {
    let mut engine = engine(tenths(5));
    engine.allocate(ns(0), STREAM, tenths(5)).unwrap();
    engine.allocate(ns(0), STREAM, tenths(9)).unwrap();
    let other = LaneId::new(8);
    let shortage = engine.allocate(ns(0), other, tenths(2)).unwrap_err();
    assert_eq!(shortage.available, tenths(1).units());
    engine.allocate(ns(0), other, tenths(1)).unwrap();
    assert!(engine.allocate(ns(0), STREAM, Share::ONE).is_err());
    engine.allocate(ns(0), STREAM, tenths(3)).unwrap();
    assert_eq!(engine.stats().used, tenths(4));
    assert!(engine.release(STREAM));
    assert!(!engine.release(STREAM));
    assert_eq!(engine.stats().available, tenths(9));
}

#[test]
fn exact_fits_fit_and_no_share_is_no_time() {
    let mut engine = engine(tenths(8));
    engine.allocate(ns(0), LaneId::new(1), tenths(1)).unwrap();
    engine.allocate(ns(0), LaneId::new(2), tenths(1)).unwrap();
    engine.allocate(ns(0), LaneId::new(3), Share::ZERO).unwrap();
    let never = PacingDecision::Throttle { until: None };
    assert_eq!(engine.decide(ns(SECOND), LaneId::new(3)), never);
    // Who has no share at all is not paced, nor counted.
    assert_eq!(engine.decide(ns(0), LaneId::new(4)), PacingDecision::Launch);
    assert!(!engine.launch(ns(0), LaneId::new(4)));
    assert_eq!(engine.stats().launches, 0);
}

#[test]
fn the_window_counts_its_own_launches() {
    let mut engine = engine(Share::ONE);
    for time in [0, 99_999_999, 100_000_000] {
        engine.launch(ns(time), STREAM);
    }
    let counted = |time| {
        let stats = engine.stream_stats(ns(time), STREAM).unwrap();
        (stats.launches_in_window, stats.launches)
    };
    assert_eq!(counted(100_000_001), (1, 3));
    assert_eq!(counted(200_000_000), (0, 3));
}

proptest! {
    #[test]
    fn the_moment_of_a_refusal_works(
        share in 1_u64..=1_000_000_000,
        takes in prop::collection::vec((0_u64..5_000_000, 0_u64..5_000_000), 1..30),
    ) {
        let mut engine = engine(Share::from_units(share).unwrap());
        let mut now = 0;
        for (wait, takes) in takes {
            let _ = engine.launch(ns(now), STREAM);
            now += wait;
            let _ = engine.complete(ns(now), STREAM, ns(takes));
            let refusal = engine.decide(ns(now), STREAM);
            match refusal {
                PacingDecision::Launch => {}
                PacingDecision::Wait { until } | PacingDecision::Throttle { until: Some(until) } => {
                    prop_assert!(until > ns(now));
                    prop_assert_eq!(engine.decide(until, STREAM), PacingDecision::Launch);
                    let before = engine.decide(ns(until.get() - 1), STREAM);
                    prop_assert_eq!(before, refusal);
                }
                PacingDecision::Throttle { until: None } => prop_assert!(false, "it has a share"),
            }
        }
    }
}
