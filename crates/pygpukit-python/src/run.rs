//! Leaving the interpreter while the device works.

use crate::error::{PyError, PyGPUkitError};
use pygpukit_device::{Deferred, Error};
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How long a wait may stay away from the interpreter: Ctrl-C is seen this often.
const PATIENCE: Duration = Duration::from_millis(50);

/// Runs `work` with the GIL released and maps its error. A panic becomes an
/// ordinary exception.
///
/// Work on memory that others see is done on return, or left alone by Ctrl-C.
pub(crate) fn run<T, F>(py: Python<'_>, work: F) -> PyResult<T>
where
    F: FnOnce() -> Result<T, Error> + Send,
    T: Send,
{
    let (result, deferred) = py.detach(|| Deferred::collect(|| caught(work)));
    while !deferred.is_empty() && !mapped(py.detach(|| caught(|| deferred.wait(PATIENCE))))? {
        py.check_signals()?;
    }
    mapped(result)
}

/// As [`run`], for work that cannot be stopped: Ctrl-C ends the wait, while the
/// work goes on in the background.
pub(crate) fn run_apart<T, F>(py: Python<'_>, work: F) -> PyResult<T>
where
    F: FnOnce() -> Result<T, Error> + Send + 'static,
    T: Send + 'static,
{
    let (sender, mut receiver) = mpsc::channel();
    let job = move || drop(sender.send(caught(work)));
    let thread = std::thread::Builder::new()
        .name("pygpukit-apart".into())
        .spawn(job)?;
    loop {
        let receiver = &mut receiver;
        match py.detach(move || receiver.recv_timeout(PATIENCE)) {
            Ok(result) => {
                // The memory that it worked with is then there for the next one.
                py.detach(|| thread.join()).ok();
                return mapped(result);
            }
            Err(_) => py.check_signals()?,
        }
    }
}

/// What `work` returned, or the text of its panic.
fn caught<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<Result<T, Error>, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| panic_text(&*panic).to_owned())
}

fn mapped<T>(result: Result<Result<T, Error>, String>) -> PyResult<T> {
    match result {
        Ok(result) => result.map_err(|error| PyError::from(error).into()),
        Err(panic) => Err(PyGPUkitError::new_err(format!("internal error: {panic}"))),
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
