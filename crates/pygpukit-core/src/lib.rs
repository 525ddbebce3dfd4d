//! The part of PyGPUkit that decides.
//!
//! Everything here is a function of its inputs: no device, clock, thread or
//! environment. Time comes in as integer nanoseconds, answers go out as values.
//!
//! Where to start reading:
//! - [`mod@array`]: dtypes, promotion, layouts and indexing, by NumPy's rules.
//! - [`units`]: bytes, shares and durations, as integers.
//! - [`ledger`]: what a device has, and what of it is granted; counted once.
//! - [`scheduler`]: which task may start, which waits, which never can.
//! - [`graph`]: tasks that wait for each other, before they ask to be run.
//! - [`partition`]: tenants with multiprocessors of their own.
//! - [`timeshare`]: whose work the device does next.
//! - [`pacing`]: how much work may start when, and what work costs.
//! - [`lease`]: work granted ahead, for kernels too short to ask for each.
//! - [`slicing`]: kernels launched piece by piece.
//! - [`dispatch`]: which launch of a lane is next, and how many may be under way.
//! - [`transfer`]: which bytes are copied next between host and device.
//! - [`pinned`]: page-locked host memory within a quota.
//! - [`cache`]: which compiled kernels are kept.
//! - [`pool`], [`qos`]: other clients of the ledger.

#![forbid(unsafe_code)]

pub mod array;
pub mod cache;
mod collections;
pub mod dispatch;
pub mod graph;
pub mod id;
pub mod lease;
pub mod ledger;
pub mod pacing;
pub mod partition;
pub mod pinned;
pub mod pool;
pub mod qos;
pub mod scheduler;
#[cfg(any(test, feature = "simulator"))]
pub mod simulator;
pub mod slicing;
#[cfg(test)]
mod soak;
pub mod timeshare;
pub mod transfer;
pub mod units;
