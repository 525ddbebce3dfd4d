//! To and from NumPy and Python.

use super::PyArray;
use crate::convert::{OperandArg, type_name};
use crate::dtype;
use crate::numpy_module::numpy;
use crate::run::{run, wait};
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pygpukit_core::array::{DType, Element, Scalar};
use pygpukit_device::{Array, Stream, Upload, ops};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// How much is copied to or from the host before signals are looked at.
const PIECE: usize = 16 << 20;

#[pymethods]
impl PyArray {
    #[pyo3(signature = (*, out=None))]
    fn to_numpy<'py>(
        &self,
        py: Python<'py>,
        out: Option<Bound<'py, PyUntypedArray>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let host = match &out {
            Some(out) => writable_target(out, &self.0)?,
            None => empty_host(py, &self.0)?,
        };
        self.read_into(py, &host)?;
        match out {
            Some(out) if !out.is(&host) => {
                numpy(py)?.call_method1("copyto", (&out, host))?;
                Ok(out.into_any())
            }
            _ => Ok(host.into_any()),
        }
    }

    fn item<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if self.0.size() != 1 {
            return Err(PyValueError::new_err(format!(
                "only an array of one element has an item(), this one has {}",
                self.0.size()
            )));
        }
        let mut bytes = [0; 16];
        let bytes = &mut bytes[..self.0.dtype().itemsize()];
        self.read_bytes(py, bytes)?;
        Ok(
            match Element::from_bytes(self.0.dtype(), bytes).to_scalar() {
                Scalar::Bool(value) => value.into_pyobject(py)?.to_owned().into_any(),
                Scalar::Int(value) => value.into_pyobject(py)?.into_any(),
                Scalar::Float(value) => value.into_pyobject(py)?.into_any(),
                Scalar::Complex(re, im) => {
                    pyo3::types::PyComplex::from_doubles(py, re, im).into_any()
                }
            },
        )
    }

    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_numpy(py, None)?.call_method0("tolist")
    }

    fn fill(&self, py: Python<'_>, value: OperandArg) -> PyResult<()> {
        let stream = self.stream(py)?;
        run(py, || ops::assign(&stream, &self.0, value.as_arg()))
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        if self.0.size() != 1 {
            return Err(PyValueError::new_err(
                "the truth value of an array with more or less than one element is ambiguous",
            ));
        }
        self.item(py)?.is_truthy()
    }

    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.get_type::<pyo3::types::PyInt>().call1((self.item(py)?,))
    }

    fn __float__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.get_type::<pyo3::types::PyFloat>()
            .call1((self.item(py)?,))
    }

    fn __complex__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.get_type::<pyo3::types::PyComplex>()
            .call1((self.item(py)?,))
    }

    fn __index__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let is_integer = self.0.dtype().is_integral() && self.0.dtype() != DType::Bool;
        if !is_integer || !self.0.shape().is_empty() {
            return Err(PyTypeError::new_err(format!(
                "only a 0-d array of integers can be an index, this one has {} dimensions of `{}`",
                self.0.shape().len(),
                self.0.dtype()
            )));
        }
        self.item(py)
    }

    /// On the CPU device a copy for NumPy; on a GPU an error, since it would be a
    /// slow copy that nobody asked for.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if self.0.device_id() != pygpukit_device::backend::DeviceId::Cpu {
            return Err(PyTypeError::new_err(
                "a GPU array does not turn into a NumPy array by itself; call `to_numpy()`",
            ));
        }
        if copy == Some(false) {
            return Err(PyValueError::new_err(
                "`__array__` always copies; use `numpy.from_dlpack` to share the memory",
            ));
        }
        let host = self.to_numpy(py, None)?;
        match dtype {
            Some(dtype) => {
                let options = PyDict::new(py);
                options.set_item("copy", false)?;
                host.call_method("astype", (dtype,), Some(&options))
            }
            None => Ok(host),
        }
    }

    /// Pickling and copying between processes goes through the host.
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.import("pygpukit")?.getattr("from_numpy")?;
        let host = self.to_numpy(py, None)?;
        Ok((restore, PyTuple::new(py, [host])?))
    }
}

impl PyArray {
    /// Copies the elements in C order to the host; Ctrl-C ends the wait.
    fn read_bytes(&self, py: Python<'_>, target: &mut [u8]) -> PyResult<()> {
        let stream = self.stream(py)?;
        let source = run(py, || ops::contiguous(&stream, &self.0))?;
        wait(py, |patience| source.wait(patience))?;
        for (i, piece) in target.chunks_mut(PIECE).enumerate() {
            run(py, || source.read_piece(i * PIECE, piece))?;
            py.check_signals()?;
        }
        Ok(())
    }

    fn read_into(&self, py: Python<'_>, host: &Bound<'_, PyUntypedArray>) -> PyResult<()> {
        // SAFETY: `host` is C-contiguous, writable, native-endian and has the
        // array's size in bytes; it is kept alive by the caller's reference.
        let target = unsafe { host_bytes_mut(host, self.0.nbytes()) };
        self.read_bytes(py, target)
    }
}

