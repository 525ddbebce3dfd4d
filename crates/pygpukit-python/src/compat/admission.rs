//! Whether a task may start, in numbers.

use super::clock::{Clock, milliseconds};
use crate::units::{BytesArg, ShareArg};
use pygpukit_core::graph::{Answer, Config, GraphError, TaskGraph};
use pygpukit_core::ledger::Resource;
use pygpukit_core::scheduler::{
    Admission, MemoryAsk, OnFull, Reason, Rejection, Request, ShareAsk, TaskSpec,
};
use pygpukit_core::units::{Bytes, Nanoseconds, Share};
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

/// What there is too little of.
#[pyclass(
    name = "RejectReason",
    frozen,
    eq,
    eq_int,
    hash,
    module = "pygpukit.compat"
)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PyRejectReason {
    InsufficientMemory,
    InsufficientBandwidth,
    QueueFull,
    UnsatisfiableDependencies,
    Custom,
}

impl From<Reason> for PyRejectReason {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::Resource(Resource::Memory) => Self::InsufficientMemory,
            Reason::Resource(Resource::Bandwidth) => Self::InsufficientBandwidth,
            Reason::QueueFull => Self::QueueFull,
            Reason::Resource(Resource::Compute | Resource::Workers)
            | Reason::QueueTimeout(_)
            | Reason::Closed => Self::Custom,
        }
    }
}

/// Why a task is rejected, in numbers.
#[pyclass(name = "RejectReasonDetails", frozen, module = "pygpukit.compat")]
pub(crate) struct PyRejectReasonDetails {
    reason: PyRejectReason,
    rejection: Option<Rejection>,
    message: String,
}

impl PyRejectReasonDetails {
    fn memory(&self, amount: impl Fn(&Rejection) -> u64) -> Option<u64> {
        let memory = Reason::Resource(Resource::Memory);
        let rejection = self.rejection.as_ref();
        rejection.filter(|it| it.reason == memory).map(amount)
    }
}

#[pymethods]
impl PyRejectReasonDetails {
    #[getter]
    fn reason_type(&self) -> &'static str {
        match self.reason {
            PyRejectReason::InsufficientMemory => "InsufficientMemory",
            PyRejectReason::InsufficientBandwidth => "BandwidthExceeded",
            PyRejectReason::QueueFull => "QueueFull",
            PyRejectReason::UnsatisfiableDependencies => "UnsatisfiableDependencies",
            PyRejectReason::Custom => "Custom",
        }
    }

    #[getter]
    fn requested_memory(&self) -> Option<u64> {
        self.memory(|rejection| rejection.asked)
    }

    #[getter]
    fn available_memory(&self) -> Option<u64> {
        self.memory(|rejection| rejection.available)
    }

    fn message(&self) -> &str {
        &self.message
    }

    fn __repr__(&self) -> String {
        format!(
            "<RejectReasonDetails {}: {}>",
            self.reason_type(),
            self.message
        )
    }
}

/// What was decided of a task.
#[pyclass(name = "AdmissionDecision", frozen, module = "pygpukit.compat")]
pub(crate) struct PyAdmissionDecision {
    answer: Answer,
    at: Nanoseconds,
}

impl PyAdmissionDecision {
    pub(super) fn new(answer: Answer, at: Nanoseconds) -> Self {
        Self { answer, at }
    }

    fn granted(&self) -> Option<(Bytes, Share)> {
        match self.answer {
            Answer::Asked(Admission::Admitted { memory, bandwidth }) => Some((memory, bandwidth)),
            Answer::Asked(Admission::Queued { .. } | Admission::Rejected(_))
            | Answer::Blocked { .. }
            | Answer::Unsatisfiable(_) => None,
        }
    }
}

#[pymethods]
impl PyAdmissionDecision {
    fn is_admitted(&self) -> bool {
        self.granted().is_some()
    }

    fn is_queued(&self) -> bool {
        self.decision_type() == "Queue"
    }

    fn is_rejected(&self) -> bool {
        self.decision_type() == "Reject"
    }

    #[getter]
    fn decision_type(&self) -> &'static str {
        match self.answer {
            Answer::Asked(Admission::Admitted { .. }) => "Admit",
            Answer::Asked(Admission::Queued { .. }) | Answer::Blocked { .. } => "Queue",
            Answer::Asked(Admission::Rejected(_)) | Answer::Unsatisfiable(_) => "Reject",
        }
    }

    #[getter]
    fn reserved_memory(&self) -> u64 {
        self.granted().map_or(0, |(memory, _)| memory.get())
    }

    #[getter]
    fn reserved_bandwidth(&self) -> f64 {
        let bandwidth = self.granted().map(|(_, bandwidth)| bandwidth);
        bandwidth.map_or(0.0, Share::as_f64)
    }

    #[getter]
    fn queue_position(&self) -> Option<usize> {
        match self.answer {
            Answer::Asked(Admission::Queued { position, .. }) => Some(position),
            Answer::Asked(Admission::Admitted { .. } | Admission::Rejected(_))
            | Answer::Blocked { .. }
            | Answer::Unsatisfiable(_) => None,
        }
    }

    #[getter]
    fn estimated_wait_ms(&self) -> Option<f64> {
        match self.answer {
            Answer::Asked(Admission::Queued { earliest_start, .. }) => {
                Some(milliseconds(earliest_start?.saturating_sub(self.at)))
            }
            Answer::Asked(Admission::Admitted { .. } | Admission::Rejected(_))
            | Answer::Blocked { .. }
            | Answer::Unsatisfiable(_) => None,
        }
    }

    fn reject_reason(&self) -> Option<PyRejectReason> {
        self.rejection_reason().map(|details| details.reason)
    }

    #[getter]
    fn rejection_reason(&self) -> Option<PyRejectReasonDetails> {
        match &self.answer {
            Answer::Asked(Admission::Rejected(rejection)) => Some(PyRejectReasonDetails {
                reason: rejection.reason.into(),
                rejection: Some(*rejection),
                message: rejection.to_string(),
            }),
            Answer::Unsatisfiable(why) => Some(PyRejectReasonDetails {
                reason: PyRejectReason::UnsatisfiableDependencies,
                rejection: None,
                message: why.to_string(),
            }),
            Answer::Asked(Admission::Admitted { .. } | Admission::Queued { .. })
            | Answer::Blocked { .. } => None,
        }
    }

    fn __repr__(&self) -> String {
        let why = self
            .rejection_reason()
            .map(|why| format!(": {}", why.message));
        let decision = self.decision_type();
        format!("<AdmissionDecision {decision}{}>", why.unwrap_or_default())
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
