//! The classes that existing scripts import from `_pygpukit_rust`.
//!
//! They decide on numbers alone, over the ledger of `pygpukit-core`; nothing
//! else in the package uses them.

mod clock;
mod dispatch;
mod launch_config;
mod memory_pool;
mod pacing;
mod partition;
mod qos;
mod slicing;

pub(crate) use dispatch::{
    PyDispatchStats, PyKernelDispatcher, PyKernelLaunchRequest, PyKernelState,
};
pub(crate) use launch_config::PyLaunchConfig;
pub(crate) use memory_pool::{PyMemoryBlock, PyMemoryPool, PyPoolStats};
pub(crate) use pacing::{
    PyKernelPacingEngine, PyPacingConfig, PyPacingDecision, PyPacingStats, PyStreamPacingStats,
};
pub(crate) use partition::{PyPartition, PyPartitionConfig, PyPartitionLimits, PyPartitionManager};
pub(crate) use qos::{
    PyQosClass, PyQosEvaluation, PyQosPolicyEvaluator, PyQosStats, PyQosTaskMeta,
};
pub(crate) use slicing::{
    PyKernelSlice, PySliceConfig, PySliceInfo, PySliceScheduler, PySliceStats,
};
