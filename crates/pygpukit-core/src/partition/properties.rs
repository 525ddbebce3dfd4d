//! What holds for partitions whatever happens.

use super::*;
use crate::id::{TaskId, TenantId};
use crate::ledger::{Amount, Resource};
use crate::scheduler::{
    Actions, Config, Event, MemoryAsk, Request, Scheduler, TaskSpec, TenantSpec,
};
use crate::units::{Bytes, Nanoseconds, Share};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

const NOW: Nanoseconds = Nanoseconds::ZERO;

fn splits() -> impl Strategy<Value = Split> {
    let sms = 0_u32..300;
    prop_oneof![
        (sms.clone(), 1_u32..20)
            .prop_map(|(sms, group)| { Split::new(sms, NonZeroU32::new(group).unwrap()) }),
        sms.prop_map(Split::fine),
    ]
}

/// Parts of a whole, of which the last may be nobody's.
fn shares() -> impl Strategy<Value = Vec<Share>> {
    let parts = prop::collection::vec(1_u64..100, 1..20);
    (parts, 0_u64..200).prop_map(|(parts, rest)| {
        let whole = parts.iter().sum::<u64>() + rest;
        let share = |&part: &u64| Share::from_ratio(part, whole).unwrap();
        parts.iter().map(share).collect()
    })
}

