//! Running a task: from the moment it may start to the moment it is over.

use super::job::{Failure, Job, Outcome, TaskContext};
use super::node::{Node, Orders, State};
use super::task::{Task, TaskCell};
use crate::account::Account;
use crate::backend::{Priority, Queue};
use crate::error::{Error, Result};
use crate::stream::Stream;
use pygpukit_core::id::{TaskId, TenantId};
use pygpukit_core::scheduler::Event;
use pygpukit_core::units::Bytes;
use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

thread_local! {
    /// On whose behalf this thread runs: the address of the node, the tenant, and the task.
    static CURRENT: Cell<Option<(usize, TenantId, TaskId)>> = const { Cell::new(None) };
}

impl TaskCell {
    /// Hands the task to a worker.
    pub(super) fn start(self: Arc<Self>) {
        let workers = &self.node().workers;
        if let Err(error) = workers.push(Arc::clone(&self)) {
            let error = Error::Unsupported(format!("cannot start a worker thread: {error}"));
            self.finish(Outcome::Failed(Failure::Device(error)));
        }
    }

    /// Runs the task on this thread. `lane` is the thread's queue on the device.
    pub(super) fn run(self: Arc<Self>, lane: &mut Option<Arc<dyn Queue>>) {
        let Some(job) = self.begin() else { return };
        let outcome = self.inside(|| self.run_job(job, lane));
        self.finish(outcome);
    }

    /// Does something on behalf of the task's scheduler.
    pub(super) fn inside<T>(&self, act: impl FnOnce() -> T) -> T {
        let this = (Arc::as_ptr(self.node()).addr(), self.tenant, self.id);
        let outer = CURRENT.replace(Some(this));
        let result = act();
        CURRENT.set(outer);
        result
    }

    fn run_job(self: &Arc<Self>, job: Box<dyn Job>, lane: &mut Option<Arc<dyn Queue>>) -> Outcome {
        let stream = match self.open_stream(lane) {
            Ok(stream) => stream,
            Err(error) => return Outcome::Failed(Failure::Device(error)),
        };
        let context = TaskContext {
            stream,
            task: Task(Arc::clone(self)),
        };
        let returned = catch_unwind(AssertUnwindSafe(|| job.run(&context)));
        let on_device = self.account.synchronize();
        if on_device.is_err() {
            // A queue with a fault takes no more work.
            *lane = None;
        }
        match (returned, on_device) {
            (Err(panic), _) => Outcome::Failed(Failure::Panic(panic_text(&*panic))),
            (Ok(Err(error)), _) => Outcome::Failed(Failure::Job(error.into())),
            (Ok(Ok(())), Err(fault)) => Outcome::Failed(Failure::Device(fault)),
            (Ok(Ok(())), Ok(())) => Outcome::Completed,
        }
    }

    fn open_stream(&self, lane: &mut Option<Arc<dyn Queue>>) -> Result<Stream> {
        let queue = match lane {
            Some(queue) => Arc::clone(queue),
            None => Arc::clone(lane.insert(self.device.new_queue(Priority::Normal)?)),
        };
        let account: Arc<dyn Account> = self.account.clone();
        Ok(Stream::over(&self.device, queue, account))
    }

    fn finish(self: &Arc<Self>, outcome: Outcome) {
        let failed = matches!(outcome, Outcome::Failed(_));
        let orders = self.account.finish(failed);
        self.end(outcome);
        orders.carry_out();
    }
}

impl Node {
    /// A task that ran has ended, and arrays of it hold `held` bytes.
    pub(super) fn finish(&self, task: TaskId, failed: bool, held: u64) -> Orders {
        let mut state = self.lock();
        state.tasks.remove(&task);
        state.step(
            self.now(),
            Event::Finish {
                task,
                failed,
                held: Bytes::new(held),
            },
        )
    }

    /// A task of the tenant is over, and whoever wanted to know has been told.
    pub(super) fn forget_unfinished(&self, tenant: TenantId) {
        let mut state = self.lock();
        if let Some(unfinished) = state.unfinished.get_mut(&tenant) {
            *unfinished -= 1;
            if *unfinished == 0 {
                state.unfinished.remove(&tenant);
                self.ended.notify_all();
            }
        }
    }

    /// True if this thread runs a task of the tenant, or a callback of one.
    pub(super) fn is_inside(&self, tenant: TenantId) -> bool {
        let this = std::ptr::from_ref(self).addr();
        CURRENT
            .get()
            .is_some_and(|(node, of, _)| (node, of) == (this, tenant))
    }

    /// The task of this node that this thread runs, or runs a callback of.
    pub(super) fn inside_task(&self) -> Option<TaskId> {
        let this = std::ptr::from_ref(self).addr();
        let (node, _, task) = CURRENT.get()?;
        (node == this).then_some(task)
    }

    /// Notes that a task waits for another.
    ///
    /// # Errors
    /// [`Error::Deadlock`] if it would do so for ever.
    pub(super) fn note_wait(&self, waiter: TaskId, target: TaskId) -> Result<()> {
        let mut state = self.lock();
        state.waiting.insert(waiter, target);
        let State { core, waiting, .. } = &mut *state;
        if core.is_deadlocked(waiter, |task| waiting.get(&task).copied()) {
            waiting.remove(&waiter);
            return Err(Error::Deadlock { waiter, target });
        }
        Ok(())
    }

    /// Notes that a task waits no more.
    pub(super) fn forget_wait(&self, waiter: TaskId) {
        self.lock().waiting.remove(&waiter);
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".into())
}
