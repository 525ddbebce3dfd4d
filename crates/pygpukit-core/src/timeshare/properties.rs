//! What holds for groups and their members, whatever happens.

use super::client::{ClientKey, ClientSpec, Place};
use super::config::TimeConfig;
use super::group::{GroupKey, GroupSpec};
use super::share::TimeShare;
use super::turn::{GrantKey, Turn};
use crate::scheduler::Policy;
use crate::units::{Nanoseconds, Share};
use proptest::prelude::*;
use std::collections::BTreeMap;

const fn ns(value: u64) -> Nanoseconds {
    Nanoseconds::new(value)
}

fn share(percent: u64) -> Share {
    Share::from_ratio(percent, 100).unwrap()
}

/// Slices of 100 ns, two ahead, 500 ns for what cannot be cut, periods of 10,000 ns.
fn config(best_effort_percent: u64) -> TimeConfig {
    TimeConfig {
        slice: ns(100),
        window: ns(200),
        longest: ns(500),
        period: ns(10_000),
        best_effort_floor: share(best_effort_percent),
    }
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Open(GroupSpec),
    Change(usize, GroupSpec),
    Close(usize),
    Join(usize, ClientSpec),
    JoinAlone(ClientSpec),
    Leave(usize),
    Want(usize, u64),
    WantNoMore(usize),
    Next,
    Done(usize, u64),
    Pass(u64),
}

fn group_spec() -> impl Strategy<Value = GroupSpec> {
    (
        -1..2_i32,
        1..5_u32,
        prop_oneof![Just(0), 0..60_u64],
        prop_oneof![Just(100), 60..100_u64],
        prop::option::weighted(0.1, 2_000..20_000_u64),
    )
        .prop_map(|(priority, weight, floor, cap, period)| GroupSpec {
            priority,
            weight,
            floor: share(floor),
            cap: share(cap),
            period: period.map(ns),
        })
}

fn client_spec() -> impl Strategy<Value = ClientSpec> {
    (
        any::<bool>(),
        -1..2_i32,
        1..5_u32,
        prop_oneof![Just(0), 0..50_u64],
        prop_oneof![Just(100), 50..100_u64],
        prop::option::weighted(0.1, 2_000..20_000_u64),
        prop_oneof![Just(0), 0..600_u64],
    )
        .prop_map(
            |(best_effort, priority, weight, floor, cap, period, piece)| ClientSpec {
                policy: if best_effort {
                    Policy::BestEffort
                } else {
                    Policy::Burstable
                },
                priority,
                weight,
                floor: share(if best_effort { 0 } else { floor }),
                cap: share(cap),
                period: period.map(ns),
                piece: ns(piece),
            },
        )
}

fn op() -> impl Strategy<Value = Op> {
    let which = 0..8_usize;
    prop_oneof![
        1 => group_spec().prop_map(Op::Open),
        1 => (which.clone(), group_spec()).prop_map(|(at, spec)| Op::Change(at, spec)),
        1 => which.clone().prop_map(Op::Close),
        2 => (which.clone(), client_spec()).prop_map(|(at, spec)| Op::Join(at, spec)),
        1 => client_spec().prop_map(Op::JoinAlone),
        1 => which.clone().prop_map(Op::Leave),
        6 => (which.clone(), 1..2_000_u64).prop_map(|(at, time)| Op::Want(at, time)),
        1 => which.clone().prop_map(Op::WantNoMore),
        8 => Just(Op::Next),
        8 => (which, 0..300_u64).prop_map(|(at, used)| Op::Done(at, used)),
        3 => (0..5_000_u64).prop_map(Op::Pass),
    ]
}

/// A time share, and what is known of it from outside.
struct Model {
    share: TimeShare,
    now: Nanoseconds,
    groups: Vec<GroupKey>,
    /// What each wants.
    clients: BTreeMap<ClientKey, u64>,
    grants: Vec<(GrantKey, ClientKey, u64)>,
}

impl Model {
    fn new(best_effort_percent: u64) -> Self {
        Self {
            share: TimeShare::new(config(best_effort_percent), ns(0)),
            now: ns(0),
            groups: Vec::new(),
            clients: BTreeMap::new(),
            grants: Vec::new(),
        }
    }

    fn client(&self, at: usize) -> Option<ClientKey> {
        let len = self.clients.len().max(1);
        self.clients.keys().nth(at % len).copied()
    }

    fn group(&self, at: usize) -> Option<GroupKey> {
        let len = self.groups.len().max(1);
        self.groups.get(at % len).copied()
    }

