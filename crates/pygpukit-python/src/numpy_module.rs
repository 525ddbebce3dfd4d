//! NumPy, imported at the first use of an array.

use crate::call::call;
use numpy::PyUntypedArray;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::type_object::PyTypeInfo;
use pyo3::types::{IntoPyDict, PyCFunction, PyDict, PyTuple};

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
    let import = py.import("importlib")?.getattr("import_module")?;
    let numpy = call(&import, &("numpy",).into_pyobject(py)?, None)?;
    PyUntypedArray::type_object(py);
    Ok(numpy.cast_into::<PyModule>()?)
}

/// Imports NumPy on a thread of its own.
///
/// What a signal handler raises, such as Ctrl-C's exception, would break an import
/// off half-way, and NumPy cannot be imported a second time in one process. Python
/// runs signal handlers on the main thread only: there it ends this wait.
fn import_apart(py: Python<'_>) -> PyResult<()> {
    // What it raises, the caller's own import raises again.
    let target = PyCFunction::new_closure(py, None, None, |args, _| drop(import(args.py())))?;
    let options: Bound<'_, PyDict> = [
        ("target", target.into_any()),
        ("name", "pygpukit-import".into_pyobject(py)?.into_any()),
    ]
    .into_py_dict(py)?;
    let class = py.import("threading")?.getattr("Thread")?;
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
