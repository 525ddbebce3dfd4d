//! Grid and block as Python gives them.

use crate::convert::type_name;
use crate::error::PyError;
use crate::index::is_sequence;
use pygpukit_device::jit::{Block, LaunchConfig, LaunchOptions, dimensions};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// How a kernel is launched.
#[pyclass(name = "LaunchConfig", frozen, eq, module = "pygpukit.kernel")]
#[derive(PartialEq)]
pub(crate) struct PyLaunchConfig(pub(super) LaunchConfig);

#[pymethods]
impl PyLaunchConfig {
    #[getter]
    fn grid(&self) -> (u32, u32, u32) {
        self.0.grid.into()
    }

    #[getter]
    fn block(&self) -> (u32, u32, u32) {
        self.0.block.into()
    }

    #[getter]
    fn shared(&self) -> u32 {
        self.0.shared
    }

    fn __repr__(&self) -> String {
        format!(
            "LaunchConfig(grid={:?}, block={:?}, shared={})",
            self.grid(),
            self.block(),
            self.0.shared
        )
    }
}

/// Blocks: lengths, or a function of the arguments that gives them.
pub(crate) enum AnyGrid {
    Fixed([u32; 3]),
    Computed(Py<PyAny>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for AnyGrid {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if object.is_callable() {
            return Ok(Self::Computed(object.to_owned().unbind()));
        }
        lengths("grid", &object).map(Self::Fixed)
    }
}

/// Threads of a block: lengths, or `"occupancy"`.
#[derive(Clone, Copy)]
pub(crate) struct AnyBlock(Block);

impl<'a, 'py> FromPyObject<'a, 'py> for AnyBlock {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(word) = object.cast::<PyString>() {
            return match word.to_str()? {
                "occupancy" => Ok(Self(Block::Occupancy)),
                other => Err(PyValueError::new_err(format!(
                    "block is lengths or \"occupancy\", not `{other}`"
                ))),
            };
        }
        lengths("block", &object).map(|lengths| Self(Block::Threads(lengths)))
    }
}

/// Bytes of dynamic shared memory.
#[derive(Clone, Copy)]
pub(crate) struct AnyShared(u32);

impl<'a, 'py> FromPyObject<'a, 'py> for AnyShared {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let index = object.call_method0("__index__").map_err(|_| {
            PyTypeError::new_err(format!("shared takes an int, not {}", type_name(&object)))
        })?;
        index.extract().map(Self).map_err(|_| {
            PyValueError::new_err(format!("shared is `{index}`; it takes 0 to {}", u32::MAX))
        })
    }
}

/// An integer, or a sequence of one to three. `what` is "grid" or "block".
pub(crate) fn lengths(what: &str, object: &Bound<'_, PyAny>) -> PyResult<[u32; 3]> {
    let integer = |object: &Bound<'_, PyAny>| {
        let index = object.call_method0("__index__").ok()?;
        // Beyond 128 bits is as much too large as 2**127 is.
        Some(index.extract::<i128>().unwrap_or(i128::MAX))
    };
    let refuse = || {
        PyTypeError::new_err(format!(
            "{what} takes an int or a tuple of up to three, not {}",
            type_name(object)
        ))
    };
    let lengths = match integer(object) {
        Some(length) => vec![length],
        None if !is_sequence(object)? => return Err(refuse()),
        None => object
            .try_iter()
            .map_err(|_| refuse())?
            .map(|item| integer(&item?).ok_or_else(refuse))
            .collect::<PyResult<_>>()?,
    };
    dimensions(what, &lengths).map_err(|error| PyError::from(error).into())
}

/// What is known of a launch before its arguments are.
pub(super) struct Config {
    grid: Option<AnyGrid>,
    block: Option<AnyBlock>,
    shared: u32,
}

impl Config {
    pub(super) fn new(grid: Option<AnyGrid>, block: Option<AnyBlock>) -> Self {
        Self {
            grid,
            block,
            shared: 0,
        }
    }

    /// This, with what a call says instead.
    pub(super) fn overridden(
        &self,
        py: Python<'_>,
        grid: Option<AnyGrid>,
        block: Option<AnyBlock>,
        shared: Option<AnyShared>,
    ) -> Self {
        let default = || {
            self.grid.as_ref().map(|grid| match grid {
                AnyGrid::Fixed(grid) => AnyGrid::Fixed(*grid),
                AnyGrid::Computed(function) => AnyGrid::Computed(function.clone_ref(py)),
            })
        };
        Self {
            grid: grid.or_else(default),
            block: block.or(self.block),
            shared: shared.map_or(self.shared, |AnyShared(bytes)| bytes),
        }
    }

    /// The options of a launch with these arguments, by name.
    pub(super) fn options(&self, arguments: &Bound<'_, PyDict>) -> PyResult<LaunchOptions> {
        let grid = match &self.grid {
            None => None,
            Some(AnyGrid::Fixed(grid)) => Some(*grid),
            Some(AnyGrid::Computed(function)) => {
                let grid = function.bind(arguments.py()).call1((arguments,))?;
                Some(lengths("grid", &grid)?)
            }
        };
        Ok(LaunchOptions {
            grid,
            block: self.block.map(|AnyBlock(block)| block),
            shared: self.shared,
        })
    }
}
