//! The accounts that memory is charged to: of a tenant, and of a task.

use super::node::{Node, Orders};
use crate::account::Account;
use crate::backend::Queue;
use crate::error::{Error, OutOfMemory, Result};
use pygpukit_core::id::{TaskId, TenantId};
use pygpukit_core::scheduler::{Event, Holder, Rejection, Request};
use pygpukit_core::units::Bytes;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Work outside tasks: it gets what is left over.
#[derive(Debug)]
pub(crate) struct TenantAccount {
    node: Arc<Node>,
    tenant: TenantId,
}

impl TenantAccount {
    /// The account of work outside tasks.
    pub(crate) fn default_of(node: &Arc<Node>) -> Self {
        Self {
            node: Arc::clone(node),
            tenant: TenantId::DEFAULT,
        }
    }
}

impl Account for TenantAccount {
    fn charge(&self, bytes: u64) -> Result<(), Box<OutOfMemory>> {
        let holder = Holder::Tenant(self.tenant);
        let (answer, orders) = grow(&self.node, holder, bytes);
        orders.carry_out();
        answer.map_err(|rejection| {
            let held = self.node.lock().core.held(holder).get();
            Box::new(OutOfMemory {
                device: self.node.device(),
                owner: "work outside tasks".into(),
                asked: bytes,
                used: held,
                limit: rejection.limit,
                available: rejection.available,
            })
        })
    }

    fn release(&self, bytes: u64) {
        if self.node.check_process().is_ok() {
            shrink(&self.node, Holder::Tenant(self.tenant), bytes).carry_out();
        }
    }
}

fn grow(node: &Node, holder: Holder, bytes: u64) -> (Result<(), Rejection>, Orders) {
    let bytes = Bytes::new(bytes);
    let mut orders = node.step(Event::Grow { holder, bytes });
    let nothing = Rejection {
        reason: pygpukit_core::scheduler::Reason::Closed,
        asked: bytes.get(),
        available: 0,
        limit: 0,
    };
    (orders.growth.take().unwrap_or(Err(nothing)), orders)
}

fn shrink(node: &Node, holder: Holder, bytes: u64) -> Orders {
    let bytes = Bytes::new(bytes);
    node.step(Event::Shrink { holder, bytes })
}

/// A task: it has what it reserved, and beyond that up to its limit what is
/// left over.
#[derive(Debug)]
pub(super) struct TaskAccount {
    node: Arc<Node>,
    task: TaskId,
    label: String,
    usage: Mutex<Usage>,
    cancel_requested: AtomicBool,
    /// The queues that work of the task is on. Held only for list operations.
    queues: Mutex<Vec<Arc<dyn Queue>>>,
}

/// Bytes of a task. What is granted is known to the ledger; what is used of it
/// is known only here.
#[derive(Debug)]
struct Usage {
    used: u64,
    granted: u64,
    /// Kept while the task runs, used or not.
    reserved: u64,
    limit: Option<u64>,
}

impl TaskAccount {
    pub(super) fn new(node: &Arc<Node>, task: TaskId, request: &Request) -> Self {
        let label = match request.name() {
            Some(name) => format!("task {task} `{name}`"),
            None => format!("task {task}"),
        };
        let reserved = request.memory().get();
        Self {
            node: Arc::clone(node),
            task,
            label,
            usage: Mutex::new(Usage {
                used: 0,
                granted: reserved,
                reserved,
                limit: request.memory_limit().map(Bytes::get),
            }),
            cancel_requested: AtomicBool::new(false),
            queues: Mutex::default(),
        }
    }

    fn usage(&self) -> MutexGuard<'_, Usage> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes that the task uses.
    pub(super) fn used(&self) -> u64 {
        self.usage().used
    }

    /// Keeps further work of the task from being queued.
    pub(super) fn request_cancel(&self) {
        self.cancel_requested.store(true, Ordering::Release);
    }

    pub(super) fn is_cancel_requested(&self) -> bool {
        self.cancel_requested.load(Ordering::Acquire)
    }

    /// Blocks until all that the task has queued has completed.
    ///
    /// # Errors
    /// The first fault; the other queues have been waited for too.
    pub(super) fn synchronize(&self) -> Result<()> {
        let queues = {
            let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *queues)
        };
        let all = queues.iter().map(|queue| {
            let ticket = queue.mark()?;
            while !queue.wait(ticket, Duration::from_secs(3600))? {}
            Ok(())
        });
        all.fold(Ok(()), Result::and)
    }

    /// Ends the task: what it uses now is all that it keeps.
    pub(super) fn finish(&self, failed: bool) -> Orders {
        let mut usage = self.usage();
        usage.granted = usage.used;
        usage.reserved = 0;
        self.node.finish(self.task, failed, usage.used)
    }

    fn refusal(&self, usage: &Usage, asked: u64, rejection: &Rejection) -> OutOfMemory {
        let unused = usage.granted - usage.used;
        OutOfMemory {
            device: self.node.device(),
            owner: format!("{} (reserved {} bytes)", self.label, usage.reserved),
            asked,
            used: usage.used,
            limit: usage.limit.unwrap_or(rejection.limit),
            available: unused.saturating_add(rejection.available),
        }
    }
}

impl Account for TaskAccount {
    fn charge(&self, bytes: u64) -> Result<(), Box<OutOfMemory>> {
        let mut usage = self.usage();
        let used = usage.used.saturating_add(bytes);
        let missing = used.saturating_sub(usage.granted);
        let mut orders = Orders::default();
        let answer = if missing == 0 {
            Ok(())
        } else {
            let (answer, ordered) = grow(&self.node, Holder::Task(self.task), missing);
            orders = ordered;
            answer.map_err(|rejection| Box::new(self.refusal(&usage, bytes, &rejection)))
        };
        if answer.is_ok() {
            usage.granted += missing;
            usage.used = used;
        }
        drop(usage);
        orders.carry_out();
        answer
    }

    fn release(&self, bytes: u64) {
        if self.node.check_process().is_err() {
            return;
        }
        let mut usage = self.usage();
        usage.used -= bytes;
        let kept = usage.used.max(usage.reserved);
        let spare = usage.granted.saturating_sub(kept);
        if spare > 0 {
            usage.granted = kept;
            let orders = shrink(&self.node, Holder::Task(self.task), spare);
            drop(usage);
            orders.carry_out();
        }
    }

    fn permit(&self) -> Result<()> {
        if self.is_cancel_requested() {
            Err(Error::Cancelled(self.label.clone()))
        } else {
            Ok(())
        }
    }

    fn adopt(&self, queue: &Arc<dyn Queue>) {
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        queues.push(Arc::clone(queue));
    }
}
