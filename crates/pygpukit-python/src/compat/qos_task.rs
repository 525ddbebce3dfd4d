//! What tasks ask to be promised, in numbers.

use crate::units::{BytesArg, ShareArg};
use pygpukit_core::scheduler::{MemoryAsk, Policy, Request, ShareAsk, TaskSpec};
use pygpukit_core::units::{Bytes, Share};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// What a task is promised.
#[pyclass(
    name = "QosClass",
    frozen,
    eq,
    eq_int,
    hash,
    module = "pygpukit.compat"
)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PyQosClass {
    Guaranteed,
    Burstable,
    BestEffort,
}

impl From<Policy> for PyQosClass {
    fn from(policy: Policy) -> Self {
        match policy {
            Policy::Guaranteed => Self::Guaranteed,
            Policy::Burstable => Self::Burstable,
            Policy::BestEffort => Self::BestEffort,
        }
    }
}

impl From<PyQosClass> for Policy {
    fn from(class: PyQosClass) -> Self {
        match class {
            PyQosClass::Guaranteed => Self::Guaranteed,
            PyQosClass::Burstable => Self::Burstable,
            PyQosClass::BestEffort => Self::BestEffort,
        }
    }
}

fn invalid(error: impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// What a task asks to be promised.
#[pyclass(name = "QosPolicy", frozen, module = "pygpukit.compat")]
#[derive(Clone)]
pub(crate) struct PyQosPolicy {
    request: Request,
    burst_ratio: f64,
}

impl PyQosPolicy {
    fn make(
        policy: Policy,
        memory: Option<MemoryAsk>,
        bandwidth: Option<Share>,
        burst_ratio: f64,
    ) -> PyResult<Self> {
        let request = Request::try_from(TaskSpec {
            policy: Some(policy),
            memory,
            bandwidth: bandwidth.map(|floor| ShareAsk {
                floor,
                cap: Share::ONE,
            }),
            ..TaskSpec::default()
        });
        Ok(Self {
            request: request.map_err(invalid)?,
            burst_ratio,
        })
    }
}

#[pymethods]
impl PyQosPolicy {
    #[classmethod]
    #[pyo3(signature = (memory, bandwidth=None))]
    fn guaranteed(
        _class: &Bound<'_, PyType>,
        memory: BytesArg,
        bandwidth: Option<ShareArg>,
    ) -> PyResult<Self> {
        let memory = MemoryAsk {
            request: memory.0,
            limit: Some(memory.0),
        };
        let bandwidth = bandwidth.map(|share| share.0);
        Self::make(Policy::Guaranteed, Some(memory), bandwidth, 1.0)
    }

    #[classmethod]
    #[pyo3(signature = (memory_request, burst_ratio, bandwidth=None))]
    fn burstable(
        _class: &Bound<'_, PyType>,
        memory_request: BytesArg,
        burst_ratio: f64,
        bandwidth: Option<ShareArg>,
    ) -> PyResult<Self> {
        let limit = memory_request.0.times(burst_ratio).map_err(invalid)?;
        let memory = MemoryAsk {
            request: memory_request.0,
            limit: Some(limit),
        };
        let bandwidth = bandwidth.map(|share| share.0);
        Self::make(Policy::Burstable, Some(memory), bandwidth, burst_ratio)
    }

    #[classmethod]
    fn best_effort(_class: &Bound<'_, PyType>) -> PyResult<Self> {
        Self::make(Policy::BestEffort, None, None, 1.0)
    }

    #[getter]
    fn qos_class(&self) -> PyQosClass {
        self.request.policy().into()
    }

    fn memory_to_reserve(&self) -> u64 {
        self.request.memory().get()
    }

    fn bandwidth_to_reserve(&self) -> f64 {
        self.request.bandwidth().as_f64()
    }
}

/// A task to be evaluated.
#[pyclass(name = "QosTaskMeta", frozen, module = "pygpukit.compat")]
pub(crate) struct PyQosTaskMeta {
    #[pyo3(get)]
    id: String,
    #[pyo3(get)]
    name: String,
    #[pyo3(get)]
    policy: PyQosPolicy,
}

impl PyQosTaskMeta {
    pub(super) fn request(&self) -> &Request {
        &self.policy.request
    }
}

#[pymethods]
impl PyQosTaskMeta {
    #[new]
    fn new(id: String, name: String, policy: PyRef<'_, PyQosPolicy>) -> Self {
        let policy = policy.clone();
        Self { id, name, policy }
    }

    #[classmethod]
    #[pyo3(signature = (id, name, memory, bandwidth=None))]
    fn guaranteed(
        class: &Bound<'_, PyType>,
        id: String,
        name: String,
        memory: BytesArg,
        bandwidth: Option<ShareArg>,
    ) -> PyResult<Self> {
        let policy = PyQosPolicy::guaranteed(class, memory, bandwidth)?;
        Ok(Self { id, name, policy })
    }

    #[classmethod]
    #[pyo3(signature = (id, name, memory_request, burst_ratio, bandwidth=None))]
    fn burstable(
        class: &Bound<'_, PyType>,
        id: String,
        name: String,
        memory_request: BytesArg,
        burst_ratio: f64,
        bandwidth: Option<ShareArg>,
    ) -> PyResult<Self> {
        let policy = PyQosPolicy::burstable(class, memory_request, burst_ratio, bandwidth)?;
        Ok(Self { id, name, policy })
    }

    #[classmethod]
    fn best_effort(class: &Bound<'_, PyType>, id: String, name: String) -> PyResult<Self> {
        let policy = PyQosPolicy::best_effort(class)?;
        Ok(Self { id, name, policy })
    }

    #[getter]
    pub(super) fn qos_class(&self) -> PyQosClass {
        self.policy.qos_class()
    }

    #[getter]
    fn memory_request(&self) -> u64 {
        self.request().memory().get()
    }

    #[getter]
    fn memory_limit(&self) -> Option<u64> {
        self.request().memory_limit().map(Bytes::get)
    }

    #[getter]
    fn burst_ratio(&self) -> f64 {
        self.policy.burst_ratio
    }

    #[getter]
    fn bandwidth_request(&self) -> f64 {
        self.request().bandwidth().as_f64()
    }
}
