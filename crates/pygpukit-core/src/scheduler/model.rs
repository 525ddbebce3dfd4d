//! A scheduler, what its users were told, and what must hold after every event.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test names the case it is about"
)]

use super::order::Rank;
use super::random_ops::Op;
use super::task::{Stage, Task, Waits};
use super::*;
use crate::collections::Slot;
use crate::id::{GrantId, TaskId, TenantId};
use crate::ledger::{Amount, Resource, ResourceSet};
use crate::timeshare::TimeConfig;
use crate::units::{Bytes, Nanoseconds, Share};
use std::collections::{BTreeMap, BTreeSet};

const MEMORY: u64 = 100;

/// How a task is, as its submitter was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    Queued,
    Started,
    Over,
}

/// The first task of a lane.
struct Waiting {
    rank: Rank,
    tenant: Slot,
    lacked: Waits,
    /// What it needs beyond what its tenant owns.
    needs: ResourceSet,
    /// Nobody who needs the same of the device is ahead of it.
    leads: bool,
}

pub(super) struct Model {
    pub(super) scheduler: Scheduler,
    /// A tenant was resized, perhaps below what it used.
    resized: bool,
    actions: Actions,
    now: u64,
    next: u64,
    pub(super) told: BTreeMap<TaskId, Told>,
    pub(super) log: Vec<String>,
    /// Grants of time that are out, and how long they are.
    pub(super) grants: Vec<(GrantId, u64)>,
}

impl Model {
    pub(super) fn new() -> Self {
        let config = Config {
            max_queued: 6,
            // Short enough that tasks in a test wait for too long.
            longest_wait: Nanoseconds::new(60),
            time: TimeConfig {
                slice: Nanoseconds::new(5),
                window: Nanoseconds::new(10),
                longest: Nanoseconds::new(20),
                period: Nanoseconds::new(100),
                best_effort_floor: Share::from_ratio(1, 20).unwrap(),
            },
            ..Config::new(Bytes::new(MEMORY), 3)
        };
        let mut scheduler = Scheduler::new(config);
        let mut model = Self {
            log: scheduler.open_log().unwrap(),
            scheduler,
            resized: false,
            actions: Actions::new(),
            now: 0,
            next: 0,
            told: BTreeMap::new(),
            grants: Vec::new(),
        };
        let limited = TenantSpec::limited(Bytes::new(60));
        let owner = TenantSpec {
            memory: Some(MemoryAsk {
                request: Bytes::new(30),
                limit: None,
            }),
            bandwidth: Some(ShareAsk {
                floor: Share::from_ratio(3, 10).unwrap(),
                cap: Share::from_ratio(8, 10).unwrap(),
            }),
            workers: Some(2),
            ..TenantSpec::default()
        };
        for (tenant, spec) in [(1, limited), (2, owner)] {
            let tenant = TenantId::new(tenant);
            model.step(Event::Open { tenant, spec });
        }
        model
    }

    /// One event, and all that must hold after it; the actions, or nothing if
    /// it was refused.
    pub(super) fn step(&mut self, event: Event) -> Vec<Action> {
        let line = event_line(Nanoseconds::new(self.now), &event).to_string();
        let before = self.waiting();
        let submitted = match &event {
            Event::Submit { task, .. } => Some(*task),
            _ => None,
        };
        let now = Nanoseconds::new(self.now);
        let result = self.scheduler.step(now, event, &mut self.actions);
        if result.is_err() {
            // A log has only events that happened; timeouts need their own.
            self.log.push(event_line(now, &Event::Tick).to_string());
        } else {
            self.log.push(line);
        }
        let actions: Vec<_> = self.actions.drain().collect();
        if let (Some(task), Ok(())) = (submitted, result) {
            self.told.insert(task, Told::Queued);
        }
        for action in &actions {
            self.log.push(action_line(action).to_string());
            self.hear(action);
        }
        self.check(&before, &actions);
        actions
    }

