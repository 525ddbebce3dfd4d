//! A task asks to be run: started, queued or rejected.

use super::event::{Action, Actions, Reason, Rejection};
use super::order::Order;
use super::policy::OnFull;
use super::queue::{Class, Lane};
use super::request::Request;
use super::state::{Scheduler, StepError};
use super::task::{Stage, Task, Waits};
use crate::collections::Slot;
use crate::id::{TaskId, TenantId};
use crate::ledger::{Amount, Ledger, Resource, Shortage};
use crate::units::Nanoseconds;

/// Running tasks looked at to say when one could start.
const FORESIGHT: usize = 64;

impl Scheduler {
    pub(super) fn submit(
        &mut self,
        id: TaskId,
        tenant_id: TenantId,
        request: Box<Request>,
        actions: &mut Actions,
    ) -> Result<(), StepError> {
        if self.task_ids.get(&id).is_some() {
            return Err(StepError::DuplicateTask(id));
        }
        let tenant_slot = self.tenant_slot(tenant_id)?;
        let Some(tenant) = self.tenants.get_mut(tenant_slot) else {
            return Err(StepError::UnknownTenant(tenant_id));
        };
        self.counters.submitted += 1;
        let amount = request.amount();
        if tenant.closed {
            self.turn_away(id, Reason::Closed, (1, 0, 0), actions);
            return Ok(());
        }
        if let Err(shortage) = check_ever(&self.ledger, &tenant.quota, &amount) {
            let room = tenant.room(&self.ledger, shortage.resource);
            let limit = tenant.quota.capacity().get(shortage.resource);
            let numbers = (shortage.asked, room, limit);
            self.turn_away(id, Reason::Resource(shortage.resource), numbers, actions);
            return Ok(());
        }
        tenant.tasks += 1;
        let rank = self.order().rank(&request, self.now, self.arrivals);
        let lane = Lane::new(tenant_slot, Class::of(amount.resources()));
        let arrival = self.arrivals;
        self.arrivals += 1;
        let slot = self.tasks.insert(Task {
            id,
            tenant: tenant_slot,
            request,
            amount,
            submitted: self.now,
            stage: Stage::Queued {
                lane,
                rank,
                arrival,
                lacked: Waits::default(),
            },
        });
        self.task_ids.insert(id, slot);
        if self.queue.insert(lane, rank, slot) {
            self.list(lane);
            self.unsettled = true;
        }
        self.promote(actions);
        self.answer_queued(slot, actions);
        Ok(())
    }

    /// Rejects queued tasks of a tenant that cannot ever start any more.
    pub(super) fn reject_hopeless(&mut self, tenant: Slot, actions: &mut Actions) {
        for slot in self.queue.of_tenant(tenant) {
            if let Some(task) = self.tasks.get(slot)
                && let Some(tenant) = self.tenants.get(tenant)
                && let Err(shortage) = check_ever(&self.ledger, &tenant.quota, &task.amount)
            {
                self.reject_short(slot, shortage.resource, false, actions);
            }
        }
    }

    /// Says that a task just submitted waits, or rejects it, unless it started.
    fn answer_queued(&mut self, slot: Slot, actions: &mut Actions) {
        let (Some(waits), Some(task)) = (self.waits_of(slot), self.tasks.get(slot)) else {
            return;
        };
        let Stage::Queued { rank, .. } = task.stage else {
            return;
        };
        if task.request.spec().on_full == OnFull::Reject {
            let resource = waits.all().iter().next().unwrap_or(Resource::Workers);
            self.reject_short(slot, resource, false, actions);
        } else if self.queue.len() > self.config.max_queued {
            let limit = self.config.max_queued as u64;
            self.reject(slot, Reason::QueueFull, (1, 0, limit), actions);
        } else {
            if let Some(due) = task.timeout() {
                let places = &mut self.timeout_places;
                self.timeouts.insert((due, task.id), slot, places);
            }
            self.fresh.push(slot);
            self.counters.queued += 1;
            actions.push(Action::Queue {
                task: task.id,
                position: self.queue.ahead_of(rank),
                earliest_start: self.earliest_start(task),
                waits_for: waits.all(),
            });
        }
    }

    /// What a queued task waits for, or has waited for.
    pub(super) fn waits_of(&self, slot: Slot) -> Option<Waits> {
        let mut waits = self.obstacles(slot)?.all();
        let lacked = self.tasks.get(slot)?.lacked()?;
        waits.device = waits.device.union(lacked.device);
        waits.quota = waits.quota.union(lacked.quota);
        Some(waits)
    }

