//! `GPUArray`: attributes and shape. Operators, conversion, indexing and
//! exchange with other libraries are in the files beside this one.

pub(crate) mod conversion;
mod cuda_array;
pub(crate) mod dlpack;
mod indexing;
mod interchange;
mod operators;
pub(crate) mod store;

use crate::call::call;
use crate::device::PyDevice;
use crate::dtype::{AnyDType, PyDType};
use crate::error::PyError;
use crate::index::Lengths;
use crate::numpy_module::import_module;
use crate::run::run;
use crate::scope;
use pygpukit_core::array::{DType, Layout};
use pygpukit_device::{Array, Buffer, Device, Foreign, Stream, ops};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// An n-dimensional array on a device.
#[pyclass(name = "GPUArray", frozen, weakref, module = "pygpukit.array")]
pub(crate) struct PyArray(pub(crate) Array);

impl PyArray {
    /// The stream for work on this array.
    pub(crate) fn stream(&self, py: Python<'_>) -> PyResult<Stream> {
        scope::stream_on(py, self.0.device())
    }

    /// Runs an operation that makes an array, on the stream for this array.
    fn apply<F>(&self, py: Python<'_>, operation: F) -> PyResult<Self>
    where
        F: FnOnce(&Stream, &Array) -> Result<Array, pygpukit_device::Error> + Send,
    {
        let stream = self.stream(py)?;
        run(py, || operation(&stream, &self.0)).map(Self)
    }
}

/// An array over foreign memory; `address` is that of element (0, 0, …).
fn foreign_array(
    device: &Device,
    address: u64,
    shape: &[usize],
    strides: &[isize],
    dtype: DType,
    owner: Foreign,
    read_only: bool,
) -> PyResult<Array> {
    // Counted from the lowest address touched, so that offsets are not negative.
    let below: usize = shape
        .iter()
        .zip(strides)
        .filter(|&(&length, &stride)| length > 1 && stride < 0)
        .map(|(&length, &stride)| (length - 1) * stride.unsigned_abs())
        .sum();
    let layout = Layout::strided(shape, strides, below, dtype.itemsize());
    let length = layout.extent().map_or(0, |(_, end)| end);
    // SAFETY: the protocols promise that the memory described is valid until the
    // owner is dropped.
    let buffer =
        unsafe { Buffer::from_foreign(device, address - below as u64, length, owner, read_only) };
    Array::from_parts(buffer, layout, dtype).map_err(|error| PyError::from(error).into())
}

#[pymethods]
impl PyArray {
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.shape())
    }

    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.layout().strides())
    }

    #[getter]
    fn dtype(&self) -> PyDType {
        PyDType(self.0.dtype())
    }

    #[getter]
    fn size(&self) -> usize {
        self.0.size()
    }

    #[getter]
    fn ndim(&self) -> usize {
        self.0.layout().ndim()
    }

    #[getter]
    fn nbytes(&self) -> usize {
        self.0.nbytes()
    }

    #[getter]
    fn itemsize(&self) -> usize {
        self.0.dtype().itemsize()
    }

    #[getter]
    fn device(&self) -> PyDevice {
        PyDevice::from(self.0.device())
    }

    #[getter]
    fn ptr(&self) -> u64 {
        self.0.address()
    }

    #[getter]
    fn is_contiguous(&self) -> bool {
        self.0.layout().is_contiguous()
    }

    #[getter(T)]
    fn transposed(&self) -> Self {
        Self(self.0.transposed())
    }

    #[pyo3(signature = (*shape))]
    fn reshape(&self, py: Python<'_>, shape: &Bound<'_, PyTuple>) -> PyResult<Self> {
        // One sequence, or the lengths themselves.
        let lengths: Lengths = match shape.len() {
            1 => shape.get_item(0)?.extract()?,
            _ => shape.extract()?,
        };
        self.apply(py, |stream, array| ops::reshape(stream, array, &lengths.0))
    }

    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        self.apply(py, ops::copy)
    }

    fn astype(&self, py: Python<'_>, dtype: AnyDType) -> PyResult<Self> {
        self.apply(py, |stream, array| ops::cast(stream, array, dtype.0))
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        self.copy(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.copy(py)
    }

    fn __len__(&self) -> PyResult<usize> {
        self.0
            .shape()
            .first()
            .copied()
            .ok_or_else(|| pyo3::exceptions::PyTypeError::new_err("a 0-d array has no len()"))
    }

    fn __repr__(slf: Bound<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        let py = slf.py();
        let format = import_module(py, "pygpukit._format")?;
        call(
            &format.getattr("array_repr")?,
            &(slf,).into_pyobject(py)?,
            None,
        )
    }

    /// NumPy's operators leave arrays of this class to us.
    #[classattr]
    fn __array_ufunc__() -> Option<u32> {
        None
    }
}
