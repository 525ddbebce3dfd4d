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
    /// The device or stream that the block names; none for a scope of ours.
    owner: Option<Py<PyAny>>,
    outer: Option<Py<Scope>>,
}

impl Scope {
    fn outer<'py>(&self, py: Python<'py>) -> Option<Bound<'py, Self>> {
        self.outer.as_ref().map(|outer| outer.bind(py).clone())
    }

    fn is_of(&self, owner: Option<&Bound<'_, PyAny>>) -> bool {
        match (&self.owner, owner) {
            (Some(ours), Some(owner)) => ours.is(owner),
            (ours, owner) => ours.is_none() && owner.is_none(),
        }
    }
}

/// Where the current scope is kept.
pub(crate) fn variable(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
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

/// Makes `stream` current until [`leave`] with the same owner.
pub(crate) fn enter(
    py: Python<'_>,
    stream: Stream,
    owner: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let outer = current(py)?.map(Bound::unbind);
    let owner = owner.map(|owner| owner.clone().unbind());
    let scope = Scope {
        stream,
        owner,
        outer,
    };
    let scope = Bound::new(py, scope)?;
    variable(py)?.call_method1("set", (scope,)).map(drop)
}

/// Ends the scope of that owner, and with an error those inside it that were not
/// left before.
pub(crate) fn leave(py: Python<'_>, owner: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    let innermost = current(py)?;
    let mut found = innermost.clone();
    while let Some(scope) = found.take_if(|scope| !scope.get().is_of(owner)) {
        // What we entered, a block of the program cannot end.
        found = scope
            .get()
            .outer(py)
            .filter(|_| scope.get().owner.is_some());
    }
    let (Some(innermost), Some(scope)) = (innermost, found) else {
        return Err(PyRuntimeError::new_err(format!(
            "the `with` block of {} was left, but not entered in this context",
            name(owner)
        )));
    };
    variable(py)?.call_method1("set", (scope.get().outer(py),))?;
    if scope.is(&innermost) {
        return Ok(());
    }
    let inner = innermost.get().owner.as_ref().map(|inner| inner.bind(py));
    Err(PyRuntimeError::new_err(format!(
        "the `with` block of {} was left before that of {}, which was entered inside it; both \
         have ended now",
        name(owner),
        name(inner)
    )))
}

/// The owner in words.
fn name(owner: Option<&Bound<'_, PyAny>>) -> String {
    owner.map_or_else(|| "a kernel call".into(), |owner| format!("{owner:?}"))
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
        scope = at.get().outer(py);
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
    enter(py, stream.clone(), None)?;
    let result = work();
    leave(py, None)?;
    result
}
