//! Tenants and tasks want time, get it, and give it back.

use super::event::{Actions, Holder};
use super::state::{Scheduler, StepError};
use super::task::Stage;
use super::tenant::TenantSpec;
use super::time::{NoTime, Seat};
use crate::collections::Slot;
use crate::id::GrantId;
use crate::timeshare::ClientKey;
use crate::units::Nanoseconds;

impl Scheduler {
    pub(super) fn want(
        &mut self,
        holder: Holder,
        time: Nanoseconds,
        actions: &mut Actions,
    ) -> Result<(), StepError> {
        let seat = self.seat_of(holder)?;
        let client = self.client_of(holder, seat)?;
        self.time.want(self.now, seat, client, time);
        self.hand_out(seat, actions);
        Ok(())
    }

    pub(super) fn withdraw(
        &mut self,
        holder: Holder,
        actions: &mut Actions,
    ) -> Result<(), StepError> {
        let seat = self.seat_of(holder)?;
        let client = self.client_of(holder, seat)?;
        self.time.withdraw(self.now, seat, client);
        self.hand_out(seat, actions);
        Ok(())
    }

    pub(super) fn ran(
        &mut self,
        grant: GrantId,
        used: Nanoseconds,
        actions: &mut Actions,
    ) -> Result<(), StepError> {
        let region = self.time.done(self.now, grant, used);
        let region = region.ok_or(StepError::UnknownGrant(grant))?;
        self.time.hand_out(self.now, region, actions);
        self.time.forget_region(region);
        Ok(())
    }

    /// Hands out time to those for whom it has come.
    pub(super) fn wake(&mut self, actions: &mut Actions) {
        while let Some(((moment, _), region)) = self.time.wakes.first()
            && moment <= self.now
        {
            self.time.hand_out(self.now, region, actions);
        }
    }

    fn seat_of(&self, holder: Holder) -> Result<Seat, StepError> {
        let tenant = self.tenant_of(holder)?;
        let tenant = self.tenants.get(tenant);
        tenant.map(|tenant| tenant.seat).ok_or(match holder {
            Holder::Tenant(id) => StepError::UnknownTenant(id),
            Holder::Task(id) => StepError::UnknownTask(id),
        })
    }

    /// Who a running task is where time is handed out. It joins when it first wants
    /// some, unless it joined at its start to be promised some.
    fn client_of(&mut self, holder: Holder, seat: Seat) -> Result<Option<ClientKey>, StepError> {
        let Holder::Task(id) = holder else {
            return Ok(None);
        };
        let slot = self.task_slot(id)?;
        let task = self.tasks.get_mut(slot);
        let task = task.ok_or(StepError::UnknownTask(id))?;
        let Stage::Running { client, .. } = &mut task.stage else {
            return Err(StepError::NotRunning(id));
        };
        if client.is_none() {
            *client = self.time.join(self.now, seat, id, &task.request);
        }
        Ok(*client)
    }

    /// Hands out what there is of the time where a tenant gets its.
    pub(super) fn hand_out(&mut self, seat: Seat, actions: &mut Actions) {
        self.time.hand_out(self.now, seat.region, actions);
    }

    /// Moves a tenant and its running tasks to the seat for another size, if all that
    /// was promised to them can be kept there.
    pub(super) fn reseat(
        &mut self,
        slot: Slot,
        old: &TenantSpec,
        spec: &TenantSpec,
    ) -> Result<(), NoTime> {
        let Some(tenant) = self.tenants.get_mut(slot) else {
            return Ok(());
        };
        let before = tenant.seat;
        if old.has_multiprocessors() == spec.has_multiprocessors() {
            return self.time.change(self.now, before, spec);
        }
        let seat = self.time.seat(self.now, tenant.id, spec)?;
        let mut moved = Vec::new();
        for at in self.running.iter() {
            let Some(task) = self.tasks.get(at).filter(|task| task.tenant == slot) else {
                continue;
            };
            if let Stage::Running {
                client: Some(old), ..
            } = task.stage
            {
                let new = self.time.join(self.now, seat, task.id, &task.request);
                moved.push((at, old, new));
            }
        }
        let fits = moved.iter().all(|&(_, _, new)| new.is_some());
        let (left, kept) = if fits { (before, seat) } else { (seat, before) };
        for (at, old, new) in moved {
            let (gone, stays) = if fits {
                (Some(old), new)
            } else {
                (new, Some(old))
            };
            let wanted = self.time.withdraw(self.now, before, Some(old));
            if let Some(gone) = gone {
                self.time.leave_task(self.now, left, gone);
            }
            self.time.want(self.now, kept, stays, wanted);
            if let Some(task) = self.tasks.get_mut(at)
                && let Stage::Running { client, .. } = &mut task.stage
            {
                *client = stays;
            }
        }
        let wanted = self.time.withdraw(self.now, before, None);
        self.time.want(self.now, kept, None, wanted);
        self.time.leave(self.now, left);
        if let Some(tenant) = self.tenants.get_mut(slot) {
            tenant.seat = kept;
        }
        if fits { Ok(()) } else { Err(NoTime) }
    }
}
