//! A task asks to be run: started, queued or rejected.

use super::event::{Action, Actions, Reason, Rejection};
use super::order::Rank;
use super::policy::OnFull;
use super::queue::{Class, Lane};
use super::request::Request;
use super::state::{Scheduler, StepError};
use super::task::{Stage, Task, Waits};
use super::tenant::Tenant;
use crate::collections::Slot;
use crate::id::{TaskId, TenantId};
use crate::ledger::{Amount, Ledger, Resource, ResourceSet, Shortage};
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
        self.counters.submitted += 1;
        let amount = request.amount();
        let rank = Rank::new(&request, self.now, self.arrivals);
        let lane = Lane::new(tenant_slot, Class::of(amount.resources()));
        let waits = match self.verdict(tenant_slot, &amount, lane, rank, &request) {
            Ok(waits) => waits,
            Err(rejection) => {
                self.turn_away(id, rejection, actions);
                return Ok(());
            }
        };
        if let Some(tenant) = self.tenants.get_mut(tenant_slot) {
            tenant.tasks += 1;
        }
        let slot = self.tasks.insert(Task {
            id,
            tenant: tenant_slot,
            request,
            amount,
            submitted: self.now,
            stage: Stage::Queued {
                lane,
                rank,
                lacked: Waits::default(),
            },
        });
        self.task_ids.insert(id, slot);
        self.arrivals += 1;
        match waits {
            None => {
                self.start(slot, actions);
                self.used_more(tenant_slot);
            }
            Some(waits) => self.enqueue(slot, waits, actions),
        }
        Ok(())
    }

    /// What a task that is submitted would wait for, nothing if it can start, or
    /// why it is rejected. A task that is rejected has changed nothing.
    fn verdict(
        &self,
        tenant_slot: Slot,
        amount: &Amount,
        lane: Lane,
        rank: Rank,
        request: &Request,
    ) -> Result<Option<ResourceSet>, Rejection> {
        let (Some(tenant), Some(obstacles)) = (
            self.tenants.get(tenant_slot),
            self.obstacles_at(rank, tenant_slot, amount, request),
        ) else {
            return Err(rejection(Reason::Closed, 1, 0, 0));
        };
        if tenant.closed {
            return Err(rejection(Reason::Closed, 1, 0, 0));
        }
        let short = |resource, claimed| {
            let reason = Reason::Resource(resource);
            self.shortage(reason, resource, tenant, request, claimed)
        };
        if let Err(shortage) = check_ever(&self.ledger, &tenant.quota, amount) {
            return Err(short(shortage.resource, false));
        }
        if !self.time.fits_alone(request) {
            return Err(short(Resource::Bandwidth, false));
        }
        let mut waits = obstacles.all().all();
        let ahead = self.queue.first_of(lane).filter(|&(first, _)| first < rank);
        if let Some(behind) = ahead.and_then(|(_, first)| self.waits_of(first)) {
            waits = waits.union(behind.all());
        }
        let Some(first) = waits.iter().next() else {
            return Ok(None);
        };
        match request.spec().on_full {
            OnFull::Reject => Err(short(first, obstacles.claimed().all().contains(first))),
            OnFull::Queue if self.queue.len() >= self.config.max_queued => {
                let limit = self.config.max_queued as u64;
                Err(rejection(Reason::QueueFull, 1, 0, limit))
            }
            OnFull::Queue => Ok(Some(waits)),
        }
    }

    /// Lets a task that was just submitted wait.
    fn enqueue(&mut self, slot: Slot, waits_for: ResourceSet, actions: &mut Actions) {
        let Some(task) = self.tasks.get(slot) else {
            return;
        };
        let Stage::Queued { lane, rank, .. } = task.stage else {
            return;
        };
        if let Some(due) = task.timeout() {
            let places = &mut self.timeout_places;
            self.timeouts.insert((due, task.id), slot, places);
        }
        let (position, is_first) = self.queue.insert(lane, rank, slot);
        actions.push(Action::Queue {
            task: task.id,
            position,
            earliest_start: self.earliest_start(task),
            waits_for,
        });
        self.fresh.push(slot);
        self.counters.queued += 1;
        if is_first {
            self.freed(lane.tenant());
        }
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
        let mut lacking = Resource::ALL.map(|each| {
            let room = tenant.room(&self.ledger, each);
            task.amount.get(each).saturating_sub(room)
        });
        self.running.iter().take(FORESIGHT).find_map(|slot| {
            let Stage::Running { since, held, .. } = &self.tasks.get(slot)?.stage else {
                return None;
            };
            for (lacking, resource) in lacking.iter_mut().zip(Resource::ALL) {
                *lacking = lacking.saturating_sub(held.amount().get(resource));
            }
            let end = since.saturating_add(usual).max(self.now);
            (lacking == [0; 4]).then_some(end)
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
                && let Stage::Queued { lane, rank, .. } = &mut task.stage
            {
                let lane = *lane;
                self.queue.remove(lane, *rank, slot);
                *rank = rank.overdue();
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
        let claimed = self
            .obstacles(slot)
            .is_some_and(|obstacles| obstacles.claimed().all().contains(resource));
        let reason = if waited {
            Reason::QueueTimeout(resource)
        } else {
            Reason::Resource(resource)
        };
        let id = task.id;
        let rejection = self.shortage(reason, resource, tenant, &task.request, claimed);
        self.take_from_queue(slot);
        self.forget_task(slot);
        self.turn_away(id, rejection, actions);
    }

    /// How much of a resource there is for a request, and in all. `claimed` if others
    /// have first claim on all there is.
    fn shortage(
        &self,
        reason: Reason,
        resource: Resource,
        tenant: &Tenant,
        request: &Request,
        claimed: bool,
    ) -> Rejection {
        let mut available = tenant.room(&self.ledger, resource);
        let mut limit = tenant.quota.capacity().get(resource);
        if resource == Resource::Bandwidth && request.spec().period.is_some() {
            available = available.min(self.time.room(tenant.seat, request).units());
            limit = limit.min(self.time.room_alone(request).units());
        }
        let available = if claimed { 0 } else { available };
        rejection(reason, request.amount().get(resource), available, limit)
    }

    fn turn_away(&mut self, task: TaskId, rejection: Rejection, actions: &mut Actions) {
        self.counters.rejected += 1;
        actions.push(Action::Reject { task, rejection });
    }
}

fn rejection(reason: Reason, asked: u64, available: u64, limit: u64) -> Rejection {
    Rejection {
        reason,
        asked,
        available,
        limit,
    }
}

/// Whether a task could run if it were alone.
fn check_ever(device: &Ledger, quota: &Ledger, amount: &Amount) -> Result<(), Shortage> {
    device.check_ever(amount)?;
    quota.check_ever(amount)
}
