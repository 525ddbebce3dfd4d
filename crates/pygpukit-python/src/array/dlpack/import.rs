//! Arrays over the memory of other libraries.

use super::{
    CPU, CUDA, CUDA_HOST, CUDA_MANAGED, Managed, ManagedVersioned, PLAIN, PLAIN_USED, READ_ONLY,
    Tensor, VERSION, VERSIONED, VERSIONED_USED, dtype_of,
};
use crate::array::{PyArray, cuda_array, foreign_array};
use crate::device::AnyDevice;
use crate::numpy_module;
use crate::run::run;
use crate::scope;
use pygpukit_core::array::{Layout, check_dimensions};
use pygpukit_device::backend::DeviceId;
use pygpukit_device::{Access, Array, Device, Foreign};
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::ffi::CStr;

/// An array over the memory of any object that speaks DLPack.
#[pyfunction]
#[pyo3(signature = (object, /, *, device=None, copy=None))]
pub(crate) fn from_dlpack(
    py: Python<'_>,
    object: &Bound<'_, PyAny>,
    device: Option<AnyDevice>,
    copy: Option<bool>,
) -> PyResult<PyArray> {
    let array = import_dlpack(py, object, device)?.ok_or_else(|| {
        PyTypeError::new_err(format!(
            "{} has no `__dlpack__`",
            crate::convert::type_name(object)
        ))
    })?;
    match copy {
        Some(true) => PyArray(array).apply(py, pygpukit_device::ops::copy),
        _ => Ok(PyArray(array)),
    }
}

/// An array over the memory of a foreign object, or `None` if the object speaks
/// neither DLPack nor the CUDA array interface.
pub(crate) fn import_foreign(
    py: Python<'_>,
    object: &Bound<'_, PyAny>,
    device: Option<AnyDevice>,
) -> PyResult<Option<Array>> {
    match import_dlpack(py, object, device)? {
        Some(array) => Ok(Some(array)),
        None => cuda_array::import(py, object, device),
    }
}

fn import_dlpack(
    py: Python<'_>,
    object: &Bound<'_, PyAny>,
    wanted: Option<AnyDevice>,
) -> PyResult<Option<Array>> {
    if !object.hasattr("__dlpack__")? || !object.hasattr("__dlpack_device__")? {
        return Ok(None);
    }
    let (kind, ordinal) = object
        .call_method0("__dlpack_device__")?
        .extract::<(i32, i32)>()?;
    let id = device_of(kind, ordinal)?;
    if let Some(AnyDevice(wanted)) = wanted
        && wanted != id
    {
        return Err(PyBufferError::new_err(format!(
            "the memory is on `{id}`, not on `{wanted}`; import it there and copy"
        )));
    }
    numpy_module::prepare(py)?;
    let device = run(py, || Device::by_id(id))?;
    let options = PyDict::new(py);
    if id == DeviceId::Cpu {
        let capsule = ask_for_capsule(object, &options)?;
        return take_capsule(&capsule, &device).map(Some);
    }
    let stream = scope::stream_on(py, &device)?;
    options.set_item("stream", stream.handle())?;
    let capsule = ask_for_capsule(object, &options)?;
    let array = take_capsule(&capsule, &device)?;
    // The producer made our stream wait for its writes. To everyone else they
    // are writes of our stream.
    run(py, || stream.record_use(array.buffer(), Access::Write))?;
    Ok(Some(array))
}

/// Our device for DLPack's.
fn device_of(kind: i32, ordinal: i32) -> PyResult<DeviceId> {
    match (kind, u32::try_from(ordinal)) {
        (CPU | CUDA_HOST, _) => Ok(DeviceId::Cpu),
        (CUDA | CUDA_MANAGED, Ok(ordinal)) => Ok(DeviceId::Cuda(ordinal)),
        (CUDA | CUDA_MANAGED, Err(_)) => Err(PyBufferError::new_err(format!(
            "DLPack device number {ordinal} is negative"
        ))),
        (other, _) => Err(PyBufferError::new_err(format!(
            "DLPack device type {other} is neither CPU (1) nor CUDA (2)"
        ))),
    }
}

/// Asks for a versioned capsule; older producers do not know the keyword.
fn ask_for_capsule<'py>(
    object: &Bound<'py, PyAny>,
    options: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let versioned = options.copy()?;
    versioned.set_item("max_version", PyTuple::new(py, [VERSION.0, VERSION.1])?)?;
    match object.call_method("__dlpack__", (), Some(&versioned)) {
        Err(error) if error.is_instance_of::<PyTypeError>(py) => {
            object.call_method("__dlpack__", (), Some(options))
        }
        result => result,
    }
}

/// The producer's structure; dropping it tells the producer.
enum Taken {
    Plain(*mut Managed),
    Versioned(*mut ManagedVersioned),
}

// SAFETY: the protocol allows the deleter to be called from any thread, and
// nothing else is done with the pointer after `take_capsule`.
unsafe impl Send for Taken {}
// SAFETY: as above; there is no access through a shared reference.
unsafe impl Sync for Taken {}

