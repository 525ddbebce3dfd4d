//! Schedulers, as programs hold them.

use super::job::{Job, JobError, TaskContext};
use super::node::Node;
use super::promise::Promise;
use super::task::{Task, TaskCell};
use crate::device::Device;
use crate::error::{Error, Result};
use pygpukit_core::id::{TaskId, TenantId};
use pygpukit_core::scheduler::{Event, Request, TenantSpec};
use pygpukit_core::units::Bytes;
use std::fmt;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How a scheduler is to be.
#[derive(Default)]
pub struct SchedulerOptions {
    /// The most memory that its tasks may hold together; `None` for no limit but
    /// the device's.
    pub memory: Option<Bytes>,
    /// Where the events and decisions of the device are written, as lines that
    /// [`Replay`](pygpukit_core::scheduler::Replay) reads.
    pub log: Option<Box<dyn Write + Send>>,
}

/// Runs tasks on a device when what they ask for is there.
///
/// All schedulers of a device share its one ledger: together their tasks never
/// reserve more than the device has. When a scheduler is dropped, its tasks
/// still run.
#[derive(Debug)]
pub struct Scheduler {
    device: Device,
    tenant: TenantId,
    memory_limit: Bytes,
    is_closed: AtomicBool,
}

impl Scheduler {
    /// A scheduler on a device.
    ///
    /// # Errors
    /// [`Error::Value`] for a memory limit of 0 or beyond the device's memory,
    /// and for a log while there are tasks on the device: a log that did not
    /// begin before them could not be replayed.
    pub fn new(device: &Device, options: SchedulerOptions) -> Result<Self> {
        let node = device.node();
        node.check_process()?;
        let total = Bytes::new(device.info().total_memory);
        let memory_limit = options.memory.unwrap_or(total);
        if memory_limit == Bytes::ZERO || memory_limit > total {
            return Err(Error::Value(format!(
                "a scheduler's memory must lie between 1 byte and the {total} of `{}`, \
                 but it is {memory_limit}",
                device.id()
            )));
        }
        let mut state = node.lock();
        let tenant = TenantId::new(state.next_tenant);
        state.next_tenant += 1;
        if let Some(log) = options.log {
            let Some(opening) = state.core.open_log() else {
                let count = state.core.stats();
                return Err(Error::Value(format!(
                    "a log can begin only while `{}` has no tasks: {} are queued, {} run, and \
                     ended ones hold {}",
                    device.id(),
                    count.queued,
                    count.running,
                    count.returned_memory
                )));
            };
            state.logs.add(tenant, log, &opening);
        }
        let event = Event::Open {
            tenant,
            spec: options
                .memory
                .map_or_else(TenantSpec::default, TenantSpec::limited),
        };
        let orders = state.step(node.now(), event);
        drop(state);
        orders.carry_out();
        Ok(Self {
            device: device.clone(),
            tenant,
            memory_limit,
            is_closed: AtomicBool::new(false),
        })
    }

    /// The device it schedules.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The most memory that its tasks may hold together.
    pub fn memory_limit(&self) -> Bytes {
        self.memory_limit
    }

    pub(super) fn node(&self) -> &Arc<Node> {
        self.device.node()
    }

    pub(super) fn tenant(&self) -> TenantId {
        self.tenant
    }

    /// Submits a function; its value comes back through the [`Promise`].
    ///
    /// Never fails for want of resources: see [`Task::admission`].
    ///
    /// # Errors
    /// [`Error::Closed`].
    pub fn submit<T, E, F>(&self, request: Request, work: F) -> Result<Promise<T>>
    where
        F: FnOnce(&TaskContext) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: Into<JobError>,
    {
        Promise::make(work, |job| self.submit_job(request, job))
    }

