//! Schedulers and tasks.

mod admission;
mod awaiting;
mod exit;
mod handle;
mod job;
mod options;
mod stats;
mod task;

pub(crate) use admission::PyAdmission;
pub(crate) use handle::PyScheduler;
pub(crate) use stats::{PySchedulerStats, PyTaskStats};
pub(crate) use task::PyTask;
