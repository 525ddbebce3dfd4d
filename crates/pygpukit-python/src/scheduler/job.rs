//! A Python function as the job of a task.

use crate::call::call;
use crate::scope;
use pygpukit_device::scheduler::{Job, JobError, TaskContext};
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a job leaves for its task.
#[derive(Default)]
pub(super) struct Slot(Mutex<Left>);

#[derive(Default)]
pub(super) struct Left {
    /// What the function returned or raised.
    pub(super) result: Option<PyResult<Py<PyAny>>>,
    /// The task as a `concurrent.futures.Future`, if somebody wants it.
    pub(super) future: Option<Py<PyAny>>,
    /// The job has begun, and told the future if there was one.
    pub(super) has_begun: bool,
    /// The future was told that it runs, or that whoever waits for it may know of
    /// its cancellation: that may be said only once.
    is_told: bool,
}

impl Slot {
    /// Held only to take or put a value: never while Python code runs.
    pub(super) fn lock(&self) -> MutexGuard<'_, Left> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn future(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.lock()
            .future
            .as_ref()
            .map(|future| future.clone_ref(py))
    }

    /// Tells the future, once, that it runs or that its cancellation is known.
    pub(super) fn tell(&self, future: &Bound<'_, PyAny>) -> PyResult<()> {
        if std::mem::replace(&mut self.lock().is_told, true) {
            return Ok(());
        }
        future
            .call_method0("set_running_or_notify_cancel")
            .map(drop)
    }

    /// The job begins: from now on whoever makes the future tells it.
    fn begin(&self, py: Python<'_>) -> PyResult<()> {
        let future = {
            let mut left = self.lock();
            left.has_begun = true;
            left.future.as_ref().map(|future| future.clone_ref(py))
        };
        future.map_or(Ok(()), |future| self.tell(future.bind(py)))
    }
}

/// A call to be made.
pub(super) struct PyJob {
    pub(super) function: Py<PyAny>,
    pub(super) args: Py<PyTuple>,
    pub(super) kwargs: Option<Py<PyDict>>,
    /// A copy of the submitter's `contextvars.Context`.
    pub(super) context: Py<PyAny>,
    pub(super) slot: Arc<Slot>,
}

impl Job for PyJob {
    fn run(self: Box<Self>, context: &TaskContext) -> Result<(), JobError> {
        Python::try_attach(|py| self.call(py, context))
            .unwrap_or_else(|| Err("the interpreter is ending".into()))
    }
}

impl PyJob {
    fn call(self, py: Python<'_>, task: &TaskContext) -> Result<(), JobError> {
        self.slot.begin(py).map_err(|error| error.to_string())?;
        let slot = Arc::clone(&self.slot);
        // The call's arguments are dropped before the task ends.
        let result = self.call_in_context(py, task);
        let failure = result.as_ref().err().map(ToString::to_string);
        slot.lock().result = Some(result);
        failure.map_or(Ok(()), |text| Err(text.into()))
    }

    /// Calls the function in the submitter's context, with the task's stream current.
    fn call_in_context(self, py: Python<'_>, task: &TaskContext) -> PyResult<Py<PyAny>> {
        let run = self.context.bind(py).getattr("run")?;
        let stream = task.stream().clone();
        let enter = PyCFunction::new_closure(py, None, None, move |args, _| {
            scope::enter(args.py(), stream.clone(), None)
        })?;
        run.call1((enter,))?;
        let function = PyTuple::new(py, [self.function.bind(py)])?;
        let args = function
            .as_sequence()
            .concat(self.args.bind(py).as_sequence())?;
        let kwargs = self.kwargs.as_ref().map(|kwargs| kwargs.bind(py));
        call(&run, &args.to_tuple()?, kwargs).map(Bound::unbind)
    }
}
