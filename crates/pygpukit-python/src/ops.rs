//! Functions that make and combine arrays.

use crate::array::PyArray;
use crate::array::conversion::{from_numpy_array, transfer};
use crate::array::store::host_array;
use crate::convert::{OperandArg, default_dtype, python_scalar, type_name};
use crate::device::AnyDevice;
use crate::dtype::AnyDType;
use crate::error::PyError;
use crate::index::Shape;
use crate::numpy_module::{self, numpy};
use crate::run::run;
use crate::scope;
use numpy::PyUntypedArray;
use pygpukit_core::array::{BinaryOp, DType, Scalar, UnaryOp, can_store, promote};
use pygpukit_device::{Array, Stream, ops};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

fn creation_stream(py: Python<'_>, device: Option<AnyDevice>) -> PyResult<Stream> {
    numpy_module::prepare(py)?;
    match device {
        None => scope::current_stream(py),
        some => scope::stream_on(py, &AnyDevice::open_or_current(py, some)?),
    }
}

fn dtype_or_float32(dtype: Option<AnyDType>) -> DType {
    dtype.map_or(DType::Float32, |dtype| dtype.0)
}

/// An array of zeros.
#[pyfunction]
#[pyo3(signature = (shape, dtype=None, *, device=None))]
pub(crate) fn zeros(
    py: Python<'_>,
    shape: Shape,
    dtype: Option<AnyDType>,
    device: Option<AnyDevice>,
) -> PyResult<PyArray> {
    let stream = creation_stream(py, device)?;
    run(py, || {
        ops::zeros(&stream, &shape.0, dtype_or_float32(dtype))
    })
    .map(PyArray)
}

/// An array of ones.
#[pyfunction]
#[pyo3(signature = (shape, dtype=None, *, device=None))]
pub(crate) fn ones(
    py: Python<'_>,
    shape: Shape,
    dtype: Option<AnyDType>,
    device: Option<AnyDevice>,
) -> PyResult<PyArray> {
    let stream = creation_stream(py, device)?;
    run(py, || ops::ones(&stream, &shape.0, dtype_or_float32(dtype))).map(PyArray)
}

/// An array with undefined contents.
#[pyfunction]
#[pyo3(signature = (shape, dtype=None, *, device=None))]
pub(crate) fn empty(
    py: Python<'_>,
    shape: Shape,
    dtype: Option<AnyDType>,
    device: Option<AnyDevice>,
) -> PyResult<PyArray> {
    let stream = creation_stream(py, device)?;
    run(py, || {
        Array::empty(&stream, &shape.0, dtype_or_float32(dtype))
    })
    .map(PyArray)
}

/// An array of one value.
#[pyfunction]
#[pyo3(signature = (shape, fill_value, dtype=None, *, device=None))]
pub(crate) fn full(
    py: Python<'_>,
    shape: Shape,
    fill_value: OperandArg,
    dtype: Option<AnyDType>,
    device: Option<AnyDevice>,
) -> PyResult<PyArray> {
    let stream = creation_stream(py, device)?;
    run(py, || {
        let array = Array::empty(&stream, &shape.0, dtype_or_float32(dtype))?;
        ops::assign(&stream, &array, fill_value.as_arg())?;
        Ok(array)
    })
    .map(PyArray)
}

/// Evenly spaced values in [start, stop).
#[expect(clippy::similar_names, reason = "these are Python's names")]
#[pyfunction]
#[pyo3(signature = (start, stop=None, step=None, dtype=None, *, device=None))]
pub(crate) fn arange(
    py: Python<'_>,
    start: &Bound<'_, PyAny>,
    stop: Option<&Bound<'_, PyAny>>,
    step: Option<&Bound<'_, PyAny>>,
    dtype: Option<AnyDType>,
    device: Option<AnyDevice>,
) -> PyResult<PyArray> {
    let number = |object: &Bound<'_, PyAny>| -> PyResult<Scalar> {
        match object.extract::<OperandArg>() {
            Ok(OperandArg::Scalar(scalar)) => Ok(scalar),
            Ok(OperandArg::Element(element)) => Ok(element.to_scalar()),
            Err(error) if !error.is_instance_of::<PyTypeError>(py) => Err(error),
            _ => Err(PyTypeError::new_err(format!(
                "arange takes numbers, not {}",
                type_name(object)
            ))),
        }
    };
    // As range(): one number is the end.
    let (start, stop) = match stop {
        Some(stop) => (number(start)?, number(stop)?),
        None => (Scalar::Int(0), number(start)?),
    };
    let step = step.map_or(Ok(Scalar::Int(1)), number)?;
    let stream = creation_stream(py, device)?;
    run(py, || {
        ops::arange(&stream, start, stop, step, dtype_or_float32(dtype))
    })
    .map(PyArray)
}

