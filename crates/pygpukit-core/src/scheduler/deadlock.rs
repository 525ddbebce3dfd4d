//! Tasks that wait for tasks.

use super::state::Scheduler;
use super::task::{Stage, bytes};
use crate::id::TaskId;
use crate::ledger::Resource;
use crate::units::Bytes;

impl Scheduler {
    /// True if a running task that waits for another will wait for ever, unless somebody
    /// cancels. `waits_for` says which task a running one waits for.
    ///
    /// Either those it waits for wait for it, or every running task waits, some for
    /// queued ones, and nobody else holds what these lack.
    ///
    /// Takes as long as there are tasks.
    pub fn is_deadlocked(
        &self,
        waiter: TaskId,
        waits_for: impl Fn(TaskId) -> Option<TaskId>,
    ) -> bool {
        let waits = self
            .task_ids
            .get(&waiter)
            .and_then(|slot| self.tasks.get(slot));
        if !waits.is_some_and(|task| matches!(task.stage, Stage::Running { .. })) {
            return false;
        }
        let mut next = waits_for(waiter);
        // Each running task is passed once, unless they are a circle without the waiter.
        for _ in 0..=self.running.len() {
            if next == Some(waiter) {
                return true;
            }
            next = next.and_then(&waits_for);
        }
        let others_hold = self.others_hold();
        let is_stuck = |slot| {
            let task = self.tasks.get(slot)?;
            self.is_waited_for_in_vain(waits_for(task.id)?, others_hold)
        };
        self.running
            .iter()
            .all(|slot| is_stuck(slot).unwrap_or(false))
    }

    /// Whether memory is held outside running tasks: it may be given back any time.
    fn others_hold(&self) -> bool {
        let mut tenants = self.tenants.iter();
        let mut tasks = self.tasks.iter();
        tenants.any(|(_, tenant)| bytes(&tenant.outside) > Bytes::ZERO)
            || tasks.any(|(_, task)| matches!(task.stage, Stage::Ended { .. }))
    }

    /// Whether a task waits for what running tasks alone hold, or runs; `None` if it is
    /// over.
    fn is_waited_for_in_vain(&self, id: TaskId, others_hold: bool) -> Option<bool> {
        let slot = self.task_ids.get(&id)?;
        let task = self.tasks.get(slot)?;
        Some(match task.stage {
            Stage::Running { .. } => true,
            Stage::Ended { .. } => false,
            Stage::Queued { .. } => {
                let lacks = self.waits_of(slot)?.all().without(Resource::Workers);
                task.timeout().is_none() && (lacks.is_empty() || !others_hold)
            }
        })
    }
}
