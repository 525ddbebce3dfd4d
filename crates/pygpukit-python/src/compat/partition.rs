//! Partitions, in numbers.

use crate::units::{BytesArg, ShareArg};
use pygpukit_core::ledger::Resource;
use pygpukit_core::partition::{
    ManagerConfig, NamedPartition, PartitionError, PartitionLimits, PartitionManager, Split,
};
use pygpukit_core::units::{Bytes, Share};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::num::NonZeroU32;
use std::sync::{Mutex, MutexGuard, PoisonError};

const DEFAULT_MEMORY: Bytes = Bytes::new(8 << 30);
const DEFAULT_GROUP: NonZeroU32 = NonZeroU32::new(8).expect("8 is not 0");
const DEFAULT_STREAMS: u32 = 16;

/// What there is to be divided.
#[pyclass(name = "PartitionConfig", frozen, module = "pygpukit.compat")]
pub(crate) struct PyPartitionConfig {
    config: ManagerConfig,
    #[pyo3(get)]
    allow_overcommit: bool,
    #[pyo3(get)]
    overcommit_ratio: f64,
}

#[pymethods]
impl PyPartitionConfig {
    #[new]
    #[pyo3(
        signature = (total_memory=BytesArg(DEFAULT_MEMORY), allow_overcommit=false, overcommit_ratio=1.0, total_sms=None, sm_group=DEFAULT_GROUP),
        text_signature = "(total_memory=8589934592, allow_overcommit=False, overcommit_ratio=1.0, total_sms=None, sm_group=8)"
    )]
    fn new(
        total_memory: BytesArg,
        allow_overcommit: bool,
        overcommit_ratio: f64,
        total_sms: Option<u32>,
        sm_group: NonZeroU32,
    ) -> PyResult<Self> {
        let exact = ManagerConfig {
            split: total_sms.map(|sms| Split::new(sms, sm_group)),
            ..ManagerConfig::new(total_memory.0)
        };
        let more = exact.overcommitted(overcommit_ratio);
        let more = more.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self {
            config: [exact, more][usize::from(allow_overcommit)],
            allow_overcommit,
            overcommit_ratio,
        })
    }

    #[getter]
    fn total_memory(&self) -> u64 {
        self.config.memory.get()
    }

    #[getter]
    fn total_sms(&self) -> Option<u32> {
        self.config.split.map(|split| split.sms())
    }

    #[getter]
    fn sm_group(&self) -> Option<u32> {
        self.config.split.map(|split| split.group())
    }
}

/// What a partition is to have. What is not said is not reserved.
#[pyclass(name = "PartitionLimits", frozen, module = "pygpukit.compat")]
pub(crate) struct PyPartitionLimits(PartitionLimits);

#[pymethods]
impl PyPartitionLimits {
    #[new]
    #[pyo3(signature = (memory_quota=None, compute_share=None, bandwidth_share=None, max_streams=DEFAULT_STREAMS), text_signature = "(memory_quota=None, compute_share=None, bandwidth_share=None, max_streams=16)")]
    fn new(
        memory_quota: Option<BytesArg>,
        compute_share: Option<ShareArg>,
        bandwidth_share: Option<ShareArg>,
        max_streams: u32,
    ) -> Self {
        Self(PartitionLimits {
            memory: memory_quota.map(|quota| quota.0),
            compute: compute_share.map(|share| share.0),
            bandwidth: bandwidth_share.map(|share| share.0),
            streams: max_streams,
        })
    }

    #[classmethod]
    fn with_memory(_class: &Bound<'_, PyType>, quota: BytesArg) -> Self {
        Self(PartitionLimits::default()).memory(quota)
    }

    #[classmethod]
    fn with_compute(_class: &Bound<'_, PyType>, share: ShareArg) -> Self {
        Self(PartitionLimits::default()).compute(share)
    }

    fn memory(&self, quota: BytesArg) -> Self {
        Self(PartitionLimits {
            memory: Some(quota.0),
            ..self.0
        })
    }

    fn compute(&self, share: ShareArg) -> Self {
        Self(PartitionLimits {
            compute: Some(share.0),
            ..self.0
        })
    }

    fn bandwidth(&self, share: ShareArg) -> Self {
        Self(PartitionLimits {
            bandwidth: Some(share.0),
            ..self.0
        })
    }

    #[getter]
    fn memory_quota(&self) -> Option<u64> {
        self.0.memory.map(Bytes::get)
    }

    #[getter]
    fn compute_share(&self) -> Option<f64> {
        self.0.compute.map(Share::as_f64)
    }

    #[getter]
    fn bandwidth_share(&self) -> Option<f64> {
        self.0.bandwidth.map(Share::as_f64)
    }

    #[getter]
    fn max_streams(&self) -> u32 {
        self.0.streams
    }
}

/// A partition as it was granted.
#[pyclass(name = "Partition", frozen, module = "pygpukit.compat")]
pub(crate) struct PyPartition(NamedPartition);

#[pymethods]
impl PyPartition {
    #[getter]
    fn id(&self) -> &str {
        &self.0.id
    }

    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    #[getter]
    fn limits(&self) -> PyPartitionLimits {
        PyPartitionLimits(self.0.limits)
    }