/// A copy of a NumPy array.
#[pyfunction]
#[pyo3(signature = (array, dtype=None, *, device=None))]
pub(crate) fn from_numpy(
    py: Python<'_>,
    array: &Bound<'_, PyAny>,
    dtype: Option<AnyDType>,
    device: Option<AnyDevice>,
) -> PyResult<PyArray> {
    let generic = numpy(py)?.getattr("generic")?;
    let is_numpy = array.is_instance_of::<PyUntypedArray>() || array.is_instance(&generic)?;
    if !is_numpy {
        return Err(PyTypeError::new_err(format!(
            "from_numpy takes a NumPy array, not {}; `asarray` takes anything",
            type_name(array)
        )));
    }
    let stream = creation_stream(py, device)?;
    from_numpy_array(py, &stream, array, dtype.map(|dtype| dtype.0)).map(PyArray)
}

/// An array of anything array-like; arrays of this library are not copied.
#[pyfunction]
#[pyo3(signature = (object, dtype=None, *, device=None))]
pub(crate) fn asarray<'py>(
    py: Python<'py>,
    object: &Bound<'py, PyAny>,
    dtype: Option<AnyDType>,
    device: Option<AnyDevice>,
) -> PyResult<Bound<'py, PyAny>> {
    let wanted = dtype.map(|dtype| dtype.0);
    let array = array_like(py, object, wanted, device)?;
    let given = object.cast::<PyArray>().ok().map(|given| &given.get().0);
    let same = given.is_some_and(|given| given.shares_buffer(&array))
        && wanted.is_none_or(|dtype| dtype == array.dtype());
    if same {
        return Ok(object.clone());
    }
    let array = match wanted {
        Some(dtype) if !can_store(array.dtype(), dtype) => {
            return Err(PyTypeError::new_err(format!(
                "asarray cannot make `{dtype}` of `{}` without losing part of it; \
                 convert with `astype`",
                array.dtype()
            )));
        }
        Some(dtype) if dtype != array.dtype() => {
            let stream = scope::stream_on(py, array.device())?;
            run(py, || ops::cast(&stream, &array, dtype))?
        }
        _ => array,
    };
    Ok(Bound::new(py, PyArray(array))?.into_any())
}

fn array_like(
    py: Python<'_>,
    object: &Bound<'_, PyAny>,
    wanted: Option<DType>,
    device: Option<AnyDevice>,
) -> PyResult<Array> {
    if let Ok(array) = object.cast::<PyArray>() {
        let array = &array.get().0;
        if device.is_none_or(|device| device.0 == array.device_id()) {
            return Ok(array.clone());
        }
        return transfer(py, &creation_stream(py, device)?, array);
    }
    numpy(py)?;
    if !object.is_instance_of::<PyUntypedArray>()
        && let Some(array) = crate::array::dlpack::import_foreign(py, object, device)?
    {
        return Ok(array);
    }
    let stream = creation_stream(py, device)?;
    if let Some(scalar) = python_scalar(object)? {
        let dtype = wanted.unwrap_or_else(|| default_dtype(scalar));
        return run(py, || ops::full(&stream, &[], scalar, dtype));
    }
    let is_python = object.is_instance_of::<pyo3::types::PyList>()
        || object.is_instance_of::<pyo3::types::PyTuple>();
    let host = host_array(object, wanted)?;
    let array = from_numpy_array(py, &stream, &host, wanted)?;
    // Python floats have no width of their own: they become the default dtype.
    let given = array.dtype();
    let narrowed = if is_python && given == DType::Float64 {
        DType::Float32
    } else if is_python && given == DType::Complex128 {
        DType::Complex64
    } else {
        given
    };
    if wanted.is_none() && narrowed != array.dtype() {
        return run(py, || ops::cast(&stream, &array, narrowed));
    }
    Ok(array)
}

