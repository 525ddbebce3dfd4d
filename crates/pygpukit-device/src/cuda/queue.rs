//! Queues: streams that count what is pushed.
//!
//! Each launch gets a ticket, a number. No event is recorded with it: most
//! tickets are never asked for. Who asks gets the first event recorded at or
//! after the ticket, and only if there is none a new one.

use super::builtin::Builtin;
use super::context::{Context, is_ready};
use super::driver::DriverResult;
use super::event::Event;
use super::function::{SharedLimits, downcast};
use super::poll;
use super::progress::{Cover, Point, Progress};
use crate::backend::{Launch, Need, Priority, Queue, Ticket, Work};
use crate::error::{Error, Result};
use cudarc::driver::sys::{self, CUstream_flags};
use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A stream of a CUDA device.
#[derive(Debug)]
pub(super) struct CudaQueue {
    context: Arc<Context>,
    builtin: Arc<Builtin>,
    stream: Handle,
    is_owned: bool,
    /// True once others may push to the stream behind our back.
    is_shared: AtomicBool,
    /// True if every push waits, so that a fault is found where it was made.
    is_blocking: bool,
    /// Held while launching, so that tickets grow in the order of the stream.
    progress: Arc<Mutex<Progress>>,
}

/// A stream's handle.
#[derive(Clone, Copy, Debug)]
struct Handle(sys::CUstream);

