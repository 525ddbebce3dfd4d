//! Compiled kernels that are kept, in numbers and text.

use super::cached_kernel::{Compiled, PyCachedKernel};
use super::clock::{Clock, seconds};
use super::kernel_key::{PyCompileOptions, PyKernelKey};
use crate::units::{BytesArg, DurationArg};
use pygpukit_core::cache::{
    Entry, Gone, KernelCache, KernelKey, KernelName, Key, Limits, Refusal, hash_source,
};
use pygpukit_core::units::{Bytes, Nanoseconds};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// How much is kept, and for how long.
#[pyclass(name = "CacheConfig", frozen, module = "pygpukit.compat")]
pub(crate) struct PyCacheConfig(Limits);

#[pymethods]
impl PyCacheConfig {
    #[new]
    #[pyo3(
        signature = (max_entries=1024, max_ptx_size=BytesArg(Limits::default().bytes), enable_eviction=true, ttl_seconds=DurationArg(Nanoseconds::ZERO)),
        text_signature = "(max_entries=1024, max_ptx_size=268435456, enable_eviction=True, ttl_seconds=0.0)"
    )]
    fn new(
        max_entries: usize,
        max_ptx_size: BytesArg,
        enable_eviction: bool,
        ttl_seconds: DurationArg,
    ) -> Self {
        Self(Limits {
            entries: max_entries,
            bytes: max_ptx_size.0,
            evict: enable_eviction,
            lifetime: Some(ttl_seconds.0).filter(|ttl| *ttl > Nanoseconds::ZERO),
        })
    }

    #[getter]
    fn max_entries(&self) -> usize {
        self.0.entries
    }

    #[getter]
    fn max_ptx_size(&self) -> u64 {
        self.0.bytes.get()
    }

    #[getter]
    fn enable_eviction(&self) -> bool {
        self.0.evict
    }

    #[getter]
    fn ttl_seconds(&self) -> f64 {
        self.0.lifetime.map_or(0.0, seconds)
    }
}

type Cache = KernelCache<Compiled>;
type Left = Vec<Gone<KernelKey, Compiled>>;

/// A cache at one moment.
#[pyclass(name = "CacheStats", frozen, get_all, module = "pygpukit.compat")]
pub(crate) struct PyCacheStats {
    hits: u64,
    misses: u64,
    entries: usize,
    ptx_size: u64,
    evictions: u64,
    ttl_evictions: u64,
    loaded_count: usize,
}

#[pymethods]
impl PyCacheStats {
    fn hit_rate(&self) -> f64 {
        self.hits as f64 / (self.hits + self.misses).max(1) as f64
    }
}

/// Keeps compiled kernels.
#[pyclass(name = "KernelCache", frozen, module = "pygpukit.compat")]
pub(crate) struct PyKernelCache {
    /// With the loaded kernels that have left, until somebody takes them.
    cache: Mutex<(Cache, Left)>,
    clock: Clock,
}

impl PyKernelCache {
    /// Calls `function` with the cache, the time, and where what leaves goes.
    fn with<T>(
        &self,
        py: Python<'_>,
        function: impl FnOnce(&mut Cache, Nanoseconds, &mut Left) -> T,
    ) -> PyResult<T> {
        let now = self.clock.now(py)?;
        let mut guard = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let (cache, left) = &mut *guard;
        let mut gone = Vec::new();
        let result = function(cache, now, &mut gone);
        let loaded = |gone: &Gone<KernelKey, Compiled>| gone.entry.value().handles.is_some();
        left.extend(gone.into_iter().filter(loaded));
        Ok(result)
    }
}

fn kernel(entry: &Entry<KernelKey, Compiled>) -> PyCachedKernel {
    PyCachedKernel(entry.clone())
}

fn refusal(refusal: Refusal) -> PyErr {
    PyMemoryError::new_err(refusal.to_string())
}

#[pymethods]
impl PyKernelCache {
    #[new]
    #[pyo3(signature = (config=None, clock=None))]
    fn new(
        py: Python<'_>,
        config: Option<PyRef<'_, PyCacheConfig>>,
        clock: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let limits = config.map_or_else(Limits::default, |config| config.0);
        Ok(Self {
            cache: Mutex::new((KernelCache::new(limits), Vec::new())),
            clock: Clock::new(py, clock)?,
        })
    }

