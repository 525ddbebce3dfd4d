//! Who asked for what, and who holds what.

use crate::id::{TaskId, TenantId};
use crate::ledger::{Amount, Resource};
use crate::scheduler::*;
use crate::units::{Bytes, Nanoseconds, Share};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::rc::Rc;

#[derive(Clone)]
pub(in crate::scheduler) struct Oracle {
    pub(super) config: Config,
    pub(in crate::scheduler) now: Nanoseconds,
    pub(super) arrivals: u64,
    pub(in crate::scheduler) tenants: BTreeMap<TenantId, Party>,
    pub(in crate::scheduler) tasks: BTreeMap<TaskId, Job>,
}

#[derive(Clone)]
pub(in crate::scheduler) struct Party {
    pub(in crate::scheduler) spec: TenantSpec,
    pub(in crate::scheduler) outside: Bytes,
    pub(super) is_closed: bool,
}

#[derive(Clone)]
pub(in crate::scheduler) struct Job {
    pub(in crate::scheduler) tenant: TenantId,
    pub(super) request: Rc<Request>,
    pub(super) submitted: Nanoseconds,
    pub(super) arrival: u64,
    pub(in crate::scheduler) phase: Phase,
}

/// How far a task is, and what memory it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scheduler) enum Phase {
    Queued,
    Running(Bytes),
    Ended(Bytes),
}

impl Party {
    /// What is its own: if it is closed, only the multiprocessors on which its tasks run.
    fn own(&self) -> Amount {
        if self.is_closed {
            Amount::NOTHING.compute(self.spec.compute)
        } else {
            self.spec.own()
        }
    }

    /// What of an amount is the device's: the time of its own multiprocessors is not.
    pub(super) fn of_device(&self, amount: Amount) -> Amount {
        if self.spec.compute > Share::ZERO {
            amount.bandwidth(Share::ZERO)
        } else {
            amount
        }
    }

    /// What it holds of the device while it uses so much.
    pub(super) fn holds(&self, used: Amount) -> Amount {
        self.of_device(used).max(&self.own())
    }
}

impl Job {
    pub(super) fn holds(&self) -> Amount {
        match self.phase {
            Phase::Queued => Amount::NOTHING,
            Phase::Running(memory) => self.request.amount().memory(memory),
            Phase::Ended(memory) => Amount::of_memory(memory),
        }
    }
}

impl Oracle {
    pub(in crate::scheduler) fn new(config: Config) -> Self {
        let party = Party {
            spec: TenantSpec::default(),
            outside: Bytes::ZERO,
            is_closed: false,
        };
        Self {
            config,
            now: Nanoseconds::ZERO,
            arrivals: 0,
            tenants: BTreeMap::from([(TenantId::DEFAULT, party)]),
            tasks: BTreeMap::new(),
        }
    }

    /// What a tenant and its tasks use.
    pub(super) fn used(&self, id: TenantId) -> Amount {
        let outside = Amount::of_memory(self.tenants[&id].outside);
        let tasks = self.tasks.values().filter(|job| job.tenant == id);
        tasks.fold(outside, |sum, job| sum.saturating_add(&job.holds()))
    }

    /// What a tenant holds of the device.
    pub(super) fn holds(&self, id: TenantId) -> Amount {
        self.tenants[&id].holds(self.used(id))
    }

    pub(super) fn granted(&self) -> Amount {
        let tenants = self.tenants.keys();
        tenants.fold(Amount::NOTHING, |sum, &id| {
            sum.saturating_add(&self.holds(id))
        })
    }

    /// What a tenant could use besides what it uses.
    pub(in crate::scheduler) fn room(&self, id: TenantId, resource: Resource) -> u64 {
        let (party, used) = (&self.tenants[&id], self.used(id));
        let most = party.spec.most(&self.config.capacity()).get(resource);
        let below_most = most.saturating_sub(used.get(resource));
        if resource == Resource::Bandwidth && party.spec.compute > Share::ZERO {
            return below_most;
        }
        let idle = self.holds(id).get(resource) - used.get(resource);
        let free = self.config.capacity().get(resource) - self.granted().get(resource);
        (free + idle).min(below_most)
    }

    /// The first resource of which a tenant has too little room for `amount`.
    pub(super) fn lacking(&self, id: TenantId, amount: &Amount) -> Option<Resource> {
        let lacks = |&each: &Resource| amount.get(each) > self.room(id, each);
        Resource::ALL.into_iter().find(lacks)
    }

    /// The first resource of which there never is enough.
    pub(super) fn hopeless(&self, job: &Job) -> Option<Resource> {
        let most = self.tenants[&job.tenant].spec.most(&self.config.capacity());
        job.request.amount().exceeding(&most).iter().next()
    }