// SAFETY: a stream's handle may be used from any thread.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl CudaQueue {
    /// Makes a stream that does not wait for the default stream.
    pub(super) fn new(
        context: &Arc<Context>,
        builtin: &Arc<Builtin>,
        priority: Priority,
    ) -> Result<Self> {
        context.check_fault()?;
        let create = || {
            let driver = context.enter()?;
            let (mut least, mut greatest) = (0, 0);
            // SAFETY: stores into live integers; a context is current.
            unsafe { driver.cuCtxGetStreamPriorityRange(&raw mut least, &raw mut greatest) }?;
            let mut stream = std::ptr::null_mut();
            let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
            let priority = level(priority, least, greatest);
            // SAFETY: stores into a live variable; a context is current.
            unsafe { driver.cuStreamCreateWithPriority(&raw mut stream, flags, priority) }?;
            Ok(stream)
        };
        let stream = create().map_err(|failure| context.error(failure))?;
        Ok(Self::over(context, builtin, stream, true))
    }

    /// A queue over a stream of others.
    pub(super) fn adopt(context: &Arc<Context>, builtin: &Arc<Builtin>, handle: u64) -> Self {
        // A handle is an address to the driver alone.
        let stream = std::ptr::with_exposed_provenance_mut(usize::try_from(handle).unwrap_or(0));
        Self::over(context, builtin, stream, false)
    }

    fn over(
        context: &Arc<Context>,
        builtin: &Arc<Builtin>,
        stream: sys::CUstream,
        is_owned: bool,
    ) -> Self {
        let progress = Progress::new(stream.expose_provenance() as u64);
        let progress = Arc::new(Mutex::new(progress));
        context.register(&progress);
        Self {
            context: Arc::clone(context),
            builtin: Arc::clone(builtin),
            stream: Handle(stream),
            is_owned,
            is_shared: AtomicBool::new(!is_owned),
            is_blocking: std::env::var("PYGPUKIT_LAUNCH_BLOCKING").is_ok_and(|value| value == "1"),
            progress,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An error of the driver, as the context explains it; call it without the lock.
    fn explain<T>(&self, answer: DriverResult<T>) -> Result<T> {
        answer.map_err(|failure| self.context.error(failure))
    }

    /// Notes that everything up to the ticket is done.
    fn advance(&self, done: Ticket) {
        let finished = self.lock().advance(done);
        drop(finished);
    }

    /// Launches kernels one after another.
    ///
    /// # Safety
    /// As [`Queue::push`].
    unsafe fn launch(&self, launches: &[Launch]) -> Result<Ticket> {
        let info = self.builtin.info();
        let limits = SharedLimits {
            free: info.shared_memory_per_block,
            opt_in: info.shared_memory_per_block_optin,
        };
        self.explain(self.context.enter())?;
        let mut progress = self.lock();
        for launch in launches {
            let function = downcast(&launch.function, &self.context)?;
            let Launch {
                grid,
                block,
                shared,
                ..
            } = *launch;
            // SAFETY: the stream is live, the context current; the rest is the
            // caller's promise. `count` keeps the kernel loaded.
            let answer = unsafe {
                function.launch(
                    self.stream.0,
                    grid,
                    block,
                    shared,
                    &launch.parameters,
                    limits,
                )
            };
            if let Err(failure) = answer {
                drop(progress);
                return Err(self.context.error(failure));
            }
            progress.count(&launch.function);
        }
        let (ticket, is_crowded) = (progress.pushed(), progress.is_crowded());
        drop(progress);
        if is_crowded {
            self.prune()?;
        }
        Ok(ticket)
    }

    /// Forgets kernels that are done, as far as the oldest event tells.
    fn prune(&self) -> Result<()> {
        let oldest = {
            let mut progress = self.lock();
            match progress.oldest() {
                Some(oldest) => Ok(oldest),
                None => self.record(&mut progress),
            }
        };
        let (covered, event) = self.explain(oldest)?;
        if self.explain(event.is_done())? {
            self.advance(covered);
        }
        Ok(())
    }

    /// The event to wait for before everything up to `ticket` is done; `None` if
    /// that is known to be done.
    fn cover(&self, ticket: Ticket) -> Result<Option<Point>> {
        self.explain(self.context.enter())?;
        let recorded = {
            let mut progress = self.lock();
            match progress.cover(ticket) {
                Cover::Done => return Ok(None),
                Cover::Recorded(point) => Ok(point),
                Cover::Nothing => self.record(&mut progress),
            }
        };
        self.explain(recorded).map(Some)
    }

    /// Records an event behind everything pushed. A context must be current.
    fn record(&self, progress: &mut Progress) -> DriverResult<Point> {
        // SAFETY: the stream is live, a context current.
        let event = unsafe { Event::record(&self.context, self.stream.0) }?;
        Ok(progress.note(event))
    }
}

/// CUDA counts priorities downwards from `least`, 0, to `greatest`, which is negative.
fn level(priority: Priority, least: i32, greatest: i32) -> i32 {
    match priority {
        Priority::Low => least,
        Priority::Normal => i32::midpoint(least, greatest),
        Priority::High => greatest,
    }
}

impl Queue for CudaQueue {
    fn handle(&self) -> u64 {
        self.is_shared.store(true, Ordering::Release);
        self.lock().stream
    }

    unsafe fn push(&self, work: Work) -> Result<Ticket> {
        self.context.check_fault()?;
        // Planned, and compiled if need be, before the lock is taken.
        let launches = self.builtin.launches(work)?;
        // SAFETY: the caller's promise; the built-in kernels touch the memory
        // that the work names.
        let ticket = unsafe { self.launch(&launches) }?;
        if self.is_blocking {
            while !self.wait(ticket, Duration::from_secs(3600))? {}
        }
        Ok(ticket)
    }

    fn mark(&self) -> Result<Ticket> {
        self.context.check_fault()?;
        if !self.is_shared.load(Ordering::Acquire) {
            return Ok(self.lock().pushed());
        }
        // Others push without a ticket: either nothing is there, or a ticket of
        // its own, with an event, stands for what is.
        self.explain(self.context.enter())?;
        let mut progress = self.lock();
        // SAFETY: the stream is live.
        let is_idle = is_ready(unsafe { self.context.driver.cuStreamQuery(self.stream.0) });
        let marked = match is_idle {
            Ok(true) => {
                let pushed = progress.pushed();
                let finished = progress.advance(pushed);
                drop(progress);
                drop(finished);
                return Ok(pushed);
            }
            Ok(false) => {
                progress.count_foreign();
                self.record(&mut progress).map(|(ticket, _)| ticket)
            }
            Err(failure) => Err(failure),
        };
        drop(progress);
        self.explain(marked)
    }

    /// What is needed makes no difference: a fault ends the context, and with it
    /// all that could go on.
    fn wait_for(&self, other: &dyn Queue, ticket: Ticket, _need: Need) -> Result<()> {
        let Some(other) = other.as_any().downcast_ref::<Self>() else {
            return Err(Error::Value(
                "a CUDA stream can only wait for a CUDA stream".into(),
            ));
        };
        if std::ptr::eq(self, other) {
            return Ok(());
        }
        let Some((_, event)) = other.cover(ticket)? else {
            return Ok(());
        };
        self.explain(self.context.enter())?;
        // SAFETY: the stream is live, a context current.
        self.explain(unsafe { event.hold_back(self.stream.0) })
    }

    fn is_done(&self, ticket: Ticket) -> Result<bool> {
        self.wait(ticket, Duration::ZERO)
    }

    fn wait(&self, ticket: Ticket, timeout: Duration) -> Result<bool> {
        self.context.check_fault()?;
        let Some((covered, event)) = self.cover(ticket)? else {
            return Ok(true);
        };
        // Without the lock: others push meanwhile.
        let is_done = poll::until(timeout, || self.explain(event.is_done()))?;
        if is_done {
            self.advance(covered);
        }
        Ok(is_done)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for CudaQueue {
    fn drop(&mut self) {
        let Some(driver) = self.context.enter_to_destroy() else {
            return;
        };
        let unfinished = self.lock().take_unfinished();
        if !unfinished.is_empty() {
            // SAFETY: the stream is live, the context current. If the driver has
            // nothing to say any more, nothing runs any more either.
            if let Ok(event) = unsafe { Event::record(&self.context, self.stream.0) } {
                self.context.keep(event, unfinished);
            }
        }
        if self.is_owned {
            // SAFETY: made in `new` and used by nobody else any more; the driver
            // lets queued work finish. What it answers is of no use here.
            let _ = unsafe { driver.cuStreamDestroy_v2(self.stream.0) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities_span_what_the_device_has() {
        let levels = [Priority::Low, Priority::Normal, Priority::High];
        assert_eq!(levels.map(|priority| level(priority, 0, -5)), [0, -2, -5]);
        assert_eq!(levels.map(|priority| level(priority, 0, 0)), [0; 3]);
    }
}
