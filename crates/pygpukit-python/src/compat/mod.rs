//! The classes that existing scripts import from `_pygpukit_rust`.
//!
//! They decide on numbers alone, over the ledger of `pygpukit-core`; nothing
//! else in the package uses them.

mod clock;
mod memory_pool;
mod partition;
mod qos;

pub(crate) use memory_pool::{PyMemoryBlock, PyMemoryPool, PyPoolStats};
pub(crate) use partition::{PyPartition, PyPartitionConfig, PyPartitionLimits, PyPartitionManager};
pub(crate) use qos::{
    PyQosClass, PyQosEvaluation, PyQosPolicyEvaluator, PyQosStats, PyQosTaskMeta,
};