    /// Each task is told in the right order what becomes of it.
    fn hear(&mut self, action: &Action) {
        let (task, from, to) = match action {
            Action::Start { task, .. } => (task, Told::Queued, Told::Started),
            Action::Reject { task, .. } | Action::Cancel { task } => {
                (task, Told::Queued, Told::Over)
            }
            Action::Run {
                holder,
                grant,
                time,
            } => {
                assert!(self.may_work(*holder), "{holder} has ended");
                self.grants.push((*grant, time.get()));
                return;
            }
            Action::Queue { .. }
            | Action::Deny { .. }
            | Action::Grow { .. }
            | Action::Refuse { .. } => return,
        };
        assert_eq!(self.told.insert(*task, to), Some(from), "{action:?}");
    }

    fn check(&mut self, before: &[(TaskId, Waiting)], actions: &[Action]) {
        self.check_conservation();
        // Everybody who is left waiting waits for something, or behind somebody
        // who does.
        let firsts = self.scheduler.queue.firsts();
        for &(_, slot) in &firsts {
            let obstacles = self.scheduler.obstacles(slot).unwrap();
            let claimed = obstacles.claimed().device;
            let own = obstacles.all().device.union(obstacles.all().quota);
            assert!(
                !own.is_empty(),
                "{:?} could start:\n{}",
                self.scheduler.tasks.get(slot),
                self.log.join("\n")
            );
            for resource in claimed.iter() {
                let by = self.scheduler.claims.by(resource).unwrap();
                let claims = |&&(rank, _): &&(Rank, Slot)| rank == by;
                let (_, other) = firsts.iter().find(claims).unwrap();
                let lacked = self.scheduler.tasks.get(*other).unwrap().lacked().unwrap();
                assert!(lacked.all().contains(resource));
            }
        }
        // Nobody has overtaken one who is first of those who need the same, has
        // waited for it and still does.
        let after: BTreeMap<_, _> = self.waiting().into_iter().collect();
        for action in actions {
            let Action::Start { task, .. } = action else {
                continue;
            };
            let Some((_, started)) = before.iter().find(|(other, _)| other == task) else {
                continue;
            };
            // It may have waited for too long in this step.
            let waited = self.now - self.task(*task).submitted.get();
            if waited >= self.scheduler.config.longest_wait.get() {
                continue;
            }
            // What its tenant owns is not taken from anybody.
            let tenant = self.scheduler.tenants.get(started.tenant).unwrap();
            let taken = tenant.needed().exceeding(&tenant.own());
            for (other, waited) in before {
                let ahead = waited.rank < started.rank;
                let Some(waits) = after.get(other).filter(|waits| waits.leads) else {
                    continue;
                };
                let kept = waited.lacked.device.without(Resource::Workers);
                let waited_for = kept.intersection(waited.needs).intersection(waits.needs);
                let clash = waited_for.intersection(taken).intersection(started.needs);
                let blocked = waited.leads && !clash.is_empty();
                assert!(!(ahead && blocked), "{task} passed {other}");
            }
        }
    }

    /// What is granted of each quota is what is held of it; and of the device,
    /// what each tenant owns or uses, whichever is more.
    fn check_conservation(&self) {
        let mut used: BTreeMap<Slot, Amount> = BTreeMap::new();
        for (slot, tenant) in self.scheduler.tenants.iter() {
            used.insert(slot, *tenant.outside.amount());
        }
        let mut running = BTreeSet::new();
        for (slot, task) in self.scheduler.tasks.iter() {
            let Some(held) = task.held() else {
                continue;
            };
            if matches!(task.stage, Stage::Running { .. }) {
                running.insert(slot);
                let short = task.amount.exceeding(held.amount());
                assert_eq!(short, ResourceSet::EMPTY, "{} lost its own", task.id);
                let limit = task.request.memory_limit();
                assert!(limit.is_none_or(|limit| held.amount().bytes() <= limit));
            }
            let used = used.get_mut(&task.tenant).unwrap();
            *used = used.saturating_add(held.amount());
        }
        let mut device = Amount::NOTHING;
        for (slot, tenant) in self.scheduler.tenants.iter() {
            let quota = &tenant.quota;
            assert_eq!(quota.granted(), &used[&slot]);
            let over = quota.granted().exceeding(quota.capacity());
            assert!(over.is_empty() || self.resized, "{over} over the quota");
            assert_eq!(*tenant.holds(), tenant.needed());
            device = device.saturating_add(tenant.holds());
        }
        let ledger = &self.scheduler.ledger;
        assert_eq!(ledger.granted(), &device);
        assert_eq!(device.exceeding(ledger.capacity()), ResourceSet::EMPTY);
        assert_eq!(
            self.scheduler.running.iter().collect::<BTreeSet<_>>(),
            running
        );
    }

