//! What opening, closing, finishing and cancelling do.

use super::event::{Action, Actions};
use super::state::{Scheduler, StepError};
use super::task::{Stage, Tenant, both};
use crate::id::{TaskId, TenantId};
use crate::ledger::{Amount, Resource, Shortage};
use crate::units::{Bytes, Nanoseconds};
use std::collections::btree_map::Entry;

impl Scheduler {
    pub(super) fn open(
        &mut self,
        tenant: TenantId,
        memory: Option<Bytes>,
    ) -> Result<(), StepError> {
        match self.tenants.entry(tenant) {
            Entry::Occupied(_) => Err(StepError::DuplicateTenant(tenant)),
            Entry::Vacant(place) => {
                place.insert(Tenant::new(*self.ledger.capacity(), memory));
                Ok(())
            }
        }
    }

    pub(super) fn close(
        &mut self,
        id: TenantId,
        cancel_pending: bool,
        actions: &mut Actions,
    ) -> Result<(), StepError> {
        let tenant = self
            .tenants
            .get_mut(&id)
            .ok_or(StepError::UnknownTenant(id))?;
        tenant.closed = true;
        if cancel_pending {
            for task in self.queue.of_tenant(id) {
                self.leave_queue(task);
                self.counters.cancelled += 1;
                actions.push(Action::Cancel { task });
            }
        }
        self.forget_tenant(id);
        Ok(())
    }

    pub(super) fn finish(
        &mut self,
        id: TaskId,
        failed: bool,
        left: Bytes,
    ) -> Result<(), StepError> {
        let (task, tenant) = both(&mut self.tasks, &mut self.tenants, id)?;
        let Stage::Running { since, held } = &mut task.stage else {
            return Err(StepError::NotRunning(id));
        };
        if left > held.bytes() {
            return Err(overdrawn(left, held.bytes(), held.bytes()));
        }
        let ran = self.now.saturating_sub(*since);
        let mut held = std::mem::take(held);
        let freed = held.amount().saturating_sub(&Amount::of_memory(left));
        held.shrink(&mut self.ledger, &mut tenant.quota, freed)?;
        task.stage = Stage::Ended { held };
        self.running.remove(&id);
        self.count_run(ran, failed);
        if left == Bytes::ZERO {
            self.forget_task(id);
        }
        Ok(())
    }

    fn count_run(&mut self, ran: Nanoseconds, failed: bool) {
        let usual = self.usual_run.unwrap_or(ran).get();
        self.usual_run = Some(Nanoseconds::new(usual - usual / 8 + ran.get() / 8));
        let counter = if failed {
            &mut self.counters.failed
        } else {
            &mut self.counters.completed
        };
        *counter += 1;
    }

    pub(super) fn cancel(&mut self, id: TaskId, actions: &mut Actions) -> Result<(), StepError> {
        let task = self.tasks.get(&id).ok_or(StepError::UnknownTask(id))?;
        if matches!(task.stage, Stage::Queued { .. }) {
            self.leave_queue(id);
            self.counters.cancelled += 1;
            actions.push(Action::Cancel { task: id });
        }
        Ok(())
    }

    pub(super) fn leave_queue(&mut self, id: TaskId) {
        let Some(task) = self.tasks.get(&id) else {
            return;
        };
        if let Stage::Queued { lane, rank, .. } = task.stage {
            self.queue.remove(lane, rank);
        }
        if let Some(timeout) = task.request.spec().queue_timeout {
            let due = task.submitted.saturating_add(timeout);
            self.timeouts.remove(&(due, id));
        }
        self.forget_task(id);
    }

    /// Forgets a task that holds nothing any more.
    pub(super) fn forget_task(&mut self, id: TaskId) {
        let Some(task) = self.tasks.remove(&id) else {
            return;
        };
        if let Some(tenant) = self.tenants.get_mut(&task.tenant) {
            tenant.tasks -= 1;
        }
        self.forget_tenant(task.tenant);
    }

    /// Forgets a closed tenant that has nothing left.
    pub(super) fn forget_tenant(&mut self, id: TenantId) {
        if let Some(tenant) = self.tenants.get(&id)
            && tenant.closed
            && tenant.tasks == 0
            && tenant.outside.bytes() == Bytes::ZERO
        {
            self.tenants.remove(&id);
            self.queue.forget(id);
        }
    }
}

/// More memory was given back than `held`, or than may be given back of it.
pub(super) fn overdrawn(asked: Bytes, available: Bytes, held: Bytes) -> StepError {
    StepError::Overdrawn(Shortage {
        resource: Resource::Memory,
        asked: asked.get(),
        available: available.get(),
        limit: held.get(),
    })
}
