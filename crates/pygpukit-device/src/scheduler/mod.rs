//! Carrying out what the policy core decides: tasks on worker threads, their
//! streams, and the memory that is charged to them.
//!
//! Each device has one core scheduler, over one ledger; every [`Scheduler`] on
//! the device is a tenant of it, and work outside tasks is another. Where to
//! start reading:
//!
//! - [`Scheduler`] and [`Task`]: what a program holds.
//! - [`Job`] and [`TaskContext`]: what a task runs.
//! - `node`: the core of one device behind its lock, and what it orders.

mod account;
mod clock;
mod handle;
mod job;
mod log;
mod node;
mod promise;
mod run;
mod stats;
mod task;
mod timer;
mod workers;

pub use clock::{Clock, ManualClock, MonotonicClock};
pub use handle::{Scheduler, SchedulerOptions};
pub use job::{Failure, Job, JobError, Outcome, TaskContext};
pub use promise::Promise;
pub use stats::{SchedulerReport, TaskReport};
pub use task::{Task, TaskState};

pub(crate) use account::TenantAccount;
pub(crate) use node::Node;
