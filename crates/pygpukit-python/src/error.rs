//! Errors as Python exceptions.

use pygpukit_core::array::ScalarError;
use pygpukit_device::Error;
use pyo3::create_exception;
use pyo3::exceptions::{
    PyException, PyIndexError, PyMemoryError, PyOverflowError, PyTypeError, PyValueError,
};
use pyo3::prelude::*;

create_exception!(
    pygpukit,
    PyGPUkitError,
    PyException,
    "The base of PyGPUkit's own exceptions."
);
create_exception!(
    pygpukit,
    DeviceNotAvailable,
    PyGPUkitError,
    "A device does not exist or cannot be used; the message says why."
);
create_exception!(
    pygpukit,
    UnsupportedError,
    PyGPUkitError,
    "The device cannot do this."
);
create_exception!(
    pygpukit,
    DriverError,
    PyGPUkitError,
    "The NVIDIA driver refused a call."
);
create_exception!(
    pygpukit,
    DeviceFault,
    PyGPUkitError,
    "Work failed on the device after it was queued."
);
create_exception!(
    pygpukit,
    CompileError,
    PyGPUkitError,
    "A kernel's source does not compile."
);

create_exception!(
    pygpukit,
    AdmissionRejected,
    PyGPUkitError,
    "A scheduler did not run a task."
);
create_exception!(
    pygpukit,
    SchedulerClosed,
    PyGPUkitError,
    "A scheduler that was closed takes no more tasks."
);
create_exception!(
    pygpukit,
    TaskCancelled,
    PyGPUkitError,
    "Work of a task that was cancelled while it ran."
);

/// An [`Error`] on its way to Python: the orphan rule wants a type of our own.
#[derive(Debug)]
pub(crate) struct PyError(Error);

impl From<Error> for PyError {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl From<PyError> for PyErr {
    fn from(PyError(error): PyError) -> Self {
        let message = error.to_string();
        match error {
            Error::Shape(_)
            | Error::Value(_)
            | Error::Request(_)
            | Error::DeviceMismatch { .. } => PyValueError::new_err(message),
            Error::Index(_) => PyIndexError::new_err(message),
            Error::Op(_) | Error::Cast { .. } | Error::Scalar(ScalarError::LossyKind { .. }) => {
                PyTypeError::new_err(message)
            }
            Error::Scalar(ScalarError::OutOfRange { .. }) => PyOverflowError::new_err(message),
            Error::OutOfMemory(_) => PyMemoryError::new_err(message),
            Error::DeviceNotAvailable { .. } | Error::Forked(_) => {
                DeviceNotAvailable::new_err(message)
            }
            Error::Unsupported(_) => UnsupportedError::new_err(message),
            Error::Driver { .. } => DriverError::new_err(message),
            Error::Fault { .. } => DeviceFault::new_err(message),
            Error::Closed(_) => SchedulerClosed::new_err(message),
            Error::Cancelled(_) => TaskCancelled::new_err(message),
            _ => PyGPUkitError::new_err(message),
        }
    }
}
