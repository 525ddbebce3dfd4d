//! Schedulers.

use super::exit::close_at_exit;
use super::job::{PyJob, Slot};
use super::options::{BandwidthArg, IntegerArg, KwargsArg, MemoryArg, NameArg, refuse_unknown};
use super::stats::{PySchedulerStats, PyTaskStats};
use super::task::PyTask;
use crate::convert::type_name;
use crate::device::{AnyDevice, PyDevice};
use crate::run::{run, wait};
use crate::units::{BytesArg, DurationArg};
use pygpukit_core::id::TaskId;
use pygpukit_core::scheduler::{Policy, Request, RequestError, TaskSpec};
use pygpukit_device::Error;
use pygpukit_device::scheduler::{Outcome, Scheduler, SchedulerOptions, Task, TaskState};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// Runs functions on a device when what they ask for is there.
#[pyclass(name = "Scheduler", frozen, module = "pygpukit.scheduler")]
pub(crate) struct PyScheduler(Arc<Scheduler>);

fn value_error(error: RequestError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

#[pymethods]
impl PyScheduler {
    #[new]
    #[pyo3(signature = (device=None, *, memory=None, log=None))]
    fn new(
        py: Python<'_>,
        device: Option<AnyDevice>,
        memory: Option<BytesArg>,
        log: Option<PathBuf>,
    ) -> PyResult<Self> {
        let device = AnyDevice::open_or_current(py, device)?;
        let log = log.map(File::create).transpose()?;
        let log = log.map(|file| Box::new(BufWriter::new(file)) as Box<dyn Write + Send>);
        let memory = memory.map(|memory| memory.0);
        let scheduler = run(py, || {
            Scheduler::new(&device, SchedulerOptions { memory, log })
        })?;
        let scheduler = Arc::new(scheduler);
        close_at_exit(py, &scheduler)?;
        Ok(Self(scheduler))
    }

    #[getter]
    fn device(&self) -> PyDevice {
        PyDevice::from(self.0.device())
    }

    #[pyo3(signature = (
        r#fn, /, *args, kwargs=None, memory=None, bandwidth=None, policy=None,
        priority=IntegerArg(0), weight=IntegerArg(1), deadline=None, partition=None,
        evictable=false, queue_timeout=None, on_full="queue", name=None, **unknown
    ), text_signature = "($self, fn, /, *args, kwargs=None, memory=None, bandwidth=None, \
        policy=None, priority=0, weight=1, deadline=None, partition=None, evictable=False, \
        queue_timeout=None, on_full='queue', name=None, **unknown)")]
    #[expect(clippy::too_many_arguments, reason = "one for each option")]
    fn submit(
        &self,
        py: Python<'_>,
        r#fn: Py<PyAny>,
        args: Bound<'_, PyTuple>,
        kwargs: Option<KwargsArg<'_>>,
        memory: Option<MemoryArg>,
        bandwidth: Option<BandwidthArg>,
        policy: Option<&str>,
        priority: IntegerArg,
        weight: IntegerArg,
        deadline: Option<DurationArg>,
        partition: Option<Bound<'_, PyAny>>,
        evictable: bool,
        queue_timeout: Option<DurationArg>,
        on_full: &str,
        name: Option<NameArg>,
        unknown: Option<Bound<'_, PyDict>>,
    ) -> PyResult<PyTask> {
        refuse_unknown(unknown.as_ref())?;
        refuse_partition(partition.as_ref())?;
        check_callable(r#fn.bind(py))?;
        let spec = TaskSpec {
            name: name.map(|name| name.0),
            memory: memory.map(|memory| memory.0),
            bandwidth: bandwidth.map(|bandwidth| bandwidth.0),
            policy: policy
                .map(str::parse::<Policy>)
                .transpose()
                .map_err(value_error)?,
            priority: checked_priority(priority)?,
            weight: Some(weight.0),
            deadline: deadline.map(|deadline| deadline.0),
            queue_timeout: queue_timeout.map(|timeout| timeout.0),
            on_full: on_full.parse().map_err(value_error)?,
            evictable,
            ..TaskSpec::default()
        };
        let request = Request::try_from(spec).map_err(value_error)?;
        let slot = Arc::new(Slot::default());
        let job = PyJob {
            function: r#fn,
            args: args.unbind(),
            // What the caller does to it afterwards is no concern of the task.
            kwargs: kwargs
                .map(|kwargs| kwargs.0.copy())
                .transpose()?
                .map(Bound::unbind),
            context: py
                .import("contextvars")?
                .call_method0("copy_context")?
                .unbind(),
            slot: Arc::clone(&slot),
        };
        let task = run(py, || {
            let task = self.0.submit_job(request, Box::new(job))?;
            forget_if_failed(&task, &slot);
            Ok(task)
        })?;
        Ok(PyTask { task, slot })
    }

    #[pyo3(signature = (task=None))]
    fn stats<'py>(&self, py: Python<'py>, task: Option<TaskArg>) -> PyResult<Bound<'py, PyAny>> {
        match task {
            None => {
                let report = run(py, || self.0.stats())?;
                Ok(Bound::new(py, PySchedulerStats::from(report))?.into_any())
            }
            Some(task) => {
                let stats = run(py, || {
                    let task = task.resolve(&self.0)?;
                    let report = task.stats()?;
                    Ok(PyTaskStats::new(&task, &report))
                })?;
                Ok(Bound::new(py, stats)?.into_any())
            }
        }
    }

    #[pyo3(signature = (wait=true, cancel_pending=false))]
    fn close(&self, py: Python<'_>, wait: bool, cancel_pending: bool) -> PyResult<()> {
        run(py, || self.0.shut_down(cancel_pending))?;
        if wait {
            self.wait_idle(py)?;
        }
        run(py, || self.0.end_log())
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close(py, true, false)
    }

    fn __repr__(&self) -> String {
        format!("<Scheduler on {}>", self.0.device().id())
    }
}

