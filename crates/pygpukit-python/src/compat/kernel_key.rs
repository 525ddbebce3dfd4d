//! What a compiled kernel is found by.

use pygpukit_core::cache::{CompileOptions, KernelKey, Key};
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// How a kernel is compiled.
#[pyclass(name = "CompileOptions", frozen, eq, hash, module = "pygpukit.compat")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PyCompileOptions(pub(super) CompileOptions);

#[pymethods]
impl PyCompileOptions {
    #[new]
    #[pyo3(signature = (compute_capability="sm_75".into()), text_signature = "(compute_capability='sm_75')")]
    fn new(compute_capability: String) -> Self {
        Self(CompileOptions::new(compute_capability))
    }

    fn flag(&self, flag: String) -> Self {
        Self(self.0.clone().flag(flag))
    }

    fn define(&self, name: String, value: String) -> Self {
        Self(self.0.clone().define(name, value))
    }

    fn include(&self, path: String) -> Self {
        Self(self.0.clone().include(path))
    }

    #[getter]
    fn compute_capability(&self) -> &str {
        &self.0.compute_capability
    }

    #[getter]
    fn flags(&self) -> Vec<String> {
        self.0.flags.clone()
    }

    #[getter]
    fn defines(&self) -> BTreeMap<String, String> {
        self.0.defines.clone()
    }

    #[getter]
    fn includes(&self) -> Vec<String> {
        self.0.includes.clone()
    }

    fn __repr__(&self) -> String {
        format!("<CompileOptions for {}>", self.0.compute_capability)
    }
}

/// What a kernel is found by.
#[pyclass(name = "KernelKey", frozen, eq, hash, module = "pygpukit.compat")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PyKernelKey(pub(super) KernelKey);

#[pymethods]
impl PyKernelKey {
    fn __index__(&self) -> u64 {
        self.0.hash64()
    }

    fn __int__(&self) -> u64 {
        self.0.hash64()
    }

    fn __repr__(&self) -> String {
        format!(
            "<KernelKey {:#018x} of {:?}>",
            self.0.hash64(),
            self.0.name().name
        )
    }
}
