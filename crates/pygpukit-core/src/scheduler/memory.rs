//! Memory beyond what was reserved, and memory given back.

use super::event::{Action, Actions, Holder, Reason, Rejection};
use super::lifecycle::overdrawn;
use super::state::{Scheduler, StepError};
use super::task::{Stage, bytes};
use super::tenant::Tenant;
use crate::collections::Slot;
use crate::id::TaskId;
use crate::ledger::{Amount, Grant, Ledger, Resource, Shortage};
use crate::units::Bytes;

impl Scheduler {
    pub(super) fn grow(
        &mut self,
        holder: Holder,
        asked: Bytes,
        actions: &mut Actions,
    ) -> Result<(), StepError> {
        let (held, limit) = self.held_and_limit(holder)?;
        let amount = Amount::of_memory(asked);
        let below_limit = limit.get().saturating_sub(held.get());
        let room = self.with_grant(holder, |tenant, device, _| {
            Ok(tenant.room(device, Resource::Memory))
        })?;
        let available = room.min(below_limit);
        if asked.get() <= available {
            self.with_grant(holder, |tenant, device, grant| {
                tenant.take(device, grant, amount)
            })?;
            actions.push(Action::Grow {
                holder,
                bytes: asked,
            });
            let tenant = self.tenant_of(holder)?;
            self.used_more(tenant);
        } else {
            let rejection = Rejection {
                reason: Reason::Resource(Resource::Memory),
                asked: asked.get(),
                available,
                limit: limit.get(),
            };
            self.counters.refused += 1;
            actions.push(Action::Refuse { holder, rejection });
        }
        Ok(())
    }

    /// What a holder has, and the most it may have.
    fn held_and_limit(&self, holder: Holder) -> Result<(Bytes, Bytes), StepError> {
        match holder {
            Holder::Tenant(id) => {
                let tenant = self.tenants.get(self.tenant_slot(id)?);
                let tenant = tenant.ok_or(StepError::UnknownTenant(id))?;
                Ok((bytes(&tenant.outside), tenant.quota.capacity().bytes()))
            }
            Holder::Task(id) => {
                let unknown = StepError::UnknownTask(id);
                let task = self.tasks.get(self.task_slot(id)?).ok_or(unknown)?;
                let tenant = self.tenants.get(task.tenant).ok_or(unknown)?;
                match &task.stage {
                    Stage::Queued { .. } => Err(StepError::NotRunning(id)),
                    Stage::Running { held, .. } => {
                        let most = tenant.quota.capacity().bytes();
                        let limit = task.request.memory_limit().unwrap_or(most).min(most);
                        Ok((bytes(held), limit))
                    }
                    Stage::Ended { held } => Ok((bytes(held), bytes(held))),
                }
            }
        }
    }

    /// Does something with what a holder holds.
    fn with_grant<T>(
        &mut self,
        holder: Holder,
        act: impl FnOnce(&mut Tenant, &mut Ledger, &mut Grant) -> Result<T, Shortage>,
    ) -> Result<T, StepError> {
        match holder {
            Holder::Tenant(id) => {
                let slot = self.tenant_slot(id)?;
                let tenant = self.tenants.get_mut(slot);
                let tenant = tenant.ok_or(StepError::UnknownTenant(id))?;
                let mut outside = std::mem::take(&mut tenant.outside);
                let done = act(tenant, &mut self.ledger, &mut outside);
                tenant.outside = outside;
                Ok(done?)
            }
            Holder::Task(id) => {
                let slot = self.task_slot(id)?;
                let (task, tenant, device) = self.parts(slot, id)?;
                match &mut task.stage {
                    Stage::Queued { .. } => Err(StepError::NotRunning(id)),
                    Stage::Running { held, .. } | Stage::Ended { held } => {
                        Ok(act(tenant, device, held)?)
                    }
                }
            }
        }
    }

    pub(super) fn shrink(&mut self, holder: Holder, less: Bytes) -> Result<(), StepError> {
        let (held, kept) = match holder {
            Holder::Tenant(_) => (self.held(holder), Bytes::ZERO),
            Holder::Task(id) => (self.held(holder), self.promised(id)?),
        };
        let available = Bytes::new(held.get().saturating_sub(kept.get()));
        if less > available {
            return Err(overdrawn(less, available, held));
        }
        self.with_grant(holder, |tenant, device, grant| {
            tenant.give(device, grant, Amount::of_memory(less))
        })?;
        let tenant = self.tenant_of(holder)?;
        self.freed(tenant);
        if let Holder::Task(id) = holder
            && let slot = self.task_slot(id)?
            && let Some(task) = self.tasks.get(slot)
            && let Stage::Ended { held } = &task.stage
            && bytes(held) == Bytes::ZERO
        {
            self.forget_task(slot);
        }
        self.forget_tenant(tenant);
        Ok(())
    }

    pub(super) fn tenant_of(&self, holder: Holder) -> Result<Slot, StepError> {
        match holder {
            Holder::Tenant(id) => self.tenant_slot(id),
            Holder::Task(id) => {
                let task = self.tasks.get(self.task_slot(id)?);
                Ok(task.ok_or(StepError::UnknownTask(id))?.tenant)
            }
        }
    }

    /// What a running task keeps, since it was promised to it.
    fn promised(&self, id: TaskId) -> Result<Bytes, StepError> {
        let task = self.tasks.get(self.task_slot(id)?);
        let task = task.ok_or(StepError::UnknownTask(id))?;
        match task.stage {
            Stage::Queued { .. } => Err(StepError::NotRunning(id)),
            Stage::Running { .. } => Ok(task.request.memory()),
            Stage::Ended { .. } => Ok(Bytes::ZERO),
        }
    }
}