/// `op(left, right)` on the stream for its arrays.
pub(crate) fn binary(
    py: Python<'_>,
    op: BinaryOp,
    left: OperandArg,
    right: OperandArg,
    out: Option<&Array>,
) -> PyResult<PyArray> {
    let stream = match (left.array(), right.array(), out) {
        (Some(array), _, _) | (_, Some(array), _) | (_, _, Some(array)) => {
            scope::stream_on(py, array.device())?
        }
        (None, None, None) => scope::current_stream(py)?,
    };
    if let (BinaryOp::Power, OperandArg::Element(exponent)) = (op, &right) {
        // On the device its value could not be looked at without waiting.
        let promoted = promote(left.dtype(), exponent.dtype());
        ops::check_exponent(promoted, exponent.to_scalar()).map_err(PyError::from)?;
    }
    let (left, right) = (left.on(py, &stream)?, right.on(py, &stream)?);
    run(py, || {
        ops::binary(&stream, op, left.as_arg(), right.as_arg(), out)
    })
    .map(PyArray)
}

macro_rules! binary_functions {
    ($($name:ident $op:ident $doc:literal;)*) => {$(
        #[doc = $doc]
        #[pyfunction]
        #[pyo3(signature = (a, b, /, *, out=None))]
        pub(crate) fn $name<'py>(
            py: Python<'py>,
            a: OperandArg,
            b: OperandArg,
            out: Option<Bound<'py, PyArray>>,
        ) -> PyResult<Bound<'py, PyArray>> {
            let result = binary(py, BinaryOp::$op, a, b, out.as_ref().map(|out| &out.get().0))?;
            out.map_or_else(|| Bound::new(py, result), Ok)
        }
    )*};
}

binary_functions! {
    add Add "`a + b`";
    subtract Subtract "`a - b`";
    multiply Multiply "`a * b`";
    divide TrueDivide "`a / b`";
    floor_divide FloorDivide "`a // b`";
    remainder Remainder "`a % b`";
    power Power "`a ** b`";
    equal Equal "`a == b`";
    not_equal NotEqual "`a != b`";
    less Less "`a < b`";
    less_equal LessEqual "`a <= b`";
    greater Greater "`a > b`";
    greater_equal GreaterEqual "`a >= b`";
}

/// `-a`
#[pyfunction]
#[pyo3(signature = (a, /, *, out=None))]
pub(crate) fn negative<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyArray>,
    out: Option<Bound<'py, PyArray>>,
) -> PyResult<Bound<'py, PyArray>> {
    let source = a.get();
    let stream = source.stream(py)?;
    let target = out.as_ref().map(|out| &out.get().0);
    let result = run(py, || {
        ops::unary(&stream, UnaryOp::Negative, &source.0, target)
    })?;
    out.map_or_else(|| Bound::new(py, PyArray(result)), Ok)
}

/// The matrix product.
#[pyfunction]
#[pyo3(signature = (a, b, /, *, out=None, use_tf32=None))]
pub(crate) fn matmul<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyArray>,
    b: &Bound<'py, PyArray>,
    out: Option<Bound<'py, PyArray>>,
    use_tf32: Option<bool>,
) -> PyResult<Bound<'py, PyArray>> {
    let target = out.as_ref().map(|out| &out.get().0);
    let result = matmul_arrays(py, &a.get().0, &b.get().0, target, use_tf32)?;
    out.map_or_else(|| Bound::new(py, result), Ok)
}

pub(crate) fn matmul_arrays(
    py: Python<'_>,
    a: &Array,
    b: &Array,
    out: Option<&Array>,
    use_tf32: Option<bool>,
) -> PyResult<PyArray> {
    let stream = scope::stream_on(py, a.device())?;
    run(py, || {
        ops::matmul(&stream, a, b, out, use_tf32.unwrap_or(false))
    })
    .map(PyArray)
}
