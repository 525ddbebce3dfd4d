//! Queues: one thread each, work in the order pushed.
//!
//! A queue that has nothing to do runs small work on the caller's thread: waking
//! another would take longer than the work. Its thread starts when there is
//! first something to queue, and ends when the queue is dropped and empty.
//!
//! Locks: each queue has one, for its state, never held while work runs and
//! never together with another queue's. A thread that waits for another queue
//! holds none. Waits cannot form a circle, for a ticket is waited for only after
//! the work it stands for was pushed.

use super::pool::Pool;
use super::run;
use crate::backend::{Need, Queue, Ticket, Work};
use crate::error::{Error, Result};
use std::any::Any;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A queue of the CPU device.
#[derive(Debug)]
pub(super) struct CpuQueue {
    shared: Arc<Shared>,
    pool: Arc<Pool>,
}

/// What a queue, its thread and queues that wait for it share.
#[derive(Debug)]
struct Shared {
    /// Numbers queues in messages.
    number: u64,
    state: Mutex<State>,
    /// There is something to run, or nothing more will come.
    work: Condvar,
    /// `done` has grown, or there is a fault.
    progress: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// What comes after `done` and what is running.
    items: VecDeque<Item>,
    /// The last ticket given out.
    pushed: Ticket,
    /// The last ticket whose work has completed.
    done: Ticket,
    /// Somebody is running an item.
    is_running: bool,
    has_thread: bool,
    /// The queue was dropped.
    is_closed: bool,
    /// Threads waiting for `progress`.
    waiters: usize,
    fault: Option<Error>,
}

enum Item {
    Run(Box<dyn FnOnce() -> Result<()> + Send>),
    Wait {
        other: Arc<Shared>,
        ticket: Ticket,
        need: Need,
    },
}

impl std::fmt::Debug for Item {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Run(_) => f.write_str("Run(..)"),
            Self::Wait { other, ticket, .. } => write!(f, "Wait({}, {ticket})", other.number),
        }
    }
}

impl CpuQueue {
    pub(super) fn new(pool: Arc<Pool>) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        Self {
            shared: Arc::new(Shared {
                number: NUMBER.fetch_add(1, Ordering::Relaxed),
                state: Mutex::default(),
                work: Condvar::new(),
                progress: Condvar::new(),
            }),
            pool,
        }
    }

    /// Queues `act`, or runs it here and now if it is small and next.
    fn submit(
        &self,
        name: Cow<'static, str>,
        is_small: bool,
        act: impl FnOnce() -> Result<(), String> + Send + 'static,
    ) -> Result<Ticket> {
        let number = self.shared.number;
        let act = move || guarded(name, number, act);
        let mut state = self.shared.lock();
        state.check()?;
        state.pushed += 1;
        let ticket = state.pushed;
        if is_small && state.items.is_empty() && !state.is_running {
            state.is_running = true;
            drop(state);
            self.shared.complete(act());
            return Ok(ticket);
        }
        state.items.push_back(Item::Run(Box::new(act)));
        self.wake(state)?;
        Ok(ticket)
    }

    /// Sees to it that somebody runs what was just queued.
    fn wake(&self, mut state: MutexGuard<'_, State>) -> Result<()> {
        if !state.has_thread {
            let shared = Arc::clone(&self.shared);
            std::thread::Builder::new()
                .name(format!("pygpukit-stream-{}", shared.number))
                .spawn(move || shared.serve())
                .map_err(|error| {
                    state.items.pop_back();
                    state.pushed -= 1;
                    Error::Unsupported(format!("cannot start a thread for a stream: {error}"))
                })?;
            state.has_thread = true;
        }
        drop(state);
        self.shared.work.notify_one();
        Ok(())
    }
}

