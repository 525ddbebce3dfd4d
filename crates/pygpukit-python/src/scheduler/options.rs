//! The options of `submit`.

use crate::convert::type_name;
use crate::units::{BytesArg, ShareArg};
use pygpukit_core::scheduler::{MemoryAsk, ShareAsk};
use pygpukit_core::units::Share;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyString, PyTuple};

/// One value, or a pair.
fn pair<'py>(
    object: &Bound<'py, PyAny>,
) -> PyResult<Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
    match object.cast::<PyTuple>() {
        Ok(tuple) if tuple.len() == 2 => Ok(Some((tuple.get_item(0)?, tuple.get_item(1)?))),
        Ok(tuple) => Err(PyValueError::new_err(format!(
            "a pair has 2 values, not {}: `{tuple}`",
            tuple.len()
        ))),
        Err(_) => Ok(None),
    }
}

/// `memory=`: one amount, or (request, limit).
pub(crate) struct MemoryArg(pub(crate) MemoryAsk);

impl<'a, 'py> FromPyObject<'a, 'py> for MemoryArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let (request, limit) = if let Some((request, limit)) = pair(&object)? {
            (
                request.extract::<BytesArg>()?.0,
                limit.extract::<Option<BytesArg>>()?.map(|limit| limit.0),
            )
        } else {
            let BytesArg(bytes) = object.extract()?;
            (bytes, Some(bytes))
        };
        Ok(Self(MemoryAsk { request, limit }))
    }
}

/// `bandwidth=`: a floor, or (floor, cap).
pub(crate) struct BandwidthArg(pub(crate) ShareAsk);

impl<'a, 'py> FromPyObject<'a, 'py> for BandwidthArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let (floor, cap) = match pair(&object)? {
            Some((floor, cap)) => {
                let cap = cap.extract::<Option<ShareArg>>()?;
                (
                    floor.extract::<ShareArg>()?.0,
                    cap.map_or(Share::ONE, |cap| cap.0),
                )
            }
            None => (object.extract::<ShareArg>()?.0, Share::ONE),
        };
        Ok(Self(ShareAsk { floor, cap }))
    }
}

/// A whole number, but not a truth value.
pub(crate) struct IntegerArg(pub(crate) i64);

impl<'a, 'py> FromPyObject<'a, 'py> for IntegerArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyBool>() || !object.is_instance_of::<PyInt>() {
            return Err(PyTypeError::new_err(format!(
                "an integer is needed, not {}",
                type_name(&object)
            )));
        }
        let value = object.extract();
        let out_of_range = |_| PyValueError::new_err(format!("`{}` is too large", *object));
        value.map(Self).map_err(out_of_range)
    }
}

/// `name=`: a text.
pub(crate) struct NameArg(pub(crate) String);

impl<'a, 'py> FromPyObject<'a, 'py> for NameArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let text = object.cast::<PyString>().map_err(|_| {
            let given = type_name(&object);
            PyTypeError::new_err(format!("`name` is a str, not {given}"))
        })?;
        // Surrogates raise Python's own UnicodeEncodeError.
        Ok(Self(text.to_str()?.to_owned()))
    }
}

/// `kwargs=`: a dict.
pub(crate) struct KwargsArg<'py>(pub(crate) Bound<'py, PyDict>);

impl<'a, 'py> FromPyObject<'a, 'py> for KwargsArg<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let refuse = || {
            let given = type_name(&object);
            PyTypeError::new_err(format!("`kwargs` is a dict, not {given}"))
        };
        let kwargs = object.cast::<PyDict>().map_err(|_| refuse())?;
        Ok(Self(kwargs.to_owned()))
    }
}

/// Refuses options that there are not.
pub(super) fn refuse_unknown(unknown: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    const KNOWN: &str = "kwargs, memory, bandwidth, policy, priority, weight, deadline, partition, \
                         evictable, queue_timeout, on_full, name";
    match unknown.and_then(|unknown| unknown.keys().into_iter().next()) {
        None => Ok(()),
        Some(name) => Err(PyTypeError::new_err(format!(
            "submit() has no option `{name}`; it has {KNOWN}; keyword arguments of the function go \
             into kwargs={{...}}"
        ))),
    }
}
