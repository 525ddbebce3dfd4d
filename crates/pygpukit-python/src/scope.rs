//! The current stream: what operations use where none is named.
//!
//! It lives in a `contextvars.ContextVar`, so that threads and asyncio tasks
//! each have their own.

use crate::run::run;
use pygpukit_device::{Device, Stream};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// One `with device:` or `with stream:`, and those around it.
#[pyclass(frozen, module = "pygpukit._pygpukit_rust")]
pub(crate) struct Scope {
    stream: Stream,
    outer: Option<Py<Scope>>,
}

fn variable(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static VARIABLE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    VARIABLE
        .get_or_try_init(py, || {
            let class = py.import("contextvars")?.getattr("ContextVar")?;
            Ok(class.call1(("pygpukit.scope",))?.unbind())
        })
        .map(|variable| variable.bind(py))
}

fn current(py: Python<'_>) -> PyResult<Option<Bound<'_, Scope>>> {
    let value = variable(py)?.call_method1("get", (py.None(),))?;
    Ok(value.extract::<Option<Bound<'_, Scope>>>()?)
}

/// Makes `stream` current until [`leave`].
pub(crate) fn enter(py: Python<'_>, stream: Stream) -> PyResult<()> {
    let outer = current(py)?.map(Bound::unbind);
    let scope = Bound::new(py, Scope { stream, outer })?;
    variable(py)?.call_method1("set", (scope,)).map(drop)
}

/// Ends the innermost scope.
pub(crate) fn leave(py: Python<'_>) -> PyResult<()> {
    let Some(scope) = current(py)? else {
        return Err(PyRuntimeError::new_err(
            "a `with` block of a device or stream was left that was not entered in this context",
        ));
    };
    let outer = scope.get().outer.as_ref().map(|outer| outer.clone_ref(py));
    variable(py)?.call_method1("set", (outer,)).map(drop)
}

/// The current stream: the innermost scope's, else the default device's default.
pub(crate) fn current_stream(py: Python<'_>) -> PyResult<Stream> {
    match current(py)? {
        Some(scope) => Ok(scope.get().stream.clone()),
        None => run(py, || {
            Ok(Device::default_device()?.default_stream()?.clone())
        }),
    }
}

/// The stream for work on `device`: the innermost scope's on that device, else
/// the device's default.
pub(crate) fn stream_on(py: Python<'_>, device: &Device) -> PyResult<Stream> {
    let mut scope = current(py)?;
    while let Some(at) = scope {
        if at.get().stream.device() == device {
            return Ok(at.get().stream.clone());
        }
        scope = at.get().outer.as_ref().map(|outer| outer.bind(py).clone());
    }
    run(py, || Ok(device.default_stream()?.clone()))
}

/// Runs `work` with `stream` current, if there is one.
pub(crate) fn with_stream<T>(
    py: Python<'_>,
    stream: Option<&Stream>,
    work: impl FnOnce() -> PyResult<T>,
) -> PyResult<T> {
    let Some(stream) = stream else {
        return work();
    };
    enter(py, stream.clone())?;
    let result = work();
    leave(py)?;
    result
}
