//! `__cuda_array_interface__`: the older protocol, CUDA only.

use super::PyArray;
use pygpukit_device::backend::DeviceId;
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

#[pymethods]
impl PyArray {
    /// Version 3, with the stream whose work the consumer has to wait for.
    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let array = &self.0;
        if array.device_id() == DeviceId::Cpu {
            return Err(PyAttributeError::new_err(
                "an array of the CPU device has no `__cuda_array_interface__`",
            ));
        }
        let typestr = match array.dtype().name() {
            "bfloat16" => {
                return Err(PyTypeError::new_err(
                    "`__cuda_array_interface__` has no bfloat16; use DLPack",
                ));
            }
            _ => crate::dtype::to_numpy(py, array.dtype())?.getattr("str")?,
        };
        let stream = self.stream(py)?;
        // The consumer waits for this stream: it must have everything before it.
        crate::run::run(py, || {
            stream.wait_for_buffer(array.buffer(), pygpukit_device::Access::Write)
        })?;
        array.buffer().share();
        let interface = PyDict::new(py);
        interface.set_item("shape", PyTuple::new(py, array.shape())?)?;
        interface.set_item("typestr", typestr)?;
        interface.set_item("data", (array.address(), false))?;
        interface.set_item("version", 3)?;
        let strides = if array.layout().is_contiguous() {
            None
        } else {
            Some(PyTuple::new(py, array.layout().strides())?)
        };
        interface.set_item("strides", strides)?;
        interface.set_item("stream", stream.handle())?;
        Ok(interface)
    }
}
