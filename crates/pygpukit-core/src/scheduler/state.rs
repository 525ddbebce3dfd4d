//! The state machine.

use super::event::{Action, Actions, Event};
use super::queue::{Lane, Queue, Rank};
use super::stats::Counters;
use super::task::{Held, Stage, Task, Tenant, Waits};
use crate::id::{TaskId, TenantId};
use crate::ledger::{Amount, Ledger, Resource, ResourceSet, Shortage};
use crate::units::{Bytes, Nanoseconds, Share};
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};

/// What a scheduler decides over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Memory of the device.
    pub memory: Bytes,
    /// Tasks that run at once.
    pub workers: u32,
    /// Tasks that wait.
    pub max_queued: usize,
}

impl Config {
    pub(super) const fn capacity(&self) -> Amount {
        Amount::of_memory(self.memory)
            .compute(Share::ONE)
            .bandwidth(Share::ONE)
            .workers(self.workers)
    }
}

/// Decides which task of a device may start.
///
/// Tasks start in policy order: by policy, priority (larger first), deadline,
/// arrival. A task overtakes one that waits only if it asks for nothing that
/// the other waits for; so nobody waits for ever while what they wait for is
/// given to others behind them.
///
/// Memory used outside tasks, by best-effort tasks, and by burstable tasks
/// beyond their request is granted from what is left over. It delays tasks that
/// wait, and never touches what running ones were promised.
#[derive(Debug)]
pub struct Scheduler {
    pub(super) config: Config,
    pub(super) ledger: Ledger,
    pub(super) tenants: BTreeMap<TenantId, Tenant>,
    pub(super) tasks: BTreeMap<TaskId, Task>,
    pub(super) running: BTreeSet<TaskId>,
    pub(super) queue: Queue,
    pub(super) timeouts: BTreeSet<(Nanoseconds, TaskId)>,
    pub(super) now: Nanoseconds,
    pub(super) arrivals: u64,
    /// How long tasks run, as a moving average; `None` before one has ended.
    pub(super) usual_run: Option<Nanoseconds>,
    pub(super) counters: Counters,
}

/// An event that cannot have happened. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// No task of that name waits, runs or holds memory.
    #[error("there is no task {0}")]
    UnknownTask(TaskId),
    /// There is a task of that name.
    #[error("there is a task {0} already")]
    DuplicateTask(TaskId),
    /// No tenant of that name.
    #[error("there is no tenant {0}")]
    UnknownTenant(TenantId),
    /// There is a tenant of that name.
    #[error("there is a tenant {0} already")]
    DuplicateTenant(TenantId),
    /// Something that happens to running tasks only.
    #[error("task {0} is not running")]
    NotRunning(TaskId),
    /// More was given back than was held.
    #[error(transparent)]
    Overdrawn(#[from] Shortage),
}

impl Scheduler {
    /// A scheduler with the default tenant and no tasks.
    pub fn new(config: Config) -> Self {
        let capacity = config.capacity();
        Self {
            config,
            ledger: Ledger::new(capacity),
            tenants: BTreeMap::from([(TenantId::DEFAULT, Tenant::new(capacity, None))]),
            tasks: BTreeMap::new(),
            running: BTreeSet::new(),
            queue: Queue::default(),
            timeouts: BTreeSet::new(),
            now: Nanoseconds::ZERO,
            arrivals: 0,
            usual_run: None,
            counters: Counters::default(),
        }
    }

    /// Takes in what happened at `now`, and appends what is to be done. Time
    /// that goes backwards counts as standing still.
    ///
    /// # Errors
    /// The event cannot have happened; it has no effect. Queue timeouts up to
    /// `now` have theirs.
    pub fn step(
        &mut self,
        now: Nanoseconds,
        event: Event,
        actions: &mut Actions,
    ) -> Result<(), StepError> {
        self.now = self.now.max(now);
        self.expire(actions);
        let result = match event {
            Event::Open { tenant, memory } => self.open(tenant, memory),
            Event::Close {
                tenant,
                cancel_pending,
            } => self.close(tenant, cancel_pending, actions),
            Event::Submit {
                task,
                tenant,
                request,
            } => self.submit(task, tenant, request, actions),
            Event::Finish { task, failed, held } => self.finish(task, failed, held),
            Event::Cancel { task } => self.cancel(task, actions),
            Event::Grow { holder, bytes } => self.grow(holder, bytes, actions),
            Event::Shrink { holder, bytes } => self.shrink(holder, bytes),
            Event::Tick => Ok(()),
        };
        self.promote(actions);
        result
    }

