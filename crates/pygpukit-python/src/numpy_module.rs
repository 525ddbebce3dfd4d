//! NumPy, imported at the first use of an array.

use crate::call::call;
use numpy::PyUntypedArray;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::type_object::PyTypeInfo;
use pyo3::types::{IntoPyDict, PyDict, PyTuple};

static NUMPY: PyOnceLock<Py<PyModule>> = PyOnceLock::new();

/// NumPy, imported if that has not happened yet.
pub(crate) fn numpy(py: Python<'_>) -> PyResult<&Bound<'_, PyModule>> {
    if let Some(numpy) = NUMPY.get(py) {
        return Ok(numpy.bind(py));
    }
    if !is_ending(py)? && !py.import("sys")?.getattr("modules")?.contains("numpy")? {
        import_apart(py)?;
    }
    let numpy = import(py)?.unbind();
    Ok(NUMPY.get_or_init(py, || numpy).bind(py))
}

/// Imports NumPy, unless the interpreter is ending and cannot import any more: an
/// array that is made then may do without, and one that was made before must not
/// find that out at the end.
pub(crate) fn prepare(py: Python<'_>) -> PyResult<()> {
    if NUMPY.get(py).is_some() || is_ending(py)? {
        return Ok(());
    }
    numpy(py).map(drop)
}

/// True if the interpreter is ending: then nothing new can be imported. To be
/// called once before that.
pub(crate) fn is_ending(py: Python<'_>) -> PyResult<bool> {
    static IS_FINALIZING: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    IS_FINALIZING
        .get_or_try_init(py, || {
            let function = py.import("sys")?.getattr("is_finalizing")?;
            Ok::<_, PyErr>(function.unbind())
        })?
        .bind(py)
        .call0()?
        .is_truthy()
}

/// Imports NumPy with the part of it that the binding calls directly.
fn import(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    let numpy = import_module(py, "numpy")?;
    PyUntypedArray::type_object(py);
    Ok(numpy.cast_into::<PyModule>()?)
}

/// A module, on a thread that may still be at that when the interpreter ends.
///
/// Not by `importlib`, which would have to be imported itself.
pub(crate) fn import_module<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let import = py.import("builtins")?.getattr("__import__")?;
    // With a list of names it returns the module, not the package that it is in.
    let names = ("__name__",);
    call(
        &import,
        &(name, py.None(), py.None(), names).into_pyobject(py)?,
        None,
    )
}

/// Imports NumPy on a thread of its own.
///
/// What a signal handler raises, such as Ctrl-C's exception, would break an import
/// off half-way, and NumPy cannot be imported a second time in one process. Python
/// runs signal handlers on the main thread only: there it ends this wait.
///
/// The thread may be ended with the interpreter, which unwinds its stack: so it runs
/// Python code alone, and no frame of Rust is on it.
fn import_apart(py: Python<'_>) -> PyResult<()> {
    let target = import_module(py, "pygpukit._numpy")?.getattr("load")?;
    let options: Bound<'_, PyDict> = [
        ("target", target),
        ("name", "pygpukit-import".into_pyobject(py)?.into_any()),
    ]
    .into_py_dict(py)?;
    let class = import_module(py, "threading")?.getattr("Thread")?;
    let thread = call(&class, &PyTuple::empty(py), Some(&options))?;
    let call = |method| call(&thread.getattr(method)?, &PyTuple::empty(py), None);
    match call("start") {
        Ok(_) => call("join").map(drop),
        // No thread can be started, be it for want of memory or because the
        // interpreter is about to end.
        Err(error) if error.is_instance_of::<PyRuntimeError>(py) => Ok(()),
        Err(error) => Err(error),
    }
}
