//! Tasks by name that wait for each other.
//!
//! A [`TaskGraph`] stands before a [`Scheduler`](crate::scheduler::Scheduler): it
//! submits a task once those that it depends on are done, and follows it to its end.

mod answer;
mod asking;
mod ending;
mod state;
mod stats;
mod task_graph;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

pub use answer::{Answer, GraphError, Unsatisfiable};
pub use state::{Task, TaskState};
pub use stats::GraphStats;
pub use task_graph::{Config, TaskGraph};