    #[getter]
    fn tasks(&self) -> Vec<String> {
        self.0.tasks.clone()
    }

    #[getter]
    fn memory(&self) -> u64 {
        self.0.granted.own.bytes().get()
    }

    #[getter]
    fn compute(&self) -> f64 {
        self.0.granted.own.share(Resource::Compute).as_f64()
    }

    #[getter]
    fn bandwidth(&self) -> f64 {
        self.0.granted.own.share(Resource::Bandwidth).as_f64()
    }

    #[getter]
    fn sms(&self) -> Option<u32> {
        self.0.granted.sms
    }

    fn __repr__(&self) -> String {
        format!(
            "Partition(id={:?}, name={:?}, memory={}, compute={}, bandwidth={})",
            self.0.id,
            self.0.name,
            self.memory(),
            self.compute(),
            self.bandwidth()
        )
    }
}

/// What partitions have, and what is left.
#[pyclass(name = "PartitionStats", frozen, get_all, module = "pygpukit.compat")]
pub(crate) struct PyPartitionStats {
    partition_count: usize,
    total_memory_allocated: u64,
    total_compute_allocated: f64,
    total_bandwidth_allocated: f64,
    available_memory: u64,
    available_compute: f64,
    available_bandwidth: f64,
}

/// Divides a device, in numbers.
#[pyclass(name = "PartitionManager", frozen, module = "pygpukit.compat")]
pub(crate) struct PyPartitionManager(Mutex<PartitionManager>);

fn refusal(error: PartitionError) -> PyErr {
    let message = error.to_string();
    match error {
        PartitionError::Denied(_)
        | PartitionError::Insufficient { .. }
        | PartitionError::Step(_) => PyRuntimeError::new_err(message),
        PartitionError::Exists(_)
        | PartitionError::Unknown(_)
        | PartitionError::Request(_)
        | PartitionError::Band { .. }
        | PartitionError::Isolation { .. }
        | PartitionError::NoCompute
        | PartitionError::Clusters { .. }
        | PartitionError::BelowGroup { .. } => PyValueError::new_err(message),
    }
}

impl PyPartitionManager {
    fn lock(&self) -> MutexGuard<'_, PartitionManager> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyPartitionManager {
    #[new]
    #[pyo3(signature = (config=None))]
    fn new(config: Option<PyRef<'_, PyPartitionConfig>>) -> Self {
        let usual = ManagerConfig::new(DEFAULT_MEMORY);
        let config = config.map_or(usual, |config| config.config);
        Self(Mutex::new(PartitionManager::new(config)))
    }

    #[classmethod]
    fn with_memory(_class: &Bound<'_, PyType>, total_memory: BytesArg) -> Self {
        let config = ManagerConfig::new(total_memory.0);
        Self(Mutex::new(PartitionManager::new(config)))
    }

    fn create_partition(&self, id: &str, name: &str, limits: &PyPartitionLimits) -> PyResult<()> {
        self.lock().create(id, name, limits.0).map_err(refusal)
    }

    fn delete_partition(&self, id: &str) -> PyResult<PyPartition> {
        self.lock().delete(id).map(PyPartition).map_err(refusal)
    }

    fn get(&self, id: &str) -> Option<PyPartition> {
        self.lock().get(id).ok().map(PyPartition)
    }

    fn partition_ids(&self) -> Vec<String> {
        self.lock().ids().map(Into::into).collect()
    }

    fn assign_task(&self, task_id: &str, partition_id: &str) -> PyResult<()> {
        self.lock().assign(task_id, partition_id).map_err(refusal)
    }

    fn unassign_task(&self, task_id: &str) -> bool {
        self.lock().unassign(task_id)
    }

    fn get_task_partition(&self, task_id: &str) -> Option<PyPartition> {
        self.lock().of_task(task_id).map(PyPartition)
    }

    fn set_default(&self, id: &str) -> PyResult<()> {
        self.lock().set_default(id).map_err(refusal)
    }

    fn default_partition(&self) -> Option<PyPartition> {
        self.lock().default_partition().map(PyPartition)
    }

    fn clear(&self) {
        self.lock().clear();
    }

    fn stats(&self) -> PyPartitionStats {
        let manager = self.lock();
        let (granted, available) = (manager.ledger().granted(), manager.ledger().available());
        PyPartitionStats {
            partition_count: manager.ids().count(),
            total_memory_allocated: granted.bytes().get(),
            total_compute_allocated: granted.share(Resource::Compute).as_f64(),
            total_bandwidth_allocated: granted.share(Resource::Bandwidth).as_f64(),
            available_memory: available.bytes().get(),
            available_compute: available.share(Resource::Compute).as_f64(),
            available_bandwidth: available.share(Resource::Bandwidth).as_f64(),
        }
    }

    #[getter]
    fn available_memory(&self) -> u64 {
        self.stats().available_memory
    }

    #[getter]
    fn available_compute(&self) -> f64 {
        self.stats().available_compute
    }

    #[getter]
    fn available_bandwidth(&self) -> f64 {
        self.stats().available_bandwidth
    }
}
