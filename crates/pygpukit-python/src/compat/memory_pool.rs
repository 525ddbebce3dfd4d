//! A pool of memory with a quota.

use super::clock::{Clock, seconds};
use crate::units::BytesArg;
use pygpukit_core::id::BlockId;
use pygpukit_core::pool::{Block, Contents, PoolError, QuotaPool, Residency};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Hands out blocks within a quota, as numbers.
#[pyclass(name = "MemoryPool", frozen, module = "pygpukit.compat")]
pub(crate) struct PyMemoryPool {
    pool: Mutex<QuotaPool>,
    clock: Clock,
}

/// A block at one moment.
#[pyclass(name = "MemoryBlock", frozen, get_all, module = "pygpukit.compat")]
pub(crate) struct PyMemoryBlock {
    id: u64,
    size: u64,
    device_ptr: Option<u64>,
    on_gpu: bool,
    on_host: bool,
    last_access: f64,
}

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
    cudamalloc_count: u64,
    active_blocks: usize,
    free_blocks: usize,
}

fn refusal(error: PoolError) -> PyErr {
    let message = error.to_string();
    match error {
        PoolError::OutOfMemory { .. } | PoolError::OverQuota { .. } => {
            PyMemoryError::new_err(message)
        }
        PoolError::OverPromised(_)
        | PoolError::OverCapacity(_)
        | PoolError::RegionTooSmall(_)
        | PoolError::UnknownBlock(_)
        | PoolError::UnknownAccount(_)
        | PoolError::UnknownLane(_)
        | PoolError::LaneInUse { .. }
        | PoolError::UnknownRegion(_)
        | PoolError::RegionInUse(_)
        | PoolError::AccountInUse { .. }
        | PoolError::Misplaced { .. }
        | PoolError::Pinned { .. }
        | PoolError::Busy { .. }
        | PoolError::ContentsTooLarge { .. } => PyValueError::new_err(message),
    }
}

impl PyMemoryBlock {
    fn new(block: Block, contents: &Contents) -> Self {
        let on_gpu = matches!(block.residency, Residency::Resident { .. });
        Self {
            id: block.id.get(),
            size: block.size.get(),
            device_ptr: contents.device_ptr,
            on_gpu,
            on_host: !on_gpu || contents.host_data.is_some(),
            last_access: seconds(contents.last_access),
        }
    }
}

#[pymethods]
impl PyMemoryBlock {
    fn is_available(&self) -> bool {
        self.on_gpu && self.device_ptr.is_some()
    }

    fn is_evicted(&self) -> bool {
        !self.on_gpu
    }

    fn __repr__(&self) -> String {
        format!("<MemoryBlock {}: {} bytes>", self.id, self.size)
    }
}

impl PyMemoryPool {
    fn lock(&self) -> MutexGuard<'_, QuotaPool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyMemoryPool {
    #[new]
    #[pyo3(signature = (quota, enable_eviction=false, clock=None))]
    fn new(
        py: Python<'_>,
        quota: BytesArg,
        enable_eviction: bool,
        clock: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        Ok(Self {
            pool: Mutex::new(QuotaPool::new(quota.0, enable_eviction)),
            clock: Clock::new(py, clock)?,
        })
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

    fn allocate(&self, py: Python<'_>, size: BytesArg) -> PyResult<u64> {
        let now = self.clock.now(py)?;
        let block = self.lock().allocate(size.0, now);
        block.map(BlockId::get).map_err(refusal)
    }

    fn free(&self, block_id: u64) -> PyResult<()> {
        self.lock().free(BlockId::new(block_id)).map_err(refusal)
    }

    fn touch(&self, py: Python<'_>, block_id: u64) -> PyResult<()> {
        let now = self.clock.now(py)?;
        let touched = self.lock().touch(BlockId::new(block_id), now);
        touched.map_err(refusal)
    }

    fn evict(&self, block_id: u64) -> PyResult<()> {
        self.lock().evict(BlockId::new(block_id)).map_err(refusal)
    }

    fn restore(&self, py: Python<'_>, block_id: u64) -> PyResult<()> {
        let now = self.clock.now(py)?;
        let restored = self.lock().restore(BlockId::new(block_id), now);
        restored.map_err(refusal)
    }

    fn clear(&self) {
        self.lock().clear();
    }

    fn get_block(&self, block_id: u64) -> Option<PyMemoryBlock> {
        let pool = self.lock();
        let (block, contents) = pool.get(BlockId::new(block_id)).ok()?;
        Some(PyMemoryBlock::new(block, contents))
    }

    fn get_block_size(&self, block_id: u64) -> Option<u64> {
        self.get_block(block_id).map(|block| block.size)
    }

    fn is_block_on_gpu(&self, block_id: u64) -> bool {
        self.get_block(block_id).is_some_and(|block| block.on_gpu)
    }

    fn set_device_ptr(&self, block_id: u64, ptr: u64) -> PyResult<()> {
        let set = self.lock().set_device_ptr(BlockId::new(block_id), ptr);
        set.map_err(refusal)
    }

    fn set_host_data(&self, block_id: u64, data: PyBackedBytes) -> PyResult<()> {
        let data = Some(data.to_vec());
        let set = self.lock().set_host_data(BlockId::new(block_id), data);
        set.map_err(refusal)
    }

    fn get_host_data<'py>(
        &self,
        py: Python<'py>,
        block_id: u64,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let pool = self.lock();
        let (_, contents) = pool.get(BlockId::new(block_id)).map_err(refusal)?;
        let data = contents.host_data.as_deref();
        Ok(data.map(|data| PyBytes::new(py, data)))
    }

    fn clear_host_data(&self, block_id: u64) -> PyResult<()> {
        let set = self.lock().set_host_data(BlockId::new(block_id), None);
        set.map_err(refusal)
    }

    fn stats(&self) -> PyPoolStats {
        let pool = self.lock();
        let stats = pool.stats();
        PyPoolStats {
            quota: stats.capacity.get(),
            used: stats.used.get(),
            cached: stats.cached().get(),
            available: pool.available().get(),
            allocation_count: stats.events.allocations,
            reuse_count: pool.reused(),
            eviction_count: stats.events.evictions,
            cudamalloc_count: stats.events.growths,
            active_blocks: stats.blocks,
            free_blocks: stats.free_pieces,
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
