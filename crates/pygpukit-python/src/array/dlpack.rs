//! DLPack: memory shared with other libraries, in both directions.
//!
//! Specification: <https://dmlc.github.io/dlpack/latest/>. A consumer names its
//! stream when it asks for the memory; our work is waited for there. When the
//! consumer lets go, what it queued on that stream until then is waited for
//! before the memory is used again. On the CPU, where consumers have no streams,
//! shared memory is worked on synchronously.

#![expect(unsafe_code, reason = "capsules are C structures behind pointers")]

use super::PyArray;
use crate::device::AnyDevice;
use crate::run::{run, wait};
use crate::scope;
use pygpukit_core::array::{DType, Kind, Layout};
use pygpukit_device::backend::DeviceId;
use pygpukit_device::{Access, Array, Device, Foreign, Stream};
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::ffi::{CStr, c_void};

const CPU: i32 = 1;
const CUDA: i32 = 2;
const CUDA_HOST: i32 = 3;
const CUDA_MANAGED: i32 = 13;

/// The newest version we write and read.
const VERSION: (u32, u32) = (1, 0);
const READ_ONLY: u64 = 1;
const IS_COPIED: u64 = 2;

/// The stream that `None` and 1 mean: CUDA's legacy default stream.
const LEGACY_STREAM: u64 = 1;

const PLAIN: &CStr = c"dltensor";
const PLAIN_USED: &CStr = c"used_dltensor";
const VERSIONED: &CStr = c"dltensor_versioned";
const VERSIONED_USED: &CStr = c"used_dltensor_versioned";

#[repr(C)]
#[derive(Clone, Copy)]
struct Tensor {
    data: *mut c_void,
    device_type: i32,
    device_id: i32,
    ndim: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

#[repr(C)]
struct Managed {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

#[repr(C)]
struct ManagedVersioned {
    major: u32,
    minor: u32,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut ManagedVersioned)>,
    flags: u64,
    tensor: Tensor,
}

/// What an exported capsule keeps alive.
struct Export {
    array: Array,
    /// The stream that the consumer works on; `None` on the CPU.
    consumer: Option<Stream>,
    shape: Vec<i64>,
    strides: Vec<i64>,
}

impl Drop for Export {
    fn drop(&mut self) {
        if let Some(consumer) = &self.consumer {
            // If the stream is gone there is nothing left to wait for, and no
            // one to tell.
            drop(consumer.record_use(self.array.buffer(), Access::Write));
        }
    }
}

#[pymethods]
impl PyArray {
    fn __dlpack_device__(&self) -> (i32, u32) {
        dlpack_device(self.0.device_id())
    }

    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<i64>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, u32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let here = dlpack_device(self.0.device_id());
        if dl_device.is_some_and(|wanted| wanted != here) {
            return Err(PyBufferError::new_err(format!(
                "the array is on `{}`; copy it with `asarray(x, device=..)` first",
                self.0.device_id()
            )));
        }
        let array = match copy {
            Some(true) => self.apply(py, pygpukit_device::ops::copy)?.0,
            _ => self.0.clone(),
        };
        let consumer = hand_over(py, &array, stream)?;
        let itemsize = array.dtype().itemsize().cast_signed();
        let export = Box::new(Export {
            shape: array.shape().iter().map(|&length| length as i64).collect(),
            strides: array
                .layout()
                .strides()
                .iter()
                .map(|&stride| (stride / itemsize) as i64)
                .collect(),
            array,
            consumer,
        });
        let flags = if copy == Some(true) { IS_COPIED } else { 0 };
        match max_version {
            Some((major, _)) if major >= VERSION.0 => capsule_versioned(py, export, flags),
            _ => capsule_plain(py, export),
        }
    }
}

/// Makes the consumer's stream wait for our work on the array. Returns it.
fn hand_over(py: Python<'_>, array: &Array, stream: Option<i64>) -> PyResult<Option<Stream>> {
    if array.device_id() == DeviceId::Cpu {
        if stream.is_some_and(|stream| stream != -1) {
            return Err(PyValueError::new_err(
                "an array of the CPU device is on no stream: `stream` must be None",
            ));
        }
        array.buffer().share();
        wait(py, |patience| {
            array.buffer().wait_idle(Access::Write, patience)
        })?;
        return Ok(None);
    }
    let handle = match stream {
        None => LEGACY_STREAM,
        Some(0) => {
            return Err(PyValueError::new_err(
                "stream 0 is ambiguous: use 1 (legacy default), 2 (per-thread default), or a handle",
            ));
        }
        Some(-1) => LEGACY_STREAM,
        Some(handle) => u64::try_from(handle).map_err(|_| {
            PyValueError::new_err(format!("`{handle}` is not a stream; -1 means no waiting"))
        })?,
    };
    // SAFETY: the protocol has the consumer name a stream that is alive, and use
    // the memory no longer than the stream.
    let consumer =
        unsafe { Stream::adopt(array.device(), handle) }.map_err(crate::error::PyError::from)?;
    array.buffer().share();
    if stream != Some(-1) {
        run(py, || {
            consumer.wait_for_buffer(array.buffer(), Access::Write)
        })?;
    }
    Ok(Some(consumer))
}

fn dlpack_device(id: DeviceId) -> (i32, u32) {
    match id {
        DeviceId::Cpu => (CPU, 0),
        DeviceId::Cuda(ordinal) => (CUDA, ordinal),
    }
}

