//! Shapes and indices.

use crate::convert::{bits, type_name};
use pygpukit_core::array::Index;
use pyo3::exceptions::{PyAttributeError, PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyEllipsis, PyInt, PyMemoryView, PySequence, PySlice, PyString,
    PyTuple,
};

/// A shape: an integer or a sequence of integers, none negative.
pub(crate) struct Shape(pub(crate) Vec<usize>);

impl<'a, 'py> FromPyObject<'a, 'py> for Shape {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let Lengths(lengths) = object.extract()?;
        lengths
            .into_iter()
            .map(|length| {
                usize::try_from(length).map_err(|_| {
                    PyValueError::new_err(format!("negative dimension `{length}` in a shape"))
                })
            })
            .collect::<PyResult<_>>()
            .map(Self)
    }
}

/// As [`Shape`], with negative lengths let through: `reshape` takes a -1.
pub(crate) struct Lengths(pub(crate) Vec<isize>);

impl<'a, 'py> FromPyObject<'a, 'py> for Lengths {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Some(length) = integer(&object)? {
            return Ok(Self(vec![length.as_length()?]));
        }
        let refuse = || {
            PyTypeError::new_err(format!(
                "a shape is an integer or a sequence of integers, not {}",
                type_name(&object)
            ))
        };
        if !is_sequence(&object)? {
            return Err(refuse());
        }
        object
            .try_iter()
            .map_err(|_| refuse())?
            .map(|item| integer(&item?)?.ok_or_else(refuse)?.as_length())
            .collect::<PyResult<_>>()
            .map(Self)
    }
}

/// Whether an object may be a sequence of lengths. Sets and dicts have no order, text
/// and bytes hold no lengths, and what can be iterated only once is no sequence.
pub(crate) fn is_sequence(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_text = object.is_instance_of::<PyString>()
        || object.is_instance_of::<PyBytes>()
        || object.is_instance_of::<PyByteArray>()
        || object.is_instance_of::<PyMemoryView>();
    let is_sequence = object.cast::<PySequence>().is_ok() && !is_text;
    Ok(is_sequence || object.hasattr("__array_interface__")?)
}

/// An integer, or one too long for any dimension.
enum Integer<'py> {
    Fits(isize),
    TooLong(Bound<'py, PyInt>),
}

impl Integer<'_> {
    fn as_length(&self) -> PyResult<isize> {
        match self {
            Self::Fits(length) => Ok(*length),
            Self::TooLong(integer) => Err(PyValueError::new_err(format!(
                "an integer of {} bits is too large for a dimension",
                bits(integer)?
            ))),
        }
    }
}

/// The integer that an object is by `__index__`, if it is one. What its `__index__`
/// raises on purpose is passed on.
fn integer<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Integer<'py>>> {
    let py = object.py();
    let index = match object.call_method0("__index__") {
        Ok(index) => index.cast_into::<PyInt>().map_err(|error| {
            PyTypeError::new_err(format!(
                "`__index__` of {} returned {}, not an integer",
                type_name(object),
                type_name(&error.into_inner())
            ))
        })?,
        Err(error)
            if error.is_instance_of::<PyAttributeError>(py)
                || error.is_instance_of::<PyTypeError>(py) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    Ok(Some(match index.extract::<isize>() {
        Ok(value) => Integer::Fits(value),
        Err(_) => Integer::TooLong(index),
    }))
}

/// An index expression of basic indexing.
pub(crate) struct IndexArg(pub(crate) Vec<Index>);

impl<'a, 'py> FromPyObject<'a, 'py> for IndexArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match object.cast::<PyTuple>() {
            Ok(items) => items
                .iter()
                .map(|item| index_item(&item))
                .collect::<PyResult<_>>()
                .map(Self),
            Err(_) => Ok(Self(vec![index_item(&object)?])),
        }
    }
}

fn index_item(item: &Bound<'_, PyAny>) -> PyResult<Index> {
    if item.is_none() {
        return Ok(Index::NewAxis);
    }
    if item.is_instance_of::<PyEllipsis>() {
        return Ok(Index::Ellipsis);
    }
    if let Ok(slice) = item.cast::<PySlice>() {
        let bound = |name| -> PyResult<Option<isize>> {
            let value = slice.getattr(name)?;
            if value.is_none() {
                return Ok(None);
            }
            match integer(&value)? {
                Some(Integer::Fits(bound)) => Ok(Some(bound)),
                // Beyond any array: as far as can be, as Python's slices do.
                Some(Integer::TooLong(bound)) => {
                    Ok(Some(if bound.lt(0)? { isize::MIN } else { isize::MAX }))
                }
                None => Err(PyTypeError::new_err(format!(
                    "slice bounds are integers or None, not {}",
                    type_name(&value)
                ))),
            }
        };
        return Ok(Index::Slice(
            bound("start")?,
            bound("stop")?,
            bound("step")?,
        ));
    }
    let is_bool = item.is_instance_of::<PyBool>();
    match integer(item)? {
        Some(Integer::Fits(index)) if !is_bool => Ok(Index::At(index)),
        Some(Integer::TooLong(index)) => Err(PyIndexError::new_err(format!(
            "an index of {} bits is out of bounds for every axis",
            bits(&index)?
        ))),
        _ => Err(PyTypeError::new_err(format!(
            "an index is an integer, a slice, `...` or None, not {}",
            type_name(item)
        ))),
    }
}
