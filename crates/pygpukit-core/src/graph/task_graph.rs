//! Tasks that wait for each other, and then for what they ask for.

use super::answer::{Answer, GraphError};
use super::state::{Task, TaskState};
use super::stats::GraphStats;
use crate::id::{TaskId, TenantId};
use crate::ledger::Amount;
use crate::scheduler::{self, Actions, Admission, Event, Request, Scheduler, ShareAsk, TenantSpec};
use crate::units::{Bytes, Nanoseconds, Share};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What a graph decides over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Memory that tasks reserve, all together.
    pub memory: Bytes,
    /// Share of the time that they reserve, all together.
    pub bandwidth: Share,
    /// Tasks that wait for what they ask for.
    pub max_queued: usize,
    /// Tasks that have ended and are remembered; the oldest are forgotten.
    pub max_ended: usize,
}

/// Tasks by name, which wait for each other and then for what they ask for.
///
/// What a task asks for is its own from when it is admitted until it ends; then those
/// that wait for it are admitted, in the order of the [`Scheduler`]. A task depends
/// only on tasks that were submitted before, so that none waits for itself. When one
/// fails or is cancelled, so are those that depend on it.
#[derive(Debug)]
pub struct TaskGraph {
    pub(super) scheduler: Scheduler,
    pub(super) actions: Actions,
    pub(super) ids: BTreeMap<String, TaskId>,
    pub(super) tasks: BTreeMap<TaskId, Task>,
    /// Larger priorities first, then who came first.
    pub(super) ready: BTreeSet<(Reverse<i32>, TaskId)>,
    /// In the order in which they ended.
    pub(super) ended: VecDeque<TaskId>,
    pub(super) stats: GraphStats,
    config: Config,
    next: u64,
}

/// Whose tasks they are.
pub(super) const TENANT: TenantId = TenantId::new(1);

impl TaskGraph {
    /// A graph without tasks.
    pub fn new(config: Config) -> Self {
        let limits = scheduler::Config {
            max_queued: config.max_queued,
            ..scheduler::Config::new(config.memory, u32::MAX)
        };
        let mut scheduler = Scheduler::new(limits);
        let spec = TenantSpec {
            bandwidth: Some(ShareAsk {
                floor: Share::ZERO,
                cap: config.bandwidth,
            }),
            ..TenantSpec::default()
        };
        let open = Event::Open {
            tenant: TENANT,
            spec,
        };
        let opened = scheduler.step(Nanoseconds::ZERO, open, &mut Actions::new());
        debug_assert_eq!(opened, Ok(()), "it asks for nothing of its own");
        Self {
            scheduler,
            actions: Actions::new(),
            ids: BTreeMap::new(),
            tasks: BTreeMap::new(),
            ready: BTreeSet::new(),
            ended: VecDeque::new(),
            stats: GraphStats::default(),
            config,
            next: 0,
        }
    }

    /// Submits a task that starts after others are done. One that is rejected or
    /// unsatisfiable is not kept.
    ///
    /// # Errors
    /// [`GraphError::Exists`].
    pub fn submit(
        &mut self,
        now: Nanoseconds,
        name: &str,
        after: &[String],
        request: Request,
    ) -> Result<Answer, GraphError> {
        let id = TaskId::new(self.next);
        let unfinished = match self.unfinished(name, after)? {
            Ok(unfinished) => unfinished,
            Err(dependency) => {
                self.stats.rejected += 1;
                return Ok(Answer::Unsatisfiable(dependency));
            }
        };
        let answer = if unfinished.is_empty() {
            Answer::Asked(self.ask(now, id, &request))
        } else {
            self.blocked(unfinished.len(), &request)
        };
        if answer.rejection().is_some() {
            self.stats.rejected += 1;
            return Ok(answer);
        }
        self.next += 1;
        self.stats.submitted += 1;
        for dependency in &unfinished {
            if let Some(task) = self.tasks.get_mut(dependency) {
                task.dependents.push(id);
            }
        }
        let state = match &answer {
            Answer::Blocked { unfinished } => {
                self.stats.blocked += 1;
                TaskState::Blocked {
                    unfinished: *unfinished,
                }
            }
            Answer::Asked(Admission::Admitted { .. }) => {
                self.ready.insert((Reverse(request.spec().priority), id));
                TaskState::Ready
            }
            Answer::Asked(_) | Answer::Unsatisfiable(_) => TaskState::Queued,
        };
        let task = Task {
            name: name.into(),
            request,
            after: after.into(),
            submitted: now,
            state,
            dependents: Vec::new(),
        };
        self.ids.insert(name.into(), id);
        self.tasks.insert(id, task);
        Ok(answer)
    }

    /// Takes the names of tasks that may start, which so do: at most `most`, larger
    /// priorities first, then those that came first.
    pub fn take_ready(&mut self, now: Nanoseconds, most: usize) -> Vec<String> {
        let ids: Vec<_> = self.ready.iter().map(|&(_, id)| id).take(most).collect();
        let names = ids.into_iter().filter_map(|id| {
            let name = self.tasks.get(&id)?.name.clone();
            self.run(now, id).then_some(name)
        });
        names.collect()
    }

    /// Starts a task; true if it was ready.
    pub fn start(&mut self, now: Nanoseconds, name: &str) -> bool {
        let id = self.ids.get(name).copied();
        id.is_some_and(|id| self.run(now, id))
    }

    fn run(&mut self, now: Nanoseconds, id: TaskId) -> bool {
        let Some(task) = self.tasks.get_mut(&id) else {
            return false;
        };
        let was_ready = task.state == TaskState::Ready;
        if was_ready {
            task.state = TaskState::Running { since: now };
            self.ready
                .remove(&(Reverse(task.request.spec().priority), id));
            self.stats.running += 1;
            self.stats.started += 1;
            let waited = now.saturating_sub(task.submitted);
            self.stats.waited = self.stats.waited.saturating_add(waited);
        }
        was_ready
    }

    /// A task, while it is remembered.
    pub fn get(&self, name: &str) -> Option<&Task> {
        self.tasks.get(self.ids.get(name)?)
    }

    /// The graph in numbers.
    pub fn stats(&self) -> &GraphStats {
        &self.stats
    }

    /// What tasks could still reserve.
    pub fn available(&self) -> Amount {
        let limit = Amount::of_memory(self.config.memory).bandwidth(self.config.bandwidth);
        limit.saturating_sub(self.scheduler.ledger().granted())
    }

    /// Forgets all tasks.
    pub fn clear(&mut self) {
        *self = Self::new(self.config);
    }

    /// What counts what tasks have, and orders those that wait for it.
    pub fn scheduler(&self) -> &Scheduler {
        &self.scheduler
    }

    pub(super) fn forget_oldest(&mut self) {
        while self.ended.len() > self.config.max_ended {
            let oldest = self.ended.pop_front();
            if let Some(task) = oldest.and_then(|id| self.tasks.remove(&id)) {
                self.ids.remove(&task.name);
            }
        }
    }
}
