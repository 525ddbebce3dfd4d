//! A task, and how far it has come.

use crate::id::TaskId;
use crate::scheduler::Request;
use crate::units::{Bytes, Nanoseconds};

/// How far a task has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskState {
    /// It waits for tasks that it depends on.
    Blocked {
        /// How many are not done.
        unfinished: usize,
    },
    /// It waits for what it asked for.
    Queued,
    /// It has what it asked for, and may start.
    Ready,
    /// It runs.
    Running {
        /// Since when.
        since: Nanoseconds,
    },
    /// It has done what it was to do.
    Completed {
        /// When it started; `None` if nobody said so.
        started: Option<Nanoseconds>,
        /// When it ended.
        ended: Nanoseconds,
    },
    /// It has not.
    Failed {
        /// When it started.
        started: Option<Nanoseconds>,
        /// When it ended.
        ended: Nanoseconds,
        /// Why.
        error: String,
    },
    /// It was not to go on.
    Cancelled {
        /// When it started.
        started: Option<Nanoseconds>,
        /// When it ended.
        ended: Nanoseconds,
        /// What it depends on, and what is the matter with that; `None` if somebody
        /// cancelled it.
        because: Option<String>,
    },
}

impl TaskState {
    /// Whether it has ended.
    pub const fn is_terminal(&self) -> bool {
        self.ended().is_some()
    }

    /// When it started.
    pub const fn started(&self) -> Option<Nanoseconds> {
        match self {
            Self::Blocked { .. } | Self::Queued | Self::Ready => None,
            Self::Running { since } => Some(*since),
            Self::Completed { started, .. }
            | Self::Failed { started, .. }
            | Self::Cancelled { started, .. } => *started,
        }
    }

    /// When it ended.
    pub const fn ended(&self) -> Option<Nanoseconds> {
        match self {
            Self::Blocked { .. } | Self::Queued | Self::Ready | Self::Running { .. } => None,
            Self::Completed { ended, .. }
            | Self::Failed { ended, .. }
            | Self::Cancelled { ended, .. } => Some(*ended),
        }
    }

    /// What went wrong.
    pub fn error(&self) -> Option<&str> {
        match self {
            Self::Failed { error, .. } => Some(error),
            Self::Cancelled { because, .. } => because.as_deref(),
            Self::Blocked { .. }
            | Self::Queued
            | Self::Ready
            | Self::Running { .. }
            | Self::Completed { .. } => None,
        }
    }
}

/// A task that a graph knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    pub(super) name: String,
    pub(super) request: Request,
    pub(super) after: Vec<String>,
    pub(super) submitted: Nanoseconds,
    pub(super) state: TaskState,
    /// Those that wait for it.
    pub(super) dependents: Vec<TaskId>,
}

impl Task {
    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it asks for.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// What it depends on.
    pub fn after(&self) -> &[String] {
        &self.after
    }

    /// When it was submitted.
    pub fn submitted(&self) -> Nanoseconds {
        self.submitted
    }

    /// How far it has come.
    pub fn state(&self) -> &TaskState {
        &self.state
    }

    /// The memory that is its own now.
    pub fn held(&self) -> Bytes {
        match self.state {
            TaskState::Ready | TaskState::Running { .. } => self.request.memory(),
            TaskState::Blocked { .. }
            | TaskState::Queued
            | TaskState::Completed { .. }
            | TaskState::Failed { .. }
            | TaskState::Cancelled { .. } => Bytes::ZERO,
        }
    }

    /// How long it has waited for its start, up to now or its end without one.
    pub fn waited(&self, now: Nanoseconds) -> Nanoseconds {
        let until = self.state.started().or(self.state.ended());
        until.unwrap_or(now).saturating_sub(self.submitted)
    }

    /// How long it has run, up to now or its end; `None` before its start.
    pub fn ran(&self, now: Nanoseconds) -> Option<Nanoseconds> {
        let until = self.state.ended().unwrap_or(now);
        Some(until.saturating_sub(self.state.started()?))
    }
}
