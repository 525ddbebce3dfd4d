//! The primary context of a device, and what all its queues share.

use super::driver::{Code, Driver, DriverResult, Failure, code};
use super::event::{Event, EventPool};
use super::progress::Progress;
use crate::backend::{DeviceId, Function};
use crate::error::{Error, Result};
use cudarc::driver::sys;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

/// The retained primary context of one device.
///
/// Modules, events and streams belong to it and hold an `Arc` of it, so it is
/// released last.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) driver: &'static Driver,
    pub(super) id: DeviceId,
    pub(super) device: sys::CUdevice,
    handle: sys::CUcontext,
    process: u32,
    pub(super) events: EventPool,
    /// The progress of all live queues; locked before any of them.
    queues: Mutex<Vec<Weak<Mutex<Progress>>>>,
    orphans: Mutex<Vec<Orphans>>,
    /// The first fault; afterwards the context is of no use.
    fault: OnceLock<Error>,
}

/// Kernels whose queue was dropped before they were done.
#[derive(Debug)]
struct Orphans {
    /// Happens when they are done.
    until: Arc<Event>,
    _functions: Vec<Arc<dyn Function>>,
}

// SAFETY: a context's handle may be used from any thread.
unsafe impl Send for Context {}
// SAFETY: as above; everything mutable is behind a lock.
unsafe impl Sync for Context {}

impl Context {
    /// Retains the primary context of an initialized driver's device.
    pub(super) fn retain(driver: &'static Driver, ordinal: u32) -> DriverResult<Arc<Self>> {
        let mut device = 0;
        let mut handle = std::ptr::null_mut();
        // SAFETY: both store into live variables; the driver is initialized.
        unsafe {
            driver.cuDeviceGet(&raw mut device, ordinal.cast_signed())?;
            driver.cuDevicePrimaryCtxRetain(&raw mut handle, device)?;
        }
        Ok(Arc::new(Self {
            driver,
            id: DeviceId::Cuda(ordinal),
            device,
            handle,
            process: crate::process::current(),
            events: EventPool::default(),
            queues: Mutex::default(),
            orphans: Mutex::default(),
            fault: OnceLock::new(),
        }))
    }

    /// Makes the context current in this thread. Other libraries may have set
    /// theirs in between, so this is called before every group of calls.
    pub(super) fn enter(&self) -> DriverResult<&'static Driver> {
        // SAFETY: the context is retained.
        unsafe { self.driver.cuCtxSetCurrent(self.handle) }?;
        Ok(self.driver)
    }

    /// As [`enter`](Self::enter), for destructors: `None` in a forked child,
    /// where the driver must not be called, and after its shutdown.
    pub(super) fn enter_to_destroy(&self) -> Option<&'static Driver> {
        let is_ours = self.process == crate::process::current();
        is_ours.then(|| self.enter().ok()).flatten()
    }

    /// The first fault of the device, if there was one.
    pub(super) fn check_fault(&self) -> Result<()> {
        match self.fault.get() {
            Some(fault) => Err(fault.clone()),
            None => Ok(()),
        }
    }

    /// Turns a refused call into an error. A fault names the work that may have
    /// caused it: everything launched and not known to be done, on all queues.
    ///
    /// The caller holds no queue's progress.
    pub(super) fn error(&self, failure: Failure) -> Error {
        if !failure.is_fault() {
            return failure.into();
        }
        let fault = || {
            let (name, text) = failure.describe();
            let (work, stream) = self.suspects();
            Error::Fault {
                work,
                stream,
                reason: format!("{name} ({}): {text}", failure.code),
            }
        };
        self.fault.get_or_init(fault).clone()
    }

    /// The launches that may have failed, in words, and the stream of the first.
    fn suspects(&self) -> (String, u64) {
        let mut words = String::new();
        let mut stream = None;
        let mut count = 0;
        // Locks: the register, then each queue's progress in turn.
        for progress in self.lock_queues().iter().filter_map(Weak::upgrade) {
            let progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
            let names = progress.suspects();
            if names.is_empty() {
                continue;
            }
            let separator = if count == 0 { "" } else { "; " };
            let names = names.join("`, `");
            // Writing to a string does not fail.
            let _ = write!(words, "{separator}`{names}`");
            if stream.is_some() {
                let _ = write!(words, " on stream {}", progress.stream);
            }
            stream.get_or_insert(progress.stream);
            count += 1 + usize::from(names.contains(','));
        }
        match count {
            0 => ("work of unknown origin".into(), 0),
            1 => (words, stream.unwrap_or(0)),
            _ => (format!("one of {words}"), stream.unwrap_or(0)),
        }
    }

    fn lock_queues(&self) -> MutexGuard<'_, Vec<Weak<Mutex<Progress>>>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn register(&self, progress: &Arc<Mutex<Progress>>) {
        let mut queues = self.lock_queues();
        queues.retain(|queue| queue.strong_count() > 0);
        queues.push(Arc::downgrade(progress));
    }

    /// Keeps kernels loaded until the event has happened.
    pub(super) fn keep(&self, until: Arc<Event>, functions: Vec<Arc<dyn Function>>) {
        self.orphans
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Orphans {
                until,
                _functions: functions,
            });
    }

    /// Lets go of kept kernels that are done. May wait for the device, as
    /// unloading does. The context must be current.
    pub(super) fn reap(&self) {
        let done: Vec<_> = {
            let mut orphans = self.orphans.lock().unwrap_or_else(PoisonError::into_inner);
            orphans
                .extract_if(.., |kept| kept.until.is_done().unwrap_or(true))
                .collect()
        };
        drop(done);
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if let Some(driver) = self.enter_to_destroy() {
            for event in self.events.drain() {
                // SAFETY: a live event that nobody uses. What the driver answers
                // is of no use here.
                let _ = unsafe { driver.cuEventDestroy_v2(event) };
            }
            // SAFETY: retained once in `retain`.
            let _ = unsafe { driver.cuDevicePrimaryCtxRelease_v2(self.device) };
        }
    }
}

/// A query's answer: done, not yet, or an error.
pub(super) fn is_ready(answer: DriverResult) -> DriverResult<bool> {
    const NOT_READY: Code = code::NOT_READY;
    match answer {
        Ok(()) => Ok(true),
        Err(Failure {
            code: NOT_READY, ..
        }) => Ok(false),
        Err(failure) => Err(failure),
    }
}
