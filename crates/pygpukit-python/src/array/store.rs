//! Numbers of the host on their way into an array: whole, or not at all.
//!
//! The rule for one number is [`Scalar::to_element`]; here it is applied to whole
//! NumPy arrays and sequences.

use crate::convert::OperandArg;
use crate::dtype;
use crate::numpy_module::numpy;
use numpy::PyUntypedArray;
use pygpukit_core::array::{DType, Kind, Scalar, promote};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Refuses a NumPy array with a number that `to` cannot take.
pub(super) fn check_storable(host: &Bound<'_, PyAny>, from: DType, to: DType) -> PyResult<()> {
    let is_safe = promote(from, to) == to || to == DType::Bool;
    if is_safe || host.getattr("size")?.eq(0)? {
        return Ok(());
    }
    let extremes = match from.kind() {
        Kind::Bool => vec![],
        Kind::Signed | Kind::Unsigned => ["min", "max"]
            .into_iter()
            .map(|which| {
                let extreme = host.call_method0(which)?.call_method0("item")?;
                extreme.extract().map(Scalar::Int)
            })
            .collect::<PyResult<_>>()?,
        // Their kind decides, whatever their values.
        Kind::Float => vec![Scalar::Float(0.0)],
        Kind::Complex => vec![Scalar::Complex(0.0, 0.0)],
    };
    extremes
        .into_iter()
        .try_for_each(|extreme| take(extreme, to))
}

/// A nested sequence as a NumPy array of the dtype that its numbers have.
///
/// # Errors
/// Integers that `wanted`, or without it no integer dtype, holds together.
pub(crate) fn host_array<'py>(
    object: &Bound<'py, PyAny>,
    wanted: Option<DType>,
) -> PyResult<Bound<'py, PyAny>> {
    let numpy = numpy(object.py())?;
    let host = numpy.call_method1("asarray", (object,))?;
    let kind = host.getattr("dtype")?.getattr("kind")?;
    // Of integers too far apart or too large NumPy makes floats or objects.
    let is_typed = object.is_instance_of::<PyUntypedArray>();
    if !kind.eq("O")? && (is_typed || !kind.eq("f")?) {
        return Ok(host);
    }
    let options = PyDict::new(object.py());
    options.set_item("dtype", "O")?;
    let objects = numpy.getattr("asarray")?.call((object,), Some(&options))?;
    let Some(integers) = integers(&objects)? else {
        return Ok(host);
    };
    let is_unsigned = integers.iter().all(|&value| value >= 0);
    let dtype = match wanted {
        Some(dtype) if dtype.is_integral() => dtype,
        Some(_) => DType::Float64,
        None if is_unsigned => DType::UInt64,
        None => DType::Int64,
    };
    integers
        .into_iter()
        .try_for_each(|value| take(Scalar::Int(value), dtype))?;
    objects.call_method1("astype", (dtype::to_numpy(object.py(), dtype)?,))
}

/// The elements if all of them are integers.
fn integers(objects: &Bound<'_, PyAny>) -> PyResult<Option<Vec<i128>>> {
    let mut integers = vec![];
    for item in objects.getattr("flat")?.try_iter()? {
        let scalar = match item?.extract::<OperandArg>() {
            Ok(OperandArg::Scalar(scalar)) => Some(scalar),
            Ok(OperandArg::Element(element)) => Some(element.to_scalar()),
            Ok(OperandArg::Array(_)) => None,
            Err(error) if error.is_instance_of::<PyTypeError>(objects.py()) => None,
            Err(error) => return Err(error),
        };
        match scalar {
            Some(Scalar::Int(value)) => integers.push(value),
            Some(Scalar::Bool(value)) => integers.push(value.into()),
            _ => return Ok(None),
        }
    }
    Ok(Some(integers))
}

fn take(value: Scalar, dtype: DType) -> PyResult<()> {
    match value.to_element(dtype) {
        Ok(_) => Ok(()),
        Err(error) => Err(crate::error::PyError::from(pygpukit_device::Error::from(error)).into()),
    }
}
