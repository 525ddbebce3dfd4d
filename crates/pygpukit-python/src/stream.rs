//! Streams.

use crate::device::{AnyDevice, PyDevice};
use crate::error::UnsupportedError;
use crate::run::{run, wait};
use crate::scope;
use pygpukit_device::Stream;
use pygpukit_device::backend::{DeviceId, Priority};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// Work of one device that runs in order.
#[pyclass(name = "Stream", frozen, eq, hash, module = "pygpukit.stream")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PyStream(pub(crate) Stream);

#[pymethods]
impl PyStream {
    #[new]
    #[pyo3(signature = (device=None))]
    fn new(py: Python<'_>, device: Option<AnyDevice>) -> PyResult<Self> {
        let device = AnyDevice::open_or_current(py, device)?;
        // A task's streams are charged to the task.
        let current = scope::stream_on(py, &device)?;
        let account = || current.account().clone();
        run(py, || {
            Stream::with_account(&device, Priority::Normal, account())
        })
        .map(Self)
    }

    #[getter]
    fn device(&self) -> PyDevice {
        PyDevice::from(self.0.device())
    }

    #[getter]
    fn handle(&self) -> u64 {
        self.0.handle()
    }

    fn synchronize(&self, py: Python<'_>) -> PyResult<()> {
        wait(py, |patience| self.0.synchronize_for(patience))
    }

    fn wait_stream(&self, py: Python<'_>, other: &Self) -> PyResult<()> {
        run(py, || self.0.wait_stream(&other.0))
    }

    #[getter]
    fn done(&self, py: Python<'_>) -> PyResult<bool> {
        run(py, || self.0.is_idle())
    }

    fn __enter__(slf: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
        scope::enter(slf.py(), slf.get().0.clone(), Some(slf.as_any()))?;
        Ok(slf)
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(
        slf: &Bound<'_, Self>,
        _exception: &Bound<'_, pyo3::types::PyTuple>,
    ) -> PyResult<()> {
        scope::leave(slf.py(), Some(slf.as_any()))
    }

    /// Whatever copies objects says why it cannot copy this one.
    #[expect(clippy::unused_self, reason = "Python passes it")]
    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a Stream cannot be copied or pickled: it is of this process; make another with \
             `Stream(device)`",
        ))
    }

    /// The CUDA stream protocol: (version, handle).
    fn __cuda_stream__(&self) -> PyResult<(u32, u64)> {
        match self.0.device().id() {
            DeviceId::Cuda(_) => Ok((0, self.0.handle())),
            DeviceId::Cpu => Err(UnsupportedError::new_err(
                "a stream of the CPU device is no CUDA stream",
            )),
        }
    }

    fn __repr__(&self) -> String {
        format!(
            "<pygpukit.Stream on {}, handle {:#x}>",
            self.0.device().id(),
            self.0.handle()
        )
    }
}

/// The stream that operations use where none is named.
#[pyfunction]
pub(crate) fn current_stream(py: Python<'_>) -> PyResult<PyStream> {
    scope::current_stream(py).map(PyStream)
}