    /// Submits a job.
    ///
    /// Never fails for want of resources: see [`Task::admission`].
    ///
    /// # Errors
    /// [`Error::Closed`].
    pub fn submit_job(&self, request: Request, job: Box<dyn Job>) -> Result<Task> {
        let node = self.node();
        node.check_process()?;
        if self.is_closed.load(Ordering::Acquire) {
            return Err(Error::Closed(self.device.id()));
        }
        let mut state = node.lock();
        let id = TaskId::new(state.next_task);
        state.next_task += 1;
        let names = (id, self.tenant);
        let cell = TaskCell::new(&self.device, names, request.clone(), job);
        state.tasks.insert(id, Arc::clone(&cell));
        state.known.add(&cell);
        *state.unfinished.entry(self.tenant).or_default() += 1;
        let event = Event::Submit {
            task: id,
            tenant: self.tenant,
            request: Box::new(request),
        };
        let mut orders = state.step(node.now(), event);
        let Some(admission) = orders.admission.take() else {
            // Closed and emptied by another thread in the meantime.
            state.tasks.remove(&id);
            drop(state);
            node.forget_unfinished(self.tenant);
            orders.carry_out();
            return Err(Error::Closed(self.device.id()));
        };
        let _ = cell.admission.set(admission);
        node.watch_timeouts(state);
        orders.carry_out();
        Ok(Task(cell))
    }

    /// The task of that id on this device, if it waits or runs or somebody holds it.
    ///
    /// # Errors
    /// [`Error::Forked`] in a child process.
    pub fn task(&self, id: TaskId) -> Result<Option<Task>> {
        self.node().check_process()?;
        let found = self.node().lock().known.get(id);
        Ok(found.map(Task))
    }

    /// Takes no more tasks; with `cancel_pending`, cancels those that wait. May
    /// be called again.
    ///
    /// # Errors
    /// [`Error::Forked`] in a child process; [`Error::Value`] if the log could
    /// not be written.
    pub fn shut_down(&self, cancel_pending: bool) -> Result<()> {
        let node = self.node();
        node.check_process()?;
        self.is_closed.store(true, Ordering::Release);
        node.step(Event::Close {
            tenant: self.tenant,
            cancel_pending,
        })
        .carry_out();
        Ok(())
    }

    /// Blocks until no task of this scheduler waits or runs, or the time is over;
    /// true if so.
    ///
    /// # Errors
    /// [`Error::Forked`] in a child process; [`Error::Value`] inside a task of
    /// this scheduler, which would wait for itself.
    pub fn wait_idle(&self, timeout: Duration) -> Result<bool> {
        let node = self.node();
        node.check_process()?;
        if node.is_inside(self.tenant) {
            return Err(Error::Value(
                "a task cannot wait for its own scheduler to be idle".into(),
            ));
        }
        Ok(node.wait_unfinished(self.tenant, timeout))
    }

    /// [`shut_down`](Self::shut_down), then, with `wait`, blocks until the tasks
    /// are over, and ends the log.
    ///
    /// # Errors
    /// As [`shut_down`](Self::shut_down) and [`wait_idle`](Self::wait_idle).
    pub fn close(&self, wait: bool, cancel_pending: bool) -> Result<()> {
        self.shut_down(cancel_pending)?;
        if wait {
            while !self.wait_idle(Duration::from_secs(3600))? {}
        }
        self.end_log()
    }

    /// Ends the log, if there is one.
    ///
    /// # Errors
    /// [`Error::Value`] if it could not be written.
    pub fn end_log(&self) -> Result<()> {
        self.node().check_process()?;
        let closed = self.node().lock().logs.close(self.tenant);
        closed.map_err(|error| Error::Value(format!("the scheduler's log was lost: {error}")))
    }

    /// Looks at the clock: needed only with a clock that is moved by hand.
    ///
    /// # Errors
    /// [`Error::Forked`] in a child process.
    pub fn tick(&self) -> Result<()> {
        self.node().check_process()?;
        self.node().tick();
        Ok(())
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        // In a forked child there is nothing to close.
        if self.shut_down(false).is_ok() {
            let _ = self.end_log();
        }
    }
}

impl fmt::Debug for SchedulerOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SchedulerOptions")
            .field("memory", &self.memory)
            .field("log", &self.log.is_some())
            .finish()
    }
}
