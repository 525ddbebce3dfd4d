//! Tasks end, and those that depend on them start or end too.

use super::answer::GraphError;
use super::state::TaskState;
use super::task_graph::TaskGraph;
use crate::id::TaskId;
use crate::scheduler::{Admission, Event};
use crate::units::{Bytes, Nanoseconds};
use std::cmp::Reverse;

/// How a task ends.
enum End {
    Completed,
    Failed(String),
    Cancelled(Option<String>),
}

impl TaskGraph {
    /// Notes that a task is done; true if it was ready or running.
    pub fn complete(&mut self, now: Nanoseconds, name: &str) -> bool {
        let started =
            |state: &TaskState| matches!(state, TaskState::Ready | TaskState::Running { .. });
        let id = self.ids.get(name).copied();
        let id = id.filter(|id| self.tasks.get(id).is_some_and(|task| started(&task.state)));
        id.is_some_and(|id| self.end(now, id, End::Completed))
    }

    /// Notes that a task has failed; true if it had not ended.
    pub fn fail(&mut self, now: Nanoseconds, name: &str, error: String) -> bool {
        let id = self.ids.get(name).copied();
        id.is_some_and(|id| self.end(now, id, End::Failed(error)))
    }

    /// Cancels a task, whether it runs or not; true if it had not ended.
    pub fn cancel(&mut self, now: Nanoseconds, name: &str) -> bool {
        let id = self.ids.get(name).copied();
        id.is_some_and(|id| self.end(now, id, End::Cancelled(None)))
    }

    /// Takes back what a task has, if it was admitted, or its place in the queue.
    ///
    /// # Errors
    /// [`GraphError::Unknown`], also for one that has ended.
    pub fn release(&mut self, now: Nanoseconds, name: &str) -> Result<(), GraphError> {
        if self.complete(now, name) || self.cancel(now, name) {
            Ok(())
        } else {
            Err(GraphError::Unknown(name.into()))
        }
    }

    /// Ends a task, and what cannot be without it; false if it had ended.
    fn end(&mut self, now: Nanoseconds, id: TaskId, end: End) -> bool {
        let mut ends = vec![(id, end)];
        let mut freed = Vec::new();
        let mut any = false;
        while let Some((id, end)) = ends.pop() {
            let Some((dependents, why)) = self.end_one(now, id, end) else {
                continue;
            };
            any = true;
            match why {
                None => freed.extend(dependents),
                Some(why) => ends.extend(
                    dependents
                        .into_iter()
                        .map(|each| (each, End::Cancelled(Some(why.clone())))),
                ),
            }
        }
        // What is freed at once asks in the order in which it would start.
        freed.sort_by_key(|id| {
            let task = self.tasks.get(id);
            (Reverse(task.map(|task| task.request.spec().priority)), *id)
        });
        for dependent in freed {
            self.unblock(now, dependent);
        }
        self.forget_oldest();
        any
    }

    /// Ends one task. Says who depends on it, and why they cannot be, if they cannot.
    fn end_one(
        &mut self,
        now: Nanoseconds,
        id: TaskId,
        end: End,
    ) -> Option<(Vec<TaskId>, Option<String>)> {
        let task = self.tasks.get_mut(&id)?;
        if task.state.is_terminal() {
            return None;
        }
        let started = task.state.started();
        let (state, why) = match end {
            End::Completed => {
                self.stats.completed += 1;
                let ended = now;
                (TaskState::Completed { started, ended }, None)
            }
            End::Failed(error) => {
                self.stats.failed += 1;
                let why = format!("depends on `{}`, which has failed", task.name);
                let ended = now;
                let failed = TaskState::Failed {
                    started,
                    ended,
                    error,
                };
                (failed, Some(why))
            }
            End::Cancelled(because) => {
                self.stats.cancelled += 1;
                let why = format!("depends on `{}`, which was cancelled", task.name);
                let ended = now;
                let cancelled = TaskState::Cancelled {
                    started,
                    ended,
                    because,
                };
                (cancelled, Some(why))
            }
        };
        let failed = why.is_some();
        let before = std::mem::replace(&mut task.state, state);
        let dependents = std::mem::take(&mut task.dependents);
        let priority = Reverse(task.request.spec().priority);
        if let Some(since) = started {
            self.stats.running -= 1;
            self.stats.ended_runs += 1;
            let ran = now.saturating_sub(since);
            self.stats.ran = self.stats.ran.saturating_add(ran);
        }
        match before {
            TaskState::Blocked { .. } => self.stats.blocked -= 1,
            TaskState::Queued => self.step(now, Event::Cancel { task: id }),
            TaskState::Ready | TaskState::Running { .. } => {
                self.ready.remove(&(priority, id));
                let held = Bytes::ZERO;
                let task = id;
                self.step(now, Event::Finish { task, failed, held });
            }
            TaskState::Completed { .. }
            | TaskState::Failed { .. }
            | TaskState::Cancelled { .. } => {}
        }
        self.ended.push_back(id);
        Some((dependents, why))
    }

    /// One of those that a task depends on is done.
    fn unblock(&mut self, now: Nanoseconds, id: TaskId) {
        let Some(task) = self.tasks.get_mut(&id) else {
            return;
        };
        let TaskState::Blocked { unfinished } = &mut task.state else {
            return;
        };
        *unfinished -= 1;
        if *unfinished > 0 {
            return;
        }
        let request = task.request.clone();
        match self.ask(now, id, &request) {
            // The queue is full. What depends on it ends with it, and frees nobody.
            Admission::Rejected(rejection) => {
                self.end(now, id, End::Failed(rejection.to_string()));
            }
            // It is ready since it was granted.
            Admission::Admitted { .. } => self.stats.blocked -= 1,
            Admission::Queued { .. } => {
                self.stats.blocked -= 1;
                if let Some(task) = self.tasks.get_mut(&id) {
                    task.state = TaskState::Queued;
                }
            }
        }
    }
}
