//! Calling Python for long, from threads that may still be there when it ends.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::time::Duration;

unsafe extern "C-unwind" {
    /// As in the C API. Named again for its unwinding, which pyo3's says cannot be.
    fn PyObject_Call(
        callable: *mut ffi::PyObject,
        args: *mut ffi::PyObject,
        kwargs: *mut ffi::PyObject,
    ) -> *mut ffi::PyObject;
}

type ObjectCall = unsafe extern "C-unwind" fn(
    *mut ffi::PyObject,
    *mut ffi::PyObject,
    *mut ffi::PyObject,
) -> *mut ffi::PyObject;

/// Keeps a thread where it is.
///
/// Before Python 3.14 an interpreter that ends makes every other thread that
/// wants the GIL call `pthread_exit`, which unwinds the stack and would abort the
/// process at the first frame of Rust that catches panics.
struct HangOnUnwind;

impl Drop for HangOnUnwind {
    fn drop(&mut self) {
        loop {
            std::thread::sleep(Duration::from_secs(3600));
        }
    }
}

/// `callable(*args, **kwargs)`, on a thread that may still be in there when the
/// interpreter ends.
pub(crate) fn call<'py>(
    callable: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let kwargs = kwargs.map_or(std::ptr::null_mut(), Bound::as_ptr);
    // Hidden from the optimizer: to it both declarations are one function, and pyo3's
    // says that it never unwinds, so that the guard would be left out.
    let object_call = std::hint::black_box(PyObject_Call as ObjectCall);
    let guard = HangOnUnwind;
    // SAFETY: the three are alive, a tuple and a dictionary or null, and the GIL
    // is held; if the call unwinds, the guard keeps it from going further.
    let result = unsafe { object_call(callable.as_ptr(), args.as_ptr(), kwargs) };
    std::mem::forget(guard);
    // SAFETY: the call returned a new reference, or null with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(callable.py(), result) }
}
