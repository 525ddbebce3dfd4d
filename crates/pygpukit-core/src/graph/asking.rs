//! What a task would be answered, and asking for it.

use super::answer::{Answer, GraphError, Unsatisfiable};
use super::state::TaskState;
use super::task_graph::{TENANT, TaskGraph};
use crate::id::TaskId;
use crate::scheduler::{Action, Admission, Event, Reason, Rejection, Request};
use crate::units::Nanoseconds;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The answer of a scheduler that knows nothing of us.
const CLOSED: Admission = Admission::Rejected(Rejection {
    reason: Reason::Closed,
    asked: 1,
    available: 0,
    limit: 0,
});

impl TaskGraph {
    /// The answer that a task would get if it were submitted now. Changes nothing.
    ///
    /// # Errors
    /// [`GraphError::Exists`].
    pub fn foresee(
        &self,
        name: &str,
        after: &[String],
        request: &Request,
    ) -> Result<Answer, GraphError> {
        Ok(match self.unfinished(name, after)? {
            Err(dependency) => Answer::Unsatisfiable(dependency),
            Ok(unfinished) if unfinished.is_empty() => Answer::Asked(self.foreseen(request)),
            Ok(unfinished) => self.blocked(unfinished.len(), request),
        })
    }

    /// What a new task of that name would wait for, or why it cannot be.
    pub(super) fn unfinished(
        &self,
        name: &str,
        after: &[String],
    ) -> Result<Result<BTreeSet<TaskId>, Unsatisfiable>, GraphError> {
        if self.ids.contains_key(name) {
            return Err(GraphError::Exists(name.into()));
        }
        let mut unfinished = BTreeSet::new();
        for dependency in after {
            let why = match self.ids.get(dependency) {
                None => "is not known: submit it first",
                Some(id) => match self.tasks.get(id).map(|task| &task.state) {
                    Some(TaskState::Completed { .. }) => continue,
                    Some(TaskState::Failed { .. }) => "has failed",
                    Some(TaskState::Cancelled { .. }) => "was cancelled",
                    Some(_) | None => {
                        unfinished.insert(*id);
                        continue;
                    }
                },
            };
            return Ok(Err(Unsatisfiable {
                task: name.into(),
                dependency: dependency.clone(),
                why,
            }));
        }
        Ok(Ok(unfinished))
    }

    /// A task that asks only later. It is rejected if it asks for more than there is.
    pub(super) fn blocked(&self, unfinished: usize, request: &Request) -> Answer {
        match self.foreseen(request) {
            Admission::Rejected(rejection) if rejection.asked > rejection.limit => {
                Answer::Asked(Admission::Rejected(rejection))
            }
            Admission::Admitted { .. } | Admission::Queued { .. } | Admission::Rejected(_) => {
                Answer::Blocked { unfinished }
            }
        }
    }

    fn foreseen(&self, request: &Request) -> Admission {
        let foreseen = self.scheduler.foresee(TENANT, request);
        debug_assert!(foreseen.is_ok(), "the tenant is there");
        foreseen.unwrap_or(CLOSED)
    }

    /// Asks the scheduler for what a task asks for.
    pub(super) fn ask(&mut self, now: Nanoseconds, task: TaskId, request: &Request) -> Admission {
        let request = Box::new(request.clone());
        let event = Event::Submit {
            task,
            tenant: TENANT,
            request,
        };
        self.step(now, event);
        let answer = self.actions.admission_of(task);
        debug_assert!(answer.is_some(), "whoever submits is answered");
        answer.unwrap_or(CLOSED)
    }

    /// Tells the scheduler what happened.
    pub(super) fn step(&mut self, now: Nanoseconds, event: Event) {
        drop(self.actions.drain());
        let done = self.scheduler.step(now, event, &mut self.actions);
        debug_assert_eq!(done, Ok(()), "the graph knows what the scheduler knows");
        for action in self.actions.as_slice() {
            if let Action::Start { task: id, .. } = action
                && let Some(task) = self.tasks.get_mut(id)
            {
                task.state = TaskState::Ready;
                let priority = Reverse(task.request.spec().priority);
                self.ready.insert((priority, *id));
            }
        }
    }
}
