//! Tasks.

use super::admission::{PyAdmission, rejected};
use super::awaiting;
use super::job::Slot;
use super::stats::state_name;
use crate::error::{PyError, PyGPUkitError};
use crate::run::{run, wait_for};
use pygpukit_device::Error;
use pygpukit_device::scheduler::{Failure, Outcome, Task, TaskState};
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use std::sync::Arc;
use std::time::Duration;

/// A function that was submitted to a scheduler.
#[pyclass(name = "Task", frozen, module = "pygpukit.scheduler")]
pub(crate) struct PyTask {
    pub(super) task: Task,
    pub(super) slot: Arc<Slot>,
}

/// How long to wait at most: a number of seconds, negative for no time.
pub(super) fn limit(timeout: Option<f64>) -> Option<Duration> {
    // Beyond what a duration holds is for ever.
    timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)).ok())
}

/// The exceptions of `concurrent.futures`.
pub(super) fn futures_error(py: Python<'_>, name: &str, message: String) -> PyErr {
    let raised = py
        .import("concurrent.futures")
        .and_then(|module| module.getattr(name))
        .and_then(|class| class.call1((message,)));
    raised.map_or_else(|failure| failure, PyErr::from_value)
}

impl PyTask {
    /// Blocks until the task is over.
    fn outcome(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<Outcome> {
        let is_over = |patience| Ok(self.task.wait(Some(patience))?.is_some());
        let in_time = wait_for(py, limit(timeout), is_over)?;
        match self.state(py)? {
            TaskState::Ended(outcome) if in_time => Ok(outcome),
            TaskState::Queued | TaskState::Running | TaskState::Ended(_) => {
                let message = format!("{} is not done", self.__repr__(py));
                Err(futures_error(py, "TimeoutError", message))
            }
        }
    }

    /// Takes locks that other threads hold while they wait for nothing, and with
    /// a closed interpreter lock all the same: one rule for all.
    fn state(&self, py: Python<'_>) -> PyResult<TaskState> {
        run(py, || Ok(self.task.state()))
    }

    /// What the function returned, or why there is nothing.
    pub(super) fn value(&self, py: Python<'_>, outcome: Outcome) -> PyResult<Py<PyAny>> {
        match outcome {
            Outcome::Completed | Outcome::Failed(Failure::Job(_)) => self.left(py),
            Outcome::Failed(Failure::Panic(message)) => {
                Err(PyGPUkitError::new_err(format!("internal error: {message}")))
            }
            Outcome::Failed(Failure::Device(error)) => Err(PyError::from(error).into()),
            Outcome::Cancelled => {
                let message = format!("{} was cancelled", self.__repr__(py));
                Err(futures_error(py, "CancelledError", message))
            }
            Outcome::Rejected(rejection) => Err(rejected(py, &rejection)),
        }
    }

    fn left(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match &self.slot.lock().result {
            Some(Ok(value)) => Ok(value.clone_ref(py)),
            Some(Err(error)) => Err(error.clone_ref(py)),
            None => Err(PyGPUkitError::new_err("the task left nothing behind")),
        }
    }
}

#[pymethods]
impl PyTask {
    #[classmethod]
    fn __class_getitem__<'py>(
        class: &Bound<'py, PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let alias = class.py().import("types")?.getattr("GenericAlias")?;
        alias.call1((class, item))
    }

    #[getter]
    fn id(&self) -> u64 {
        self.task.id().get()
    }

    #[getter]
    fn name(&self) -> Option<&str> {
        self.task.name()
    }

    #[getter(state)]
    fn state_word(&self, py: Python<'_>) -> PyResult<&'static str> {
        Ok(state_name(&self.state(py)?))
    }

    #[getter]
    fn admission(&self) -> PyAdmission {
        PyAdmission::from(&self.task)
    }

    #[pyo3(signature = (timeout=None))]
    fn result(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<Py<PyAny>> {
        let outcome = self.outcome(py, timeout)?;
        self.value(py, outcome)
    }

    #[pyo3(signature = (timeout=None))]
    fn exception(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<Option<Py<PyAny>>> {
        let outcome = self.outcome(py, timeout)?;
        let is_cancelled = matches!(outcome, Outcome::Cancelled);
        match self.value(py, outcome) {
            Ok(_) => Ok(None),
            Err(error) if is_cancelled => Err(error),
            Err(error) => Ok(Some(error.into_value(py).into_any())),
        }
    }

    fn done(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(matches!(self.state(py)?, TaskState::Ended(_)))
    }

    fn running(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(matches!(self.state(py)?, TaskState::Running))
    }

    fn cancelled(&self, py: Python<'_>) -> PyResult<bool> {
        let state = self.state(py)?;
        Ok(matches!(state, TaskState::Ended(Outcome::Cancelled)))
    }

    fn cancel(&self, py: Python<'_>) -> PyResult<bool> {
        run(py, || self.task.cancel())
    }

    fn add_done_callback(slf: Bound<'_, Self>, callback: Py<PyAny>) -> PyResult<()> {
        let py = slf.py();
        let task = slf.get().task.clone();
        let this = slf.unbind();
        run(py, || {
            task.on_done(move |_| {
                let called = Python::try_attach(|py| {
                    if let Err(error) = callback.call1(py, (this.clone_ref(py),)) {
                        error.write_unraisable(py, Some(callback.bind(py)));
                    }
                });
                // Without an interpreter there is nobody to call.
                called.unwrap_or_default();
            });
            Ok::<_, Error>(())
        })
    }

    fn future(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        awaiting::future(slf)
    }

    fn __await__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        awaiting::awaiter(slf)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let state = self.state(py).map_or("unknown", |state| state_name(&state));
        let name = self.task.name().map(|name| format!(" {name:?}"));
        format!(
            "<Task {}{} on {}: {state}>",
            self.task.id(),
            name.unwrap_or_default(),
            self.task.device().id()
        )
    }
}

/// Arguments of a closure that Python calls.
pub(super) fn first<'py>(args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
    args.get_item(0)
}
