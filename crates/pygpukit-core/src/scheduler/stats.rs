//! Numbers for people to look at, computed when asked for.

use super::event::Holder;
use super::policy::Policy;
use super::state::Scheduler;
use super::task::{Stage, bytes};
use crate::id::{TaskId, TenantId};
use crate::ledger::{Ledger, Resource, ResourceSet};
use crate::units::{Bytes, Nanoseconds, Share};

/// What has happened so far, in tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Submitted.
    pub submitted: u64,
    /// Of those, started.
    pub started: u64,
    /// Of those submitted, the ones that could not start at once.
    pub queued: u64,
    /// Rejected, at once or after waiting too long.
    pub rejected: u64,
    /// Cancelled before they started.
    pub cancelled: u64,
    /// Ended well.
    pub completed: u64,
    /// Ended badly.
    pub failed: u64,
    /// Requests for memory beyond what was reserved that were refused; not tasks.
    pub refused: u64,
}

/// A device as its scheduler sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchedulerStats {
    /// Memory of the device.
    pub total_memory: Bytes,
    /// Memory that running tasks reserved.
    pub reserved_memory: Bytes,
    /// Memory that running tasks and work outside tasks use beyond that.
    pub borrowed_memory: Bytes,
    /// Memory that tenants own and do not use.
    pub idle_memory: Bytes,
    /// Memory in arrays that ended tasks left behind.
    pub returned_memory: Bytes,
    /// Memory that nobody holds.
    pub available_memory: Bytes,
    /// Share of the time that running tasks reserved.
    pub reserved_bandwidth: Share,
    /// Share of the time that is not reserved.
    pub available_bandwidth: Share,
    /// Tasks that may run at once.
    pub workers: u32,
    /// Tasks that run.
    pub running: usize,
    /// Tasks that wait.
    pub queued: usize,
    /// What has happened so far.
    pub counters: Counters,
}

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskStage {
    /// It waits.
    Queued {
        /// Tasks ahead of it.
        position: usize,
        /// What there is too little of.
        waits_for: ResourceSet,
    },
    /// It runs.
    Running {
        /// Since when.
        since: Nanoseconds,
    },
    /// It has ended, and arrays of it live on.
    Ended,
}

/// A task as its scheduler sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskStats {
    /// Whose it is.
    pub tenant: TenantId,
    /// What it is promised.
    pub policy: Policy,
    /// When it was submitted.
    pub submitted: Nanoseconds,
    /// How far it is.
    pub stage: TaskStage,
    /// Memory it holds: its own, and borrowed.
    pub held_memory: Bytes,
    /// Memory it holds beyond what it reserved.
    pub borrowed_memory: Bytes,
    /// Share of the time that is its own.
    pub bandwidth: Share,
}

impl Scheduler {
    /// The device as a whole.
    pub fn stats(&self) -> SchedulerStats {
        let mut reserved = 0;
        let mut borrowed: u64 = self
            .tenants
            .iter()
            .map(|(_, tenant)| bytes(&tenant.outside).get())
            .sum();
        let mut returned = 0;
        for (_, task) in self.tasks.iter() {
            match &task.stage {
                Stage::Queued { .. } => {}
                Stage::Running { held, .. } => {
                    let own = task.request.memory().get();
                    reserved += own;
                    borrowed += bytes(held).get() - own;
                }
                Stage::Ended { held } => returned += bytes(held).get(),
            }
        }
        let available = self.ledger.available();
        SchedulerStats {
            total_memory: self.config.memory,
            reserved_memory: Bytes::new(reserved),
            borrowed_memory: Bytes::new(borrowed),
            returned_memory: Bytes::new(returned),
            idle_memory: Bytes::new(
                self.ledger.granted().bytes().get() - reserved - borrowed - returned,
            ),
            available_memory: available.bytes(),
            reserved_bandwidth: self.ledger.granted().share(Resource::Bandwidth),
            available_bandwidth: available.share(Resource::Bandwidth),
            workers: self.config.workers,
            running: self.running.len(),
            queued: self.queue.len(),
            counters: self.counters,
        }
    }

    /// Whether a tenant is there: one that was closed is, until all that it has is free.
    pub fn has_tenant(&self, tenant: TenantId) -> bool {
        self.tenant_ids.get(&tenant).is_some()
    }

    /// What there is, and what is granted: to tenants as their own, and to their tasks.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// What has happened so far.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// How many tasks run.
    pub fn running(&self) -> usize {
        self.running.len()
    }

    /// How many tasks wait.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Memory that somebody holds: none for those who are not there.
    pub fn held(&self, holder: Holder) -> Bytes {
        let held = match holder {
            Holder::Tenant(id) => {
                let tenant = self.tenant_ids.get(&id);
                let tenant = tenant.and_then(|slot| self.tenants.get(slot));
                tenant.map(|tenant| &tenant.outside)
            }
            Holder::Task(id) => {
                let task = self.task_ids.get(&id);
                task.and_then(|slot| self.tasks.get(slot)?.held())
            }
        };
        held.map_or(Bytes::ZERO, bytes)
    }

    /// One task; `None` if it does not wait, run or hold memory.
    pub fn task_stats(&self, id: TaskId) -> Option<TaskStats> {
        let slot = self.task_ids.get(&id)?;
        let task = self.tasks.get(slot)?;
        let (stage, held, own) = match &task.stage {
            Stage::Queued { rank, .. } => {
                let stage = TaskStage::Queued {
                    position: self.queue.ahead_of(*rank),
                    waits_for: self.kept_from(slot).0,
                };
                (stage, None, Bytes::ZERO)
            }
            Stage::Running { since, held, .. } => (
                TaskStage::Running { since: *since },
                Some(held),
                task.request.memory(),
            ),
            Stage::Ended { held } => (TaskStage::Ended, Some(held), bytes(held)),
        };
        let held_memory = held.map_or(Bytes::ZERO, bytes);
        Some(TaskStats {
            tenant: self.tenants.get(task.tenant)?.id,
            policy: task.request.policy(),
            submitted: task.submitted,
            stage,
            held_memory,
            borrowed_memory: Bytes::new(held_memory.get() - own.get()),
            bandwidth: held.map_or(Share::ZERO, |held| held.amount().share(Resource::Bandwidth)),
        })
    }
}