    fn task(&self, id: TaskId) -> &Task {
        let slot = self.scheduler.task_slot(id).unwrap();
        self.scheduler.tasks.get(slot).unwrap()
    }

    /// Who is first of its lane, and what it lacks.
    fn waiting(&self) -> Vec<(TaskId, Waiting)> {
        let firsts = self.scheduler.queue.firsts().into_iter();
        firsts
            .map(|(rank, slot)| {
                let task = self.scheduler.tasks.get(slot).unwrap();
                let tenant = self.scheduler.tenants.get(task.tenant).unwrap();
                let waiting = Waiting {
                    needs: tenant.growth(&task.amount).resources(),
                    rank,
                    tenant: task.tenant,
                    lacked: task.lacked().unwrap(),
                    leads: self.scheduler.queue.leads(rank),
                };
                (task.id, waiting)
            })
            .collect()
    }

    fn may_work(&self, holder: Holder) -> bool {
        match holder {
            Holder::Tenant(id) => self.scheduler.tenant_slot(id).is_ok(),
            Holder::Task(id) => self.running().contains(&id),
        }
    }

    pub(super) fn running(&self) -> Vec<TaskId> {
        let slots = self.scheduler.running.iter();
        slots
            .map(|slot| self.scheduler.tasks.get(slot).unwrap().id)
            .collect()
    }

    fn holder(&self, at: Option<usize>) -> Holder {
        match at {
            Some(at) if self.next > 0 => Holder::Task(TaskId::new(at as u64 % self.next)),
            _ => Holder::Tenant(TenantId::DEFAULT),
        }
    }

    pub(super) fn play(&mut self, op: Op) {
        let pick = |at: usize| TaskId::new(at as u64 % self.next.max(1));
        match op {
            Op::Submit(tenant, spec) => {
                let task = TaskId::new(self.next);
                self.next += 1;
                let actions = self.step(Event::Submit {
                    task,
                    tenant: TenantId::new(tenant),
                    request: Box::new(spec.clone().try_into().unwrap()),
                });
                self.ask_again(tenant, spec, &actions);
            }
            Op::Finish(at, failed, held) => {
                let running = self.running().get(at % 3).copied();
                let task = running.unwrap_or(pick(at));
                let held = Bytes::new(held);
                self.step(Event::Finish { task, failed, held });
                if !self.running().contains(&task) {
                    self.told.entry(task).and_modify(|told| {
                        if *told == Told::Started {
                            *told = Told::Over;
                        }
                    });
                }
            }
            Op::Cancel(at) => drop(self.step(Event::Cancel { task: pick(at) })),
            Op::Grow(at, bytes) => self.grow(self.holder(at), Bytes::new(bytes)),
            Op::Shrink(at, bytes) => {
                let bytes = Bytes::new(bytes);
                let holder = self.holder(at);
                self.step(Event::Shrink { holder, bytes });
            }
            Op::Close(tenant, cancel_pending) => {
                self.step(Event::Close {
                    tenant: TenantId::new(tenant),
                    cancel_pending,
                });
            }
            Op::Resize(tenant, memory, share, compute) => {
                self.resized = true;
                let spec = TenantSpec {
                    compute: Share::from_ratio(compute, 4).unwrap(),
                    memory: memory.map(|(request, more)| MemoryAsk {
                        request: Bytes::new(request),
                        limit: Some(Bytes::new(request + more)),
                    }),
                    bandwidth: Some(ShareAsk {
                        floor: Share::from_ratio(share, 10).unwrap(),
                        cap: Share::ONE,
                    }),
                    ..TenantSpec::default()
                };
                let tenant = TenantId::new(tenant);
                self.step(Event::Resize { tenant, spec });
            }
            Op::Want(at, time) => {
                let time = Nanoseconds::new(time);
                let holder = self.holder(at);
                self.step(Event::Want { holder, time });
            }
            Op::Withdraw(at) => {
                let holder = self.holder(at);
                self.step(Event::Withdraw { holder });
            }
            Op::Ran(at, used) => {
                let at = at % self.grants.len().max(1);
                let known = at < self.grants.len();
                let grant = if known {
                    self.grants.remove(at).0
                } else {
                    GrantId::new(u64::MAX)
                };
                let used = Nanoseconds::new(used);
                self.step(Event::Ran { grant, used });
            }
            Op::Pass(time) => {
                self.now += time;
                self.step(Event::Tick);
            }
        }
    }