fn tensor(export: &mut Export) -> Tensor {
    let (code, bits) = type_code(export.array.dtype());
    let (device_type, device_id) = dlpack_device(export.array.device_id());
    Tensor {
        data: export.array.address() as *mut c_void,
        device_type,
        device_id: device_id.cast_signed(),
        ndim: i32::try_from(export.shape.len()).unwrap_or(i32::MAX),
        code,
        bits,
        lanes: 1,
        shape: export.shape.as_mut_ptr(),
        strides: export.strides.as_mut_ptr(),
        byte_offset: 0,
    }
}

fn capsule_plain(py: Python<'_>, mut export: Box<Export>) -> PyResult<Bound<'_, PyAny>> {
    unsafe extern "C" fn delete(managed: *mut Managed) {
        // SAFETY: made by `Box::into_raw` below; called once, by the protocol.
        let managed = unsafe { Box::from_raw(managed) };
        // SAFETY: likewise.
        drop(unsafe { Box::from_raw(managed.context.cast::<Export>()) });
    }
    unsafe extern "C" fn destroy(capsule: *mut ffi::PyObject) {
        // SAFETY: Python passes the capsule; the name tells that nobody took it.
        unsafe {
            let pointer = ffi::PyCapsule_GetPointer(capsule, PLAIN.as_ptr());
            if pointer.is_null() {
                ffi::PyErr_Clear();
            } else {
                delete(pointer.cast());
            }
        }
    }
    let tensor = tensor(&mut export);
    let managed = Box::into_raw(Box::new(Managed {
        tensor,
        context: Box::into_raw(export).cast(),
        deleter: Some(delete),
    }));
    // SAFETY: the pointer is not null, the name is static.
    let capsule = unsafe { ffi::PyCapsule_New(managed.cast(), PLAIN.as_ptr(), Some(destroy)) };
    // SAFETY: a new reference, or null with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(py, capsule) }.inspect_err(|_| {
        // SAFETY: no capsule was made, so the structure is still ours.
        unsafe { delete(managed) };
    })
}

fn capsule_versioned(
    py: Python<'_>,
    mut export: Box<Export>,
    flags: u64,
) -> PyResult<Bound<'_, PyAny>> {
    unsafe extern "C" fn delete(managed: *mut ManagedVersioned) {
        // SAFETY: made by `Box::into_raw` below; called once, by the protocol.
        let managed = unsafe { Box::from_raw(managed) };
        // SAFETY: likewise.
        drop(unsafe { Box::from_raw(managed.context.cast::<Export>()) });
    }
    unsafe extern "C" fn destroy(capsule: *mut ffi::PyObject) {
        // SAFETY: Python passes the capsule; the name tells that nobody took it.
        unsafe {
            let pointer = ffi::PyCapsule_GetPointer(capsule, VERSIONED.as_ptr());
            if pointer.is_null() {
                ffi::PyErr_Clear();
            } else {
                delete(pointer.cast());
            }
        }
    }
    let tensor = tensor(&mut export);
    let managed = Box::into_raw(Box::new(ManagedVersioned {
        major: VERSION.0,
        minor: VERSION.1,
        context: Box::into_raw(export).cast(),
        deleter: Some(delete),
        flags,
        tensor,
    }));
    // SAFETY: the pointer is not null, the name is static.
    let capsule = unsafe { ffi::PyCapsule_New(managed.cast(), VERSIONED.as_ptr(), Some(destroy)) };
    // SAFETY: a new reference, or null with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(py, capsule) }.inspect_err(|_| {
        // SAFETY: no capsule was made, so the structure is still ours.
        unsafe { delete(managed) };
    })
}

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
        None => super::cuda_array::import(py, object, device),
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
        .extract::<(i32, u32)>()?;
    let id = match kind {
        CPU | CUDA_HOST => DeviceId::Cpu,
        CUDA | CUDA_MANAGED => DeviceId::Cuda(ordinal),
        other => {
            return Err(PyBufferError::new_err(format!(
                "DLPack device type {other} is neither CPU (1) nor CUDA (2)"
            )));
        }
    };
    if let Some(AnyDevice(wanted)) = wanted
        && wanted != id
    {
        return Err(PyBufferError::new_err(format!(
            "the memory is on `{id}`, not on `{wanted}`; import it there and copy"
        )));
    }
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
    let dtype = dtype_of(tensor).ok_or_else(|| {
        PyBufferError::new_err(format!(
            "DLPack type code {} with {} bits and {} lanes has no counterpart",
            tensor.code, tensor.bits, tensor.lanes
        ))
    })?;
    let ndim = usize::try_from(tensor.ndim)
        .map_err(|_| PyBufferError::new_err("negative number of dimensions"))?;
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
    let strides: Vec<isize> = match lengths(tensor.strides) {
        [] => contiguous.strides().to_vec(),
        strides => strides
            .iter()
            .map(|&stride| stride as isize * itemsize.cast_signed())
            .collect(),
    };
    super::foreign_array(
        device,
        tensor.data as u64 + tensor.byte_offset,
        &shape,
        &strides,
        dtype,
        owner,
        read_only,
    )
}

fn type_code(dtype: DType) -> (u8, u8) {
    let code = match dtype.kind() {
        Kind::Signed => 0,
        Kind::Unsigned => 1,
        Kind::Float if dtype == DType::BFloat16 => 4,
        Kind::Float => 2,
        Kind::Complex => 5,
        Kind::Bool => 6,
    };
    let bits = u8::try_from(8 * dtype.itemsize()).unwrap_or(u8::MAX);
    (code, bits)
}

fn dtype_of(tensor: &Tensor) -> Option<DType> {
    DType::ALL
        .into_iter()
        .find(|&dtype| type_code(dtype) == (tensor.code, tensor.bits) && tensor.lanes == 1)
}
