//! Python values as the runtime's.

use crate::array::PyArray;
use crate::dtype;
use crate::numpy_module::numpy;
use crate::run::run;
use pygpukit_core::array::{DType, Element, Scalar, Weak, promote_weak};
use pygpukit_device::ops::{self, Arg};
use pygpukit_device::{Array, Stream};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PySequence, PyString};

/// How long an integer is. Python refuses to print very long ones.
pub(crate) fn bits(integer: &Bound<'_, PyAny>) -> PyResult<u64> {
    integer.call_method0("bit_length")?.extract()
}

/// A Python number (weak in promotion).
pub(crate) fn python_scalar(object: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    if let Ok(value) = object.cast_exact::<PyBool>() {
        return Ok(Some(Scalar::Bool(value.is_true())));
    }
    if object.is_instance_of::<PyInt>() {
        return match object.extract::<i128>() {
            Ok(value) => Ok(Some(Scalar::Int(value))),
            Err(_) => Err(PyOverflowError::new_err(format!(
                "an integer of {} bits does not fit any dtype",
                bits(object)?
            ))),
        };
    }
    if object.cast_exact::<PyFloat>().is_ok() {
        return Ok(Some(Scalar::Float(object.extract()?)));
    }
    if let Ok(value) = object.cast_exact::<PyComplex>() {
        return Ok(Some(Scalar::Complex(value.real(), value.imag())));
    }
    Ok(None)
}

/// A NumPy scalar or 0-d NumPy array: one element of a definite dtype.
pub(crate) fn numpy_element(object: &Bound<'_, PyAny>) -> PyResult<Option<Element>> {
    let py = object.py();
    let numpy = numpy(py)?;
    let is_scalar = object.is_instance(&numpy.getattr("generic")?)?
        || (object.is_instance(&numpy.getattr("ndarray")?)?
            && object.getattr("ndim")?.extract::<usize>()? == 0);
    if !is_scalar {
        return Ok(None);
    }
    let Some(dtype) = dtype::from_numpy(&object.getattr("dtype")?) else {
        return Ok(None);
    };
    let native = numpy
        .getattr("asarray")?
        .call1((object, dtype::to_numpy(py, dtype)?))?;
    let bytes = native.call_method0("tobytes")?.extract::<Vec<u8>>()?;
    Ok(Some(Element::from_bytes(dtype, &bytes)))
}

/// True for arrays of other libraries and for sequences other than text.
pub(crate) fn is_array_like(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_text = object.is_instance_of::<PyString>();
    Ok((object.cast::<PySequence>().is_ok() && !is_text)
        || object.hasattr("__array__")?
        || object.hasattr("__dlpack__")?)
}

/// An operand: an array, a Python number, or a NumPy scalar.
pub(crate) enum OperandArg {
    Array(Array),
    Scalar(Scalar),
    Element(Element),
}

impl<'a, 'py> FromPyObject<'a, 'py> for OperandArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(array) = object.cast::<PyArray>() {
            return Ok(Self::Array(array.get().0.clone()));
        }
        if let Some(scalar) = python_scalar(&object)? {
            return Ok(Self::Scalar(scalar));
        }
        if let Some(element) = numpy_element(&object)? {
            return Ok(Self::Element(element));
        }
        let hint = if is_array_like(&object)? {
            "; bring it to the device with `asarray` first"
        } else {
            ""
        };
        Err(PyTypeError::new_err(format!(
            "an operand is a GPUArray or a number, not {}{hint}",
            type_name(&object)
        )))
    }
}

impl OperandArg {
    /// The operand of an operation. A NumPy scalar has a dtype of its own, so it
    /// becomes a 0-d array on the stream's device.
    pub(crate) fn on(self, py: Python<'_>, stream: &Stream) -> PyResult<Self> {
        match self {
            Self::Array(_) | Self::Scalar(_) => Ok(self),
            Self::Element(element) => run(py, || {
                // Exact: it has come from that dtype. Unlike a copy it need not wait.
                ops::full(stream, &[], element.to_scalar(), element.dtype())
            })
            .map(Self::Array),
        }
    }

    /// As the runtime takes it. To be stored, a NumPy scalar is a number like
    /// Python's; as an operand it goes through [`on`](Self::on) first.
    pub(crate) fn as_arg(&self) -> Arg<'_> {
        match self {
            Self::Array(array) => Arg::Array(array),
            Self::Scalar(scalar) => Arg::Scalar(*scalar),
            Self::Element(element) => Arg::Scalar(element.to_scalar()),
        }
    }

    /// The dtype it has by itself.
    pub(crate) fn dtype(&self) -> DType {
        match self {
            Self::Array(array) => array.dtype(),
            Self::Scalar(scalar) => scalar.weak().default_dtype(),
            Self::Element(element) => element.dtype(),
        }
    }

    pub(crate) fn array(&self) -> Option<&Array> {
        match self {
            Self::Array(array) => Some(array),
            Self::Scalar(_) | Self::Element(_) => None,
        }
    }
}

/// The dtype an array made of a Python number gets.
pub(crate) fn default_dtype(scalar: Scalar) -> DType {
    match scalar {
        Scalar::Bool(_) => Weak::Bool.default_dtype(),
        Scalar::Int(_) => Weak::Int.default_dtype(),
        Scalar::Float(_) => DType::Float32,
        Scalar::Complex(..) => promote_weak(DType::Float32, Weak::Complex),
    }
}

/// The name of an object's class, for messages.
pub(crate) fn type_name(object: &Bound<'_, PyAny>) -> String {
    object
        .get_type()
        .fully_qualified_name()
        .map_or_else(|_| "an unknown type".into(), |name| format!("`{name}`"))
}
