//! Pinned memory within a quota, in numbers.

use super::clock::{Clock, seconds};
use crate::units::BytesArg;
use pygpukit_core::id::PinnedId;
use pygpukit_core::pinned::{
    Alignment, Allocation, Block, Config, Freed, PinnedPool, Refusal, RegisterError, UnknownBlock,
};
use pygpukit_core::units::Bytes;
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a pool is told.
#[pyclass(name = "PinnedPoolConfig", frozen, module = "pygpukit.compat")]
pub(crate) struct PyPinnedPoolConfig(Config);

#[pymethods]
impl PyPinnedPoolConfig {
    #[new]
    #[pyo3(
        signature = (max_size=BytesArg(Config::default().limit), enable_pooling=true, alignment=BytesArg(Bytes::new(256))),
        text_signature = "(max_size=1073741824, enable_pooling=True, alignment=256)"
    )]
    fn new(max_size: BytesArg, enable_pooling: bool, alignment: BytesArg) -> PyResult<Self> {
        let alignment = Alignment::new(alignment.0.get());
        Ok(Self(Config {
            limit: max_size.0,
            keep: enable_pooling,
            alignment: alignment.map_err(|error| PyValueError::new_err(error.to_string()))?,
        }))
    }

    #[getter]
    fn max_size(&self) -> u64 {
        self.0.limit.get()
    }

    #[getter]
    fn enable_pooling(&self) -> bool {
        self.0.keep
    }

    #[getter]
    fn alignment(&self) -> u64 {
        self.0.alignment.get()
    }

    fn get_size_class(&self, size: BytesArg) -> PyResult<u64> {
        let too_large = Refusal::TooLarge {
            size: size.0,
            limit: self.0.limit,
        };
        let block = self.0.block_size(size.0).ok_or(too_large);
        block.map(Bytes::get).map_err(refusal)
    }
}

fn refusal(refusal: Refusal) -> PyErr {
    PyMemoryError::new_err(refusal.to_string())
}

fn unknown(error: UnknownBlock) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn wrong_memory(error: RegisterError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Whether the caller unlocks memory, and which.
fn unlock(freed: Freed) -> (bool, Option<u64>) {
    match freed {
        Freed::Nothing => (false, None),
        Freed::Kept(address) => (false, Some(address)),
        Freed::Unlock(address) => (true, Some(address)),
    }
}

/// A block at one moment.
#[pyclass(name = "PinnedBlock", frozen, get_all, module = "pygpukit.compat")]
pub(crate) struct PyPinnedBlock {
    id: u64,
    host_ptr: Option<u64>,
    size: u64,
    task_id: Option<String>,
    allocated_at: f64,
    last_access: f64,
}

impl From<&Block<String>> for PyPinnedBlock {
    fn from(block: &Block<String>) -> Self {
        Self {
            id: block.id().get(),
            host_ptr: block.address(),
            size: block.size().get(),
            task_id: block.owner().cloned(),
            allocated_at: seconds(block.allocated()),
            last_access: seconds(block.last_used()),
        }
    }
}

#[pymethods]
impl PyPinnedBlock {
    fn __repr__(&self) -> String {
        format!("<PinnedBlock {} of {} bytes>", self.id, self.size)
    }
}

/// A pool at one moment.
#[pyclass(name = "PinnedStats", frozen, get_all, module = "pygpukit.compat")]
pub(crate) struct PyPinnedStats {
    total_allocated: u64,
    current_used: u64,
    peak_used: u64,
    total_allocations: u64,
    total_frees: u64,
    pool_hits: u64,
    pool_misses: u64,
    pool_size: u64,
    pooled_blocks: usize,
}

#[pymethods]
impl PyPinnedStats {
    fn hit_rate(&self) -> f64 {
        self.pool_hits as f64 / self.total_allocations.max(1) as f64
    }
}

/// Hands out blocks of pinned memory within a quota.
#[pyclass(name = "PinnedMemoryManager", frozen, module = "pygpukit.compat")]
pub(crate) struct PyPinnedMemoryManager {
    pool: Mutex<PinnedPool<String>>,
    clock: Clock,
}

impl PyPinnedMemoryManager {
    fn lock(&self) -> MutexGuard<'_, PinnedPool<String>> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn make(py: Python<'_>, config: Config, clock: Option<Py<PyAny>>) -> PyResult<Self> {
        Ok(Self {
            pool: Mutex::new(PinnedPool::new(config)),
            clock: Clock::new(py, clock)?,
        })
    }
}

