//! Events: points in a stream that can be waited for, used again and again.

use super::context::{Context, is_ready};
use super::driver::DriverResult;
use cudarc::driver::sys::{self, CUevent_flags};
use std::sync::{Arc, Mutex, PoisonError};

/// An event recorded in a stream. Goes back to the pool when dropped.
#[derive(Debug)]
pub(super) struct Event {
    context: Arc<Context>,
    event: sys::CUevent,
}

// SAFETY: an event's handle may be used from any thread.
unsafe impl Send for Event {}
// SAFETY: as above; nothing of ours changes.
unsafe impl Sync for Event {}

/// Events that are not in use.
#[derive(Debug, Default)]
pub(super) struct EventPool {
    /// Held to push or pop only.
    free: Mutex<Vec<Free>>,
}

#[derive(Debug)]
struct Free(sys::CUevent);

// SAFETY: an event's handle may be used from any thread.
unsafe impl Send for Free {}

impl EventPool {
    fn pop(&self) -> Option<sys::CUevent> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.pop().map(|Free(event)| event)
    }

    fn push(&self, event: sys::CUevent) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.push(Free(event));
    }

    pub(super) fn drain(&self) -> Vec<sys::CUevent> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.drain(..).map(|Free(event)| event).collect()
    }
}

impl Event {
    /// Records an event in `stream`: it happens when all that is there now is done.
    ///
    /// # Safety
    /// `stream` is a live stream of the context, which is current.
    pub(super) unsafe fn record(
        context: &Arc<Context>,
        stream: sys::CUstream,
    ) -> DriverResult<Arc<Self>> {
        let driver = context.driver;
        let event = if let Some(event) = context.events.pop() {
            event
        } else {
            let mut event = std::ptr::null_mut();
            let flags = CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
            // SAFETY: stores into a live variable; a context is current.
            unsafe { driver.cuEventCreate(&raw mut event, flags) }?;
            event
        };
        let event = Self {
            context: Arc::clone(context),
            event,
        };
        // SAFETY: both are live; the event is in nobody else's hands.
        unsafe { driver.cuEventRecord(event.event, stream) }?;
        Ok(Arc::new(event))
    }

    /// True once it has happened.
    pub(super) fn is_done(&self) -> DriverResult<bool> {
        // SAFETY: a live event.
        is_ready(unsafe { self.context.driver.cuEventQuery(self.event) })
    }

    /// Makes later work of `stream` wait for the event.
    ///
    /// # Safety
    /// `stream` is a live stream, and a context is current.
    pub(super) unsafe fn hold_back(&self, stream: sys::CUstream) -> DriverResult {
        // SAFETY: both are live. The driver notes the record that the event has
        // now, so the event may be used again afterwards.
        unsafe { self.context.driver.cuStreamWaitEvent(stream, self.event, 0) }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        self.context.events.push(self.event);
    }
}
