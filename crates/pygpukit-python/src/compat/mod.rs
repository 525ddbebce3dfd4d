//! The classes that existing scripts import from `_pygpukit_rust`.
//!
//! They decide on numbers alone, over the ledger of `pygpukit-core`; nothing
//! else in the package uses them.

mod admission;
mod cache;
mod cached_kernel;
mod clock;
mod decision;
mod dispatch;
mod kernel_key;
mod launch_config;
mod memory_pool;
mod pacing;
mod partition;
mod partition_limits;
mod pinned;
mod qos;
mod qos_task;
mod scheduler;
mod slicing;
mod task;
mod transfer;
mod transfer_op;

pub(crate) use admission::{PyAdmissionConfig, PyAdmissionController, PyAdmissionStats};
pub(crate) use cache::{PyCacheConfig, PyCacheStats, PyKernelCache};
pub(crate) use cached_kernel::PyCachedKernel;
pub(crate) use decision::{PyAdmissionDecision, PyRejectReason, PyRejectReasonDetails};
pub(crate) use dispatch::{
    PyDispatchStats, PyKernelDispatcher, PyKernelLaunchRequest, PyKernelState,
};
pub(crate) use kernel_key::{PyCompileOptions, PyKernelKey};
pub(crate) use launch_config::PyLaunchConfig;
pub(crate) use memory_pool::{PyMemoryBlock, PyMemoryPool, PyPoolStats};
pub(crate) use pacing::{
    PyKernelPacingEngine, PyPacingConfig, PyPacingDecision, PyPacingStats, PyStreamPacingStats,
};
pub(crate) use partition::{PyPartition, PyPartitionManager, PyPartitionStats};
pub(crate) use partition_limits::{PyPartitionConfig, PyPartitionLimits};
pub(crate) use pinned::{PyPinnedBlock, PyPinnedMemoryManager, PyPinnedPoolConfig, PyPinnedStats};
pub(crate) use qos::{PyQosEvaluation, PyQosPolicyEvaluator, PyQosStats};
pub(crate) use qos_task::{PyQosClass, PyQosPolicy, PyQosTaskMeta};
pub(crate) use scheduler::{PyScheduler, PySchedulerStats, PyTaskStats};
pub(crate) use slicing::{
    PyKernelSlice, PySliceConfig, PySliceInfo, PySliceScheduler, PySliceStats,
};
pub(crate) use task::{PyTaskMeta, PyTaskState};
pub(crate) use transfer::{PyAsyncTransferEngine, PyTransferStats};
pub(crate) use transfer_op::{PyStreamType, PyTransferOp, PyTransferState, PyTransferType};
