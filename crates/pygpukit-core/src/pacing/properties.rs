//! What holds for every bucket, whatever is asked of it.

use super::{Answer, Charge, Never, Rate, TokenBucket};
use crate::units::{Nanoseconds, Share, SmNanoseconds};
use proptest::prelude::*;

const fn ns(time: u64) -> Nanoseconds {
    Nanoseconds::new(time)
}

const fn work(cost: u64) -> SmNanoseconds {
    SmNanoseconds::new(cost)
}

fn rate(units: u64, sms: u32) -> Rate {
    Rate::new(Share::from_units(units).unwrap(), sms)
}

/// A launch as an observer outside sees it.
struct Launch {
    at: u64,
    cost: u64,
    charge: Option<Charge>,
}

#[derive(Clone, Debug)]
enum Step {
    Wait(u64),
    Ask(u64),
    Settle(usize, u64),
}

fn steps(burst: u64) -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        2 => (0_u64..300).prop_map(Step::Wait),
        4 => (0..=burst + 1).prop_map(Step::Ask),
        2 => (any::<usize>(), 0..=2 * burst).prop_map(|(at, cost)| Step::Settle(at, cost)),
    ];
    prop::collection::vec(step, 0..60)
}

fn buckets() -> impl Strategy<Value = (u64, u32, u64, Vec<Step>)> {
    (0_u64..=1_000_000_000, 0_u32..=132, 0_u64..2000)
        .prop_flat_map(|(units, sms, burst)| (Just(units), Just(sms), Just(burst), steps(burst)))
}

