//! The Python binding: converts, releases the GIL, maps errors.
//!
//! A function here has no decisions of its own. Documentation for Python is in
//! the stubs (`python/pygpukit/*.pyi`).

#![expect(
    clippy::needless_pass_by_value,
    reason = "arguments are converted from Python's, not borrowed"
)]

mod array;
mod call;
mod compat;
mod convert;
mod device;
mod dtype;
mod error;
mod index;
mod kernel;
mod names;
mod numpy_module;
mod ops;
mod run;
mod scheduler;
mod scope;
mod stream;
mod units;

use pyo3::prelude::*;

/// The compiled part of PyGPUkit.
#[pymodule(name = "_pygpukit_rust")]
mod module {
    #[pymodule_export]
    use crate::array::{PyArray, dlpack::from_dlpack};
    #[pymodule_export]
    use crate::compat::{
        PyAdmissionConfig, PyAdmissionController, PyAdmissionDecision, PyAdmissionStats,
        PyRejectReason, PyRejectReasonDetails,
    };
    #[pymodule_export]
    use crate::compat::{
        PyAsyncTransferEngine, PyStreamType, PyTransferOp, PyTransferState, PyTransferStats,
        PyTransferType,
    };
    #[pymodule_export]
    use crate::compat::{
        PyCacheConfig, PyCacheStats, PyCachedKernel, PyCompileOptions, PyKernelCache, PyKernelKey,
    };
    #[pymodule_export]
    use crate::compat::{
        PyDispatchStats, PyKernelDispatcher, PyKernelLaunchRequest, PyKernelState, PyLaunchConfig,
    };
    #[pymodule_export]
    use crate::compat::{
        PyKernelPacingEngine, PyPacingConfig, PyPacingDecision, PyPacingStats, PyStreamPacingStats,
    };
    #[pymodule_export]
    use crate::compat::{
        PyKernelSlice, PySliceConfig, PySliceInfo, PySliceScheduler, PySliceStats,
    };
    #[pymodule_export]
    use crate::compat::{PyMemoryBlock, PyMemoryPool, PyPoolStats};
    #[pymodule_export]
    use crate::compat::{
        PyPartition, PyPartitionConfig, PyPartitionLimits, PyPartitionManager, PyPartitionStats,
    };
    #[pymodule_export]
    use crate::compat::{PyPinnedBlock, PyPinnedMemoryManager, PyPinnedPoolConfig, PyPinnedStats};
    #[pymodule_export]
    use crate::compat::{
        PyQosClass, PyQosEvaluation, PyQosPolicy, PyQosPolicyEvaluator, PyQosStats, PyQosTaskMeta,
    };
    #[pymodule_export]
    use crate::compat::{PyScheduler, PySchedulerStats, PyTaskMeta, PyTaskState, PyTaskStats};
    #[pymodule_export]
    use crate::device::{
        PyDevice, PyDeviceCapabilities, PyDeviceInfo, default_device, devices, driver_verdict,
        get_device_capabilities, get_device_info, is_cuda_available,
    };
    #[pymodule_export]
    use crate::dtype::PyDType;
    #[pymodule_export]
    use crate::error::{
        AdmissionRejected, CompileError, CompilerNotFound, DeviceFault, DeviceNotAvailable,
        DriverError, PyGPUkitError, SchedulerClosed, TaskCancelled, UnsupportedError,
    };
    #[pymodule_export]
    use crate::kernel::{
        PyCompilerCandidate, PyConfiguredKernel, PyDiagnostic, PyKernel, PyNullPointer,
        compiler_candidates, jit,
    };
    #[pymodule_export]
    use crate::ops::{
        add, arange, asarray, divide, empty, equal, floor_divide, from_numpy, full, greater,
        greater_equal, less, less_equal, matmul, multiply, negative, not_equal, ones, power,
        remainder, subtract, zeros,
    };
    #[pymodule_export]
    use crate::scheduler::{PyAdmission, PyReplay, PyTask, replay_text};
    #[pymodule_export]
    use crate::stream::{PyStream, current_stream};

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // These look something up: later may be when the interpreter ends.
        crate::scope::variable(module.py())?;
        crate::numpy_module::is_ending(module.py())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        crate::names::add(module)?;
        // Array operations on a GPU compile too, so the wheels must be known now.
        crate::kernel::find_compilers(module.py())?;
        crate::kernel::cancel_at_exit(module.py())?;
        module.add("nullptr", crate::kernel::PyNullPointer)?;
        crate::dtype::add_dtypes(module)
    }
}
