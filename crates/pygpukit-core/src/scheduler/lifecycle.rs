//! Tenants come, change and go; tasks end.

use super::event::{Action, Actions, Reason, Rejection};
use super::state::{Scheduler, StepError};
use super::task::{Stage, Task, bytes};
use super::tenant::{Tenant, TenantSpec};
use crate::collections::Slot;
use crate::id::{TaskId, TenantId};
use crate::ledger::{Amount, Ledger, Resource, Shortage};
use crate::units::{Bytes, Nanoseconds};

impl Scheduler {
    pub(super) fn open(
        &mut self,
        id: TenantId,
        spec: TenantSpec,
        actions: &mut Actions,
    ) -> Result<(), StepError> {
        if self.tenant_ids.get(&id).is_some() {
            return Err(StepError::DuplicateTenant(id));
        }
        // First what the ledger can tell, with its numbers.
        match self.ledger.reserve(spec.own()) {
            Ok(held) => self.ledger.give_back(held),
            Err(shortage) => {
                deny(id, shortage, actions);
                return Ok(());
            }
        }
        let Ok(seat) = self.time.seat(self.now, id, &spec) else {
            deny(id, self.no_time(&spec), actions);
            return Ok(());
        };
        match Tenant::open(id, spec, seat, &mut self.ledger) {
            Ok(tenant) => {
                let slot = self.tenants.insert(tenant);
                self.tenant_ids.insert(id, slot);
            }
            Err(shortage) => {
                self.time.leave(self.now, seat);
                deny(id, shortage, actions);
            }
        }
        Ok(())
    }

    /// The time that a tenant asks for is not there, though the ledger has as much:
    /// promises to be kept strictly need more.
    fn no_time(&self, spec: &TenantSpec) -> Shortage {
        let resource = Resource::Bandwidth;
        Shortage {
            resource,
            asked: spec.own().get(resource),
            available: 0,
            limit: self.ledger.capacity().get(resource),
        }
    }

    pub(super) fn resize(
        &mut self,
        id: TenantId,
        spec: TenantSpec,
        actions: &mut Actions,
    ) -> Result<(), StepError> {
        let slot = self.tenant_slot(id)?;
        let Some(tenant) = self.tenants.get_mut(slot) else {
            return Err(StepError::UnknownTenant(id));
        };
        let before = tenant.spec;
        if let Err(shortage) = tenant.resize(spec, &mut self.ledger) {
            deny(id, shortage, actions);
            return Ok(());
        }
        let seat = tenant.seat;
        let time = tenant.time_by(&spec);
        if self.reseat(slot, &before, &time).is_err() {
            if let Some(tenant) = self.tenants.get_mut(slot) {
                tenant.resize(before, &mut self.ledger)?;
            }
            deny(id, self.no_time(&spec), actions);
            return Ok(());
        }
        self.hand_out(seat, actions);
        if let Some(tenant) = self.tenants.get(slot) {
            self.hand_out(tenant.seat, actions);
        }
        self.freed(slot);
        self.reject_hopeless(slot, actions);
        Ok(())
    }

    pub(super) fn close(
        &mut self,
        id: TenantId,
        cancel_pending: bool,
        actions: &mut Actions,
    ) -> Result<(), StepError> {
        let slot = self.tenant_slot(id)?;
        if let Some(tenant) = self.tenants.get_mut(slot) {
            tenant.closed = true;
            tenant.settle(&mut self.ledger)?;
            let (seat, spec) = (tenant.seat, tenant.time_by(&tenant.spec));
            let less = self.time.change(self.now, seat, &spec);
            debug_assert_eq!(less, Ok(()), "less is promised");
            self.hand_out(seat, actions);
            self.freed(slot);
        }
        if cancel_pending {
            for task in self.queue.of_tenant(slot) {
                self.cancel_queued(task, actions);
            }
        }
        self.forget_tenant(slot);
        Ok(())
    }

