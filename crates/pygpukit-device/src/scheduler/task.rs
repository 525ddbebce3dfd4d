//! Tasks.

use super::account::TaskAccount;
use super::job::{Job, Outcome};
use super::node::Node;
use crate::device::Device;
use crate::error::Result;
use pygpukit_core::id::{TaskId, TenantId};
use pygpukit_core::scheduler::{Admission, Event, Request};
use pygpukit_core::units::Nanoseconds;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How often a task that waits for another looks whether both wait for ever.
const PATIENCE: Duration = Duration::from_millis(50);

/// A task of a scheduler. Cloning gives another handle to the same.
#[derive(Clone)]
pub struct Task(pub(super) Arc<TaskCell>);

/// How far a task is.
#[derive(Clone, Debug)]
pub enum TaskState {
    /// It waits.
    Queued,
    /// It runs, or its work on the device does.
    Running,
    /// It is over.
    Ended(Outcome),
}

type Callback = Box<dyn FnOnce(&Task) + Send>;

/// What the handles of a task and the executor share.
pub(super) struct TaskCell {
    pub(super) id: TaskId,
    pub(super) tenant: TenantId,
    pub(super) device: Device,
    pub(super) request: Request,
    pub(super) submitted: Nanoseconds,
    pub(super) admission: OnceLock<Admission>,
    pub(super) account: Arc<TaskAccount>,
    progress: Mutex<Progress>,
    changed: Condvar,
}

struct Progress {
    stage: Stage,
    callbacks: Vec<Callback>,
}

pub(super) enum Stage {
    Queued(Box<dyn Job>),
    Running {
        since: Nanoseconds,
    },
    Ended {
        /// `None` if it never ran.
        since: Option<Nanoseconds>,
        at: Nanoseconds,
        outcome: Outcome,
    },
}

/// When a task started and ended, as far as it has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Times {
    pub(super) started: Option<Nanoseconds>,
    pub(super) ended: Option<Nanoseconds>,
}

impl TaskCell {
    pub(super) fn new(
        device: &Device,
        (id, tenant): (TaskId, TenantId),
        request: Request,
        job: Box<dyn Job>,
    ) -> Arc<Self> {
        let node = device.node();
        Arc::new(Self {
            id,
            tenant,
            device: device.clone(),
            account: Arc::new(TaskAccount::new(node, id, &request)),
            request,
            submitted: node.now(),
            admission: OnceLock::new(),
            progress: Mutex::new(Progress {
                stage: Stage::Queued(job),
                callbacks: Vec::new(),
            }),
            changed: Condvar::new(),
        })
    }

    pub(super) fn node(&self) -> &Arc<Node> {
        self.device.node()
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the job to run it; `None` if the task is over.
    pub(super) fn begin(&self) -> Option<Box<dyn Job>> {
        let since = self.node().now();
        let mut progress = self.lock();
        match std::mem::replace(&mut progress.stage, Stage::Running { since }) {
            Stage::Queued(job) => Some(job),
            other @ (Stage::Running { .. } | Stage::Ended { .. }) => {
                progress.stage = other;
                None
            }
        }
    }

    /// Says how the task ended. No lock may be held: this runs callbacks.
    pub(super) fn end(self: &Arc<Self>, outcome: Outcome) {
        let at = self.node().now();
        let (stage, callbacks) = {
            let mut progress = self.lock();
            let since = progress.stage.times().started;
            let ended = Stage::Ended { since, at, outcome };
            let stage = std::mem::replace(&mut progress.stage, ended);
            (stage, std::mem::take(&mut progress.callbacks))
        };
        self.changed.notify_all();
        // A job that never ran is dropped here, without a lock.
        drop(stage);
        let task = Task(Arc::clone(self));
        self.inside(|| {
            for callback in callbacks {
                call(callback, &task);
            }
        });
        self.node().forget_unfinished(self.tenant);
    }
}

impl Stage {
    fn times(&self) -> Times {
        match *self {
            Self::Queued(_) => Times::default(),
            Self::Running { since } => Times {
                started: Some(since),
                ended: None,
            },
            Self::Ended { since, at, .. } => Times {
                started: since,
                ended: Some(at),
            },
        }
    }
}

/// A callback that panics concerns nobody else.
fn call(callback: Callback, task: &Task) {
    let _ = catch_unwind(AssertUnwindSafe(|| callback(task)));
}

impl Task {
    /// Its id, unique on its device.
    pub fn id(&self) -> TaskId {
        self.0.id
    }

