//! Tasks as futures: of `concurrent.futures` and of `asyncio`.

use super::task::{PyTask, first};
use crate::run::run;
use pygpukit_device::Error;
use pygpukit_device::scheduler::{Outcome, TaskState};
use pyo3::prelude::*;
use pyo3::types::PyCFunction;

/// The task as a `concurrent.futures.Future`: always the same one.
pub(super) fn future(task: &Bound<'_, PyTask>) -> PyResult<Py<PyAny>> {
    let py = task.py();
    let slot = &task.get().slot;
    if let Some(future) = slot.future(py) {
        return Ok(future);
    }
    let future = py
        .import("concurrent.futures")?
        .getattr("Future")?
        .call0()?;
    let (made, has_begun) = {
        let mut left = slot.lock();
        let kept = left.future.get_or_insert_with(|| future.clone().unbind());
        (kept.clone_ref(py), left.has_begun)
    };
    if !made.is(&future) {
        // Another thread was first.
        return Ok(made);
    }
    if has_begun {
        slot.tell(&future)?;
    }
    cancel_along(task, &future)?;
    when_done(task, move |py, task| {
        let future = made.bind(py);
        settle(py, task, future)?;
        if future.call_method0("cancelled")?.is_truthy()? {
            task.slot.tell(future)
        } else {
            Ok(())
        }
    })?;
    Ok(future.unbind())
}

/// Cancelling the future cancels the task.
fn cancel_along(task: &Bound<'_, PyTask>, future: &Bound<'_, PyAny>) -> PyResult<()> {
    let this = task.clone().unbind();
    let follow = PyCFunction::new_closure(task.py(), None, None, move |args, _| {
        let py = args.py();
        let is_cancelled = first(args)?.call_method0("cancelled")?.is_truthy()?;
        if is_cancelled {
            let task = &this.get().task;
            run(py, || task.cancel())?;
        }
        PyResult::Ok(())
    })?;
    future
        .call_method1("add_done_callback", (follow,))
        .map(drop)
}

/// Gives a future the outcome of its task.
fn settle(py: Python<'_>, task: &PyTask, future: &Bound<'_, PyAny>) -> PyResult<()> {
    let TaskState::Ended(outcome) = run(py, || Ok(task.task.state()))? else {
        return Ok(());
    };
    if future.call_method0("cancelled")?.is_truthy()? {
        return Ok(());
    }
    if matches!(outcome, Outcome::Cancelled) {
        return future.call_method0("cancel").map(drop);
    }
    match task.value(py, outcome) {
        Ok(value) => future.call_method1("set_result", (value,)),
        Err(error) => future.call_method1("set_exception", (error.into_value(py),)),
    }
    .map(drop)
}

/// What `await` iterates over: an `asyncio` future of the running loop.
pub(super) fn awaiter<'py>(task: &Bound<'py, PyTask>) -> PyResult<Bound<'py, PyAny>> {
    let py = task.py();
    let event_loop = py.import("asyncio")?.call_method0("get_running_loop")?;
    let future = event_loop.call_method0("create_future")?;
    cancel_along(task, &future)?;
    let target = future.clone().unbind();
    let event_loop = event_loop.unbind();
    let this = task.clone().unbind();
    when_done(task, move |py, _| {
        let deliver = PyCFunction::new_closure(py, None, None, move |args, _| {
            let py = args.py();
            let target = target.bind(py);
            if target.call_method0("done")?.is_truthy()? {
                return Ok(());
            }
            settle(py, this.get(), target)
        })?;
        let sent = event_loop.call_method1(py, "call_soon_threadsafe", (deliver,));
        // A loop that was closed has nobody who waits.
        drop(sent);
        Ok(())
    })?;
    future.call_method0("__await__")
}

/// Calls `act` with the GIL when the task is over.
fn when_done(
    task: &Bound<'_, PyTask>,
    act: impl FnOnce(Python<'_>, &PyTask) -> PyResult<()> + Send + 'static,
) -> PyResult<()> {
    let this = task.clone().unbind();
    let device_task = &task.get().task;
    run(task.py(), || {
        device_task.on_done(move |_| {
            let called = Python::try_attach(|py| {
                if let Err(error) = act(py, this.get()) {
                    error.write_unraisable(py, Some(this.bind(py)));
                }
            });
            called.unwrap_or_default();
        });
        Ok::<_, Error>(())
    })
}
