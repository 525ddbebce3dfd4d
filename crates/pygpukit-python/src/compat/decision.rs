//! What was decided of a task, in numbers.

use super::clock::milliseconds;
use pygpukit_core::graph::Answer;
use pygpukit_core::ledger::Resource;
use pygpukit_core::scheduler::{Admission, Reason, Rejection};
use pygpukit_core::units::{Bytes, Nanoseconds, Share};
use pyo3::prelude::*;

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