/// An array with a copy of bytes of the host; Ctrl-C ends the copy.
fn upload(
    py: Python<'_>,
    stream: &Stream,
    bytes: &[u8],
    shape: &[usize],
    dtype: DType,
) -> PyResult<Array> {
    let mut upload = run(py, || Upload::new(stream, shape, dtype))?;
    wait(py, |patience| upload.wait(patience))?;
    for piece in bytes.chunks(PIECE) {
        run(py, || upload.write(piece))?;
        py.check_signals()?;
    }
    run(py, || upload.finish())
}

/// A copy of an array on another device, by way of the host; Ctrl-C ends the copy.
pub(crate) fn transfer(py: Python<'_>, target: &Stream, array: &Array) -> PyResult<Array> {
    let mut bytes = run(py, || Ok(vec![0; array.nbytes()]))?;
    PyArray(array.clone()).read_bytes(py, &mut bytes)?;
    upload(py, target, &bytes, array.shape(), array.dtype())
}

/// A new NumPy array of the shape and dtype.
fn empty_host<'py>(py: Python<'py>, array: &Array) -> PyResult<Bound<'py, PyUntypedArray>> {
    let dtype = dtype::to_numpy(py, array.dtype())?;
    let shape = PyTuple::new(py, array.shape())?;
    let host = numpy(py)?.call_method1("empty", (shape, dtype))?;
    Ok(host.cast_into::<PyUntypedArray>()?)
}

/// `out` itself if bytes can be copied into it, else a fresh array to copy from.
fn writable_target<'py>(
    out: &Bound<'py, PyUntypedArray>,
    array: &Array,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = out.py();
    if out.shape() != array.shape() {
        return Err(PyValueError::new_err(format!(
            "`out` has shape {:?}, the array {:?}",
            out.shape(),
            array.shape()
        )));
    }
    let given = out.getattr("dtype")?;
    if dtype::from_numpy(&given) != Some(array.dtype()) {
        return Err(PyTypeError::new_err(format!(
            "`out` has dtype `{given}`, the array `{}`",
            array.dtype()
        )));
    }
    let flags = out.getattr("flags")?;
    if !flags.getattr("writeable")?.is_truthy()? {
        return Err(PyValueError::new_err("`out` is read-only"));
    }
    let is_native = given.getattr("isnative")?.is_truthy()?;
    if is_native && out.is_c_contiguous() && flags.getattr("aligned")?.is_truthy()? {
        Ok(out.clone())
    } else {
        empty_host(py, array)
    }
}

/// # Safety
/// `host` is C-contiguous, writable and at least `length` bytes; no other
/// reference to its bytes is used while the slice lives.
#[expect(
    clippy::mut_from_ref,
    reason = "the bytes lie behind the object's pointer"
)]
unsafe fn host_bytes_mut<'a>(host: &'a Bound<'_, PyUntypedArray>, length: usize) -> &'a mut [u8] {
    if length == 0 {
        return &mut [];
    }
    // SAFETY: the object is a live NumPy array; its header may be read under the GIL.
    let data = unsafe { (*host.as_array_ptr()).fields.data };
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts_mut(data.cast::<u8>(), length) }
}

/// A copy of a NumPy array on the stream's device. With a dtype, every number must
/// be one that it can take.
pub(crate) fn from_numpy_array(
    py: Python<'_>,
    stream: &Stream,
    object: &Bound<'_, PyAny>,
    wanted: Option<DType>,
) -> PyResult<Array> {
    let given = object.getattr("dtype")?;
    let Some(source_dtype) = dtype::from_numpy(&given) else {
        return Err(PyTypeError::new_err(format!(
            "NumPy dtype `{given}` has no counterpart; convert the array first"
        )));
    };
    let numpy = numpy(py)?;
    if object.hasattr("mask")? && object.hasattr("filled")? {
        return Err(PyTypeError::new_err(
            "a masked array would lose its mask; call `filled()` first",
        ));
    }
    let options = PyDict::new(py);
    options.set_item("dtype", dtype::to_numpy(py, source_dtype)?)?;
    options.set_item("order", "C")?;
    // Native byte order, no gaps; the array itself where it is so already.
    let host = numpy
        .getattr("asarray")?
        .call((object,), Some(&options))?
        .cast_into::<PyUntypedArray>()
        .map_err(|error| {
            PyTypeError::new_err(format!(
                "{} is not a NumPy array",
                type_name(&error.into_inner())
            ))
        })?;
    if let Some(dtype) = wanted {
        super::store::check_storable(&host, source_dtype, dtype)?;
    }
    let shape = host.shape().to_vec();
    let length = host.len() * source_dtype.itemsize();
    // SAFETY: C-contiguous by construction, alive while `host` is. Another thread
    // may write to it meanwhile, as with any NumPy operation that releases the GIL.
    let bytes: &[u8] = unsafe { host_bytes_mut(&host, length) };
    let array = upload(py, stream, bytes, &shape, source_dtype)?;
    match wanted {
        Some(dtype) if dtype != source_dtype => run(py, || ops::cast(stream, &array, dtype)),
        _ => Ok(array),
    }
}
