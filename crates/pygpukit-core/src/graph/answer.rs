//! What is said to those who submit.

use crate::scheduler::{Admission, Rejection};

/// The answer to a task that is submitted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a task may have been rejected"]
pub enum Answer {
    /// It will be asked for once those that it depends on are done.
    Blocked {
        /// How many these are.
        unfinished: usize,
    },
    /// It has asked.
    Asked(Admission),
    /// What it depends on will not be done; it is not kept.
    Unsatisfiable(Unsatisfiable),
}

/// Why a task can never start, whatever is freed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("task `{task}` depends on `{dependency}`, which {why}")]
pub struct Unsatisfiable {
    /// The task.
    pub task: String,
    /// What it depends on.
    pub dependency: String,
    /// What is the matter with that.
    pub why: &'static str,
}

/// What a graph refuses, having changed nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// A task of that name is known.
    #[error("there is a task `{0}` already")]
    Exists(String),
    /// No task of that name is known.
    #[error("there is no task `{0}`")]
    Unknown(String),
}

impl Answer {
    /// Why the task is not kept, unless it is.
    pub(super) fn rejection(&self) -> Option<&Rejection> {
        match self {
            Self::Asked(Admission::Rejected(rejection)) => Some(rejection),
            Self::Asked(Admission::Admitted { .. } | Admission::Queued { .. })
            | Self::Blocked { .. }
            | Self::Unsatisfiable(_) => None,
        }
    }
}
