//! Kernels over items, cut into slices, in numbers.

use super::clock::milliseconds;
use crate::kernel::lengths;
use crate::units::MillisecondsArg;
use pygpukit_core::id::KernelId;
use pygpukit_core::slicing::{ItemSlice, SliceConfig, SliceError, SliceScheduler, Submission};
use pygpukit_core::units::Nanoseconds;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How kernels are sliced.
#[pyclass(name = "SliceConfig", frozen, module = "pygpukit.compat")]
pub(crate) struct PySliceConfig(SliceConfig);

#[pymethods]
impl PySliceConfig {
    #[new]
    #[pyo3(
        signature = (
            max_items_per_slice=65536,
            max_duration_ms=MillisecondsArg(Nanoseconds::ONE_MILLISECOND),
            min_slices=1,
            max_slices=256,
            adaptive=true,
        ),
        text_signature = "(max_items_per_slice=65536, max_duration_ms=1.0, min_slices=1, max_slices=256, adaptive=True)"
    )]
    fn new(
        max_items_per_slice: u64,
        max_duration_ms: MillisecondsArg,
        min_slices: u32,
        max_slices: u32,
        adaptive: bool,
    ) -> PyResult<Self> {
        let slices = (min_slices, max_slices);
        SliceConfig::new(max_items_per_slice, max_duration_ms.0, slices, adaptive)
            .map(Self)
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }

    #[getter]
    fn max_items_per_slice(&self) -> u64 {
        self.0.max_items()
    }

    #[getter]
    fn max_duration_ms(&self) -> f64 {
        milliseconds(self.0.max_duration())
    }

    #[getter]
    fn min_slices(&self) -> u32 {
        self.0.min_slices()
    }

    #[getter]
    fn max_slices(&self) -> u32 {
        self.0.max_slices()
    }

    #[getter]
    fn adaptive(&self) -> bool {
        self.0.adaptive()
    }
}

/// A slice to be launched.
#[pyclass(name = "SliceInfo", frozen, get_all, module = "pygpukit.compat")]
pub(crate) struct PySliceInfo {
    kernel_handle: u64,
    block: (u32, u32, u32),
    shared_mem: u32,
    slice_id: u64,
    offset: u64,
    count: u64,
    grid: (u32, u32, u32),
    task_id: Option<String>,
    priority: i32,
}

impl From<&ItemSlice> for PySliceInfo {
    fn from(slice: &ItemSlice) -> Self {
        Self {
            kernel_handle: slice.of.kernel.get(),
            block: slice.of.block.into(),
            shared_mem: slice.of.shared,
            slice_id: slice.index,
            offset: slice.offset,
            count: slice.count,
            grid: (slice.blocks, 1, 1),
            task_id: slice.of.task.as_deref().map(Into::into),
            priority: slice.of.priority,
        }
    }
}

#[pymethods]
impl PySliceInfo {
    fn __repr__(&self) -> String {
        let (kernel, slice) = (self.kernel_handle, self.slice_id);
        let (offset, count) = (self.offset, self.count);
        format!("<SliceInfo {slice} of kernel {kernel}: {count} items from {offset}>")
    }
}

/// A slice that has run.
#[pyclass(name = "KernelSlice", frozen, get_all, module = "pygpukit.compat")]
pub(crate) struct PyKernelSlice {
    id: u64,
    offset: u64,
    count: u64,
    grid: (u32, u32, u32),
    executed: bool,
    exec_time_ms: f64,
}

/// A scheduler at one moment.
#[pyclass(name = "SliceStats", frozen, get_all, module = "pygpukit.compat")]
pub(crate) struct PySliceStats {
    total_slices: u64,
    completed_slices: u64,
    pending_slices: u64,
    total_kernels: u64,
    completed_kernels: u64,
    pending_kernels: u64,
}

/// Runs kernels over items slice by slice.
#[pyclass(name = "SliceScheduler", frozen, module = "pygpukit.compat")]
pub(crate) struct PySliceScheduler(Mutex<SliceScheduler>);

fn refusal(error: SliceError) -> PyErr {
    let message = error.to_string();
    match error {
        SliceError::Grid(_) => PyValueError::new_err(message),
        SliceError::NotRunning => PyRuntimeError::new_err(message),
    }
}

impl PySliceScheduler {
    fn lock(&self) -> MutexGuard<'_, SliceScheduler> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PySliceScheduler {
    #[new]
    #[pyo3(signature = (config=None))]
    fn new(config: Option<PyRef<'_, PySliceConfig>>) -> Self {
        let config = config.map_or_else(SliceConfig::default, |config| config.0);
        Self(Mutex::new(SliceScheduler::new(config)))
    }

    #[pyo3(signature = (kernel_handle, total_items, block, shared_mem=0))]
    fn submit(
        &self,
        kernel_handle: u64,
        total_items: u64,
        block: &Bound<'_, PyAny>,
        shared_mem: u32,
    ) -> PyResult<u64> {
        let submission = Submission {
            kernel: KernelId::new(kernel_handle),
            items: total_items,
            block: lengths("block", block)?,
            shared: shared_mem,
            task: None,
            priority: 0,
        };
        self.lock().submit(submission).map_err(refusal)
    }

    #[pyo3(signature = (task_id, kernel_handle, total_items, block, shared_mem=0, priority=0))]
    fn submit_for_task(
        &self,
        task_id: &str,
        kernel_handle: u64,
        total_items: u64,
        block: &Bound<'_, PyAny>,
        shared_mem: u32,
        priority: i32,
    ) -> PyResult<u64> {
        let submission = Submission {
            kernel: KernelId::new(kernel_handle),
            items: total_items,
            block: lengths("block", block)?,
            shared: shared_mem,
            task: Some(task_id.into()),
            priority,
        };
        self.lock().submit(submission).map_err(refusal)
    }

    fn get_next_slice(&self) -> Option<PySliceInfo> {
        self.lock().running().map(PySliceInfo::from)
    }

    fn complete_slice(&self, exec_time_ms: MillisecondsArg) -> PyResult<PyKernelSlice> {
        let completed = self.lock().complete(exec_time_ms.0);
        let slice = completed.map_err(refusal)?;
        Ok(PyKernelSlice {
            id: slice.index,
            offset: slice.offset,
            count: slice.count,
            grid: (slice.blocks, 1, 1),
            executed: true,
            exec_time_ms: milliseconds(exec_time_ms.0),
        })
    }

    fn pending_slices(&self) -> u64 {
        self.lock().stats().pending_slices
    }

    fn pending_kernels(&self) -> u64 {
        self.lock().stats().pending_kernels
    }

    fn stats(&self) -> PySliceStats {
        let stats = self.lock().stats();
        PySliceStats {
            total_slices: stats.completed_slices + stats.pending_slices,
            completed_slices: stats.completed_slices,
            pending_slices: stats.pending_slices,
            total_kernels: stats.completed_kernels + stats.pending_kernels,
            completed_kernels: stats.completed_kernels,
            pending_kernels: stats.pending_kernels,
        }
    }

    fn clear(&self) {
        self.lock().clear();
    }

    fn config(&self) -> PySliceConfig {
        PySliceConfig(*self.lock().config())
    }
}