    /// When running tasks will have given back enough for a task, if each runs
    /// for the usual time; `None` if that takes more of them than are looked at.
    fn earliest_start(&self, task: &Task) -> Option<Nanoseconds> {
        let usual = self.usual_run?;
        let tenant = self.tenants.get(task.tenant)?;
        let mut free = Amount::NOTHING;
        let holders = self.running.iter().take(FORESIGHT);
        holders
            .filter_map(|slot| match &self.tasks.get(slot)?.stage {
                Stage::Running { since, held } => Some((*since, held.amount())),
                Stage::Queued { .. } | Stage::Ended { .. } => None,
            })
            .find_map(|(since, held)| {
                free = free.saturating_add(held);
                Resource::ALL
                    .into_iter()
                    .all(|each| {
                        let room = tenant.room(&self.ledger, each);
                        task.amount.get(each) <= room.saturating_add(free.get(each))
                    })
                    .then(|| since.saturating_add(usual).max(self.now))
            })
    }

    /// The queued task that will next have waited for too long, and when.
    pub(super) fn next_overdue(&self) -> Option<(Nanoseconds, Slot)> {
        let slot = self.fresh.first()?;
        let since = self.tasks.get(slot)?.submitted;
        Some((since.saturating_add(self.config.longest_wait), slot))
    }

    /// Moves the tasks ahead that have waited for too long.
    pub(super) fn hurry(&mut self) {
        while let Some((due, slot)) = self.next_overdue()
            && due <= self.now
        {
            self.fresh.remove(slot);
            if let Some(task) = self.tasks.get_mut(slot)
                && let Stage::Queued {
                    lane, rank, arrival, ..
                } = &mut task.stage
            {
                let lane = *lane;
                self.queue.remove(lane, *rank, slot);
                *rank = Order::overdue(task.submitted, *arrival);
                self.queue.insert(lane, *rank, slot);
                self.freed(lane.tenant());
            }
        }
    }

    /// Rejects the tasks that have waited long enough.
    pub(super) fn expire(&mut self, actions: &mut Actions) {
        while let Some(((due, _), slot)) = self.timeouts.first()
            && due <= self.now
        {
            let resource = self
                .waits_of(slot)
                .and_then(|waits| waits.all().iter().next())
                .unwrap_or(Resource::Workers);
            self.reject_short(slot, resource, true, actions);
            // What it waited in line for may be another's now.
            self.promote(actions);
        }
    }

    /// Rejects a queued task for want of a resource.
    fn reject_short(
        &mut self,
        slot: Slot,
        resource: Resource,
        waited: bool,
        actions: &mut Actions,
    ) {
        let Some(task) = self.tasks.get(slot) else {
            return;
        };
        let Some(tenant) = self.tenants.get(task.tenant) else {
            return;
        };
        let asked = task.amount.get(resource);
        let limit = tenant.quota.capacity().get(resource);
        let claimed = self
            .obstacles(slot)
            .is_some_and(|obstacles| obstacles.claimed().all().contains(resource));
        let available = if claimed {
            0
        } else {
            tenant.room(&self.ledger, resource)
        };
        let reason = if waited {
            Reason::QueueTimeout(resource)
        } else {
            Reason::Resource(resource)
        };
        self.reject(slot, reason, (asked, available, limit), actions);
    }

    /// Rejects a queued task.
    fn reject(
        &mut self,
        slot: Slot,
        reason: Reason,
        numbers: (u64, u64, u64),
        actions: &mut Actions,
    ) {
        let Some(id) = self.tasks.get(slot).map(|task| task.id) else {
            return;
        };
        self.take_from_queue(slot);
        self.forget_task(slot);
        self.turn_away(id, reason, numbers, actions);
    }

    fn turn_away(
        &mut self,
        task: TaskId,
        reason: Reason,
        (asked, available, limit): (u64, u64, u64),
        actions: &mut Actions,
    ) {
        self.counters.rejected += 1;
        let rejection = Rejection {
            reason,
            asked,
            available,
            limit,
        };
        actions.push(Action::Reject { task, rejection });
    }
}

/// Whether a task could run if it were alone.
fn check_ever(device: &Ledger, quota: &Ledger, amount: &Amount) -> Result<(), Shortage> {
    device.check_ever(amount)?;
    quota.check_ever(amount)
}