/// Runs `act`; an error or a panic becomes a fault.
fn guarded(
    work: Cow<'static, str>,
    stream: u64,
    act: impl FnOnce() -> Result<(), String>,
) -> Result<()> {
    // Unwind safe: the work owns what it touches, or it is memory of the device,
    // which nobody may read once the queue has a fault.
    let result = catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(text.unwrap_or_else(|| "it panicked".into()))
    });
    result.map_err(|reason| Error::Fault {
        work: work.into_owned(),
        stream,
        reason,
    })
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that the item taken last is done.
    fn complete(&self, result: Result<()>) {
        let mut state = self.lock();
        state.is_running = false;
        match result {
            Ok(()) => state.done += 1,
            Err(fault) => {
                state.fault = Some(fault);
                state.items.clear();
            }
        }
        let (is_awaited, has_work) = (state.waiters > 0, !state.items.is_empty());
        drop(state);
        if is_awaited {
            self.progress.notify_all();
        }
        // After work on a caller's thread, the queue's own thread goes on.
        if has_work {
            self.work.notify_one();
        }
    }

    /// The queue's thread: runs items until the queue is closed and empty.
    fn serve(&self) {
        let mut state = self.lock();
        loop {
            if state.is_running || state.items.is_empty() {
                if state.is_closed && !state.is_running {
                    return;
                }
                state = wait(&self.work, state);
                continue;
            }
            let Some(item) = state.items.pop_front() else {
                continue;
            };
            state.is_running = true;
            drop(state);
            let result = match item {
                Item::Run(act) => act(),
                Item::Wait {
                    other,
                    ticket,
                    need,
                } => other.over(ticket, need),
            };
            self.complete(result);
            state = self.lock();
        }
    }

    /// Blocks until a ticket is done, or, if only the order matters, never will be.
    fn over(&self, ticket: Ticket, need: Need) -> Result<()> {
        match self.wait(ticket, None) {
            Err(_) if need == Need::Order => Ok(()),
            result => result.map(drop),
        }
    }

    /// Blocks until a ticket is done (true) or the deadline is over.
    fn wait(&self, ticket: Ticket, deadline: Option<Instant>) -> Result<bool> {
        let mut state = self.lock();
        while !state.is_done(ticket)? {
            let timeout = match deadline {
                Some(deadline) => crate::stream::remaining(deadline),
                None => Duration::from_secs(3600),
            };
            if timeout.is_zero() {
                return Ok(false);
            }
            state.waiters += 1;
            state = self
                .progress
                .wait_timeout(state, timeout)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
            state.waiters -= 1;
        }
        Ok(true)
    }
}

fn wait<'a>(condition: &Condvar, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
    condition
        .wait(state)
        .unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn check(&self) -> Result<()> {
        self.fault.clone().map_or(Ok(()), Err)
    }

    /// Work that completed before a fault is done; the rest never will be.
    fn is_done(&self, ticket: Ticket) -> Result<bool> {
        if self.done >= ticket {
            return Ok(true);
        }
        self.check()?;
        Ok(false)
    }
}

impl Drop for CpuQueue {
    fn drop(&mut self) {
        self.shared.lock().is_closed = true;
        self.shared.work.notify_one();
    }
}

impl Queue for CpuQueue {
    fn handle(&self) -> u64 {
        0
    }

    unsafe fn push(&self, work: Work) -> Result<Ticket> {
        let pool = Arc::clone(&self.pool);
        self.submit(run::name(&work), run::is_small(&work), move || {
            // SAFETY: the caller's promise: the memory stays until the ticket is
            // done, and what it must wait for is on the queue before it.
            unsafe { run::run(&pool, &work) }.map_err(|invalid| invalid.to_string())
        })
    }

    fn mark(&self) -> Result<Ticket> {
        Ok(self.shared.lock().pushed)
    }

    fn wait_for(&self, other: &dyn Queue, ticket: Ticket, need: Need) -> Result<()> {
        let Some(other) = other.as_any().downcast_ref::<Self>() else {
            return Err(Error::Unsupported(
                "a stream of device `cpu` cannot wait for one of another device".into(),
            ));
        };
        if Arc::ptr_eq(&self.shared, &other.shared) {
            return Ok(());
        }
        match other.shared.lock().is_done(ticket) {
            Ok(true) => return Ok(()),
            Err(_) if need == Need::Order => return Ok(()),
            Err(fault) => return Err(fault),
            Ok(false) => {}
        }
        let mut state = self.shared.lock();
        state.check()?;
        state.pushed += 1;
        state.items.push_back(Item::Wait {
            other: Arc::clone(&other.shared),
            ticket,
            need,
        });
        self.wake(state)
    }

    fn is_done(&self, ticket: Ticket) -> Result<bool> {
        self.shared.lock().is_done(ticket)
    }

    fn wait(&self, ticket: Ticket, timeout: Duration) -> Result<bool> {
        self.shared
            .wait(ticket, Instant::now().checked_add(timeout))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
