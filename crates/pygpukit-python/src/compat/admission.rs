//! Whether a task may start, in numbers.

use super::clock::Clock;
use super::decision::PyAdmissionDecision;
use crate::units::{BytesArg, ShareArg};
use pygpukit_core::graph::{Config, GraphError, TaskGraph};
use pygpukit_core::ledger::Resource;
use pygpukit_core::scheduler::{MemoryAsk, OnFull, Request, ShareAsk, TaskSpec};
use pygpukit_core::units::{Bytes, Share};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a controller decides over.
#[pyclass(name = "AdmissionConfig", frozen, module = "pygpukit.compat")]
pub(crate) struct PyAdmissionConfig {
    config: Config,
    on_full: OnFull,
}

#[pymethods]
impl PyAdmissionConfig {
    #[new]
    #[pyo3(signature = (max_memory, max_bandwidth, max_pending_tasks=1000, enable_best_effort=true))]
    fn new(
        max_memory: BytesArg,
        max_bandwidth: ShareArg,
        max_pending_tasks: usize,
        enable_best_effort: bool,
    ) -> Self {
        let on_full = [OnFull::Reject, OnFull::Queue];
        Self {
            config: Config {
                memory: max_memory.0,
                bandwidth: max_bandwidth.0,
                max_queued: max_pending_tasks,
                max_ended: 0,
            },
            on_full: on_full[usize::from(enable_best_effort)],
        }
    }

    #[getter]
    fn max_memory(&self) -> u64 {
        self.config.memory.get()
    }

    #[getter]
    fn max_bandwidth(&self) -> f64 {
        self.config.bandwidth.as_f64()
    }

    #[getter]
    fn max_pending_tasks(&self) -> usize {
        self.config.max_queued
    }

    #[getter]
    fn enable_best_effort(&self) -> bool {
        self.on_full == OnFull::Queue
    }
}

/// What was decided so far, and what is reserved.
#[pyclass(name = "AdmissionStats", frozen, get_all, module = "pygpukit.compat")]
pub(crate) struct PyAdmissionStats {
    admitted_count: u64,
    rejected_count: u64,
    queued_count: u64,
    pending_count: usize,
    reserved_memory: u64,
    used_memory: u64,
    reserved_bandwidth: f64,
    used_bandwidth: f64,
    available_memory: u64,
    available_bandwidth: f64,
}

impl From<&TaskGraph> for PyAdmissionStats {
    fn from(graph: &TaskGraph) -> Self {
        let scheduler = graph.scheduler();
        let reserved = scheduler.ledger().granted();
        let available = graph.available();
        let memory = reserved.bytes().get();
        let bandwidth = reserved.share(Resource::Bandwidth).as_f64();
        Self {
            admitted_count: scheduler.counters().started,
            rejected_count: graph.stats().rejected,
            queued_count: scheduler.counters().queued,
            pending_count: scheduler.waiting() + graph.stats().blocked,
            reserved_memory: memory,
            used_memory: memory,
            reserved_bandwidth: bandwidth,
            used_bandwidth: bandwidth,
            available_memory: available.bytes().get(),
            available_bandwidth: available.share(Resource::Bandwidth).as_f64(),
        }
    }
}

pub(super) fn refusal(error: GraphError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Memory that is all a task's own, or none.
pub(super) fn own_memory(memory: Bytes) -> Option<MemoryAsk> {
    let some = Some(memory).filter(|memory| *memory > Bytes::ZERO);
    some.map(|request| MemoryAsk {
        request,
        limit: Some(request),
    })
}

/// Decides which tasks may start, in numbers.
#[pyclass(name = "AdmissionController", frozen, module = "pygpukit.compat")]
pub(crate) struct PyAdmissionController {
    graph: Mutex<TaskGraph>,
    on_full: OnFull,
    clock: Clock,
}

impl PyAdmissionController {
    fn lock(&self) -> MutexGuard<'_, TaskGraph> {
        self.graph.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyAdmissionController {
    #[new]
    #[pyo3(signature = (config, clock=None))]
    fn new(
        py: Python<'_>,
        config: PyRef<'_, PyAdmissionConfig>,
        clock: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        Ok(Self {
            graph: Mutex::new(TaskGraph::new(config.config)),
            on_full: config.on_full,
            clock: Clock::new(py, clock)?,
        })
    }

    fn try_admit(
        &self,
        py: Python<'_>,
        task_id: &str,
        memory: BytesArg,
        bandwidth: ShareArg,
    ) -> PyResult<PyAdmissionDecision> {
        let now = self.clock.now(py)?;
        let spec = TaskSpec {
            memory: own_memory(memory.0),
            bandwidth: Some(ShareAsk {
                floor: bandwidth.0,
                cap: Share::ONE,
            }),
            on_full: self.on_full,
            ..TaskSpec::default()
        };
        let request = Request::try_from(spec);
        let request = request.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let mut graph = self.lock();
        let answer = graph.submit(now, task_id, &[], request).map_err(refusal)?;
        // The caller knows it now; what is promoted later is still to be told.
        graph.start(now, task_id);
        Ok(PyAdmissionDecision::new(answer, now))
    }

    fn release(&self, py: Python<'_>, task_id: &str) -> PyResult<()> {
        let now = self.clock.now(py)?;
        self.lock().release(now, task_id).map_err(refusal)
    }

    fn take_promoted(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let now = self.clock.now(py)?;
        Ok(self.lock().take_ready(now, usize::MAX))
    }

    fn stats(&self) -> PyAdmissionStats {
        PyAdmissionStats::from(&*self.lock())
    }
}
