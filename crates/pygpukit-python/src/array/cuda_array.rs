//! Arrays over memory described by `__cuda_array_interface__`.

use crate::device::AnyDevice;
use crate::dtype;
use crate::numpy_module::numpy;
use crate::run::run;
use crate::scope;
use pygpukit_core::array::Layout;
use pygpukit_device::backend::DeviceId;
use pygpukit_device::{Access, Array, Device, Foreign, Stream};
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// An array over the object's memory, or `None` if it has no such interface.
/// The object is kept alive as long as the array is.
pub(crate) fn import(
    py: Python<'_>,
    object: &Bound<'_, PyAny>,
    wanted: Option<AnyDevice>,
) -> PyResult<Option<Array>> {
    if !object.hasattr("__cuda_array_interface__")? {
        return Ok(None);
    }
    let interface = object
        .getattr("__cuda_array_interface__")?
        .cast_into::<PyDict>()
        .map_err(|_| PyTypeError::new_err("`__cuda_array_interface__` is not a dict"))?;
    let required = |key: &str| {
        interface.get_item(key)?.ok_or_else(|| {
            PyTypeError::new_err(format!("`__cuda_array_interface__` has no `{key}`"))
        })
    };
    let optional = |key: &str| -> PyResult<Option<Bound<'_, PyAny>>> {
        Ok(interface.get_item(key)?.filter(|value| !value.is_none()))
    };
    let shape = required("shape")?.extract::<Vec<usize>>()?;
    let (address, read_only) = required("data")?.extract::<(u64, bool)>()?;
    let typestr = required("typestr")?;
    let numpy_dtype = numpy(py)?.call_method1("dtype", (&typestr,))?;
    let dtype = dtype::from_numpy(&numpy_dtype)
        .filter(|_| {
            numpy_dtype
                .getattr("isnative")
                .is_ok_and(|native| native.is_truthy().unwrap_or(false))
        })
        .ok_or_else(|| PyTypeError::new_err(format!("typestr `{typestr}` has no counterpart")))?;
    let strides = match optional("strides")? {
        Some(strides) => strides.extract::<Vec<isize>>()?,
        None => Layout::contiguous(&shape, dtype.itemsize())
            .map_err(|error| PyValueError::new_err(error.to_string()))?
            .strides()
            .to_vec(),
    };
    if strides.len() != shape.len() {
        return Err(PyValueError::new_err(format!(
            "`__cuda_array_interface__` has {} strides for {} dimensions",
            strides.len(),
            shape.len()
        )));
    }
    if optional("mask")?.is_some() {
        return Err(PyTypeError::new_err(
            "`__cuda_array_interface__` has a `mask`, which arrays here cannot have",
        ));
    }
    // The interface does not name the device: the current one, or the first.
    let device = match wanted {
        Some(AnyDevice(DeviceId::Cpu)) => {
            return Err(PyBufferError::new_err(
                "the memory is on a CUDA device, not on `cpu`",
            ));
        }
        Some(AnyDevice(id)) => run(py, || Device::by_id(id))?,
        None => match scope::current_stream(py)?.device() {
            current if current.id() != DeviceId::Cpu => current.clone(),
            _ => run(py, || Device::by_id(DeviceId::Cuda(0)))?,
        },
    };
    let owner = Foreign::new(object.clone().unbind());
    let array = super::foreign_array(&device, address, &shape, &strides, dtype, owner, read_only)?;
    if let Some(producer) = optional("stream")? {
        let handle = producer.extract::<u64>()?;
        if handle == 0 {
            return Err(PyValueError::new_err(
                "`stream` 0 is ambiguous in `__cuda_array_interface__`",
            ));
        }
        run(py, || {
            // SAFETY: the interface names a stream that is alive.
            let producer = unsafe { Stream::adopt(&device, handle) }?;
            producer.record_use(array.buffer(), Access::Write)
        })?;
    }
    Ok(Some(array))
}
