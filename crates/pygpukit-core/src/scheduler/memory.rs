//! Memory beyond what was reserved, and memory given back.

use super::event::{Action, Actions, Holder, Reason, Rejection};
use super::state::{Scheduler, StepError};
use super::step::overdrawn;
use super::task::{Held, Stage, Tenant, both};
use crate::id::TaskId;
use crate::ledger::{Amount, Ledger, Resource};
use crate::units::Bytes;

impl Scheduler {
    pub(super) fn grow(
        &mut self,
        holder: Holder,
        bytes: Bytes,
        actions: &mut Actions,
    ) -> Result<(), StepError> {
        let (held, quota, limit) = match holder {
            Holder::Tenant(id) => {
                let tenant = self.tenants.get_mut(&id);
                let Tenant { quota, outside, .. } = tenant.ok_or(StepError::UnknownTenant(id))?;
                let limit = quota.capacity().bytes();
                (outside, quota, limit)
            }
            Holder::Task(id) => {
                let (task, tenant) = both(&mut self.tasks, &mut self.tenants, id)?;
                let most = tenant.quota.capacity().bytes();
                match &mut task.stage {
                    Stage::Queued { .. } => return Err(StepError::NotRunning(id)),
                    Stage::Running { held, .. } => {
                        let limit = task.request.memory_limit().unwrap_or(most).min(most);
                        (held, &mut tenant.quota, limit)
                    }
                    Stage::Ended { held } => {
                        let limit = held.bytes();
                        (held, &mut tenant.quota, limit)
                    }
                }
            }
        };
        let available = room(held, limit, quota, &self.ledger);
        if bytes <= available {
            held.grow(&mut self.ledger, quota, bytes)?;
            actions.push(Action::Grow { holder, bytes });
        } else {
            let rejection = Rejection {
                reason: Reason::Resource(Resource::Memory),
                asked: bytes.get(),
                available: available.get(),
                limit: limit.get(),
            };
            self.counters.refused += 1;
            actions.push(Action::Refuse { holder, rejection });
        }
        Ok(())
    }

    pub(super) fn shrink(&mut self, holder: Holder, bytes: Bytes) -> Result<(), StepError> {
        match holder {
            Holder::Tenant(id) => {
                let tenant = self.tenants.get_mut(&id);
                let Tenant { quota, outside, .. } = tenant.ok_or(StepError::UnknownTenant(id))?;
                outside.shrink(&mut self.ledger, quota, Amount::of_memory(bytes))?;
                self.forget_tenant(id);
            }
            Holder::Task(id) => self.shrink_task(id, bytes)?,
        }
        Ok(())
    }

    fn shrink_task(&mut self, id: TaskId, bytes: Bytes) -> Result<(), StepError> {
        let (task, tenant) = both(&mut self.tasks, &mut self.tenants, id)?;
        // A running task keeps what was promised to it.
        let (held, kept) = match &mut task.stage {
            Stage::Queued { .. } => return Err(StepError::NotRunning(id)),
            Stage::Running { held, .. } => (held, task.request.memory()),
            Stage::Ended { held } => (held, Bytes::ZERO),
        };
        let available = Bytes::new(held.bytes().get().saturating_sub(kept.get()));
        if bytes > available {
            return Err(overdrawn(bytes, available, held.bytes()));
        }
        held.shrink(
            &mut self.ledger,
            &mut tenant.quota,
            Amount::of_memory(bytes),
        )?;
        if matches!(&task.stage, Stage::Ended { held } if held.bytes() == Bytes::ZERO) {
            self.forget_task(id);
        }
        Ok(())
    }
}

/// How much more a holder could get.
fn room(held: &Held, limit: Bytes, quota: &Ledger, device: &Ledger) -> Bytes {
    let below_limit = Bytes::new(limit.get().saturating_sub(held.bytes().get()));
    below_limit
        .min(quota.available().bytes())
        .min(device.available().bytes())
}