    fn play(&mut self, op: Op) {
        let now = self.now;
        match op {
            Op::Open(spec) => self.groups.extend(self.share.open(now, spec)),
            Op::Change(at, spec) => {
                if let Some(group) = self.group(at) {
                    let _ = self.share.change(now, group, spec);
                }
            }
            Op::Close(at) => {
                if let Some(group) = self.group(at) {
                    self.share.close(group);
                    self.groups.retain(|&each| each != group);
                }
            }
            Op::Join(at, spec) => {
                if let Some(group) = self.group(at)
                    && let Ok(client) = self.share.join_in(now, group, spec)
                {
                    self.clients.insert(client, 0);
                }
            }
            Op::JoinAlone(spec) => {
                if let Ok(client) = self.share.join(now, spec) {
                    self.clients.insert(client, 0);
                }
            }
            Op::Leave(at) => {
                if let Some(client) = self.client(at) {
                    self.share.leave(now, client);
                    self.clients.remove(&client);
                }
            }
            Op::Want(at, time) => {
                if let Some(client) = self.client(at) {
                    self.share.want(now, client, ns(time));
                    *self.clients.get_mut(&client).unwrap() += time;
                }
            }
            Op::WantNoMore(at) => {
                if let Some(client) = self.client(at) {
                    let wanted = self.share.want_no_more(now, client);
                    assert_eq!(self.clients.insert(client, 0), Some(wanted.get()));
                }
            }
            Op::Next => {
                let _ = self.next();
            }
            Op::Done(at, used) => {
                if !self.grants.is_empty() {
                    let (grant, _, _) = self.grants.remove(at % self.grants.len());
                    self.share.done(now, grant, ns(used));
                }
            }
            Op::Pass(time) => self.now = self.now.saturating_add(ns(time)),
        }
    }

    fn next(&mut self) -> Turn {
        let turn = self.share.next(self.now);
        match turn {
            Turn::Run {
                client,
                grant,
                time,
            } => {
                let wanted = self.clients.get_mut(&client).expect("it has not gone");
                assert!(time.get() > 0 && time.get() <= *wanted);
                *wanted -= time.get();
                self.grants.push((grant, client, time.get()));
            }
            Turn::NotUntil(moment) => assert!(moment > self.now),
            Turn::Full => assert!(!self.grants.is_empty()),
            Turn::Idle => assert!(self.clients.values().all(|&wanted| wanted == 0)),
        }
        turn
    }

    /// Runs all that is wanted.
    fn drain(&mut self) {
        loop {
            match self.next() {
                Turn::Run { .. } => {}
                Turn::NotUntil(moment) => self.now = moment,
                Turn::Full => {
                    let (grant, _, time) = self.grants.remove(0);
                    self.now = self.now.saturating_add(ns(time));
                    self.share.done(self.now, grant, ns(time));
                }
                Turn::Idle => return,
            }
        }
    }

    fn check(&self) {
        let share = &self.share;
        let out: u64 = self.grants.iter().map(|&(_, _, time)| time).sum();
        assert_eq!(share.in_flight(), ns(out));
        let mut promised = share.config.best_effort_floor.units();
        for (slot, group) in share.groups.iter() {
            let members: Vec<_> = share
                .clients
                .iter()
                .filter(|(_, client)| client.group == slot)
                .map(|(_, client)| client)
                .collect();
            let places = |place| members.iter().filter(|each| each.place == place).count();
            assert_eq!(group.members as usize, members.len());
            assert_eq!(group.waiting as usize, places(Place::Banded));
            assert_eq!(group.served.len(), places(Place::Served));
            let own: u64 = members
                .iter()
                .filter_map(|each| Some(each.promise?.share.units()))
                .sum();
            assert_eq!(group.promised, own);
            promised += own + group.promise.map_or(0, |promise| promise.share.units());
        }
        assert!(promised <= Share::ONE.units(), "{promised}");
        assert_eq!(share.promises.total(), promised);
    }
}

