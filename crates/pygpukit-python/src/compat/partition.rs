//! Partitions, in numbers.

use super::partition_limits::{DEFAULT_MEMORY, PyPartitionConfig, PyPartitionLimits};
use crate::units::BytesArg;
use pygpukit_core::ledger::Resource;
use pygpukit_core::partition::{ManagerConfig, NamedPartition, PartitionError, PartitionManager};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::sync::{Mutex, MutexGuard, PoisonError};

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
