//! A task, in numbers.

use super::admission::own_memory;
use super::clock::seconds;
use crate::units::BytesArg;
use pygpukit_core::graph::{Task, TaskState};
use pygpukit_core::scheduler::{Request, TaskSpec};
use pygpukit_core::units::{Bytes, Nanoseconds};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// How far a task has come.
#[pyclass(
    name = "TaskState",
    frozen,
    eq,
    eq_int,
    hash,
    module = "pygpukit.compat"
)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PyTaskState {
    Pending,
    Running,
    Completed,
    Failed,
    Cancelled,
}

impl From<&TaskState> for PyTaskState {
    fn from(state: &TaskState) -> Self {
        match state {
            TaskState::Blocked { .. } | TaskState::Queued | TaskState::Ready => Self::Pending,
            TaskState::Running { .. } => Self::Running,
            TaskState::Completed { .. } => Self::Completed,
            TaskState::Failed { .. } => Self::Failed,
            TaskState::Cancelled { .. } => Self::Cancelled,
        }
    }
}

/// A task to be submitted, or one at a moment.
#[pyclass(name = "TaskMeta", frozen, module = "pygpukit.compat")]
pub(crate) struct PyTaskMeta {
    #[pyo3(get)]
    id: String,
    #[pyo3(get)]
    dependencies: Vec<String>,
    #[pyo3(get)]
    state: PyTaskState,
    #[pyo3(get)]
    submitted_at: Option<f64>,
    #[pyo3(get)]
    started_at: Option<f64>,
    #[pyo3(get)]
    completed_at: Option<f64>,
    #[pyo3(get)]
    error: Option<String>,
    pub(super) request: Request,
    ended: bool,
    ran: Option<Nanoseconds>,
}

impl PyTaskMeta {
    pub(super) fn at(task: &Task, now: Nanoseconds) -> Self {
        let state = task.state();
        Self {
            id: task.name().into(),
            dependencies: task.after().into(),
            state: state.into(),
            submitted_at: Some(seconds(task.submitted())),
            started_at: state.started().map(seconds),
            completed_at: state.ended().map(seconds),
            error: state.error().map(Into::into),
            request: task.request().clone(),
            ended: state.is_terminal(),
            ran: task.ran(now),
        }
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn dependencies(&self) -> &[String] {
        &self.dependencies
    }
}

#[pymethods]
impl PyTaskMeta {
    #[new]
    #[pyo3(
        signature = (id, name, memory_estimate=BytesArg(Bytes::ZERO), priority=0, dependencies=None),
        text_signature = "(id, name, memory_estimate=0, priority=0, dependencies=None)"
    )]
    fn new(
        id: String,
        name: String,
        memory_estimate: BytesArg,
        priority: i32,
        dependencies: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let request = Request::try_from(TaskSpec {
            name: Some(name),
            memory: own_memory(memory_estimate.0),
            priority,
            ..TaskSpec::default()
        });
        Ok(Self {
            id,
            dependencies: dependencies.unwrap_or_default(),
            state: PyTaskState::Pending,
            submitted_at: None,
            started_at: None,
            completed_at: None,
            error: None,
            request: request.map_err(|error| PyValueError::new_err(error.to_string()))?,
            ended: false,
            ran: None,
        })
    }

    #[getter]
    fn name(&self) -> &str {
        self.request.name().unwrap_or_default()
    }

    #[getter]
    fn memory_estimate(&self) -> u64 {
        self.request.memory().get()
    }

    #[getter]
    fn priority(&self) -> i32 {
        self.request.spec().priority
    }

    fn is_terminal(&self) -> bool {
        self.ended
    }

    fn elapsed(&self) -> Option<f64> {
        self.ran.map(seconds)
    }

    fn duration(&self) -> Option<f64> {
        self.ran.filter(|_| self.ended).map(seconds)
    }

    fn __repr__(&self) -> String {
        format!(
            "<TaskMeta {:?} of {} bytes>",
            self.id,
            self.memory_estimate()
        )
    }
}