    /// When the next queued task will have waited long enough: the latest time
    /// for an [`Event::Tick`].
    pub fn next_timeout(&self) -> Option<Nanoseconds> {
        self.timeouts.first().map(|&(due, _)| due)
    }

    /// Starts every task that may start now.
    pub(super) fn promote(&mut self, actions: &mut Actions) {
        while self.queue.len() > 0
            && let Some((task, lane, rank)) = self.next_startable()
        {
            self.queue.remove(lane, rank);
            self.start(task, actions);
        }
    }

    /// The first task in policy order that nothing stops, if there is one.
    /// Brings up to date what the blocked ones before it wait for.
    fn next_startable(&mut self) -> Option<(TaskId, Lane, Rank)> {
        let mut claims = Claims::default();
        for (rank, lane, id) in self.queue.heads() {
            let task = self.tasks.get_mut(&id)?;
            let tenant = self.tenants.get(&lane.tenant)?;
            let amount = task.request.amount();
            let claimed = claims.on(lane.tenant, amount.resources());
            let lacking = Waits {
                device: self.ledger.lacking(&amount),
                quota: tenant.quota.lacking(&amount),
            };
            if claimed.all().union(lacking.all()).is_empty() {
                return Some((id, lane, rank));
            }
            if let Stage::Queued { lacked, .. } = &mut task.stage {
                lacked.add(lacking);
                claims.add(lane.tenant, *lacked);
            }
        }
        None
    }

    fn start(&mut self, id: TaskId, actions: &mut Actions) {
        let Some(task) = self.tasks.get_mut(&id) else {
            return;
        };
        let Some(tenant) = self.tenants.get_mut(&task.tenant) else {
            return;
        };
        let amount = task.request.amount();
        let Ok(held) = Held::reserve(&mut self.ledger, &mut tenant.quota, amount) else {
            return;
        };
        if let Some(timeout) = task.request.spec().queue_timeout {
            let due = task.submitted.saturating_add(timeout);
            self.timeouts.remove(&(due, id));
        }
        task.stage = Stage::Running {
            since: self.now,
            held,
        };
        self.running.insert(id);
        self.counters.started += 1;
        actions.push(Action::Start {
            task: id,
            memory: amount.bytes(),
            bandwidth: amount.share(Resource::Bandwidth),
        });
    }

    /// What tasks ahead of `rank` have first claim on.
    pub(super) fn claims_ahead(&self, tenant: TenantId, rank: Rank) -> Waits {
        let mut claims = Claims::default();
        for (_, lane, id) in self
            .queue
            .heads()
            .into_iter()
            .take_while(|head| head.0 < rank)
        {
            if let Some(Task {
                stage: Stage::Queued { lacked, .. },
                ..
            }) = self.tasks.get(&id)
            {
                claims.add(lane.tenant, *lacked);
            }
        }
        let everything = Resource::ALL
            .into_iter()
            .fold(ResourceSet::EMPTY, ResourceSet::with);
        claims.on(tenant, everything)
    }
}

/// What tasks that are blocked have first claim on.
#[derive(Default)]
struct Claims {
    device: ResourceSet,
    quota: SmallVec<[(TenantId, ResourceSet); 4]>,
}

impl Claims {
    fn add(&mut self, tenant: TenantId, waits: Waits) {
        self.device = self.device.union(waits.device);
        match self.quota.iter_mut().find(|(each, _)| *each == tenant) {
            Some((_, claimed)) => *claimed = claimed.union(waits.quota),
            None => self.quota.push((tenant, waits.quota)),
        }
    }

    fn on(&self, tenant: TenantId, asked: ResourceSet) -> Waits {
        let quota = self
            .quota
            .iter()
            .find(|&&(each, _)| each == tenant)
            .map_or(ResourceSet::EMPTY, |&(_, claimed)| claimed);
        Waits {
            device: self.device.intersection(asked),
            quota: quota.intersection(asked),
        }
    }
}

impl Waits {
    /// Keeps what was lacked before, apart from workers.
    fn add(&mut self, lacking: Self) {
        let kept = |lacked: ResourceSet| lacked.without(Resource::Workers);
        self.device = kept(self.device).union(lacking.device);
        self.quota = kept(self.quota).union(lacking.quota);
    }
}
