//! Which task may run next, in numbers.

use super::admission::{PyAdmissionStats, refusal};
use super::clock::{Clock, milliseconds, seconds};
use super::decision::PyAdmissionDecision;
use super::task::{PyTaskMeta, PyTaskState};
use crate::units::{BytesArg, MillisecondsArg};
use pygpukit_core::graph::{Answer, Config, TaskGraph, TaskState};
use pygpukit_core::ledger::Resource;
use pygpukit_core::scheduler::{Admission, Reason};
use pygpukit_core::units::{Bytes, Nanoseconds, Share};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A scheduler at one moment.
#[pyclass(name = "SchedulerStats", frozen, get_all, module = "pygpukit.compat")]
pub(crate) struct PySchedulerStats {
    total_submitted: u64,
    pending_count: u64,
    running_count: usize,
    completed_count: u64,
    failed_count: u64,
    cancelled_count: u64,
    reserved_memory: u64,
    available_memory: u64,
    avg_wait_time: f64,
    avg_exec_time: f64,
}

/// A task at one moment.
#[pyclass(name = "TaskStats", frozen, get_all, module = "pygpukit.compat")]
pub(crate) struct PyTaskStats {
    id: String,
    name: String,
    state: PyTaskState,
    wait_time: f64,
    exec_time: Option<f64>,
    memory_used: u64,
}

/// Hands out the names of tasks that may run.
#[pyclass(name = "Scheduler", frozen, module = "pygpukit.compat")]
pub(crate) struct PyScheduler {
    graph: Mutex<TaskGraph>,
    total_memory: Option<Bytes>,
    tick: Nanoseconds,
    window: Nanoseconds,
    clock: Clock,
}

