//! Quantities as Python says them.

use crate::convert::type_name;
use pygpukit_core::units::{Bytes, Nanoseconds, Share, UnitError};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDelta, PyFloat, PyString};

fn value_error(error: UnitError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A number of bytes: an integer, or text such as "512MB".
pub(crate) struct BytesArg(pub(crate) Bytes);

impl<'a, 'py> FromPyObject<'a, 'py> for BytesArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        // NumPy's integers have an index too.
        let is_number = !object.is_instance_of::<PyBool>() && object.hasattr("__index__")?;
        if object.is_instance_of::<PyString>() || is_number {
            let text = match object.call_method0("__index__") {
                Ok(index) => index.str()?,
                Err(_) => object.str()?,
            };
            return text.to_cow()?.parse().map(Self).map_err(value_error);
        }
        Err(PyTypeError::new_err(format!(
            "a number of bytes is an integer or text such as \"512MB\" or \"1.5GiB\", not {}",
            type_name(&object)
        )))
    }
}

/// A ratio: a float, an integer or a fraction.
enum Ratio {
    Float(f64),
    Fraction(u64, u64),
}

fn ratio(object: &Bound<'_, PyAny>, kind: &str) -> PyResult<Ratio> {
    if object.is_instance_of::<PyFloat>() {
        return object.extract().map(Ratio::Float);
    }
    let is_fraction = object.hasattr("numerator")? && object.hasattr("denominator")?;
    if is_fraction && !object.is_instance_of::<PyBool>() {
        let part = |name| object.getattr(name)?.extract::<u64>();
        return match (part("numerator"), part("denominator")) {
            (Ok(numerator), Ok(denominator)) => Ok(Ratio::Fraction(numerator, denominator)),
            _ => Err(PyValueError::new_err(format!(
                "`{object}` is out of range for {kind}"
            ))),
        };
    }
    if object.hasattr("__float__")? && !object.is_instance_of::<PyBool>() {
        return object.extract().map(Ratio::Float);
    }
    Err(PyTypeError::new_err(format!(
        "{kind} is a number, not {}",
        type_name(object)
    )))
}

/// A share of a device: from 0 to 1.
pub(crate) struct ShareArg(pub(crate) Share);

impl<'a, 'py> FromPyObject<'a, 'py> for ShareArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match ratio(&object, "a share")? {
            Ratio::Float(value) => Share::try_from(value),
            Ratio::Fraction(part, whole) => Share::from_ratio(part, whole),
        }
        .map(Self)
        .map_err(value_error)
    }
}

/// A duration: milliseconds as a number.
pub(crate) struct MillisecondsArg(pub(crate) Nanoseconds);

impl<'a, 'py> FromPyObject<'a, 'py> for MillisecondsArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match ratio(&object, "a duration in milliseconds")? {
            Ratio::Float(value) => Nanoseconds::nearest(value, Nanoseconds::ONE_MILLISECOND),
            Ratio::Fraction(part, whole) => {
                Nanoseconds::from_ratio(part, whole.saturating_mul(1000))
            }
        }
        .map(Self)
        .map_err(value_error)
    }
}

/// A duration: seconds as a number, a `timedelta`, or text such as "500us".
pub(crate) struct DurationArg(pub(crate) Nanoseconds);

impl<'a, 'py> FromPyObject<'a, 'py> for DurationArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyString>() {
            return object
                .str()?
                .to_cow()?
                .parse()
                .map(Self)
                .map_err(value_error);
        }
        let object = if object.is_instance_of::<PyDelta>() {
            // Exactly: microseconds as a fraction of a second.
            let fraction = object.py().import("fractions")?.getattr("Fraction")?;
            let timedelta = object.py().import("datetime")?.getattr("timedelta")?;
            let microseconds = object.floor_div(timedelta.call1((0, 0, 1))?)?;
            fraction.call1((microseconds, 1_000_000))?
        } else {
            object.to_owned()
        };
        match ratio(&object, "a duration in seconds")? {
            Ratio::Float(value) => Nanoseconds::try_from(value),
            Ratio::Fraction(part, whole) => Nanoseconds::from_ratio(part, whole),
        }
        .map(Self)
        .map_err(value_error)
    }
}
