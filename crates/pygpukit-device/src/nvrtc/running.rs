//! Compilations that run, and the end of them.
//!
//! NVRTC must not be at work while the process ends: it would be without what its
//! library destroys there.

use crate::error::{Error, Result};
use crate::process;
use crate::stream::remaining;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The process in the upper half, how many run there in the lower. No lock: a
/// forked child would inherit it as it is.
static RUNNING: AtomicU64 = AtomicU64::new(0);
static IS_CANCELLED: AtomicBool = AtomicBool::new(false);

/// How often the end of compilations is looked for.
const STEP: Duration = Duration::from_millis(5);

/// Stands for a compilation that runs.
#[derive(Debug)]
pub(super) struct Running(());

impl Running {
    /// # Errors
    /// [`Error::Unsupported`] once compilations were cancelled.
    pub(super) fn begin() -> Result<Self> {
        change(|count| count + 1);
        let running = Self(());
        if IS_CANCELLED.load(Ordering::SeqCst) {
            return Err(Error::Unsupported(
                "nothing more is compiled: the process is ending".into(),
            ));
        }
        Ok(running)
    }

    /// What NVRTC asks now and then: 1 if it is to stop.
    pub(super) extern "C" fn is_cancelled(_: *mut c_void, _: *mut c_void) -> c_int {
        IS_CANCELLED.load(Ordering::SeqCst).into()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        change(|count| count.saturating_sub(1));
    }
}

/// How many run in this process: a forked child has none of its parent's threads.
fn count(running: u64) -> u32 {
    let is_here = running >> 32 == u64::from(process::current());
    let count = u32::try_from(running & u64::from(u32::MAX)).unwrap_or(u32::MAX);
    if is_here { count } else { 0 }
}

fn change(next: impl Fn(u32) -> u32) {
    let changed = |running| {
        let (process, count) = (process::current(), next(count(running)));
        Some(u64::from(process) << 32 | u64::from(count))
    };
    // It always answers, so this cannot fail.
    let _ = RUNNING.fetch_update(Ordering::SeqCst, Ordering::SeqCst, changed);
}

/// Cancels all compilations of the process, now and later, and waits until none
/// runs or the time is over; true if none does. For the end of the process.
///
/// NVRTC stops between two steps if it is 12.8 or later; an older one runs to its end.
pub fn cancel_compilations(timeout: Duration) -> bool {
    IS_CANCELLED.store(true, Ordering::SeqCst);
    let deadline = Instant::now() + timeout;
    while count(RUNNING.load(Ordering::SeqCst)) > 0 {
        if remaining(deadline).is_zero() {
            return false;
        }
        std::thread::sleep(STEP.min(remaining(deadline)));
    }
    true
}
