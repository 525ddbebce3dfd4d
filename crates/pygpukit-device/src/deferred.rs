//! Waiting later for work that is synchronous otherwise.
//!
//! On the CPU, others who see an array's memory cannot wait for its streams, so
//! [`Stream::submit`](crate::Stream::submit) waits for work on such memory. It can
//! take long; a caller who has something to watch meanwhile defers that wait.

use crate::backend::{Queue, Ticket};
use crate::error::Result;
use crate::stream::remaining;
use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

thread_local! {
    /// What this thread has deferred, if it defers.
    static PENDING: RefCell<Option<Vec<Pending>>> = const { RefCell::new(None) };
}

#[derive(Debug)]
struct Pending {
    queue: Arc<dyn Queue>,
    ticket: Ticket,
}

/// Work that others must see done before they go on.
#[derive(Debug)]
#[must_use = "others see the memory: wait for the work"]
pub struct Deferred(Vec<Pending>);

impl Deferred {
    /// Runs `work`. What it would wait for because others see the memory is returned
    /// instead.
    pub fn collect<T>(work: impl FnOnce() -> T) -> (T, Self) {
        let outer = PENDING.replace(Some(Vec::new()));
        let result = work();
        let pending = PENDING.replace(outer);
        (result, Self(pending.unwrap_or_default()))
    }

    /// True if there is nothing to wait for.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Waits until all of it is done, or the time is over; true if so.
    ///
    /// # Errors
    /// The fault of the work.
    pub fn wait(&self, timeout: Duration) -> Result<bool> {
        let deadline = Instant::now() + timeout;
        for Pending { queue, ticket } in &self.0 {
            if !queue.wait(*ticket, remaining(deadline))? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Waits for work that others must see done, now or where this thread defers it to.
pub(crate) fn wait_or_defer(queue: &Arc<dyn Queue>, ticket: Ticket) -> Result<()> {
    let is_deferred = PENDING.with_borrow_mut(|pending| {
        let Some(pending) = pending else {
            return false;
        };
        let queue = Arc::clone(queue);
        pending.push(Pending { queue, ticket });
        true
    });
    while !is_deferred && !queue.wait(ticket, Duration::from_secs(3600))? {}
    Ok(())
}