    /// The amount that a refusal names is granted.
    fn grow(&mut self, holder: Holder, bytes: Bytes) {
        let actions = self.step(Event::Grow { holder, bytes });
        if let Some(Action::Refuse { rejection, .. }) = actions.first() {
            let bytes = Bytes::new(rejection.available);
            let actions = self.step(Event::Grow { holder, bytes });
            assert_eq!(actions.first(), Some(&Action::Grow { holder, bytes }));
            self.step(Event::Shrink { holder, bytes });
        }
    }

    /// So is the amount that a rejection names, if nothing else was missing.
    fn ask_again(&mut self, tenant: u64, mut spec: TaskSpec, actions: &[Action]) {
        let Some(Action::Reject { rejection, .. }) = actions.last() else {
            return;
        };
        let stats = self.scheduler.stats();
        let free_worker = stats.running < 3 && stats.queued == 0;
        let memory = Reason::Resource(Resource::Memory);
        // The default tenant has no quota of workers.
        if rejection.reason != memory || spec.bandwidth.is_some() || !free_worker || tenant != 0 {
            return;
        }
        spec.memory = Some(MemoryAsk {
            request: Bytes::new(rejection.available),
            limit: None,
        });
        spec.policy = Some(Policy::Burstable);
        let task = TaskId::new(self.next);
        self.next += 1;
        let actions = self.step(Event::Submit {
            task,
            tenant: TenantId::new(tenant),
            request: Box::new(spec.try_into().unwrap()),
        });
        assert!(
            matches!(actions.last(), Some(Action::Start { .. })),
            "{rejection:?} then {actions:?}"
        );
    }

    /// Everybody gives back what they hold; then everything ends.
    pub(super) fn drain(&mut self) {
        self.run_all();
        self.release_outside();
        self.drain_tasks();
    }

    /// All work that is wanted is done.
    pub(super) fn run_all(&mut self) {
        loop {
            if self.grants.is_empty() {
                match self.scheduler.time.next_wake() {
                    Some(moment) => self.now = self.now.max(moment.get()),
                    None => return,
                }
                self.step(Event::Tick);
            } else {
                let (grant, time) = self.grants.remove(0);
                self.now += time;
                let used = Nanoseconds::new(time);
                self.step(Event::Ran { grant, used });
            }
        }
    }

    pub(super) fn release_outside(&mut self) {
        let holder = Holder::Tenant(TenantId::DEFAULT);
        let bytes = self.scheduler.held(holder);
        self.step(Event::Shrink { holder, bytes });
    }

    /// Limits are lifted, so that every task can start; every task ends, and what
    /// it left behind is released.
    pub(super) fn drain_tasks(&mut self) {
        self.lift_limits();
        loop {
            let ended =
                self.scheduler.tasks.iter().find_map(|(_, task)| {
                    matches!(task.stage, Stage::Ended { .. }).then_some(task.id)
                });
            if let Some(&task) = self.running().first() {
                self.step(Event::Finish {
                    task,
                    failed: false,
                    held: Bytes::ZERO,
                });
                self.told.insert(task, Told::Over);
            } else if let Some(task) = ended {
                let holder = Holder::Task(task);
                let bytes = self.scheduler.held(holder);
                self.step(Event::Shrink { holder, bytes });
            } else if self.scheduler.tasks.len() == 0 && self.scheduler.time.is_idle() {
                // What tasks were promised may have been in the way of lifting them.
                return self.lift_limits();
            } else {
                self.lift_limits();
                self.run_all();
                let starts = !self.running().is_empty();
                assert!(
                    starts || self.scheduler.tasks.len() == 0,
                    "nobody can start"
                );
            }
        }
    }

    fn lift_limits(&mut self) {
        for tenant in (0..3).map(TenantId::new) {
            if self.scheduler.tenant_slot(tenant).is_ok() {
                let spec = TenantSpec::default();
                self.step(Event::Resize { tenant, spec });
            }
        }
    }
}