impl PyScheduler {
    fn wait_idle(&self, py: Python<'_>) -> PyResult<()> {
        wait(py, |patience| self.0.wait_idle(patience))
    }
}

/// What a function returned is of no use if its work on the device failed: its
/// arrays are given back.
fn forget_if_failed(task: &Task, slot: &Arc<Slot>) {
    let slot = Arc::clone(slot);
    task.on_done(move |task| {
        if let TaskState::Ended(Outcome::Failed(_)) = task.state() {
            let useless = slot.lock().result.take_if(|result| result.is_ok());
            Python::try_attach(|_| drop(useless));
        }
    });
}

fn checked_priority(IntegerArg(priority): IntegerArg) -> PyResult<i32> {
    i32::try_from(priority)
        .map_err(|_| PyValueError::new_err(format!("priority `{priority}` is too large")))
}

fn check_callable(function: &Bound<'_, PyAny>) -> PyResult<()> {
    if !function.is_callable() {
        let given = type_name(function);
        return Err(PyTypeError::new_err(format!(
            "submit() needs a function, not {given}"
        )));
    }
    refuse_lazy(function)
}

/// A function that only returns something to be run, elsewhere and later.
fn refuse_lazy(function: &Bound<'_, PyAny>) -> PyResult<()> {
    // As `inspect` has them: generators, coroutines and asynchronous generators.
    const LAZY: u32 = 0x20 | 0x80 | 0x200;
    let flags = function
        .getattr("__code__")
        .and_then(|code| code.getattr("co_flags")?.extract::<u32>());
    if flags.unwrap_or(0) & LAZY == 0 {
        return Ok(());
    }
    let name = function.getattr("__qualname__")?;
    Err(PyTypeError::new_err(format!(
        "submit() needs a function that does its work when called; `{name}` is a coroutine or \
         generator function: calling it does none"
    )))
}

fn refuse_partition(partition: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    match partition {
        None => Ok(()),
        Some(other) => Err(PyTypeError::new_err(format!(
            "partition is None or a partition of this scheduler, not {}",
            type_name(other)
        ))),
    }
}

/// A task, or the id of one.
pub(crate) enum TaskArg {
    Task(Task),
    Id(TaskId),
}

impl<'a, 'py> FromPyObject<'a, 'py> for TaskArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(task) = object.cast::<PyTask>() {
            return Ok(Self::Task(task.get().task.clone()));
        }
        let IntegerArg(id) = object.extract().map_err(|_: PyErr| {
            PyTypeError::new_err(format!(
                "stats() takes a Task or its id, not {}",
                type_name(&object)
            ))
        })?;
        let id = u64::try_from(id);
        let id = id.map_err(|_| PyValueError::new_err(format!("there is no task {}", *object)))?;
        Ok(Self::Id(TaskId::new(id)))
    }
}

impl TaskArg {
    fn resolve(self, scheduler: &Scheduler) -> Result<Task, Error> {
        match self {
            Self::Task(task) => Ok(task),
            Self::Id(id) => scheduler.task(id)?.ok_or_else(|| {
                Error::Value(format!(
                    "there is no task {id} on `{}` that waits, runs or is held",
                    scheduler.device().id()
                ))
            }),
        }
    }
}
