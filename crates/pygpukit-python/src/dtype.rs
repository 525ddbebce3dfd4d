//! Dtypes, ours and NumPy's.

use crate::numpy_module::numpy;
use pygpukit_core::array::{DType, Kind};
use pyo3::exceptions::{PyImportError, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyString, PyType};

/// The element type of an array.
#[pyclass(name = "DType", frozen, module = "pygpukit.dtypes")]
pub(crate) struct PyDType(pub(crate) DType);

#[pymethods]
impl PyDType {
    #[new]
    fn new(dtype: AnyDType) -> Self {
        Self(dtype.0)
    }

    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    #[getter]
    fn itemsize(&self) -> usize {
        self.0.itemsize()
    }

    #[getter]
    fn kind(&self) -> &'static str {
        match self.0.kind() {
            Kind::Bool => "b",
            Kind::Signed => "i",
            Kind::Unsigned => "u",
            Kind::Float => "f",
            Kind::Complex => "c",
        }
    }

    /// The NumPy dtype; also what makes `np.dtype(gp.float32)` work.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_numpy(py, self.0)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        // NumPy has dtypes of foreign byte order, of the same name.
        let is_native = || {
            other
                .getattr("isnative")
                .map_or(Ok(true), |native| native.is_truthy())
        };
        other
            .extract::<AnyDType>()
            .is_ok_and(|other| other.0 == self.0)
            && is_native().unwrap_or(false)
    }

    /// That of the NumPy dtype, which is equal.
    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        // `ml_dtypes` may be found later; a hash never changes.
        static BFLOAT16: PyOnceLock<isize> = PyOnceLock::new();
        if self.0 != DType::BFloat16 {
            return to_numpy(py, self.0)?.hash();
        }
        let hash = || match to_numpy(py, self.0) {
            Ok(dtype) => dtype.hash(),
            Err(_) => PyString::new(py, self.0.name()).hash(),
        };
        BFLOAT16.get_or_try_init(py, hash).copied()
    }

    fn __repr__(&self) -> String {
        format!("pygpukit.{}", self.0.name())
    }

    fn __str__(&self) -> &'static str {
        self.0.name()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (&'static str,)) {
        (py.get_type::<Self>(), (self.0.name(),))
    }
}

/// Anything that names a dtype: ours, a string, a NumPy dtype or scalar type,
/// `bool`, `int`, `float`, `complex`.
pub(crate) struct AnyDType(pub(crate) DType);

impl<'a, 'py> FromPyObject<'a, 'py> for AnyDType {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let py = object.py();
        if let Ok(dtype) = object.cast::<PyDType>() {
            return Ok(Self(dtype.get().0));
        }
        let unknown = || {
            let names = DType::ALL.map(DType::name).join(", ");
            PyTypeError::new_err(format!(
                "{} is not a dtype of PyGPUkit; there are {names}",
                object
                    .repr()
                    .map_or_else(|_| "this".into(), |text| text.to_string())
            ))
        };
        if let Ok(name) = object.cast::<PyString>()
            // A lone surrogate is in no name.
            && let Ok(name) = name.to_cow()
            && let Some(dtype) = DType::from_name(&name)
        {
            return Ok(Self(dtype));
        }
        if object.is_none() {
            return Err(unknown());
        }
        for (class, dtype) in [
            (py.get_type::<PyBool>(), DType::Bool),
            (py.get_type::<PyInt>(), DType::Int64),
            (py.get_type::<PyFloat>(), DType::Float64),
            (py.get_type::<PyComplex>(), DType::Complex128),
        ] {
            if object.is(&class) {
                return Ok(Self(dtype));
            }
        }
        let numpy = numpy(py)?.getattr("dtype")?;
        let dtype = numpy.call1((object,)).map_err(|_| unknown())?;
        from_numpy(&dtype).ok_or_else(unknown).map(Self)
    }
}

/// Our dtype for a NumPy dtype of any byte order.
pub(crate) fn from_numpy(dtype: &Bound<'_, PyAny>) -> Option<DType> {
    let name = dtype.getattr("name").ok()?.extract::<String>().ok()?;
    DType::from_name(&name)
}

/// The NumPy dtype for ours; bfloat16 is that of `ml_dtypes`.
pub(crate) fn to_numpy(py: Python<'_>, dtype: DType) -> PyResult<Bound<'_, PyAny>> {
    static NUMPY_DTYPE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let numpy_dtype = NUMPY_DTYPE
        .get_or_try_init(py, || Ok::<_, PyErr>(numpy(py)?.getattr("dtype")?.unbind()))?
        .bind(py);
    if dtype != DType::BFloat16 {
        return numpy_dtype.call1((dtype.name(),));
    }
    let module = py.import("ml_dtypes").map_err(|error| {
        if error.is_instance_of::<PyImportError>(py) {
            PyTypeError::new_err(
                "NumPy has no bfloat16: install `ml_dtypes`, or convert with `astype(\"float32\")` first",
            )
        } else {
            error
        }
    })?;
    numpy_dtype.call1((module.getattr("bfloat16")?,))
}

/// Adds `float32` and its kin to the module.
pub(crate) fn add_dtypes(module: &Bound<'_, PyModule>) -> PyResult<()> {
    for dtype in DType::ALL {
        // `bool` would hide Python's own in `from pygpukit import *`.
        let name = if dtype == DType::Bool {
            "bool_"
        } else {
            dtype.name()
        };
        module.add(name, PyDType(dtype))?;
    }
    Ok(())
}
