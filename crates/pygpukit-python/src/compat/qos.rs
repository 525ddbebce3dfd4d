//! Quality of service, in numbers.

use super::qos_task::{PyQosClass, PyQosTaskMeta};
use crate::units::{BytesArg, ShareArg};
use pygpukit_core::ledger::{Amount, Resource, Shortage};
use pygpukit_core::qos::{Evaluation, QosPolicyEvaluator, Terms};
use pygpukit_core::units::Share;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a task would get.
#[pyclass(name = "QosEvaluation", frozen, module = "pygpukit.compat")]
pub(crate) struct PyQosEvaluation {
    evaluation: Evaluation,
    qos_class: PyQosClass,
}

impl PyQosEvaluation {
    fn terms(&self) -> Option<&Terms> {
        match &self.evaluation {
            Evaluation::Admit(terms) | Evaluation::Throttle(terms) => Some(terms),
            Evaluation::Queue(_) | Evaluation::Reject(_) => None,
        }
    }
}

#[pymethods]
impl PyQosEvaluation {
    fn is_admitted(&self) -> bool {
        matches!(self.evaluation, Evaluation::Admit(_))
    }

    fn is_throttled(&self) -> bool {
        matches!(self.evaluation, Evaluation::Throttle(_))
    }

    fn is_queued(&self) -> bool {
        matches!(self.evaluation, Evaluation::Queue(_))
    }

    fn is_rejected(&self) -> bool {
        matches!(self.evaluation, Evaluation::Reject(_))
    }

    #[getter]
    fn decision_type(&self) -> &'static str {
        match self.evaluation {
            Evaluation::Admit(_) => "Admit",
            Evaluation::Throttle(_) => "Throttle",
            Evaluation::Queue(_) => "Queue",
            Evaluation::Reject(_) => "Reject",
        }
    }

    #[getter]
    fn qos_class(&self) -> PyQosClass {
        self.qos_class
    }

    #[getter]
    fn reserved_memory(&self) -> u64 {
        self.terms().map_or(0, |terms| terms.reserved.bytes().get())
    }

    #[getter]
    fn reserved_bandwidth(&self) -> f64 {
        let reserved = self
            .terms()
            .map(|terms| terms.reserved.share(Resource::Bandwidth));
        reserved.map_or(0.0, Share::as_f64)
    }

    #[getter]
    fn allowed_memory(&self) -> u64 {
        self.terms().map_or(0, |terms| terms.allowed_memory.get())
    }

    #[getter]
    fn allowed_bandwidth(&self) -> f64 {
        self.terms()
            .map_or(0.0, |terms| terms.allowed_bandwidth.as_f64())
    }

    #[getter]
    fn reject_reason(&self) -> Option<String> {
        match &self.evaluation {
            Evaluation::Admit(_) | Evaluation::Throttle(_) => None,
            Evaluation::Queue(shortage) | Evaluation::Reject(shortage) => {
                Some(shortage.to_string())
            }
        }
    }

    fn __repr__(&self) -> String {
        let reason = self.reject_reason().map(|reason| format!(": {reason}"));
        let decision = self.decision_type();
        format!("<QosEvaluation {decision}{}>", reason.unwrap_or_default())
    }
}

/// Counts what is promised to tasks.
#[pyclass(name = "QosPolicyEvaluator", frozen, module = "pygpukit.compat")]
pub(crate) struct PyQosPolicyEvaluator(Mutex<QosPolicyEvaluator>);

/// What is promised, at one moment.
#[pyclass(name = "QosStats", frozen, get_all, module = "pygpukit.compat")]
pub(crate) struct PyQosStats {
    total_memory: u64,
    total_bandwidth: f64,
    guaranteed_memory: u64,
    guaranteed_bandwidth: f64,
    burstable_memory: u64,
    burstable_bandwidth: f64,
    available_memory: u64,
    available_bandwidth: f64,
}

fn refusal(shortage: Shortage) -> PyErr {
    PyRuntimeError::new_err(shortage.to_string())
}

impl PyQosPolicyEvaluator {
    fn lock(&self) -> MutexGuard<'_, QosPolicyEvaluator> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyQosPolicyEvaluator {
    #[new]
    #[pyo3(signature = (total_memory, total_bandwidth=ShareArg(Share::ONE)), text_signature = "(total_memory, total_bandwidth=1.0)")]
    fn new(total_memory: BytesArg, total_bandwidth: ShareArg) -> Self {
        let evaluator = QosPolicyEvaluator::new(total_memory.0, total_bandwidth.0);
        Self(Mutex::new(evaluator))
    }

    fn evaluate(&self, task: &PyQosTaskMeta) -> PyQosEvaluation {
        PyQosEvaluation {
            evaluation: self.lock().evaluate(task.request()),
            qos_class: task.qos_class(),
        }
    }

    fn reserve(&self, evaluation: &PyQosEvaluation) -> PyResult<()> {
        self.lock().reserve(&evaluation.evaluation).map_err(refusal)
    }

    #[pyo3(signature = (qos_class, memory, bandwidth=ShareArg(Share::ZERO)), text_signature = "($self, qos_class, memory, bandwidth=0.0)")]
    fn release(
        &self,
        qos_class: PyRef<'_, PyQosClass>,
        memory: BytesArg,
        bandwidth: ShareArg,
    ) -> PyResult<()> {
        let amount = Amount::of_memory(memory.0).bandwidth(bandwidth.0);
        self.lock()
            .release((*qos_class).into(), amount)
            .map_err(refusal)
    }

    fn stats(&self) -> PyQosStats {
        let stats = self.lock().stats();
        let share = |amount: &Amount| amount.share(Resource::Bandwidth).as_f64();
        PyQosStats {
            total_memory: stats.total.bytes().get(),
            total_bandwidth: share(&stats.total),
            guaranteed_memory: stats.guaranteed.bytes().get(),
            guaranteed_bandwidth: share(&stats.guaranteed),
            burstable_memory: stats.burstable.bytes().get(),
            burstable_bandwidth: share(&stats.burstable),
            available_memory: stats.available.bytes().get(),
            available_bandwidth: share(&stats.available),
        }
    }
    fn reset(&self) {
        self.lock().reset();
    }
}