#[pymethods]
impl PyPinnedMemoryManager {
    #[new]
    #[pyo3(signature = (config=None, clock=None))]
    fn new(
        py: Python<'_>,
        config: Option<PyRef<'_, PyPinnedPoolConfig>>,
        clock: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let config = config.map_or_else(Config::default, |config| config.0);
        Self::make(py, config, clock)
    }

    #[classmethod]
    #[pyo3(signature = (max_size, clock=None))]
    fn with_max_size(
        class: &Bound<'_, PyType>,
        max_size: BytesArg,
        clock: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let config = Config {
            limit: max_size.0,
            ..Config::default()
        };
        Self::make(class.py(), config, clock)
    }

    fn can_allocate(&self, size: BytesArg) -> bool {
        self.lock().check(size.0).is_ok()
    }

    fn allocate(&self, py: Python<'_>, size: BytesArg) -> PyResult<(u64, u64, bool)> {
        let now = self.clock.now(py)?;
        let mut pool = self.lock();
        let allocation = pool.allocate(now, size.0).map_err(refusal)?;
        let reused = matches!(allocation, Allocation::Reused(_));
        let id = allocation.id();
        let size = pool.get(id).map_or(0, |block| block.size().get());
        Ok((id.get(), size, reused))
    }

    fn register(&self, block_id: u64, host_ptr: u64, size: BytesArg) -> PyResult<()> {
        let registered = self
            .lock()
            .register(PinnedId::new(block_id), host_ptr, size.0);
        registered.map_err(wrong_memory)
    }

    fn free(&self, block_id: u64) -> PyResult<(bool, Option<u64>)> {
        let freed = self.lock().free(PinnedId::new(block_id));
        freed.map(unlock).map_err(unknown)
    }

    fn associate_task(&self, block_id: u64, task_id: String) -> PyResult<()> {
        let id = PinnedId::new(block_id);
        self.lock().assign(id, task_id).map_err(unknown)
    }

    fn get(&self, block_id: u64) -> Option<PyPinnedBlock> {
        self.lock().get(PinnedId::new(block_id)).map(Into::into)
    }

    fn touch(&self, py: Python<'_>, block_id: u64) -> PyResult<()> {
        let now = self.clock.now(py)?;
        let id = PinnedId::new(block_id);
        self.lock().touch(now, id).map_err(unknown)
    }

    fn get_blocks_for_task(&self, task_id: String) -> Vec<PyPinnedBlock> {
        let pool = self.lock();
        let blocks = pool.blocks_of(&task_id).filter_map(|id| pool.get(id));
        blocks.map(Into::into).collect()
    }

    fn free_task_blocks(&self, task_id: String) -> Vec<(bool, Option<u64>)> {
        let freed = self.lock().free_all_of(&task_id);
        freed.into_iter().map(unlock).collect()
    }

    fn trim_pool(&self, size: BytesArg) -> Vec<u64> {
        let mut unlock = Vec::new();
        self.lock().trim(size.0, &mut unlock);
        unlock
    }

    fn clear_pool(&self) -> Vec<u64> {
        let mut unlock = Vec::new();
        self.lock().trim(Bytes::new(u64::MAX), &mut unlock);
        unlock
    }

    fn clear(&self) -> Vec<u64> {
        let mut unlock = Vec::new();
        self.lock().clear(&mut unlock);
        unlock
    }

    fn active_count(&self) -> usize {
        self.lock().stats().blocks
    }

    fn stats(&self) -> PyPinnedStats {
        let stats = self.lock().stats();
        PyPinnedStats {
            total_allocated: stats.held.get(),
            current_used: stats.in_use.get(),
            peak_used: stats.peak_in_use.get(),
            total_allocations: stats.reused + stats.fresh,
            total_frees: stats.freed,
            pool_hits: stats.reused,
            pool_misses: stats.fresh,
            pool_size: stats.kept.get(),
            pooled_blocks: stats.kept_blocks,
        }
    }
}
