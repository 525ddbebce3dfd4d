//! Where other libraries go on with memory that a kernel was given.
//!
//! Neither DLPack nor the CUDA array interface says on which stream the owner of
//! the memory will use it next. Their current stream does: it has to wait for the
//! kernel, as ours had to wait for it.

use crate::run::run;
use pygpukit_device::backend::DeviceId;
use pygpukit_device::{Device, Stream};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// CUDA's legacy default stream.
const LEGACY: u64 = 1;

/// The stream on which the owner of the object's memory works now; `None` on the
/// CPU, where work on others' memory is synchronous.
pub(super) fn stream_of(object: &Bound<'_, PyAny>, device: &Device) -> PyResult<Option<Stream>> {
    if device.id() == DeviceId::Cpu {
        return Ok(None);
    }
    let handle = match torch_stream(object)? {
        Some(handle) => handle,
        None => interface_stream(object)?,
    };
    // 0 is the legacy default stream too, by another name.
    let handle = if handle == 0 { LEGACY } else { handle };
    run(object.py(), || {
        // SAFETY: the library's current stream is alive, and is used only until
        // the launch has been queued.
        unsafe { Stream::adopt(device, handle) }
    })
    .map(Some)
}

/// PyTorch's current stream, for its tensors.
fn torch_stream(object: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    let py = object.py();
    let modules = py.import("sys")?.getattr("modules")?;
    let Ok(torch) = modules.get_item("torch") else {
        return Ok(None);
    };
    if !object.is_instance(&torch.getattr("Tensor")?)? {
        return Ok(None);
    }
    let stream = torch
        .getattr("cuda")?
        .call_method1("current_stream", (object.getattr("device")?,))?;
    Ok(Some(stream.getattr("cuda_stream")?.extract()?))
}

/// The stream that the CUDA array interface names, as CuPy's does; else the
/// legacy default stream.
fn interface_stream(object: &Bound<'_, PyAny>) -> PyResult<u64> {
    let Ok(interface) = object.getattr("__cuda_array_interface__") else {
        return Ok(LEGACY);
    };
    let named = match interface.cast::<PyDict>() {
        Ok(interface) => interface.get_item("stream")?,
        Err(_) => None,
    };
    named
        .filter(|stream| !stream.is_none())
        .map_or(Ok(LEGACY), |stream| stream.extract())
}
