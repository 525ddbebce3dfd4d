//! Numbers for people to look at.

use super::handle::Scheduler;
use super::task::{Task, TaskState};
use crate::error::Result;
use pygpukit_core::scheduler::{SchedulerStats, TaskStage, TaskStats};
use pygpukit_core::units::{Bytes, Nanoseconds};

/// A device's scheduler, at one moment.
#[derive(Clone, Copy, Debug)]
pub struct SchedulerReport {
    /// The device as a whole, all schedulers and work outside tasks together.
    pub device: SchedulerStats,
    /// The most memory that tasks of this scheduler may hold together.
    pub memory_limit: Bytes,
    /// Tasks of this scheduler that wait or run.
    pub unfinished: usize,
}

/// A task, at one moment.
#[derive(Clone, Debug)]
pub struct TaskReport {
    /// How far it is.
    pub state: TaskState,
    /// Tasks ahead of it and what it waits for, while it waits; what it holds.
    /// `None` once it is over and holds nothing.
    pub core: Option<TaskStats>,
    /// Bytes in its arrays.
    pub used_memory: Bytes,
    /// How long it waited, so far or in all.
    pub waited: Nanoseconds,
    /// How long it ran, so far or in all; `None` if it has not started.
    pub ran: Option<Nanoseconds>,
    /// True if it ended, or is still unfinished, after its deadline; `None`
    /// without one.
    pub missed_deadline: Option<bool>,
}

impl TaskReport {
    /// Tasks ahead of it in policy order, while it waits.
    pub fn position(&self) -> Option<usize> {
        match self.core.as_ref()?.stage {
            TaskStage::Queued { position, .. } => Some(position),
            TaskStage::Running { .. } | TaskStage::Ended => None,
        }
    }
}

impl Scheduler {
    /// The device's scheduler, now.
    ///
    /// # Errors
    /// [`Error::Forked`](crate::Error::Forked) in a child process.
    pub fn stats(&self) -> Result<SchedulerReport> {
        let node = self.node();
        node.check_process()?;
        let state = node.lock();
        Ok(SchedulerReport {
            device: state.core.stats(),
            memory_limit: self.memory_limit(),
            unfinished: state.unfinished.get(&self.tenant()).copied().unwrap_or(0),
        })
    }
}

impl Task {
    /// The task, now.
    ///
    /// # Errors
    /// [`Error::Forked`](crate::Error::Forked) in a child process.
    pub fn stats(&self) -> Result<TaskReport> {
        let node = self.0.node();
        node.check_process()?;
        let core = node.lock().core.task_stats(self.id());
        let times = self.times();
        let now = node.now();
        let ended = times.ended.unwrap_or(now);
        let submitted = self.0.submitted;
        let total = ended.saturating_sub(submitted);
        Ok(TaskReport {
            state: self.state(),
            core,
            used_memory: Bytes::new(self.0.account.used()),
            waited: times.started.unwrap_or(ended).saturating_sub(submitted),
            ran: times.started.map(|since| ended.saturating_sub(since)),
            missed_deadline: self.request().spec().deadline.map(|limit| total > limit),
        })
    }
}
