//! Python objects as arguments of a kernel.

use crate::array::PyArray;
use crate::array::dlpack::import_foreign;
use crate::convert::{numpy_element, python_scalar, type_name};
use crate::numpy_module::numpy;
use pygpukit_device::jit::Argument;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyInt, PyMemoryView};

/// The class of `nullptr`.
#[pyclass(name = "NullPointer", frozen, module = "pygpukit.kernel")]
pub(crate) struct PyNullPointer;

#[pymethods]
impl PyNullPointer {
    #[expect(clippy::unused_self, reason = "Python passes it")]
    fn __repr__(&self) -> &'static str {
        "nullptr"
    }

    /// Copied and pickled by name: there is but one.
    #[expect(clippy::unused_self, reason = "Python passes it")]
    fn __reduce__(&self) -> &'static str {
        "nullptr"
    }
}

/// What an object is as an argument. Never refuses: the kernel knows what it
/// takes, and says so with the parameter's name.
pub(super) fn argument(object: &Bound<'_, PyAny>) -> PyResult<Argument> {
    if let Ok(array) = object.cast::<PyArray>() {
        return Ok(Argument::from(&array.get().0));
    }
    if object.is_instance_of::<PyNullPointer>() {
        return Ok(Argument::Null);
    }
    let is_integer = object.is_instance_of::<PyInt>() && !object.is_instance_of::<PyBool>();
    if is_integer && object.extract::<i128>().is_err() {
        // Python refuses to print very long integers.
        let text = object.str().map(|text| text.to_string());
        return Ok(Argument::HugeInteger(text.unwrap_or_else(|_| "…".into())));
    }
    if let Some(scalar) = python_scalar(object)? {
        return Ok(Argument::Scalar(scalar));
    }
    let is_raw = object.is_instance_of::<PyBytes>()
        || object.is_instance_of::<PyByteArray>()
        || object.is_instance_of::<PyMemoryView>();
    if is_raw {
        let bytes = object.py().get_type::<PyBytes>().call1((object,))?;
        return Ok(Argument::Bytes(bytes.extract()?));
    }
    if let Some(element) = numpy_element(object)? {
        return Ok(Argument::Scalar(element.to_scalar()));
    }
    let numpy = numpy(object.py())?;
    let is_numpy_array = object.is_instance(&numpy.getattr("ndarray")?)?;
    if object.is_instance(&numpy.getattr("void")?)?
        || (is_numpy_array && object.getattr("ndim")?.extract::<usize>()? == 0)
    {
        return structure(object);
    }
    // NumPy's arrays speak DLPack too, but are never what a kernel may write to.
    if is_numpy_array {
        return Ok(Argument::HostArray("numpy.ndarray".into()));
    }
    if let Some(array) = import_foreign(object.py(), object, None)? {
        return Ok(Argument::from(&array));
    }
    Ok(Argument::Other(type_name(object).trim_matches('`').into()))
}

/// The bytes of a NumPy structure, if a kernel would read them as NumPy does.
fn structure(object: &Bound<'_, PyAny>) -> PyResult<Argument> {
    Ok(match misread(&object.getattr("dtype")?, "")? {
        Some(reason) => Argument::Unfit(reason),
        None => Argument::Bytes(object.call_method0("tobytes")?.extract()?),
    })
}

/// Why the bytes of a dtype mean nothing to a kernel, with the field that is to
/// blame; `path` is how that dtype was reached.
fn misread(dtype: &Bound<'_, PyAny>, path: &str) -> PyResult<Option<String>> {
    let element = dtype.getattr("base")?;
    if let Ok(names) = element.getattr("names")?.extract::<Vec<String>>() {
        for name in names {
            let within = if path.is_empty() {
                name.clone()
            } else {
                format!("{path}.{name}")
            };
            let reason = misread(&element.get_item(&name)?, &within)?;
            if reason.is_some() {
                return Ok(reason);
            }
        }
        return Ok(None);
    }
    let whose = if path.is_empty() {
        "a value that".to_owned()
    } else {
        format!("a structure whose field `{path}`")
    };
    Ok(if element.getattr("hasobject")?.extract()? {
        Some(format!(
            "{whose} is a Python object, which no kernel can read"
        ))
    } else if !element.getattr("isnative")?.extract::<bool>()? {
        let text = element.getattr("str")?.extract::<String>()?;
        Some(format!(
            "{whose} is `{text}`, in the byte order of another machine; convert it with \
             .astype(dtype.newbyteorder(\"=\"))"
        ))
    } else {
        None
    })
}
