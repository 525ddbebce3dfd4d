//! Leaving the interpreter while the device works.

use crate::error::{PyError, PyGPUkitError};
use pygpukit_device::Error;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

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

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
}