    /// Where a task stands in line.
    pub(super) fn rank(&self, job: &Job) -> impl Ord + use<> {
        let spec = job.request.spec();
        let due = job.submitted.saturating_add(self.config.longest_wait);
        if due <= self.now {
            return (None, Reverse(0), Nanoseconds::ZERO, job.arrival);
        }
        let deadline = spec.deadline.map_or(Nanoseconds::new(u64::MAX), |within| {
            job.submitted.saturating_add(within)
        });
        let policy = Some(job.request.policy());
        (policy, Reverse(spec.priority), deadline, job.arrival)
    }

    pub(super) fn queued(&self) -> impl Iterator<Item = &Job> {
        let is_queued = |job: &&Job| job.phase == Phase::Queued;
        self.tasks.values().filter(is_queued)
    }

    pub(super) fn ahead_of(&self, job: &Job) -> usize {
        let ahead = |other: &&Job| self.rank(other) < self.rank(job);
        self.queued().filter(ahead).count()
    }

    /// Whether an event can happen.
    pub(super) fn allows(&self, event: &Event) -> bool {
        let phase = |task| self.tasks.get(task).map(|job| job.phase);
        match event {
            Event::Open { tenant, .. } => !self.tenants.contains_key(tenant),
            Event::Resize { tenant, .. } | Event::Close { tenant, .. } => {
                self.tenants.contains_key(tenant)
            }
            Event::Submit { task, tenant, .. } => {
                !self.tasks.contains_key(task) && self.tenants.contains_key(tenant)
            }
            Event::Finish { task, held, .. } => {
                matches!(phase(task), Some(Phase::Running(memory)) if *held <= memory)
            }
            Event::Cancel { task } => self.tasks.contains_key(task),
            Event::Grow { holder, .. } => self.may_give(*holder).is_some(),
            Event::Shrink { holder, bytes } => {
                self.may_give(*holder).is_some_and(|most| *bytes <= most)
            }
            Event::Want { .. } | Event::Withdraw { .. } | Event::Ran { .. } => {
                panic!("time is not in these books")
            }
            Event::Tick => true,
        }
    }

    /// How much memory a holder may give back; `None` for those that hold none.
    fn may_give(&self, holder: Holder) -> Option<Bytes> {
        match holder {
            Holder::Tenant(id) => self.tenants.get(&id).map(|party| party.outside),
            Holder::Task(id) => {
                let job = self.tasks.get(&id)?;
                match job.phase {
                    Phase::Queued => None,
                    Phase::Running(memory) => {
                        Some(Bytes::new(memory.get() - job.request.memory().get()))
                    }
                    Phase::Ended(memory) => Some(memory),
                }
            }
        }
    }

    /// How much more memory a holder may have, and the most it may have in all.
    pub(super) fn may_take(&self, holder: Holder) -> (u64, u64) {
        let (tenant, held, limit) = match holder {
            Holder::Tenant(id) => (id, self.tenants[&id].outside, None),
            Holder::Task(id) => {
                let job = &self.tasks[&id];
                let limit = match job.phase {
                    Phase::Ended(memory) => Some(memory),
                    Phase::Queued | Phase::Running(_) => job.request.memory_limit(),
                };
                (job.tenant, job.holds().bytes(), limit)
            }
        };
        let most = self.tenants[&tenant].spec.most(&self.config.capacity());
        let limit = match (holder, limit) {
            (Holder::Task(id), Some(limit)) if !self.is_running(id) => limit,
            (_, limit) => limit.map_or(most.bytes(), |limit| limit.min(most.bytes())),
        };
        let below = limit.get().saturating_sub(held.get());
        (self.room(tenant, Resource::Memory).min(below), limit.get())
    }

    pub(super) fn is_running(&self, id: TaskId) -> bool {
        matches!(self.tasks[&id].phase, Phase::Running(_))
    }

    pub(super) fn memory_of(&mut self, holder: Holder) -> &mut Bytes {
        match holder {
            Holder::Tenant(id) => &mut self.tenants.get_mut(&id).expect("it is there").outside,
            Holder::Task(id) => match &mut self.tasks.get_mut(&id).expect("it is there").phase {
                Phase::Running(memory) | Phase::Ended(memory) => memory,
                Phase::Queued => panic!("{id} holds nothing"),
            },
        }
    }

    /// Lets go of tasks that hold nothing any more and closed tenants without tasks.
    pub(super) fn forget(&mut self) {
        self.tasks
            .retain(|_, job| job.phase != Phase::Ended(Bytes::ZERO));
        let tasks = &self.tasks;
        self.tenants.retain(|&id, party| {
            !party.is_closed
                || party.outside > Bytes::ZERO
                || tasks.values().any(|job| job.tenant == id)
        });
    }
}
