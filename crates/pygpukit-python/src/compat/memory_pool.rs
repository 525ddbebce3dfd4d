//! A pool of memory with a quota.

use crate::units::BytesArg;
use pygpukit_core::id::BlockId;
use pygpukit_core::pool::{MemoryPool, PoolError};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Hands out blocks within a quota, as numbers.
#[pyclass(name = "MemoryPool", frozen, module = "pygpukit.compat")]
pub(crate) struct PyMemoryPool(Mutex<MemoryPool>);

/// A pool at one moment.
#[pyclass(name = "PoolStats", frozen, get_all, module = "pygpukit.compat")]
pub(crate) struct PyPoolStats {
    quota: u64,
    used: u64,
    cached: u64,
    available: u64,
    allocation_count: u64,
    reuse_count: u64,
    eviction_count: u64,
    active_blocks: usize,
    free_blocks: usize,
}

fn refusal(error: PoolError) -> PyErr {
    let message = error.to_string();
    match error {
        PoolError::OutOfMemory { .. } => PyMemoryError::new_err(message),
        PoolError::UnknownBlock(_) => PyValueError::new_err(message),
    }
}

impl PyMemoryPool {
    fn lock(&self) -> MutexGuard<'_, MemoryPool> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyMemoryPool {
    #[new]
    #[pyo3(signature = (quota, enable_eviction=false))]
    fn new(quota: BytesArg, enable_eviction: bool) -> Self {
        Self(Mutex::new(MemoryPool::new(quota.0, enable_eviction)))
    }

    #[getter]
    fn quota(&self) -> u64 {
        self.lock().quota().get()
    }

    #[getter]
    fn used(&self) -> u64 {
        self.lock().used().get()
    }

    #[getter]
    fn cached(&self) -> u64 {
        self.lock().cached().get()
    }

    #[getter]
    fn available(&self) -> u64 {
        self.lock().available().get()
    }

    fn allocate(&self, size: BytesArg) -> PyResult<u64> {
        let block = self.lock().allocate(size.0);
        block.map(|block| block.id.get()).map_err(refusal)
    }

    fn free(&self, block_id: u64) -> PyResult<()> {
        self.lock().free(BlockId::new(block_id)).map_err(refusal)
    }

    fn get_block_size(&self, block_id: u64) -> PyResult<u64> {
        let block = self.lock().block(BlockId::new(block_id));
        block.map(|block| block.size.get()).map_err(refusal)
    }

    fn stats(&self) -> PyPoolStats {
        let pool = self.lock();
        let stats = pool.stats();
        PyPoolStats {
            quota: stats.quota.get(),
            used: stats.used.get(),
            cached: stats.cached.get(),
            available: pool.available().get(),
            allocation_count: stats.allocations,
            reuse_count: stats.reused,
            eviction_count: stats.evictions,
            active_blocks: stats.active_blocks,
            free_blocks: stats.free_blocks,
        }
    }

    fn __repr__(&self) -> String {
        let pool = self.lock();
        format!(
            "<MemoryPool: {} used and {} cached of {} bytes>",
            pool.used().get(),
            pool.cached().get(),
            pool.quota().get()
        )
    }
}