proptest! {
    #[test]
    fn whatever_happens_the_counts_are_right_and_all_that_is_wanted_is_had(
        floor in prop_oneof![Just(0), 0..30_u64],
        ops in prop::collection::vec(op(), 0..300),
    ) {
        let mut model = Model::new(floor);
        for op in ops {
            model.play(op);
            model.check();
        }
        model.drain();
        model.check();
        while let Some((grant, _, _)) = model.grants.pop() {
            model.share.done(model.now, grant, ns(0));
        }
        for client in std::mem::take(&mut model.clients).into_keys() {
            model.share.leave(model.now, client);
        }
        for group in std::mem::take(&mut model.groups) {
            model.share.close(group);
        }
        model.check();
        prop_assert_eq!(model.share.groups.len(), 0);
        prop_assert_eq!(model.share.clients.len(), 0);
        prop_assert_eq!(model.share.promises.total(), share(floor).units());
    }

    /// Groups of one priority that want everything get what is left over by their
    /// weights, whatever their members do.
    #[test]
    fn groups_get_their_weights_and_members_theirs(
        groups in prop::collection::vec((1..8_u32, prop::collection::vec(1..8_u32, 1..5)), 1..5),
        rounds in 50..400_usize,
    ) {
        let mut model = Model::new(0);
        let mut members = Vec::new();
        for (at, (weight, of_members)) in groups.iter().enumerate() {
            let spec = GroupSpec { weight: *weight, ..GroupSpec::default() };
            let group = model.share.open(ns(0), spec).unwrap();
            for &weight in of_members {
                let spec = ClientSpec { weight, ..ClientSpec::default() };
                let client = model.share.join_in(ns(0), group, spec).unwrap();
                model.clients.insert(client, 1 << 40);
                model.share.want(ns(0), client, ns(1 << 40));
                members.push((client, at, weight));
            }
        }
        let mut got = BTreeMap::<ClientKey, u64>::new();
        for _ in 0..rounds {
            let Turn::Run { client, grant, time } = model.next() else {
                panic!("all want more");
            };
            *got.entry(client).or_default() += time.get();
            model.grants.clear();
            model.share.done(ns(0), grant, time);
        }
        let of_group = |at| -> u64 {
            let members = members.iter().filter(|&&(_, group, _)| group == at);
            members.filter_map(|(client, _, _)| got.get(client)).sum()
        };
        let all: u64 = groups.iter().map(|&(weight, _)| u64::from(weight)).sum();
        let total: u64 = got.values().sum();
        for (at, (weight, of_members)) in groups.iter().enumerate() {
            let due = total * u64::from(*weight) / all;
            prop_assert!(of_group(at).abs_diff(due) <= 101, "{} for {due}", of_group(at));
            let within: u64 = of_members.iter().map(|&weight| u64::from(weight)).sum();
            for &(client, _, weight) in members.iter().filter(|&&(_, group, _)| group == at) {
                let due = of_group(at) * u64::from(weight) / within;
                let had = got.get(&client).copied().unwrap_or(0);
                prop_assert!(had.abs_diff(due) <= 101, "{had} for {due}");
            }
        }
    }

    /// A group gets what was promised to it, and no more than its cap in any span,
    /// whoever of it works and whatever others want.
    #[test]
    fn groups_get_their_floors_and_keep_their_caps(
        floor in 5..50_u64,
        cap in 50..95_u64,
        member_floor in 0..5_u64,
        idle in any::<bool>(),
        others in prop::collection::vec(client_spec(), 1..4),
    ) {
        let mut model = Model::new(0);
        let spec = GroupSpec { floor: share(floor), cap: share(cap), ..GroupSpec::default() };
        let group = model.share.open(ns(0), spec).unwrap();
        let promised = ClientSpec { floor: share(member_floor), ..ClientSpec::default() };
        let mut members = Vec::new();
        for spec in [promised, ClientSpec::default(), ClientSpec::default()] {
            members.push(model.share.join_in(ns(0), group, spec).unwrap());
        }
        let mut wanting = members.clone();
        if idle {
            wanting.remove(0);
        }
        for spec in others {
            let spec = ClientSpec { piece: ns(0), period: None, ..spec };
            wanting.extend(model.share.join(ns(0), spec));
        }
        for &client in &wanting {
            model.clients.insert(client, 1 << 40);
            model.share.want(ns(0), client, ns(1 << 40));
        }
        let mut uses = Vec::new();
        while model.now < ns(300_000) {
            match model.next() {
                Turn::Run { .. } => {
                    let (_, client, time) = *model.grants.last().unwrap();
                    if members.contains(&client) {
                        uses.push((model.now.get(), time));
                    }
                }
                Turn::NotUntil(moment) => model.now = moment,
                Turn::Full | Turn::Idle => {
                    let (grant, _, time) = model.grants.remove(0);
                    model.now = model.now.saturating_add(ns(time));
                    model.share.done(model.now, grant, ns(time));
                }
            }
        }
        let all: u64 = uses.iter().map(|&(_, time)| time).sum();
        let mut due = 300_000 / 100 * floor;
        if idle {
            // What a member was promised for itself and leaves is for everybody.
            due -= 300_000 / 100 * member_floor;
        }
        prop_assert!(all + 10_000 * floor / 100 + 300 >= due, "{all} of {due}");
        for (from, &(start, _)) in uses.iter().enumerate() {
            let mut sum = 0;
            for &(at, time) in &uses[from..] {
                sum += time;
                let most = (at - start + 10_000) * cap / 100 + 100;
                prop_assert!(sum <= most, "{sum} within {}", at - start);
            }
        }
    }
}

#[test]
fn priorities_of_groups_go_before_those_of_members() {
    let mut model = Model::new(0);
    let mut join = |group, client| {
        let group = GroupSpec {
            priority: group,
            ..GroupSpec::default()
        };
        let group = model.share.open(ns(0), group).unwrap();
        let spec = ClientSpec {
            policy: Policy::Burstable,
            priority: client,
            ..ClientSpec::default()
        };
        let client = model.share.join_in(ns(0), group, spec).unwrap();
        model.clients.insert(client, 100);
        model.share.want(ns(0), client, ns(100));
        client
    };
    let order = [join(0, 9), join(1, 0), join(0, 10)];
    let mut turns = Vec::new();
    while let Turn::Run { client, grant, .. } = model.next() {
        turns.push(client);
        model.share.done(ns(0), grant, ns(100));
        model.grants.clear();
    }
    assert_eq!(turns, [order[1], order[2], order[0]]);
}