    /// Its name for people.
    pub fn name(&self) -> Option<&str> {
        self.0.request.name()
    }

    /// The device that it is for.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// What it asked for.
    pub fn request(&self) -> &Request {
        &self.0.request
    }

    /// The answer when it was submitted. It does not change.
    ///
    /// # Panics
    /// Never: a task is answered before anybody gets to hold it.
    #[expect(clippy::expect_used, reason = "set before a handle is made")]
    pub fn admission(&self) -> &Admission {
        self.0.admission.get().expect("a task has been answered")
    }

    /// How long after its submission it could start, as was said then: see
    /// [`Admission::Queued`].
    pub fn earliest_start(&self) -> Option<Nanoseconds> {
        match self.admission() {
            Admission::Queued { earliest_start, .. } => {
                earliest_start.map(|at| at.saturating_sub(self.0.submitted))
            }
            Admission::Admitted { .. } | Admission::Rejected(_) => None,
        }
    }

    /// How far it is.
    pub fn state(&self) -> TaskState {
        match &self.0.lock().stage {
            Stage::Queued(_) => TaskState::Queued,
            Stage::Running { .. } => TaskState::Running,
            Stage::Ended { outcome, .. } => TaskState::Ended(outcome.clone()),
        }
    }

    pub(super) fn times(&self) -> Times {
        self.0.lock().stage.times()
    }

    /// Blocks until the task is over, or, with a limit, until that time is;
    /// `None` if it is not over.
    ///
    /// # Errors
    /// [`Error::Forked`](crate::Error::Forked) in a child process;
    /// [`Error::Deadlock`](crate::Error::Deadlock) inside a task that would wait for ever.
    pub fn wait(&self, timeout: Option<Duration>) -> Result<Option<Outcome>> {
        let node = self.0.node();
        node.check_process()?;
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let Some(waiter) = node.inside_task() else {
            return Ok(self.wait_until(deadline));
        };
        // Whether it waits for ever is asked again and again: others come to wait too.
        loop {
            if let Some(outcome) = self.wait_until(Some(Instant::now())) {
                return Ok(Some(outcome));
            }
            node.note_wait(waiter, self.id())?;
            let soon = Instant::now() + PATIENCE;
            let outcome = self.wait_until(Some(deadline.map_or(soon, |at| at.min(soon))));
            node.forget_wait(waiter);
            if outcome.is_some() || deadline.is_some_and(|at| at <= Instant::now()) {
                return Ok(outcome);
            }
        }
    }

    fn wait_until(&self, deadline: Option<Instant>) -> Option<Outcome> {
        let mut progress = self.0.lock();
        loop {
            if let Stage::Ended { outcome, .. } = &progress.stage {
                return Some(outcome.clone());
            }
            let left = match deadline {
                None => Duration::from_secs(3600),
                Some(deadline) => deadline.saturating_duration_since(Instant::now()),
            };
            if left.is_zero() {
                return None;
            }
            progress = self
                .0
                .changed
                .wait_timeout(progress, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// Keeps the task from starting, if it has not; true if so. A task that runs
    /// cannot queue anything more; what it has queued is not stopped.
    ///
    /// # Errors
    /// [`Error::Forked`](crate::Error::Forked) in a child process.
    pub fn cancel(&self) -> Result<bool> {
        let node = self.0.node();
        node.check_process()?;
        let task = self.0.id;
        node.step(Event::Cancel { task }).carry_out();
        let is_cancelled = matches!(self.state(), TaskState::Ended(Outcome::Cancelled));
        if !is_cancelled {
            self.0.account.request_cancel();
        }
        Ok(is_cancelled)
    }

    /// True once [`cancel`](Self::cancel) came too late to keep it from starting.
    pub fn is_cancel_requested(&self) -> bool {
        self.0.account.is_cancel_requested()
    }

    /// Calls `callback` when the task is over, on the thread that ends it; here
    /// and now if it is. Panics are caught.
    pub fn on_done(&self, callback: impl FnOnce(&Self) + Send + 'static) {
        let callback: Callback = Box::new(callback);
        let mut progress = self.0.lock();
        if matches!(progress.stage, Stage::Ended { .. }) {
            drop(progress);
            call(callback, self);
        } else {
            progress.callbacks.push(callback);
        }
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task")
            .field("id", &self.id())
            .field("name", &self.name())
            .field("state", &self.state())
            .finish()
    }
}

impl fmt::Debug for TaskCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TaskCell({})", self.id)
    }
}
