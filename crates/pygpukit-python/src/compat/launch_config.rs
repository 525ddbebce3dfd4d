//! How a kernel of an existing script is to be launched.

use crate::kernel::lengths;
use pygpukit_core::dispatch::linear_grid;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// How a kernel is to be launched.
#[pyclass(name = "LaunchConfig", frozen, module = "pygpukit.compat")]
#[derive(Debug)]
pub(crate) struct PyLaunchConfig {
    grid: [u32; 3],
    block: [u32; 3],
    shared_mem: AtomicU32,
    stream_id: AtomicU64,
}

/// The values of one moment.
impl Clone for PyLaunchConfig {
    fn clone(&self) -> Self {
        Self {
            grid: self.grid,
            block: self.block,
            shared_mem: self.shared_mem().into(),
            stream_id: self.stream_id().into(),
        }
    }
}

impl PyLaunchConfig {
    fn without_options(grid: [u32; 3], block: [u32; 3]) -> Self {
        Self {
            grid,
            block,
            shared_mem: 0.into(),
            stream_id: 0.into(),
        }
    }
}

#[pymethods]
impl PyLaunchConfig {
    #[new]
    #[pyo3(
        signature = (grid=None, block=None, shared_mem=0, stream_id=0),
        text_signature = "(grid=(1, 1, 1), block=(256, 1, 1), shared_mem=0, stream_id=0)"
    )]
    fn new(
        grid: Option<&Bound<'_, PyAny>>,
        block: Option<&Bound<'_, PyAny>>,
        shared_mem: u32,
        stream_id: u64,
    ) -> PyResult<Self> {
        Ok(Self {
            grid: grid.map_or(Ok([1; 3]), |grid| lengths("grid", grid))?,
            block: block.map_or(Ok([256, 1, 1]), |block| lengths("block", block))?,
            shared_mem: shared_mem.into(),
            stream_id: stream_id.into(),
        })
    }

    #[classmethod]
    #[pyo3(signature = (n_elements, block_size=256))]
    fn linear(_class: &Bound<'_, PyType>, n_elements: u64, block_size: u32) -> PyResult<Self> {
        let block = [block_size, 1, 1];
        let blocks = linear_grid(n_elements, block)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self::without_options([blocks, 1, 1], block))
    }

    #[classmethod]
    fn grid_2d(
        class: &Bound<'_, PyType>,
        grid_x: u32,
        grid_y: u32,
        block_x: u32,
        block_y: u32,
    ) -> PyResult<Self> {
        let tuple = |x, y| (x, y).into_pyobject(class.py());
        let grid = lengths("grid", tuple(grid_x, grid_y)?.as_any())?;
        let block = lengths("block", tuple(block_x, block_y)?.as_any())?;
        Ok(Self::without_options(grid, block))
    }

    #[getter]
    fn grid(&self) -> (u32, u32, u32) {
        self.grid.into()
    }

    #[getter]
    fn block(&self) -> (u32, u32, u32) {
        self.block.into()
    }

    #[getter]
    pub(super) fn shared_mem(&self) -> u32 {
        self.shared_mem.load(Ordering::Relaxed)
    }

    #[setter]
    fn set_shared_mem(&self, shared_mem: u32) {
        self.shared_mem.store(shared_mem, Ordering::Relaxed);
    }

    #[getter]
    pub(super) fn stream_id(&self) -> u64 {
        self.stream_id.load(Ordering::Relaxed)
    }

    #[setter]
    fn set_stream_id(&self, stream_id: u64) {
        self.stream_id.store(stream_id, Ordering::Relaxed);
    }

    fn __repr__(&self) -> String {
        format!(
            "LaunchConfig(grid={:?}, block={:?}, shared_mem={}, stream_id={})",
            self.grid(),
            self.block(),
            self.shared_mem(),
            self.stream_id()
        )
    }
}