impl Drop for Taken {
    fn drop(&mut self) {
        // SAFETY: taken from a capsule that was then renamed, so the structure is
        // ours; the deleter is called once, here.
        unsafe {
            match *self {
                Self::Plain(managed) => {
                    if let Some(deleter) = (*managed).deleter {
                        deleter(managed);
                    }
                }
                Self::Versioned(managed) => {
                    if let Some(deleter) = (*managed).deleter {
                        deleter(managed);
                    }
                }
            }
        }
    }
}

fn take_capsule(capsule: &Bound<'_, PyAny>, device: &Device) -> PyResult<Array> {
    let pointer = capsule.as_ptr();
    // SAFETY: a live object; the calls check that it is a capsule of that name.
    let is = |name: &CStr| unsafe { ffi::PyCapsule_IsValid(pointer, name.as_ptr()) == 1 };
    let (taken, tensor, flags) = if is(VERSIONED) {
        // SAFETY: the name says what the pointer is, and that nobody took it.
        let managed = unsafe { ffi::PyCapsule_GetPointer(pointer, VERSIONED.as_ptr()) }
            .cast::<ManagedVersioned>();
        // SAFETY: as above. The version comes first in every version.
        let major = unsafe { (*managed).major };
        if major > VERSION.0 {
            return Err(PyBufferError::new_err(format!(
                "DLPack version {major} is newer than {}",
                VERSION.0
            )));
        }
        // SAFETY: as above.
        let (tensor, flags) = unsafe { ((*managed).tensor, (*managed).flags) };
        // SAFETY: a valid capsule and a static name.
        unsafe { ffi::PyCapsule_SetName(pointer, VERSIONED_USED.as_ptr()) };
        (Taken::Versioned(managed), tensor, flags)
    } else if is(PLAIN) {
        // SAFETY: the name says what the pointer is, and that nobody took it.
        let managed =
            unsafe { ffi::PyCapsule_GetPointer(pointer, PLAIN.as_ptr()) }.cast::<Managed>();
        // SAFETY: as above.
        let tensor = unsafe { (*managed).tensor };
        // SAFETY: a valid capsule and a static name.
        unsafe { ffi::PyCapsule_SetName(pointer, PLAIN_USED.as_ptr()) };
        (Taken::Plain(managed), tensor, 0)
    } else {
        return Err(PyBufferError::new_err(
            "`__dlpack__` did not return an unused DLPack capsule",
        ));
    };
    array_over(device, &tensor, Foreign::new(taken), flags & READ_ONLY != 0)
}

fn array_over(
    device: &Device,
    tensor: &Tensor,
    owner: Foreign,
    read_only: bool,
) -> PyResult<Array> {
    // Addresses of one device mean nothing on another.
    let holder = device_of(tensor.device_type, tensor.device_id)?;
    if holder != device.id() {
        return Err(PyBufferError::new_err(format!(
            "the capsule holds memory of `{holder}`, but `__dlpack_device__` said `{}`",
            device.id()
        )));
    }
    let dtype = dtype_of(tensor).ok_or_else(|| {
        PyBufferError::new_err(format!(
            "DLPack type code {} with {} bits and {} lanes has no counterpart",
            tensor.code, tensor.bits, tensor.lanes
        ))
    })?;
    let ndim = usize::try_from(tensor.ndim)
        .map_err(|_| PyBufferError::new_err("negative number of dimensions"))?;
    check_dimensions(ndim).map_err(|error| PyBufferError::new_err(error.to_string()))?;
    if ndim > 0 && tensor.shape.is_null() {
        return Err(PyBufferError::new_err(format!(
            "a tensor of {ndim} dimensions without a shape"
        )));
    }
    let lengths = |pointer: *mut i64| {
        if ndim == 0 || pointer.is_null() {
            &[][..]
        } else {
            // SAFETY: the protocol gives `ndim` numbers there, alive as the owner is.
            unsafe { std::slice::from_raw_parts(pointer, ndim) }
        }
    };
    let shape = lengths(tensor.shape)
        .iter()
        .map(|&length| usize::try_from(length))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|_| PyBufferError::new_err("negative length of a dimension"))?;
    let itemsize = dtype.itemsize();
    let contiguous = Layout::contiguous(&shape, itemsize)
        .map_err(|error| PyBufferError::new_err(error.to_string()))?;
    if tensor.data.is_null() && contiguous.size() > 0 {
        return Err(PyBufferError::new_err(format!(
            "a tensor of {} elements without memory",
            contiguous.size()
        )));
    }
    let strides: Vec<isize> = match lengths(tensor.strides) {
        [] => contiguous.strides().to_vec(),
        strides => strides
            .iter()
            .map(|&stride| {
                isize::try_from(stride)
                    .ok()
                    .and_then(|stride| stride.checked_mul(itemsize.cast_signed()))
                    .ok_or_else(|| {
                        PyBufferError::new_err(format!("stride `{stride}` is too large"))
                    })
            })
            .collect::<PyResult<_>>()?,
    };
    foreign_array(
        device,
        tensor.data as u64 + tensor.byte_offset,
        &shape,
        &strides,
        dtype,
        owner,
        read_only,
    )
}
