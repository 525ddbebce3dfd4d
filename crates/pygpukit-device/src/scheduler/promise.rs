//! The value of a task.

use super::job::{Job, JobError, Outcome, TaskContext};
use super::task::Task;
use crate::error::Result;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A task, and the value that it will have.
pub struct Promise<T> {
    task: Task,
    value: Arc<Mutex<Option<T>>>,
}

impl<T: Send + 'static> Promise<T> {
    pub(super) fn make<E: Into<JobError>>(
        work: impl FnOnce(&TaskContext) -> Result<T, E> + Send + 'static,
        submit: impl FnOnce(Box<dyn Job>) -> Result<Task>,
    ) -> Result<Self> {
        let value = Arc::new(Mutex::new(None));
        let slot = Arc::clone(&value);
        let job = move |context: &TaskContext| -> Result<(), JobError> {
            let made = work(context).map_err(Into::into)?;
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
            Ok(())
        };
        let task = submit(Box::new(job))?;
        Ok(Self { task, value })
    }

    /// The task.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// Blocks until the task is over, or, with a limit, until that time is;
    /// `None` if it is not over, and once the value has been taken.
    ///
    /// # Errors
    /// [`Error::Forked`](crate::Error::Forked) in a child process. How the task
    /// ended, if not well, is the inner error.
    pub fn wait(&self, timeout: Option<Duration>) -> Result<Option<Result<T, Outcome>>> {
        Ok(match self.task.wait(timeout)? {
            None => None,
            Some(Outcome::Completed) => {
                let mut value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
                value.take().map(Ok)
            }
            Some(outcome @ (Outcome::Failed(_) | Outcome::Cancelled | Outcome::Rejected(_))) => {
                Some(Err(outcome))
            }
        })
    }
}

impl<T> fmt::Debug for Promise<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Promise").field(&self.task).finish()
    }
}
