//! Errors as Python exceptions.

use crate::kernel::PyDiagnostic;
use pygpukit_core::array::{IndexError, ScalarError};
use pygpukit_device::{ArgumentError, Error, nvrtc};
use pyo3::create_exception;
use pyo3::exceptions::{
    PyException, PyIndexError, PyMemoryError, PyOSError, PyOverflowError, PyRuntimeError,
    PyTypeError, PyValueError,
};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

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
    "A kernel's source does not compile; `diagnostics` says what and where."
);
create_exception!(
    pygpukit,
    CompilerNotFound,
    PyGPUkitError,
    "There is no NVRTC to compile kernels with; the message says how to install it."
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
    #[expect(clippy::wildcard_enum_match_arm, reason = "the enum is non-exhaustive")]
    fn from(PyError(error): PyError) -> Self {
        let message = error.to_string();
        match error {
            Error::Shape(_)
            | Error::Value(_)
            | Error::Request(_)
            // As Python's slices have it.
            | Error::Index(IndexError::ZeroStep)
            | Error::Argument(ArgumentError::Value(_)) => PyValueError::new_err(message),
            Error::DeviceMismatch { left, .. } => {
                PyValueError::new_err(format!("{message}: `asarray(x, device=\"{left}\")`"))
            }
            Error::Index(_) => PyIndexError::new_err(message),
            Error::Op(_)
            | Error::Cast { .. }
            | Error::Scalar(ScalarError::LossyKind { .. })
            | Error::Argument(ArgumentError::Type(_)) => PyTypeError::new_err(message),
            Error::Scalar(ScalarError::OutOfRange { .. })
            | Error::Argument(ArgumentError::Overflow(_)) => PyOverflowError::new_err(message),
            Error::OutOfMemory(_) => PyMemoryError::new_err(message),
            Error::DeviceNotAvailable { .. } | Error::Forked(_) => {
                DeviceNotAvailable::new_err(message)
            }
            // Python chooses the subclass by the number.
            Error::File { path, code, reason } => PyOSError::new_err((code, reason, path)),
            Error::Compile(error) => Python::attach(|py| compile_error(py, &error)),
            Error::CompilerNotFound(_) => CompilerNotFound::new_err(message),
            Error::Unsupported(_) => UnsupportedError::new_err(message),
            Error::Driver { .. } => DriverError::new_err(message),
            Error::Fault { .. } => DeviceFault::new_err(message),
            Error::Closed(_) => SchedulerClosed::new_err(message),
            Error::Deadlock { .. } => PyRuntimeError::new_err(message),
            Error::Cancelled(_) => TaskCancelled::new_err(message),
            // `Error` may grow: what this binding does not know is our base class.
            _ => PyGPUkitError::new_err(message),
        }
    }
}

/// The exception with what the compiler said.
fn compile_error(py: Python<'_>, error: &nvrtc::CompileError) -> PyErr {
    let exception = CompileError::new_err(error.to_string());
    let diagnostics = error.diagnostics.iter().cloned().map(PyDiagnostic);
    let diagnostics = PyTuple::new(py, diagnostics.collect::<Vec<_>>());
    let value = exception.value(py);
    let added = diagnostics
        .and_then(|diagnostics| value.setattr("diagnostics", diagnostics))
        .and_then(|()| value.setattr("log", &error.log));
    added.err().unwrap_or(exception)
}
