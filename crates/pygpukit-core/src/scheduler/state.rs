//! The state machine.

use super::event::{Actions, Event};
use super::promotion::Claims;
use super::queue::{Lane, Queue};
use super::stats::Counters;
use super::task::Task;
use super::tenant::{Tenant, TenantSpec};
use super::time::Time;
use crate::collections::{Heap, IdMap, List, Places, Slab};
use crate::id::{GrantId, TaskId, TenantId};
use crate::ledger::{Amount, Ledger, Shortage};
use crate::timeshare::TimeConfig;
use crate::units::{Bytes, Nanoseconds, Share};

/// What a scheduler decides over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Memory of the device.
    pub memory: Bytes,
    /// Tasks that run at once.
    pub workers: u32,
    /// Tasks that wait.
    pub max_queued: usize,
    /// Whoever has waited for that long goes ahead of those who have not.
    pub longest_wait: Nanoseconds,
    /// How the time of the multiprocessors is handed out.
    pub time: TimeConfig,
}

impl Config {
    /// A device with that much memory, on which that many tasks run at once;
    /// 100,000 may wait, and ten minutes are a long wait.
    pub const fn new(memory: Bytes, workers: u32) -> Self {
        Self {
            memory,
            workers,
            max_queued: 100_000,
            longest_wait: Nanoseconds::new(600_000_000_000),
            time: TimeConfig::USUAL,
        }
    }

    pub(super) fn capacity(&self) -> Amount {
        let floor = self.time.best_effort_floor;
        Amount::of_memory(self.memory)
            .compute(Share::ONE)
            .bandwidth(Share::ONE.saturating_sub(floor))
            .workers(self.workers)
    }
}

/// Decides which task of a device may start.
///
/// Tasks start in policy order: by policy, priority (larger first), deadline,
/// arrival. After [`Config::longest_wait`] a task goes ahead of all that have waited
/// less. A task overtakes one that waits only if it asks for nothing that the other
/// waits for. So nobody waits for ever while what they wait for is given to others.
///
/// Memory used outside tasks, by best-effort tasks, and by burstable tasks
/// beyond their request is granted from what is left over. It delays tasks that
/// wait, and never touches what running ones were promised.
///
/// A step takes O(log n) time for n tasks and tenants, apart from closing a
/// tenant, which takes as long as it has tasks, and allocates nothing once there
/// have been as many tasks before.
#[derive(Debug)]
pub struct Scheduler {
    pub(super) config: Config,
    pub(super) ledger: Ledger,
    pub(super) tenants: Slab<Tenant>,
    pub(super) tenant_ids: IdMap<TenantId>,
    pub(super) tasks: Slab<Task>,
    pub(super) task_ids: IdMap<TaskId>,
    /// In the order in which they started.
    pub(super) running: List,
    pub(super) queue: Queue,
    pub(super) claims: Claims,
    /// Lanes that a pass has set aside.
    pub(super) yielding: Vec<Lane>,
    /// Something was freed, or the first of a lane is another.
    pub(super) unsettled: bool,
    /// Queued tasks that have not waited for long, in order of arrival.
    pub(super) fresh: List,
    pub(super) timeouts: Heap<(Nanoseconds, TaskId)>,
    pub(super) timeout_places: Places,
    pub(super) time: Time,
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
    /// No grant of that name is out.
    #[error("there is no grant {0}")]
    UnknownGrant(GrantId),
    /// More was given back than was held.
    #[error(transparent)]
    Overdrawn(#[from] Shortage),
}

impl Scheduler {
    /// A scheduler with the default tenant and no tasks.
    pub fn new(config: Config) -> Self {
        let mut scheduler = Self {
            config,
            ledger: Ledger::new(config.capacity()),
            tenants: Slab::default(),
            tenant_ids: IdMap::default(),
            tasks: Slab::default(),
            task_ids: IdMap::default(),
            running: List::default(),
            queue: Queue::default(),
            claims: Claims::default(),
            yielding: Vec::new(),
            unsettled: false,
            fresh: List::default(),
            timeouts: Heap::default(),
            timeout_places: Places::default(),
            time: Time::new(config.time),
            now: Nanoseconds::ZERO,
            arrivals: 0,
            usual_run: None,
            counters: Counters::default(),
        };
        // Asks for nothing, so that nothing can be lacking.
        let opened = scheduler.open(
            TenantId::DEFAULT,
            TenantSpec::default(),
            &mut Actions::new(),
        );
        debug_assert_eq!(opened, Ok(()));
        scheduler
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
        self.hurry();
        self.wake(actions);
        let result = match event {
            Event::Open { tenant, spec } => self.open(tenant, spec, actions),
            Event::Resize { tenant, spec } => self.resize(tenant, spec, actions),
            Event::Close {
                tenant,
                cancel_pending,
            } => self.close(tenant, cancel_pending, actions),
            Event::Submit {
                task,
                tenant,
                request,
            } => self.submit(task, tenant, request, actions),
            Event::Finish { task, failed, held } => self.finish(task, failed, held, actions),
            Event::Cancel { task } => self.cancel(task, actions),
            Event::Grow { holder, bytes } => self.grow(holder, bytes, actions),
            Event::Shrink { holder, bytes } => self.shrink(holder, bytes),
            Event::Want { holder, time } => self.want(holder, time, actions),
            Event::Withdraw { holder } => self.withdraw(holder, actions),
            Event::Ran { grant, used } => self.ran(grant, used, actions),
            Event::Tick => Ok(()),
        };
        self.promote(actions);
        result
    }

    /// When the next queued task will have waited long enough to be rejected or
    /// to go first, or somebody may work who must not now: the latest time for an
    /// [`Event::Tick`].
    pub fn next_timeout(&self) -> Option<Nanoseconds> {
        let timeout = self.timeouts.first().map(|((due, _), _)| due);
        let overdue = self.next_overdue().map(|(due, _)| due);
        let wake = self.time.next_wake();
        timeout.into_iter().chain(overdue).chain(wake).min()
    }
}
