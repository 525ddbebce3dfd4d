//! What is counted from outside: caps in every window, moments, shares whoever comes
//! first.

use super::client::{ClientKey, ClientSpec};
use super::config::TimeConfig;
use super::group::GroupSpec;
use super::share::TimeShare;
use super::turn::{GrantKey, Turn};
use crate::scheduler::Policy;
use crate::units::{Nanoseconds, Share};
use proptest::prelude::*;

const PERIOD: u64 = 10_000;
const SLICE: u64 = 100;

const fn ns(value: u64) -> Nanoseconds {
    Nanoseconds::new(value)
}

fn share(percent: u64) -> Share {
    Share::from_ratio(percent, 100).unwrap()
}

fn time_share(window: u64) -> TimeShare {
    let config = TimeConfig {
        slice: ns(SLICE),
        window: ns(window),
        longest: ns(5 * SLICE),
        period: ns(PERIOD),
        best_effort_floor: Share::ZERO,
    };
    TimeShare::new(config, ns(0))
}

/// Two groups of two members each, and what is capped: each group and each member.
#[derive(Clone, Copy, Debug)]
struct Caps {
    groups: [u64; 2],
    members: [u64; 4],
}

fn caps() -> impl Strategy<Value = Caps> {
    let cap = || prop_oneof![1 => Just(100), 3 => 1..100_u64];
    (prop::array::uniform2(cap()), prop::array::uniform4(cap()))
        .prop_map(|(groups, members)| Caps { groups, members })
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Want(usize, u64),
    Next,
    /// After how much of its time a grant comes back, in percent.
    Done(usize, u64),
    Pass(u64),
    /// Until somebody may go again.
    PassOn,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        2 => (0..4_usize, 1..3000_u64).prop_map(|(who, time)| Op::Want(who, time)),
        6 => Just(Op::Next),
        5 => (0..4_usize, 0..=100_u64).prop_map(|(at, part)| Op::Done(at, part)),
        2 => (0..2000_u64).prop_map(Op::Pass),
        2 => Just(Op::PassOn),
    ];
    prop::collection::vec(op, 0..400)
}

/// Time granted to somebody, and when; what of it was not used comes off.
#[derive(Clone, Copy, Debug)]
struct Use {
    who: usize,
    at: u64,
    time: u64,
}

/// Plays ops; says who used how much when.
fn play(caps: Caps, pieces: [u64; 4], ops: &[Op]) -> Vec<Use> {
    let mut share_out = time_share(3 * SLICE);
    let mut clients = Vec::new();
    for (who, (&cap, &piece)) in caps.members.iter().zip(&pieces).enumerate() {
        if who % 2 == 0 {
            let spec = GroupSpec {
                cap: share(caps.groups[who / 2]),
                ..GroupSpec::default()
            };
            let group = share_out.open(ns(0), spec).unwrap();
            clients.push((group, None));
            clients.push((group, None));
        }
        let spec = ClientSpec {
            policy: Policy::Burstable,
            cap: share(cap),
            piece: ns(piece),
            ..ClientSpec::default()
        };
        let client = share_out.join_in(ns(0), clients[who].0, spec).unwrap();
        clients[who].1 = Some(client);
    }
    let clients: Vec<ClientKey> = clients.into_iter().filter_map(|(_, key)| key).collect();
    let mut now = 0;
    let mut uses: Vec<Use> = Vec::new();
    let mut out: Vec<(GrantKey, usize)> = Vec::new();
    for &op in ops {
        match op {
            Op::Want(who, time) => share_out.want(ns(now), clients[who], ns(time)),
            Op::Next => {
                if let Turn::Run {
                    client,
                    grant,
                    time,
                } = share_out.next(ns(now))
                {
                    let who = clients.iter().position(|&each| each == client).unwrap();
                    out.push((grant, uses.len()));
                    let (at, time) = (now, time.get());
                    uses.push(Use { who, at, time });
                }
            }
            Op::Done(at, part) if !out.is_empty() => {
                let (grant, number) = out.remove(at % out.len());
                let time = &mut uses[number].time;
                *time = *time * part / 100;
                share_out.done(ns(now), grant, ns(*time));
            }
            Op::Done(..) => {}
            Op::Pass(time) => now += time,
            Op::PassOn => {
                if let Some(moment) = share_out.next_wake() {
                    now = now.max(moment.get());
                }
            }
        }
    }
    uses
}