/// In every span that ends now, no more than the cap was let through.
fn check_cap(launches: &[Launch], now: u64, burst: u64, rate: u128) -> Result<(), TestCaseError> {
    let mut sum: u128 = 0;
    for launch in launches.iter().rev() {
        sum += u128::from(launch.cost);
        let span = u128::from(now - launch.at);
        let cap = u128::from(burst) * 1_000_000_000 + rate * span;
        prop_assert!(
            sum * 1_000_000_000 <= cap,
            "{sum} SM·ns in a span of {span} ns"
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_cap_holds_in_every_span((units, sms, burst, steps) in buckets()) {
        let mut bucket = TokenBucket::new(ns(0), rate(units, sms), work(burst));
        let per_ns = u128::from(units) * u128::from(sms);
        let mut launches: Vec<Launch> = Vec::new();
        let mut now = 0;
        for step in steps {
            match step {
                Step::Wait(time) => now += time,
                Step::Ask(cost) => {
                    if let Answer::Go(charge) = bucket.ask(ns(now), work(cost)) {
                        launches.push(Launch { at: now, cost, charge: Some(charge) });
                        check_cap(&launches, now, burst, per_ns)?;
                    }
                }
                Step::Settle(at, actual) if !launches.is_empty() => {
                    let at = at % launches.len();
                    if let Some(charge) = launches[at].charge.take() {
                        bucket.settle(ns(now), charge, work(actual));
                        launches[at].cost = actual;
                    }
                }
                Step::Settle(..) => {}
            }
            prop_assert!(bucket.available(ns(now)) <= work(burst));
        }
    }

    #[test]
    fn a_refusals_moment_works_and_no_earlier_one(
        (units, sms, burst, steps) in buckets(),
        cost in 0_u64..2000,
    ) {
        let mut bucket = TokenBucket::new(ns(7), rate(units, sms), work(burst));
        let mut now = 7;
        for step in steps {
            match step {
                Step::Wait(time) => now += time,
                Step::Ask(cost) => drop(bucket.charge(ns(now), work(cost))),
                Step::Settle(_, actual) => {
                    let charge = bucket.charge(ns(now), work(0));
                    bucket.settle(ns(now), charge, work(actual));
                }
            }
        }
        match bucket.check(ns(now), work(cost)) {
            Answer::Go(()) => prop_assert!(bucket.available(ns(now)) >= work(cost)),
            Answer::NotUntil(moment) => {
                prop_assert!(moment > ns(now));
                let before = ns(moment.get() - 1);
                prop_assert_eq!(bucket.check(before, work(cost)), Answer::NotUntil(moment));
                prop_assert!(matches!(bucket.ask(moment, work(cost)), Answer::Go(_)));
            }
            Answer::Never(Never::ExceedsBurst { asked, burst: most }) => {
                prop_assert!(asked > most);
                prop_assert_eq!((asked, most), (work(cost), work(burst)));
            }
            Answer::Never(Never::NoRate { .. }) => {
                prop_assert_eq!(units * u64::from(sms), 0);
                let end = bucket.check(ns(u64::MAX), work(cost));
                prop_assert!(matches!(end, Answer::Never(_)));
            }
        }
    }

    /// Filling in many small steps is filling in one.
    #[test]
    fn nothing_drifts(units in 0_u64..=1_000_000_000, waits in prop::collection::vec(0_u64..50, 0..200)) {
        let burst = work(1_000_000);
        let mut often = TokenBucket::new(ns(0), rate(units, 3), burst);
        drop(often.charge(ns(0), burst));
        let once = often.clone();
        let mut now = 0;
        for wait in waits {
            now += wait;
            drop(often.charge(ns(now), work(0)));
        }
        let late = ns(now + 1_000_000);
        prop_assert_eq!(often.available(late), once.available(late));
        prop_assert_eq!(often.check(ns(now), burst), once.check(ns(now), burst));
    }

    #[test]
    fn no_number_panics(
        share in 0_u64..=1_000_000_000,
        sms: u32,
        burst: u64,
        asks: Vec<(u64, u64, u64)>,
    ) {
        let mut bucket = TokenBucket::new(ns(0), rate(share, sms), work(burst));
        for (now, cost, actual) in asks {
            let _ = bucket.ask(ns(now), work(cost));
            let charge = bucket.charge(ns(now), work(cost));
            bucket.settle(ns(now), charge, work(actual));
            let _ = (bucket.debt(ns(now)), bucket.available(ns(u64::MAX)));
        }
    }
}

#[test]
fn debt_is_repaid_before_more_is_let_through() {
    // A tenth of 10 multiprocessors: one SM·ns a nanosecond.
    let mut bucket = TokenBucket::new(ns(0), rate(100_000_000, 10), work(100));
    let Answer::Go(charge) = bucket.ask(ns(0), work(100)) else {
        panic!("a full bucket")
    };
    bucket.settle(ns(50), charge, work(300));
    assert_eq!(bucket.debt(ns(50)), work(150));
    assert_eq!(bucket.check(ns(50), work(0)), Answer::NotUntil(ns(200)));
    assert_eq!(bucket.check(ns(50), work(10)), Answer::NotUntil(ns(210)));
}

#[test]
fn what_was_not_used_comes_back() {
    let mut bucket = TokenBucket::new(ns(0), Rate::default(), work(100));
    let Answer::Go(charge) = bucket.ask(ns(0), work(100)) else {
        panic!("a full bucket")
    };
    assert_eq!(charge.predicted(), work(100));
    bucket.settle(ns(9), charge, work(30));
    assert_eq!(bucket.available(ns(9)), work(70));
    assert_eq!(
        bucket.check(ns(9), work(71)),
        Answer::Never(Never::NoRate {
            asked: work(71),
            available: work(70)
        })
    );
}

#[test]
fn a_rate_holds_from_when_it_is_set() {
    let mut bucket = TokenBucket::new(ns(0), rate(500_000_000, 2), work(100));
    drop(bucket.charge(ns(0), work(100)));
    bucket.set_rate(ns(10), rate(1_000_000_000, 2));
    assert_eq!(bucket.available(ns(20)), work(30));
    // Time that goes back changes nothing.
    assert_eq!(bucket.available(ns(5)), work(10));
    assert_eq!(bucket.check(ns(5), work(30)), Answer::NotUntil(ns(20)));
}

#[test]
fn more_than_the_burst_is_never_let_through() {
    let bucket = TokenBucket::new(ns(0), rate(1_000_000_000, 132), work(100));
    let Answer::Never(why) = bucket.check(ns(0), work(101)) else {
        panic!("more than there ever is")
    };
    assert_eq!(
        why.to_string(),
        "asked for 101 SM·ns at once, of at most 100 SM·ns"
    );
}