impl PyScheduler {
    fn lock(&self) -> MutexGuard<'_, TaskGraph> {
        self.graph.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The exception for a task that is not kept.
fn kept(answer: Answer) -> PyResult<()> {
    match answer {
        Answer::Blocked { .. }
        | Answer::Asked(Admission::Admitted { .. } | Admission::Queued { .. }) => Ok(()),
        Answer::Asked(Admission::Rejected(rejection)) => {
            let message = rejection.to_string();
            Err(match rejection.reason {
                Reason::Resource(Resource::Memory) => PyMemoryError::new_err(message),
                Reason::Resource(_)
                | Reason::QueueFull
                | Reason::QueueTimeout(_)
                | Reason::Closed => PyRuntimeError::new_err(message),
            })
        }
        Answer::Unsatisfiable(why) => Err(PyValueError::new_err(why.to_string())),
    }
}

const TICK: Nanoseconds = Nanoseconds::new(10_000_000);
const WINDOW: Nanoseconds = Nanoseconds::new(100_000_000);

#[pymethods]
impl PyScheduler {
    #[new]
    #[pyo3(
        signature = (total_memory=None, sched_tick_ms=MillisecondsArg(TICK), window_ms=MillisecondsArg(WINDOW), max_pending_tasks=10_000, max_ended_tasks=10_000, clock=None),
        text_signature = "(total_memory=None, sched_tick_ms=10.0, window_ms=100.0, max_pending_tasks=10000, max_ended_tasks=10000, clock=None)"
    )]
    fn new(
        py: Python<'_>,
        total_memory: Option<BytesArg>,
        sched_tick_ms: MillisecondsArg,
        window_ms: MillisecondsArg,
        max_pending_tasks: usize,
        max_ended_tasks: usize,
        clock: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let total_memory = total_memory.map(|memory| memory.0);
        let config = Config {
            memory: total_memory.unwrap_or(Bytes::new(u64::MAX)),
            bandwidth: Share::ONE,
            max_queued: max_pending_tasks,
            max_ended: max_ended_tasks,
        };
        Ok(Self {
            graph: Mutex::new(TaskGraph::new(config)),
            total_memory,
            tick: sched_tick_ms.0,
            window: window_ms.0,
            clock: Clock::new(py, clock)?,
        })
    }

    #[getter]
    fn total_memory(&self) -> Option<u64> {
        self.total_memory.map(Bytes::get)
    }

    #[getter]
    fn sched_tick_ms(&self) -> f64 {
        milliseconds(self.tick)
    }

    #[getter]
    fn window_ms(&self) -> f64 {
        milliseconds(self.window)
    }

    fn submit(&self, py: Python<'_>, task: PyRef<'_, PyTaskMeta>) -> PyResult<String> {
        let now = self.clock.now(py)?;
        let request = task.request.clone();
        let answer = self
            .lock()
            .submit(now, task.id(), task.dependencies(), request);
        kept(answer.map_err(refusal)?)?;
        Ok(task.id().into())
    }

    fn admit(&self, py: Python<'_>, task: PyRef<'_, PyTaskMeta>) -> PyResult<PyAdmissionDecision> {
        let now = self.clock.now(py)?;
        let request = task.request.clone();
        let answer = self
            .lock()
            .submit(now, task.id(), task.dependencies(), request);
        Ok(PyAdmissionDecision::new(answer.map_err(refusal)?, now))
    }

    fn evaluate_admission(
        &self,
        py: Python<'_>,
        task: PyRef<'_, PyTaskMeta>,
    ) -> PyResult<PyAdmissionDecision> {
        let now = self.clock.now(py)?;
        let graph = self.lock();
        let answer = graph.foresee(task.id(), task.dependencies(), &task.request);
        Ok(PyAdmissionDecision::new(answer.map_err(refusal)?, now))
    }

    fn admission_stats(&self) -> PyAdmissionStats {
        PyAdmissionStats::from(&*self.lock())
    }

    #[pyo3(signature = (max_tasks=1))]
    fn get_runnable_tasks(&self, py: Python<'_>, max_tasks: usize) -> PyResult<Vec<String>> {
        let now = self.clock.now(py)?;
        Ok(self.lock().take_ready(now, max_tasks))
    }

    fn should_run(&self, task_id: &str) -> bool {
        let graph = self.lock();
        graph
            .get(task_id)
            .is_some_and(|task| *task.state() == TaskState::Ready)
    }

    fn start_task(&self, py: Python<'_>, task_id: &str) -> PyResult<bool> {
        let now = self.clock.now(py)?;
        Ok(self.lock().start(now, task_id))
    }

    fn complete_task(&self, py: Python<'_>, task_id: &str) -> PyResult<bool> {
        let now = self.clock.now(py)?;
        Ok(self.lock().complete(now, task_id))
    }

    fn fail_task(&self, py: Python<'_>, task_id: &str, error: String) -> PyResult<bool> {
        let now = self.clock.now(py)?;
        Ok(self.lock().fail(now, task_id, error))
    }

    fn cancel_task(&self, py: Python<'_>, task_id: &str) -> PyResult<bool> {
        let now = self.clock.now(py)?;
        Ok(self.lock().cancel(now, task_id))
    }

    fn get_task(&self, py: Python<'_>, task_id: &str) -> PyResult<Option<PyTaskMeta>> {
        let now = self.clock.now(py)?;
        let graph = self.lock();
        Ok(graph.get(task_id).map(|task| PyTaskMeta::at(task, now)))
    }

    fn get_task_state(&self, task_id: &str) -> Option<PyTaskState> {
        let graph = self.lock();
        Some(graph.get(task_id)?.state().into())
    }

    fn task_stats(&self, py: Python<'_>, task_id: &str) -> PyResult<Option<PyTaskStats>> {
        let now = self.clock.now(py)?;
        let graph = self.lock();
        Ok(graph.get(task_id).map(|task| PyTaskStats {
            id: task.name().into(),
            name: task.request().name().unwrap_or_default().into(),
            state: task.state().into(),
            wait_time: seconds(task.waited(now)),
            exec_time: task.ran(now).map(seconds),
            memory_used: task.held().get(),
        }))
    }

    fn stats(&self) -> PySchedulerStats {
        let graph = self.lock();
        let stats = graph.stats();
        PySchedulerStats {
            total_submitted: stats.submitted,
            pending_count: stats.pending(),
            running_count: stats.running,
            completed_count: stats.completed,
            failed_count: stats.failed,
            cancelled_count: stats.cancelled,
            reserved_memory: graph.scheduler().ledger().granted().bytes().get(),
            available_memory: graph.available().bytes().get(),
            avg_wait_time: seconds(stats.average_wait()),
            avg_exec_time: seconds(stats.average_run()),
        }
    }

    fn clear(&self) {
        self.lock().clear();
    }
}
