//! Nobody gets more than their share, or less.

use super::*;
use proptest::prelude::*;

const fn ns(value: u64) -> Nanoseconds {
    Nanoseconds::new(value)
}

proptest! {
    /// While all want more, nobody is a grant ahead of their share, or behind it.
    #[test]
    fn nobody_is_more_than_a_grant_off_their_share(
        weights in prop::collection::vec(1_u32..100, 1..8),
        lengths in prop::collection::vec(1_u64..1000, 1..300),
    ) {
        let mut queue = FairQueue::default();
        let mut standings = Standings::default();
        let mut served = vec![0_u64; weights.len()];
        let all: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
        let longest = 1000;
        for (who, &weight) in (0..).zip(&weights) {
            standings.join(who, weight);
            queue.insert(who, Nanoseconds::new(lengths[0]), &mut standings);
        }
        for &length in &lengths {
            let who = queue.first(&mut standings).unwrap();
            let time = standings.of[who as usize].next;
            queue.grant(who, time, &mut standings);
            served[who as usize] += time.get();
            queue.insert(who, Nanoseconds::new(length), &mut standings);
            let total: u64 = served.iter().sum();
            for (&got, &weight) in served.iter().zip(&weights) {
                // Compared as products, so that nothing is rounded.
                let got = u128::from(got * all);
                let due = u128::from(total * u64::from(weight));
                let grant = u128::from(longest * all);
                prop_assert!(got <= due + grant && due <= got + grant, "{served:?}");
            }
        }
    }
}

/// What a round of grants, each of which took so much less than was charged, leaves
/// to each of two that stay, and to one that comes late.
fn shares_with_one_who_comes_late(unused: u64) -> [u64; 3] {
    let mut queue = FairQueue::default();
    let mut standings = Standings::default();
    let mut served = [0; 3];
    for who in 0..3 {
        standings.join(who, 1);
    }
    queue.insert(0, ns(10), &mut standings);
    queue.insert(1, ns(10), &mut standings);
    for round in 0..2000 {
        if round == 1000 {
            served = [0; 3];
            queue.insert(2, ns(10), &mut standings);
        }
        let who = queue.first(&mut standings).unwrap();
        queue.grant(who, ns(10), &mut standings);
        queue.settle(who, (ns(10), ns(10 - unused)), &mut standings);
        served[who as usize] += 1;
        queue.insert(who, ns(10), &mut standings);
    }
    served
}

/// Those who stay keep their shares to a grant, however much of what was charged is
/// not used: time does not run ahead of them, so that none goes before it is due.
#[test]
fn what_is_not_used_lets_nobody_go_ahead() {
    let mut queue = FairQueue::default();
    let mut standings = Standings::default();
    let mut served = [0_u64; 9];
    // One with half of all, who could have half of all turns at once if all could go.
    let weight = |who: u32| if who == 0 { 8 } else { 1 };
    for who in 0..9 {
        standings.join(who, weight(who));
        queue.insert(who, ns(10), &mut standings);
    }
    for turn in 1..2000 {
        let who = queue.first(&mut standings).unwrap();
        queue.grant(who, ns(10), &mut standings);
        queue.settle(who, (ns(10), ns(5)), &mut standings);
        served[who as usize] += 1;
        queue.insert(who, ns(10), &mut standings);
        assert!(served[0].abs_diff(turn / 2) <= 2, "{} of {turn}", served[0]);
    }
}

#[test]
fn who_comes_late_neither_waits_for_others_nor_passes_them() {
    for unused in [0, 1, 9] {
        for turns in shares_with_one_who_comes_late(unused) {
            assert!(
                (320..=347).contains(&turns),
                "{turns} of 1000, {unused} unused"
            );
        }
    }
}

/// Time is ahead of those who stay where one went between a grant and its end.
#[test]
fn who_comes_late_does_not_wait_for_a_time_that_went_ahead() {
    let mut queue = FairQueue::default();
    let mut standings = Standings::default();
    for who in 0..3 {
        standings.join(who, 1);
    }
    queue.insert(0, ns(10), &mut standings);
    for _ in 0..1000 {
        // Granted alone, and corrected beside another that has come meanwhile.
        let who = queue.first(&mut standings).unwrap();
        queue.grant(who, ns(10), &mut standings);
        queue.insert(1, ns(10), &mut standings);
        queue.settle(who, (ns(10), ns(1)), &mut standings);
        queue.remove(1, &mut standings);
        queue.insert(who, ns(10), &mut standings);
    }
    queue.insert(2, ns(10), &mut standings);
    let mut turns = [0; 3];
    for _ in 0..100 {
        let who = queue.first(&mut standings).unwrap();
        queue.grant(who, ns(10), &mut standings);
        queue.insert(who, ns(10), &mut standings);
        turns[who as usize] += 1;
    }
    assert!(turns[2] >= 48, "{turns:?}");
}

/// One that is away now and then changes nothing between two that stay.
#[test]
fn who_comes_and_goes_disturbs_nobody_elses_shares() {
    let mut queue = FairQueue::default();
    let mut standings = Standings::default();
    let mut served = [0_u64; 3];
    for (who, weight) in (0..).zip([2, 3, 3]) {
        standings.join(who, weight);
        queue.insert(who, ns(10), &mut standings);
    }
    let mut back = None;
    for round in 0..5000 {
        if back == Some(round) {
            queue.insert(2, ns(10), &mut standings);
            back = None;
        }
        let who = queue.first(&mut standings).unwrap();
        queue.grant(who, ns(10), &mut standings);
        served[who as usize] += 1;
        if who == 2 {
            back = Some(round + 5);
        } else {
            queue.insert(who, ns(10), &mut standings);
        }
    }
    assert!(served[2] > 500);
    assert!((served[0] * 3).abs_diff(served[1] * 2) <= 6, "{served:?}");
}

#[test]
fn who_wanted_nothing_has_saved_a_grant_at_most() {
    let mut queue = FairQueue::default();
    let mut standings = Standings::default();
    let ten = Nanoseconds::new(10);
    for who in [0, 1] {
        standings.join(who, 1);
    }
    queue.insert(0, ten, &mut standings);
    for _ in 0..100 {
        assert_eq!(queue.first(&mut standings), Some(0));
        queue.grant(0, ten, &mut standings);
        queue.insert(0, ten, &mut standings);
    }
    queue.insert(1, ten, &mut standings);
    let mut turns = [0, 0];
    for _ in 0..10 {
        let who = queue.first(&mut standings).unwrap();
        turns[who as usize] += 1;
        queue.grant(who, ten, &mut standings);
        queue.insert(who, ten, &mut standings);
    }
    assert!(turns[1] <= 6, "{turns:?}");
}
