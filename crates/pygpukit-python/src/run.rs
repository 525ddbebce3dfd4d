//! Leaving the interpreter while the device works.

use crate::error::{PyError, PyGPUkitError};
use pygpukit_device::Error;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// How long a wait may stay away from the interpreter: Ctrl-C is seen this often.
const PATIENCE: Duration = Duration::from_millis(50);

/// Runs `work` with the GIL released and maps its error. A panic becomes an
/// ordinary exception.
pub(crate) fn run<T, F>(py: Python<'_>, work: F) -> PyResult<T>
where
    F: FnOnce() -> Result<T, Error> + Send,
    T: Send,
{
    match py.detach(|| catch_unwind(AssertUnwindSafe(work))) {
        Ok(result) => result.map_err(|error| PyError::from(error).into()),
        Err(panic) => Err(PyGPUkitError::new_err(format!(
            "internal error: {}",
            panic_text(&*panic)
        ))),
    }
}

/// Repeats a wait of limited time until it is true. Between the repetitions the
/// interpreter handles signals, so that Ctrl-C ends the wait.
pub(crate) fn wait<F>(py: Python<'_>, step: F) -> PyResult<()>
where
    F: Fn(Duration) -> Result<bool, Error> + Send + Sync,
{
    while !run(py, || step(PATIENCE))? {
        py.check_signals()?;
    }
    Ok(())
}

/// As [`wait`], for a limited time if there is a limit; true if it came true.
pub(crate) fn wait_for<F>(py: Python<'_>, limit: Option<Duration>, step: F) -> PyResult<bool>
where
    F: Fn(Duration) -> Result<bool, Error> + Send + Sync,
{
    let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
    let left = || deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    loop {
        let patience = left().map_or(PATIENCE, |left| left.min(PATIENCE));
        if run(py, || step(patience))? {
            return Ok(true);
        }
        if left().is_some_and(|left| left.is_zero()) {
            return Ok(false);
        }
        py.check_signals()?;
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
}