    pub(super) fn finish(
        &mut self,
        id: TaskId,
        failed: bool,
        left: Bytes,
        actions: &mut Actions,
    ) -> Result<(), StepError> {
        let slot = self.task_slot(id)?;
        let (task, tenant, device) = self.parts(slot, id)?;
        let Stage::Running {
            since,
            client,
            held,
        } = &mut task.stage
        else {
            return Err(StepError::NotRunning(id));
        };
        if left > bytes(held) {
            return Err(overdrawn(left, bytes(held), bytes(held)));
        }
        let (since, client, seat) = (*since, *client, tenant.seat);
        let mut held = std::mem::take(held);
        let freed = held.amount().saturating_sub(&Amount::of_memory(left));
        tenant.give(device, &mut held, freed)?;
        task.stage = Stage::Ended { held };
        let tenant = task.tenant;
        self.running.remove(slot);
        if let Some(client) = client {
            self.time.leave_task(self.now, seat, client);
            self.hand_out(seat, actions);
        }
        self.count_run(self.now.saturating_sub(since), failed);
        self.freed(tenant);
        if left == Bytes::ZERO {
            self.forget_task(slot);
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
        let slot = self.task_slot(id)?;
        self.cancel_queued(slot, actions);
        Ok(())
    }

    /// Cancels a task if it is queued.
    fn cancel_queued(&mut self, slot: Slot, actions: &mut Actions) {
        if let Some(task) = self.tasks.get(slot)
            && let Stage::Queued { .. } = task.stage
        {
            let task = task.id;
            self.take_from_queue(slot);
            self.forget_task(slot);
            self.counters.cancelled += 1;
            actions.push(Action::Cancel { task });
        }
    }

    /// Notes that a tenant has given something back, or that another of its tasks
    /// is first of a lane.
    pub(super) fn freed(&mut self, tenant: Slot) {
        self.list_all(tenant);
        self.unsettled = true;
    }

    /// Forgets a task that is in no queue and holds nothing any more.
    pub(super) fn forget_task(&mut self, slot: Slot) {
        let Some(task) = self.tasks.remove(slot) else {
            return;
        };
        self.task_ids.remove(&task.id);
        if let Some(tenant) = self.tenants.get_mut(task.tenant) {
            tenant.tasks -= 1;
        }
        self.forget_tenant(task.tenant);
    }

    /// Forgets a closed tenant that has nothing left.
    pub(super) fn forget_tenant(&mut self, slot: Slot) {
        if let Some(tenant) = self.tenants.get_mut(slot)
            && tenant.closed
            && tenant.tasks == 0
            && bytes(&tenant.outside) == Bytes::ZERO
        {
            tenant.release(&mut self.ledger);
            self.unsettled = true;
            self.tenant_ids.remove(&tenant.id);
            self.time.leave(self.now, tenant.seat);
            self.tenants.remove(slot);
        }
    }

    pub(super) fn tenant_slot(&self, id: TenantId) -> Result<Slot, StepError> {
        self.tenant_ids.get(&id).ok_or(StepError::UnknownTenant(id))
    }

    pub(super) fn task_slot(&self, id: TaskId) -> Result<Slot, StepError> {
        self.task_ids.get(&id).ok_or(StepError::UnknownTask(id))
    }

    /// A task, the tenant whose it is, and the ledger of the device.
    pub(super) fn parts(
        &mut self,
        slot: Slot,
        id: TaskId,
    ) -> Result<(&mut Task, &mut Tenant, &mut Ledger), StepError> {
        let unknown = StepError::UnknownTask(id);
        let task = self.tasks.get_mut(slot).ok_or(unknown)?;
        let tenant = self.tenants.get_mut(task.tenant).ok_or(unknown)?;
        Ok((task, tenant, &mut self.ledger))
    }
}

fn deny(tenant: TenantId, shortage: Shortage, actions: &mut Actions) {
    let rejection = Rejection {
        reason: Reason::Resource(shortage.resource),
        asked: shortage.asked,
        available: shortage.available,
        limit: shortage.limit,
    };
    actions.push(Action::Deny { tenant, rejection });
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
