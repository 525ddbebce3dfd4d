//! Partitions, in numbers.

use crate::units::{BytesArg, ShareArg};
use pygpukit_core::ledger::{Amount, Resource};
use pygpukit_core::partition::{PartitionError, PartitionLimits, PartitionManager};
use pygpukit_core::units::{Bytes, Share};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

const DEFAULT_MEMORY: Bytes = Bytes::new(8 << 30);

/// What there is to be divided.
#[pyclass(name = "PartitionConfig", frozen, module = "pygpukit.compat")]
pub(crate) struct PyPartitionConfig(Bytes);

#[pymethods]
impl PyPartitionConfig {
    #[new]
    #[pyo3(signature = (total_memory=BytesArg(DEFAULT_MEMORY)), text_signature = "(total_memory=8589934592)")]
    fn new(total_memory: BytesArg) -> Self {
        Self(total_memory.0)
    }

    #[getter]
    fn total_memory(&self) -> u64 {
        self.0.get()
    }
}

/// What a partition is to have. What is not said is not reserved.
#[pyclass(name = "PartitionLimits", frozen, module = "pygpukit.compat")]
pub(crate) struct PyPartitionLimits(PartitionLimits);

#[pymethods]
impl PyPartitionLimits {
    #[new]
    fn new() -> Self {
        Self(PartitionLimits::default())
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
}

/// A partition as it was granted.
#[pyclass(name = "Partition", frozen, get_all, module = "pygpukit.compat")]
pub(crate) struct PyPartition {
    id: String,
    name: String,
    memory: u64,
    compute: f64,
    bandwidth: f64,
}

impl PyPartition {
    fn new(id: &str, name: &str, granted: &Amount) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            memory: granted.bytes().get(),
            compute: granted.share(Resource::Compute).as_f64(),
            bandwidth: granted.share(Resource::Bandwidth).as_f64(),
        }
    }
}

#[pymethods]
impl PyPartition {
    fn __repr__(&self) -> String {
        format!(
            "Partition(id={:?}, name={:?}, memory={}, compute={}, bandwidth={})",
            self.id, self.name, self.memory, self.compute, self.bandwidth
        )
    }
}

/// Divides a device, in numbers.
#[pyclass(name = "PartitionManager", frozen, module = "pygpukit.compat")]
pub(crate) struct PyPartitionManager(Mutex<PartitionManager>);

fn refusal(error: PartitionError) -> PyErr {
    let message = error.to_string();
    match error {
        PartitionError::Exists(_) | PartitionError::Unknown(_) => PyValueError::new_err(message),
        PartitionError::Insufficient { .. } => PyRuntimeError::new_err(message),
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
        let memory = config.map_or(DEFAULT_MEMORY, |config| config.0);
        Self(Mutex::new(PartitionManager::new(memory)))
    }

    fn create_partition(&self, id: &str, name: &str, limits: &PyPartitionLimits) -> PyResult<()> {
        let mut manager = self.lock();
        let created = manager.create(id, name, limits.0);
        created.map(drop).map_err(refusal)
    }

    fn delete_partition(&self, id: &str) -> PyResult<()> {
        self.lock().delete(id).map_err(refusal)
    }

    fn get(&self, id: &str) -> PyResult<PyPartition> {
        let manager = self.lock();
        let partition = manager.get(id).map_err(refusal)?;
        Ok(PyPartition::new(id, partition.name(), partition.granted()))
    }

    fn partition_ids(&self) -> Vec<String> {
        let manager = self.lock();
        manager.iter().map(|(id, _)| id.into()).collect()
    }

    #[getter]
    fn available_memory(&self) -> u64 {
        self.lock().available().bytes().get()
    }

    #[getter]
    fn available_compute(&self) -> f64 {
        self.lock().available().share(Resource::Compute).as_f64()
    }

    #[getter]
    fn available_bandwidth(&self) -> f64 {
        self.lock().available().share(Resource::Bandwidth).as_f64()
    }
}
