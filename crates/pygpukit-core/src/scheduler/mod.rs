//! Which task may start, which waits for what, and which never can.
//!
//! A [`Scheduler`] is a state machine: [`step`](Scheduler::step) takes the time
//! and an [`Event`], and says in [`Actions`] what is to be done. It decides over
//! one [`Ledger`](crate::ledger::Ledger). Where to start reading:
//!
//! - [`TaskSpec`] and [`Request`]: what a task asks for.
//! - [`Event`], [`Action`], [`Admission`]: what comes in and goes out.
//! - [`Replay`]: the same as lines of text, which replay to the same decisions.

mod admission;
mod deadlock;
mod event;
mod forecast;
mod lifecycle;
mod log;
mod memory;
mod order;
mod policy;
mod promotion;
mod queue;
mod read;
mod replay;
mod request;
mod request_error;
mod state;
mod stats;
mod task;
mod tenant;
mod time;
mod working;
mod write;

#[cfg(test)]
mod model;
#[cfg(test)]
mod oracle;
#[cfg(test)]
mod permuted;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod random_ops;
#[cfg(test)]
mod refusals;
#[cfg(test)]
mod small_scope;
#[cfg(test)]
mod soak;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod time_tests;

pub use event::{Action, Actions, Admission, Event, Holder, Reason, Rejection};
pub use log::{LOG_FORMAT, action_line, event_line};
pub use policy::{OnFull, Policy};
pub use replay::{LogError, Replay};
pub use request::{MemoryAsk, Request, ShareAsk, TaskSpec};
pub use request_error::RequestError;
pub use state::{Config, Scheduler, StepError};
pub use stats::{Counters, SchedulerStats, TaskStage, TaskStats};
pub use tenant::TenantSpec;
