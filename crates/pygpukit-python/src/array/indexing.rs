//! `x[...]`, `x[...] = v` and iteration.

use super::PyArray;
use crate::array::conversion::from_numpy_array;
use crate::convert::OperandArg;
use crate::error::PyError;
use crate::index::IndexArg;
use crate::run::run;
use numpy::PyUntypedArray;
use pygpukit_core::array::Index;
use pygpukit_device::ops;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

#[pymethods]
impl PyArray {
    fn __getitem__(&self, index: IndexArg) -> PyResult<Self> {
        let view = self.0.index(&index.0).map_err(PyError::from)?;
        Ok(Self(view))
    }

    fn __setitem__(
        &self,
        py: Python<'_>,
        index: IndexArg,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let target = self.0.index(&index.0).map_err(PyError::from)?;
        let stream = self.stream(py)?;
        let value = match value.cast::<PyUntypedArray>() {
            Ok(host) => {
                let dtype = Some(target.dtype());
                OperandArg::Array(from_numpy_array(py, &stream, host, dtype)?)
            }
            Err(_) => value.extract::<OperandArg>()?,
        };
        run(py, || ops::assign(&stream, &target, value.as_arg()))
    }

    fn __iter__(slf: Bound<'_, Self>) -> PyResult<PyArrayIterator> {
        match slf.get().0.shape().first() {
            Some(&length) => Ok(PyArrayIterator {
                array: slf.unbind(),
                length: length.cast_signed(),
                next: std::sync::atomic::AtomicIsize::new(0),
            }),
            None => Err(PyTypeError::new_err("iteration over a 0-d array")),
        }
    }
}

/// Iterates over the first dimension.
#[pyclass(frozen, module = "pygpukit.array")]
pub(crate) struct PyArrayIterator {
    array: Py<PyArray>,
    length: isize,
    next: std::sync::atomic::AtomicIsize,
}

#[pymethods]
impl PyArrayIterator {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self) -> PyResult<Option<PyArray>> {
        let at = self.next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        if at >= self.length {
            // Stays at the end, however often it is asked.
            self.next
                .store(self.length, std::sync::atomic::Ordering::Relaxed);
            return Ok(None);
        }
        let item = self
            .array
            .get()
            .0
            .index(&[Index::At(at)])
            .map_err(PyError::from)?;
        Ok(Some(PyArray(item)))
    }
}
