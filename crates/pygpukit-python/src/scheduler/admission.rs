//! Answers to tasks.

use crate::error::AdmissionRejected;
use pygpukit_core::ledger::Resource;
use pygpukit_core::scheduler::{Admission, Reason, Rejection};
use pygpukit_core::units::{Nanoseconds, Share};
use pygpukit_device::scheduler::Task;
use pyo3::prelude::*;

/// The answer to a task when it was submitted.
#[pyclass(name = "Admission", frozen, get_all, module = "pygpukit.scheduler")]
pub(crate) struct PyAdmission {
    state: &'static str,
    reason: Option<String>,
    asked: Option<Quantity>,
    available: Option<Quantity>,
    limit: Option<Quantity>,
    position: Option<usize>,
    earliest_start: Option<f64>,
    waits_for: Vec<&'static str>,
}

/// Bytes and tasks are integers, shares are floats.
#[derive(Clone, Copy, IntoPyObject, IntoPyObjectRef)]
pub(super) enum Quantity {
    Whole(u64),
    Share(f64),
}

impl Quantity {
    fn of(reason: Reason, amount: u64) -> Self {
        match reason {
            Reason::Resource(Resource::Compute | Resource::Bandwidth)
            | Reason::QueueTimeout(Resource::Compute | Resource::Bandwidth) => {
                Self::Share(Share::from_units(amount).unwrap_or(Share::ONE).as_f64())
            }
            Reason::Resource(Resource::Memory | Resource::Workers)
            | Reason::QueueTimeout(Resource::Memory | Resource::Workers)
            | Reason::QueueFull
            | Reason::Closed => Self::Whole(amount),
        }
    }
}

pub(super) fn seconds(duration: Nanoseconds) -> f64 {
    std::time::Duration::from(duration).as_secs_f64()
}

impl From<&Task> for PyAdmission {
    fn from(task: &Task) -> Self {
        let mut answer = Self {
            state: "admitted",
            reason: None,
            asked: None,
            available: None,
            limit: None,
            position: None,
            earliest_start: task.earliest_start().map(seconds),
            waits_for: Vec::new(),
        };
        match task.admission() {
            Admission::Admitted { .. } => {}
            Admission::Queued {
                position,
                waits_for,
                ..
            } => {
                answer.state = "queued";
                answer.position = Some(*position);
                answer.waits_for = waits_for.iter().map(Resource::name).collect();
            }
            Admission::Rejected(rejection) => {
                let quantity = |amount| Some(Quantity::of(rejection.reason, amount));
                answer.state = "rejected";
                answer.reason = Some(rejection.to_string());
                answer.asked = quantity(rejection.asked);
                answer.available = quantity(rejection.available);
                answer.limit = quantity(rejection.limit);
            }
        }
        answer
    }
}

#[pymethods]
impl PyAdmission {
    fn __repr__(&self) -> String {
        match (&self.reason, self.position) {
            (Some(reason), _) => format!("<Admission rejected: {reason}>"),
            (None, Some(position)) => format!(
                "<Admission queued at position {position}, waits for {}>",
                self.waits_for.join(", ")
            ),
            (None, None) => "<Admission admitted>".into(),
        }
    }
}

/// The exception of a task that was rejected.
pub(super) fn rejected(py: Python<'_>, rejection: &Rejection) -> PyErr {
    let error = AdmissionRejected::new_err(rejection.to_string());
    let quantity = |amount| Quantity::of(rejection.reason, amount);
    let value = error.value(py);
    let set = value
        .setattr("reason", rejection.reason.name())
        .and_then(|()| value.setattr("asked", quantity(rejection.asked)))
        .and_then(|()| value.setattr("available", quantity(rejection.available)))
        .and_then(|()| value.setattr("limit", quantity(rejection.limit)));
    set.map_or_else(|failure| failure, |()| error)
}
