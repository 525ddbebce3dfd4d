//! Capsules over our arrays.

use super::{
    IS_COPIED, LEGACY_STREAM, Managed, ManagedVersioned, PLAIN, READ_ONLY, Tensor, VERSION,
    VERSIONED, dlpack_device, type_code,
};
use crate::array::PyArray;
use crate::run::{run, wait};
use pygpukit_device::backend::DeviceId;
use pygpukit_device::{Access, Array, Stream};
use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::c_void;

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
            shape: array
                .shape()
                .iter()
                .map(|&length| length.cast_signed() as i64)
                .collect(),
            strides: array
                .layout()
                .strides()
                .iter()
                .map(|&stride| (stride / itemsize) as i64)
                .collect(),
            array,
            consumer,
        });
        let is_read_only = export.array.buffer().is_read_only();
        let flags = u64::from(copy == Some(true)) * IS_COPIED + u64::from(is_read_only) * READ_ONLY;
        match max_version {
            Some((major, _)) if major >= VERSION.0 => capsule_versioned(py, export, flags),
            _ if is_read_only => Err(PyBufferError::new_err(
                "read-only memory needs a versioned capsule: ask with `max_version=(1, 0)`",
            )),
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
        None | Some(-1) => LEGACY_STREAM,
        Some(0) => {
            return Err(PyValueError::new_err(
                "stream 0 is ambiguous: use 1 (legacy default), 2 (per-thread default), or a handle",
            ));
        }
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
