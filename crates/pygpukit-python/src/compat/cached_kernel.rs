//! One compiled kernel that is kept.

use super::clock::seconds;
use super::kernel_key::PyKernelKey;
use pygpukit_core::cache::{Entry, KernelKey, Key};
use pyo3::prelude::*;
use std::sync::Arc;

/// A kernel's code, and where it is loaded.
#[derive(Clone)]
pub(super) struct Compiled {
    pub(super) ptx: Arc<str>,
    pub(super) handles: Option<(u64, u64)>,
}

impl Compiled {
    /// Keeps the first handles: others in their place would let them go unreported.
    pub(super) fn load(&mut self, handles: (u64, u64)) -> bool {
        let is_first = self.handles.is_none();
        self.handles.get_or_insert(handles);
        is_first
    }
}

/// A kernel at one moment.
#[pyclass(name = "CachedKernel", frozen, module = "pygpukit.compat")]
pub(crate) struct PyCachedKernel(pub(super) Entry<KernelKey, Compiled>);

#[pymethods]
impl PyCachedKernel {
    #[getter]
    fn key(&self) -> PyKernelKey {
        PyKernelKey(self.0.key().clone())
    }

    #[getter]
    fn name(&self) -> &str {
        &self.0.key().name().name
    }

    #[getter]
    fn ptx(&self) -> &str {
        &self.0.value().ptx
    }

    #[getter]
    fn module_handle(&self) -> Option<u64> {
        self.0.value().handles.map(|(module, _)| module)
    }

    #[getter]
    fn function_handle(&self) -> Option<u64> {
        self.0.value().handles.map(|(_, function)| function)
    }

    #[getter]
    fn created_at(&self) -> f64 {
        seconds(self.0.created())
    }

    #[getter]
    fn last_access(&self) -> f64 {
        seconds(self.0.last_used())
    }

    #[getter]
    fn access_count(&self) -> u64 {
        self.0.uses()
    }

    fn is_loaded(&self) -> bool {
        self.0.value().handles.is_some()
    }

    fn __repr__(&self) -> String {
        format!(
            "<CachedKernel {:?} of {} bytes>",
            self.name(),
            self.0.bytes().get()
        )
    }
}
