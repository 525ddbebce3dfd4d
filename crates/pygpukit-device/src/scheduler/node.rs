//! The scheduler of one device: the core behind its lock, and what it orders.
//!
//! Locks, each taken only while holding those before it:
//! 1. a task's account, for its byte counts;
//! 2. the node's state, for one step of the core and the lines of its log;
//! 3. the workers' queue, or a task's progress, for a list operation.
//!
//! What a step orders is carried out after the locks of its caller are released
//! ([`Orders::carry_out`]), since it may run other people's code.

use super::clock::Clock;
use super::job::Outcome;
use super::known::Known;
use super::log::Logs;
use super::task::TaskCell;
use super::workers::Workers;
use crate::backend::DeviceId;
use crate::error::{Error, Result};
use pygpukit_core::id::{TaskId, TenantId};
use pygpukit_core::scheduler::{
    Action, Actions, Admission, Config, Event, Rejection, Scheduler as Core,
};
use pygpukit_core::units::{Bytes, Nanoseconds};
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The scheduler of one device.
#[derive(Debug)]
pub(crate) struct Node {
    device: DeviceId,
    process: u32,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
    pub(super) workers: Arc<Workers>,
    /// The next timeout may be sooner than it was.
    pub(super) timeouts: Condvar,
    /// A tenant may have no unfinished tasks left.
    pub(super) ended: Condvar,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) core: Core,
    actions: Actions,
    /// Tasks that wait or run.
    pub(super) tasks: BTreeMap<TaskId, Arc<TaskCell>>,
    /// Tasks that wait for others, and for which.
    pub(super) waiting: BTreeMap<TaskId, TaskId>,
    /// How many of those each open scheduler has.
    pub(super) unfinished: BTreeMap<TenantId, usize>,
    /// Tasks that somebody may still ask about.
    pub(super) known: Known,
    pub(super) next_task: u64,
    pub(super) next_tenant: u64,
    pub(super) logs: Logs,
    pub(super) has_timer: bool,
}

/// What is to be done after a step, and what it answered.
#[derive(Debug, Default)]
#[must_use = "tasks wait to be started and ended"]
pub(super) struct Orders {
    start: Vec<Arc<TaskCell>>,
    end: Vec<(Arc<TaskCell>, Outcome)>,
    /// The answer to a task submitted.
    pub(super) admission: Option<Admission>,
    /// The answer to a request for memory.
    pub(super) growth: Option<Result<(), Rejection>>,
}

impl Node {
    pub(crate) fn new(device: DeviceId, memory: u64, clock: Arc<dyn Clock>) -> Arc<Self> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = (cores + 4).min(32);
        let workers = u32::try_from(threads).unwrap_or(32);
        let core = Core::new(Config::new(Bytes::new(memory), workers));
        Arc::new(Self {
            device,
            process: crate::process::current(),
            clock,
            state: Mutex::new(State {
                core,
                actions: Actions::new(),
                tasks: BTreeMap::new(),
                waiting: BTreeMap::new(),
                unfinished: BTreeMap::new(),
                known: Known::default(),
                next_task: 0,
                next_tenant: TenantId::DEFAULT.get() + 1,
                logs: Logs::default(),
                has_timer: false,
            }),
            workers: Workers::new(),
            timeouts: Condvar::new(),
            ended: Condvar::new(),
        })
    }

    pub(super) fn device(&self) -> DeviceId {
        self.device
    }

    pub(super) fn now(&self) -> Nanoseconds {
        self.clock.now()
    }

    /// Refuses a node of the parent of a forked process. Its locks may be held
    /// for ever by threads that do not exist here.
    pub(super) fn check_process(&self) -> Result<()> {
        if self.process == crate::process::current() {
            Ok(())
        } else {
            Err(Error::Forked(self.device))
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One step of the core.
    pub(super) fn step(&self, event: Event) -> Orders {
        self.lock().step(self.now(), event)
    }

    /// Blocks until the tenant has no unfinished tasks, or the time is over;
    /// true if so.
    pub(super) fn wait_unfinished(&self, tenant: TenantId, timeout: Duration) -> bool {
        let has_some = |state: &mut State| state.unfinished.get(&tenant).is_some_and(|&n| n > 0);
        let waited = self
            .ended
            .wait_timeout_while(self.lock(), timeout, has_some)
            .unwrap_or_else(PoisonError::into_inner);
        !waited.1.timed_out()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.workers.close();
    }
}

impl State {
    /// One step of the core, and its lines in the logs.
    pub(super) fn step(&mut self, now: Nanoseconds, event: Event) -> Orders {
        let line = self.logs.event_line(now, &event);
        let submitted = match &event {
            Event::Submit { task, .. } => Some(*task),
            Event::Open { .. }
            | Event::Resize { .. }
            | Event::Close { .. }
            | Event::Finish { .. }
            | Event::Cancel { .. }
            | Event::Grow { .. }
            | Event::Shrink { .. }
            | Event::Want { .. }
            | Event::Withdraw { .. }
            | Event::Ran { .. }
            | Event::Tick => None,
        };
        // Refused is only what another thread has made impossible, such as growing
        // a task that has just ended: then there is no answer.
        let happened = self.core.step(now, event, &mut self.actions).is_ok();
        self.logs.write_event(now, line.filter(|_| happened));
        let mut orders = Orders {
            admission: submitted.and_then(|task| self.actions.admission_of(task)),
            ..Orders::default()
        };
        for action in self.actions.drain() {
            self.logs.write_action(&action);
            match action {
                Action::Start { task, .. } => orders.start.extend(self.tasks.get(&task).cloned()),
                Action::Reject { task, rejection } => {
                    let cell = self.tasks.remove(&task);
                    let outcome = Outcome::Rejected(rejection);
                    orders.end.extend(cell.map(|cell| (cell, outcome)));
                }
                Action::Cancel { task } => {
                    let cell = self.tasks.remove(&task);
                    orders
                        .end
                        .extend(cell.map(|cell| (cell, Outcome::Cancelled)));
                }
                // Partitions come with streams of their own; until then no tenant asks
                // for anything of its own that could be denied. Nor is time granted to
                // those who want none.
                Action::Queue { .. } | Action::Deny { .. } | Action::Run { .. } => {}
                Action::Grow { .. } => orders.growth = Some(Ok(())),
                Action::Refuse { rejection, .. } => orders.growth = Some(Err(rejection)),
            }
        }
        orders
    }
}

impl Orders {
    /// Starts and ends tasks. No lock may be held.
    pub(super) fn carry_out(self) {
        for cell in self.start {
            cell.start();
        }
        for (cell, outcome) in self.end {
            cell.end(outcome);
        }
    }
}
