//! Schedulers and tasks.

mod admission;
mod awaiting;
mod exit;
mod handle;
mod job;
mod options;
mod replay;
mod stats;
mod task;

pub(crate) use admission::PyAdmission;
pub(crate) use handle::PyScheduler;
pub(crate) use replay::{PyReplay, replay_text};
pub(crate) use stats::{PySchedulerStats, PyTaskStats};
pub(crate) use task::PyTask;