    #[classmethod]
    fn compute_key(
        _class: &Bound<'_, PyType>,
        source: String,
        name: String,
        options: PyRef<'_, PyCompileOptions>,
    ) -> PyKernelKey {
        PyKernelKey(KernelKey::new(source, name, options.0.clone()))
    }

    #[classmethod]
    fn hash_source(_class: &Bound<'_, PyType>, source: &str) -> u64 {
        hash_source(source)
    }

    fn get(&self, py: Python<'_>, key: PyRef<'_, PyKernelKey>) -> PyResult<Option<PyCachedKernel>> {
        self.with(py, |cache, now, gone| {
            cache.get(now, &key.0, gone).map(kernel)
        })
    }

    fn get_by_name(
        &self,
        py: Python<'_>,
        name: String,
        options: PyRef<'_, PyCompileOptions>,
    ) -> PyResult<Option<PyCachedKernel>> {
        let options = options.0.clone();
        let name = KernelName { name, options };
        self.with(py, |cache, now, gone| {
            cache.newest(now, &name, gone).map(kernel)
        })
    }

    fn insert(
        &self,
        py: Python<'_>,
        source: String,
        name: String,
        ptx: String,
        options: PyRef<'_, PyCompileOptions>,
    ) -> PyResult<PyKernelKey> {
        let key = KernelKey::new(source, name, options.0.clone());
        let bytes = Bytes::new(ptx.len() as u64);
        let compiled = Compiled {
            ptx: ptx.into(),
            handles: None,
        };
        let inserted = self.with(py, |cache, now, gone| {
            cache.insert(now, key.clone(), bytes, compiled, gone)
        })?;
        inserted.map(|()| PyKernelKey(key)).map_err(refusal)
    }

    fn set_handles(
        &self,
        py: Python<'_>,
        key: PyRef<'_, PyKernelKey>,
        module_handle: u64,
        function_handle: u64,
    ) -> PyResult<bool> {
        self.with(py, |cache, now, _| {
            let compiled = cache.value_mut(now, &key.0);
            compiled.is_some_and(|compiled| compiled.load((module_handle, function_handle)))
        })
    }

    fn remove(
        &self,
        py: Python<'_>,
        key: PyRef<'_, PyKernelKey>,
    ) -> PyResult<Option<PyCachedKernel>> {
        self.with(py, |cache, _, _| cache.remove(&key.0).map(PyCachedKernel))
    }

    fn contains(&self, py: Python<'_>, key: PyRef<'_, PyKernelKey>) -> PyResult<bool> {
        self.with(py, |cache, now, _| cache.peek(now, &key.0).is_some())
    }

    fn kernel_names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(py, |cache, now, _| {
            let names = cache.iter(now).map(|entry| &entry.key().name().name);
            let names: BTreeSet<_> = names.cloned().collect();
            names.into_iter().collect()
        })
    }

    fn clear_expired(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, KernelCache::expire)
    }

    fn take_evicted(&self, py: Python<'_>) -> PyResult<Vec<PyCachedKernel>> {
        self.with(py, KernelCache::expire)?;
        let mut guard = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let left = std::mem::take(&mut guard.1);
        Ok(left
            .into_iter()
            .map(|gone| PyCachedKernel(gone.entry))
            .collect())
    }

    fn stats(&self, py: Python<'_>) -> PyResult<PyCacheStats> {
        self.with(py, |cache, now, gone| {
            cache.expire(now, gone);
            let stats = cache.stats();
            let loaded = cache
                .iter(now)
                .filter(|entry| entry.value().handles.is_some());
            PyCacheStats {
                hits: stats.hits,
                misses: stats.misses,
                entries: stats.entries,
                ptx_size: stats.bytes.get(),
                evictions: stats.evicted,
                ttl_evictions: stats.expired,
                loaded_count: loaded.count(),
            }
        })
    }

    fn len(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |cache, now, gone| {
            cache.expire(now, gone);
            cache.stats().entries
        })
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.len(py)
    }

    fn is_empty(&self, py: Python<'_>) -> PyResult<bool> {
        self.len(py).map(|entries| entries == 0)
    }

    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |cache, _, gone| cache.clear(gone))
    }
}
