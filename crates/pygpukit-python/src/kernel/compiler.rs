//! Where this Python's NVRTC is, and what it said.

use crate::run::{run, wait};
use pygpukit_device::nvrtc::{
    Candidate, Diagnostic, SearchPaths, Toolchain, Verdict, cancel_compilations,
};
use pygpukit_device::{Device, Presence, cuda_presence};
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyTuple};
use std::path::PathBuf;

/// Lets the toolchain of this process look into the wheels of this Python.
pub(crate) fn find_compilers(py: Python<'_>) -> PyResult<()> {
    let entries = py.import("sys")?.getattr("path")?;
    let entries = entries.extract::<Vec<PathBuf>>()?;
    let mut paths = SearchPaths::from_environment();
    paths
        .site_packages
        .extend(entries.into_iter().filter(|path| {
            path.ends_with("site-packages")
                || path.ends_with("dist-packages")
                || path.join("nvidia").is_dir()
        }));
    Toolchain::shared().set_search_paths(paths);
    Ok(())
}

/// Ends all compilations before the interpreter does: those that Ctrl-C left, and
/// those of other threads.
pub(crate) fn cancel_at_exit(py: Python<'_>) -> PyResult<()> {
    let cancel = PyCFunction::new_closure(py, None, None, |args, _| {
        wait(args.py(), |patience| Ok(cancel_compilations(patience)))
    })?;
    let atexit = py.import("atexit")?;
    atexit.call_method1("register", (cancel,)).map(drop)
}

/// One message of the compiler.
#[pyclass(name = "Diagnostic", frozen, eq, module = "pygpukit.errors")]
#[derive(PartialEq)]
pub(crate) struct PyDiagnostic(pub(crate) Diagnostic);

#[pymethods]
impl PyDiagnostic {
    #[getter]
    fn file(&self) -> &str {
        &self.0.file
    }

    #[getter]
    fn line(&self) -> u32 {
        self.0.line
    }

    #[getter]
    fn severity(&self) -> &'static str {
        self.0.severity.name()
    }

    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    #[getter]
    fn excerpt<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.0.excerpt)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!(
            "Diagnostic({:?}, line {}, {}: {:?})",
            self.0.file,
            self.0.line,
            self.severity(),
            self.0.text
        )
    }
}

/// A library that was looked at, and what was found.
#[pyclass(name = "CompilerCandidate", frozen, module = "pygpukit.kernel")]
pub(crate) struct PyCompilerCandidate(Candidate);

#[pymethods]
impl PyCompilerCandidate {
    #[getter]
    fn place(&self) -> String {
        self.0.place.to_string()
    }

    #[getter]
    fn path(&self) -> String {
        self.0.path.display().to_string()
    }

    #[getter]
    fn version(&self) -> (Option<u32>, Option<u32>) {
        self.0.version
    }

    #[getter]
    fn verdict(&self) -> String {
        self.0.verdict.to_string()
    }

    #[getter]
    fn is_used(&self) -> bool {
        self.0.verdict == Verdict::Chosen
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<CompilerCandidate {}>", self.0)
    }
}

/// Every NVRTC that was looked at for the default device, with the verdict on it.
#[pyfunction]
pub(crate) fn compiler_candidates(py: Python<'_>) -> PyResult<Vec<PyCompilerCandidate>> {
    let candidates = run(py, || {
        let driver = match cuda_presence() {
            Presence::Present { .. } => Device::by_id(pygpukit_device::backend::DeviceId::Cuda(0))
                .ok()
                .and_then(|device| device.info().driver_version),
            Presence::Absent { .. } | Presence::Unusable { .. } => None,
        };
        Ok(Toolchain::shared().candidates(driver.map(|(major, _)| major)))
    })?;
    Ok(candidates.into_iter().map(PyCompilerCandidate).collect())
}