/// In no window more is used than the cap's part of it and of one more period, or the
/// longest grant if that is more.
fn check_cap(uses: &[Use], cap: u64, longest: u64) -> Result<(), TestCaseError> {
    if cap == 100 {
        return Ok(());
    }
    let burst = (PERIOD * cap / 100).max(longest);
    for from in 0..uses.len() {
        let mut sum = 0;
        for each in &uses[from..] {
            sum += each.time;
            // Compared as products, so that nothing is rounded.
            let window = each.at - uses[from].at;
            prop_assert!(sum * 100 <= window * cap + burst * 100, "{sum} in {window}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn caps_hold_in_every_window(
        caps in caps(),
        pieces in prop::array::uniform4(prop_oneof![Just(0), 0..600_u64]),
        ops in ops(),
    ) {
        let uses = play(caps, pieces, &ops);
        let longest = |who: usize| pieces[who].clamp(SLICE, 5 * SLICE);
        for (who, &cap) in caps.members.iter().enumerate() {
            let of_member: Vec<_> = uses.iter().filter(|each| each.who == who).copied().collect();
            check_cap(&of_member, cap, longest(who))?;
        }
        for (group, &cap) in caps.groups.iter().enumerate() {
            let members = 2 * group..2 * group + 2;
            let of_group = uses.iter().filter(|each| members.contains(&each.who));
            let of_group: Vec<_> = of_group.copied().collect();
            check_cap(&of_group, cap, members.map(longest).max().unwrap())?;
        }
    }

    /// Nobody may go before the moment that is named, and somebody may then.
    #[test]
    fn the_moment_of_a_refusal_works(
        cap in 1..100_u64,
        group_cap in Just(100_u64),
        wants in prop::collection::vec((0..2_usize, 1..400_u64, 0..50_u64), 1..100),
    ) {
        let mut share_out = time_share(SLICE);
        let spec = GroupSpec { cap: share(group_cap), ..GroupSpec::default() };
        let group = share_out.open(ns(0), spec).unwrap();
        let members = [cap, 100 - cap].map(|cap| {
            let spec = ClientSpec { cap: share(cap), ..ClientSpec::default() };
            share_out.join_in(ns(0), group, spec).unwrap()
        });
        let mut now = 0;
        for (who, time, pass) in wants {
            share_out.want(ns(now), members[who], ns(time));
            loop {
                match share_out.next(ns(now)) {
                    Turn::Run { grant, time, .. } => share_out.done(ns(now), grant, time),
                    Turn::NotUntil(moment) => {
                        prop_assert!(moment > ns(now));
                        let before = ns(moment.get() - 1);
                        prop_assert_eq!(share_out.next(before), Turn::NotUntil(moment));
                        now = moment.get();
                        let then = share_out.next(ns(now));
                        let Turn::Run { grant, time, .. } = then else {
                            return Err(TestCaseError::fail(format!("{then:?} at {moment}")));
                        };
                        share_out.done(ns(now), grant, time);
                    }
                    Turn::Idle => break,
                    Turn::Full => panic!("nothing is out"),
                }
            }
            now += pass;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Who came first makes no difference to what anybody gets, but for some slices at the
    /// beginning, when budgets and caps are full: no more of them however long it takes.
    #[test]
    fn another_order_of_clients_changes_no_share(
        specs in prop::collection::vec((1..9_u32, 0..16_u64, prop_oneof![Just(100), 20..100_u64]), 2..6),
        turn in 1..6_usize,
    ) {
        let served = |order: &[usize]| {
            let mut share_out = time_share(SLICE);
            let mut who = std::collections::BTreeMap::new();
            for &number in order {
                let (weight, floor, cap) = specs[number];
                let spec = ClientSpec {
                    policy: Policy::Burstable,
                    weight,
                    floor: share(floor),
                    cap: share(cap),
                    ..ClientSpec::default()
                };
                let client = share_out.join(ns(0), spec).unwrap();
                who.insert(client, number);
                share_out.want(ns(0), client, ns(1 << 40));
            }
            let mut now = 0;
            let mut served = vec![0_u64; order.len()];
            while now < 60 * PERIOD {
                match share_out.next(ns(now)) {
                    Turn::Run { client, grant, time } => {
                        served[who[&client]] += time.get();
                        now += time.get();
                        share_out.done(ns(now), grant, time);
                    }
                    Turn::NotUntil(moment) => now = moment.get(),
                    Turn::Full | Turn::Idle => panic!("all want more, nothing is out"),
                }
            }
            served
        };
        let first: Vec<_> = (0..specs.len()).collect();
        let mut other = first.clone();
        other.rotate_left(turn % specs.len());
        other.swap(0, specs.len() - 1);
        for (one, another) in served(&first).into_iter().zip(served(&other)) {
            let most = 4 * SLICE * specs.len() as u64;
            prop_assert!(one.abs_diff(another) <= most, "{one} or {another}");
        }
    }
}
