//! What a task runs, and how that ends.

use crate::error::{Error, Result};
use crate::scheduler::task::Task;
use crate::stream::Stream;
use pygpukit_core::id::TaskId;
use pygpukit_core::scheduler::Rejection;
use std::fmt;
use std::sync::Arc;

/// Why a job failed, in its own words.
pub type JobError = Box<dyn std::error::Error + Send + Sync>;

/// The work of a task.
///
/// It is run at most once, on a worker thread, and dropped without being run if
/// the task is rejected or cancelled.
pub trait Job: Send + 'static {
    /// Does the work. What it returns to its owner stays between the two.
    ///
    /// # Errors
    /// Whatever makes the task fail. A panic does too.
    fn run(self: Box<Self>, context: &TaskContext) -> Result<(), JobError>;
}

impl<F> Job for F
where
    F: FnOnce(&TaskContext) -> Result<(), JobError> + Send + 'static,
{
    fn run(self: Box<Self>, context: &TaskContext) -> Result<(), JobError> {
        self(context)
    }
}

/// What a job works with.
#[derive(Debug)]
pub struct TaskContext {
    pub(super) stream: Stream,
    pub(super) task: Task,
}

impl TaskContext {
    /// The task's own stream. Memory that work on it allocates is charged to
    /// the task.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// The task.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// The task's id.
    pub fn id(&self) -> TaskId {
        self.task.id()
    }

    /// True once somebody has asked for the task to be cancelled. Nothing can be
    /// queued on its stream any more.
    pub fn is_cancelled(&self) -> bool {
        self.task.is_cancel_requested()
    }
}

/// How a task ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Its job returned, and all that it queued has completed.
    Completed,
    /// Its job or its work on the device failed.
    Failed(Failure),
    /// It was cancelled before it started.
    Cancelled,
    /// It could not be run.
    Rejected(Rejection),
}

/// Why a task failed.
#[derive(Clone, Debug)]
pub enum Failure {
    /// Its job said so.
    Job(Arc<dyn std::error::Error + Send + Sync>),
    /// Its job panicked, with this message.
    Panic(String),
    /// What it queued failed on the device, or the device could not run it.
    Device(Error),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Job(error) => error.fmt(f),
            Self::Panic(message) => write!(f, "the task panicked: {message}"),
            Self::Device(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}