proptest! {
    #[test]
    fn nobody_gets_less_than_they_ask_for_by_a_group(split in splits(), shares in shares()) {
        let divided = split.divide(&shares).unwrap();
        let one = Share::ONE.units();
        let group = u64::from(split.group());
        for (share, groups) in shares.iter().zip(&divided) {
            let asked = share.units() * u64::from(split.sms());
            let granted = u64::from(*groups) * group * one;
            prop_assert!(granted + group * one > asked);
            prop_assert!(granted < asked + group * one);
        }
        prop_assert_eq!(divided.len(), shares.len());
        prop_assert!(divided.iter().sum::<u32>() <= split.groups());
        // What nobody asks for is not given away by more than one group.
        let left = u64::from(split.groups() - divided.iter().sum::<u32>()) * group * one;
        let rest = one - shares.iter().map(|share| share.units()).sum::<u64>();
        prop_assert!(left + group * one > rest * u64::from(split.sms()));
    }

    #[test]
    fn equal_shares_get_equal_numbers_of_groups_apart_from_one(split in splits(), n in 1_u64..30) {
        let divided = split.divide(&vec![Share::from_ratio(1, n).unwrap(); usize::try_from(n).unwrap()]).unwrap();
        prop_assert_eq!(divided.iter().sum::<u32>(), split.groups());
        prop_assert!(divided.is_sorted_by(|former, later| former >= later));
        prop_assert!(divided[0] - divided[divided.len() - 1] <= 1);
    }

    #[test]
    fn whole_groups_are_granted_exactly(
        parts in prop::collection::vec(1_u32..6, 1..8),
        rest in 0_u32..6,
        group in 1_u32..20,
        left_over in 0_u32..20,
    ) {
        let groups = parts.iter().sum::<u32>() + rest;
        let split = Split::new(groups * group + left_over % group, NonZeroU32::new(group).unwrap());
        let share = |part: &u32| split.share_of(part * group).unwrap();
        prop_assert_eq!(split.divide(&parts.iter().map(share).collect::<Vec<_>>()), Ok(parts.clone()));
        for part in &parts {
            prop_assert_eq!(split.sms_of(share(part)), part * group);
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Create(u64, u64, u64),
    Resize(u64, u64, u64),
    Delete(u64, bool),
    Submit(u64, u64),
    Finish(usize),
    Drain(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let who = || 1_u64..6;
    let step = prop_oneof![
        4 => (who(), 0_u64..60, 0_u64..500).prop_map(|(who, part, memory)| Step::Create(who, part, memory)),
        3 => (who(), 0_u64..60, 0_u64..500).prop_map(|(who, part, memory)| Step::Resize(who, part, memory)),
        2 => (who(), any::<bool>()).prop_map(|(who, cancel)| Step::Delete(who, cancel)),
        5 => (who(), 1_u64..200).prop_map(|(who, memory)| Step::Submit(who, memory)),
        4 => any::<usize>().prop_map(Step::Finish),
        2 => (0_u64..6).prop_map(Step::Drain),
    ];
    prop::collection::vec(step, 0..120)
}

/// A device, and books of who has which groups and what was on them before.
struct Model {
    split: Split,
    scheduler: Scheduler,
    partitions: Partitions,
    actions: Actions,
    next_task: u64,
    /// Shares of multiprocessors of those that are deleted and not gone.
    going: BTreeMap<TenantId, Share>,
    /// On each group: whose it is, and whose work may run on it.
    used: Vec<(TenantId, BTreeSet<TenantId>)>,
}

impl Model {
    fn apply(&mut self, step: &Step) {
        let before = self.counts();
        let had = self.groups();
        let shares: BTreeMap<_, _> = self
            .partitions
            .iter()
            .map(|(tenant, spec)| (tenant, spec.tenant.compute))
            .collect();
        let granted = *self.scheduler.ledger().granted();
        let (partitions, scheduler) = (&mut self.partitions, &mut self.scheduler);
        let actions = &mut self.actions;
        let changed = match *step {
            Step::Create(who, part, memory) => {
                let who = TenantId::new(who);
                partitions.create(scheduler, NOW, who, spec(part, memory), actions)
            }
            Step::Resize(who, part, memory) => {
                let who = TenantId::new(who);
                partitions.resize(scheduler, NOW, who, spec(part, memory), actions)
            }
            Step::Delete(who, cancel) => {
                partitions.delete(scheduler, NOW, TenantId::new(who), cancel, actions)
            }
            Step::Submit(who, memory) => {
                let task = TaskId::new(self.next_task);
                self.next_task += 1;
                let tenant = TenantId::new(who);
                let request = Box::new(request(memory));
                let event = Event::Submit {
                    task,
                    tenant,
                    request,
                };
                let _unknown_tenants_submit_nothing = scheduler.step(NOW, event, actions);
                return;
            }
            Step::Finish(index) => {
                let task = TaskId::new(index as u64 % self.next_task.max(1));
                let held = Bytes::ZERO;
                let event = Event::Finish {
                    task,
                    failed: false,
                    held,
                };
                let _others_do_not_run = scheduler.step(NOW, event, actions);
                return;
            }
            Step::Drain(who) => {
                let who = TenantId::new(who);
                partitions.drained(who, partitions.latest_change());
                for (owner, used) in &mut self.used {
                    if *owner != who {
                        used.remove(&who);
                    }
                }
                return;
            }
        };
        if changed.is_err() {
            assert_eq!(self.counts(), before, "a refusal changes nothing");
            assert_eq!(*self.scheduler.ledger().granted(), granted);
        }
        if let (Step::Delete(who, _), Ok(_)) = (step, &changed) {
            let who = TenantId::new(*who);
            self.going.insert(who, shares[&who]);
        }
        for (tenant, groups) in self.groups() {
            let had = had.get(&tenant).cloned().unwrap_or_default();
            let kept = groups.intersection(&had).count();
            assert_eq!(
                kept,
                groups.len().min(had.len()),
                "no group moves needlessly"
            );
        }
        let concerned = match *step {
            Step::Create(who, ..) | Step::Resize(who, ..) | Step::Delete(who, _) => {
                TenantId::new(who)
            }
            Step::Submit(..) | Step::Finish(_) | Step::Drain(_) => return,
        };
        for (tenant, sms) in self.counts() {
            if let Some(had) = before.get(&tenant).filter(|_| tenant != concerned) {
                assert!(had.abs_diff(sms) <= self.split.group(), "{tenant}");
            }
        }
    }

    /// Multiprocessors of each partition that has some of its own.
    fn counts(&self) -> BTreeMap<TenantId, u32> {
        let granted = |tenant| Some((tenant, self.partitions.granted(tenant).ok()?.sms?));
        let tenants = self.partitions.iter();
        tenants.filter_map(|(tenant, _)| granted(tenant)).collect()
    }

    /// The groups of each partition.
    fn groups(&self) -> BTreeMap<TenantId, BTreeSet<u32>> {
        let groups = |tenant| self.partitions.granted(tenant).unwrap().groups;
        let tenants = self.partitions.iter();
        tenants
            .map(|(tenant, _)| (tenant, groups(tenant).into_iter().collect()))
            .collect()
    }

    fn check(&mut self) {
        self.partitions.settle(&self.scheduler);
        let scheduler = &self.scheduler;
        self.going.retain(|tenant, _| {
            let is_there = scheduler.has_tenant(*tenant);
            for (_, used) in self.used.iter_mut().filter(|_| !is_there) {
                used.remove(tenant);
            }
            is_there
        });
        let mut owners = vec![TenantId::DEFAULT; self.split.groups() as usize];
        let mut own = Amount::NOTHING;
        for (tenant, spec) in self.partitions.iter() {
            let granted = self.partitions.granted(tenant).unwrap();
            own = own.saturating_add(&granted.own);
            let sms = granted.sms.unwrap_or(0);
            assert_eq!(granted.groups.len(), (sms / self.split.group()) as usize);
            for group in granted.groups {
                let owner = &mut owners[group as usize];
                assert_eq!(*owner, TenantId::DEFAULT, "groups are disjoint");
                *owner = tenant;
            }
            let asked = spec.tenant.compute.units() * u64::from(self.split.sms());
            let granted = u64::from(sms + self.split.group()) * Share::ONE.units();
            assert!(granted > asked);
            if asked > 0 {
                assert!(sms >= self.split.group(), "whoever asks for some has some");
            }
        }
        // What is counted is what partitions have, and memory of those that are going.
        let counted = self.scheduler.ledger().granted();
        let going: u64 = self.going.values().map(|share| share.units()).sum();
        assert_eq!(
            counted.get(Resource::Compute),
            own.get(Resource::Compute) + going
        );
        assert!(counted.bytes() >= own.bytes());
        assert!(
            counted
                .exceeding(self.scheduler.ledger().capacity())
                .is_empty()
        );
        for going in self.going.keys() {
            for group in self.partitions.granted(*going).unwrap().groups {
                let owner = &mut owners[group as usize];
                assert_eq!(*owner, TenantId::DEFAULT, "groups are disjoint");
                *owner = *going;
            }
        }
        for ((known, used), owner) in self.used.iter_mut().zip(owners) {
            *known = owner;
            used.insert(owner);
        }
        for (tenant, _) in self.partitions.iter() {
            let own = self.used.iter().filter(|(owner, _)| *owner == tenant);
            let alone = own.clone().all(|(_, used)| used.len() == 1);
            assert_eq!(self.partitions.is_active(tenant), alone);
        }
    }
}

fn spec(part: u64, memory: u64) -> PartitionSpec {
    let tenant = if memory == 0 {
        TenantSpec::default()
    } else {
        TenantSpec::default().own_memory(Bytes::new(memory))
    };
    let spec = PartitionSpec {
        tenant,
        ..PartitionSpec::default()
    };
    if part == 0 {
        spec
    } else {
        spec.own_sms(Share::from_ratio(part, 100).unwrap())
    }
}

fn request(memory: u64) -> Request {
    let memory = Some(MemoryAsk {
        request: Bytes::new(memory),
        limit: None,
    });
    let spec = TaskSpec {
        memory,
        ..TaskSpec::default()
    };
    spec.try_into().unwrap()
}

proptest! {
    #[test]
    fn groups_and_amounts_are_conserved(split in splits(), steps in steps()) {
        let mut model = Model {
            split,
            scheduler: Scheduler::new(Config::new(Bytes::new(1000), 8)),
            partitions: Partitions::new(1, Some(split)),
            actions: Actions::new(),
            next_task: 0,
            going: BTreeMap::new(),
            used: vec![(TenantId::DEFAULT, BTreeSet::from([TenantId::DEFAULT])); split.groups() as usize],
        };
        for step in steps {
            model.apply(&step);
            model.check();
        }
    }
}
