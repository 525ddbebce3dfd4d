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
    pub(super) fn verdict(
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
        let behind = self.behind(lane, rank);
        let taken = obstacles.claimed().all().union(behind);
        let short = |resource| {
            let reason = Reason::Resource(resource);
            self.shortage(reason, resource, tenant, request, taken)
        };
        if let Err(shortage) = check_ever(&self.ledger, &tenant.quota, amount) {
            return Err(short(shortage.resource));
        }
        if !self.time.fits_alone(request) {
            return Err(short(Resource::Bandwidth));
        }
        let waits = obstacles.all().all().union(behind);
        let Some(first) = waits.iter().next() else {
            return Ok(None);
        };
        match request.spec().on_full {
            OnFull::Reject => Err(short(first)),
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
                let resource = shortage.resource;
                let reason = Reason::Resource(resource);
                // Who still stands in line is not known before all those have gone.
                self.reject_queued(slot, reason, resource, ResourceSet::EMPTY, actions);
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

    /// What the first task of a lane waits for, if that is ahead of `rank`.
    fn behind(&self, lane: Lane, rank: Rank) -> ResourceSet {
        let first = self.queue.first_of(lane).filter(|&(first, _)| first < rank);
        let waits = first.and_then(|(_, first)| self.waits_of(first));
        waits.map_or(ResourceSet::EMPTY, Waits::all)
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
            let (waits, taken) = self.kept_from(slot);
            let resource = waits.iter().next().unwrap_or(Resource::Workers);
            let reason = Reason::QueueTimeout(resource);
            self.reject_queued(slot, reason, resource, taken, actions);
            // What it waited in line for may be another's now.
            self.promote(actions);
        }
    }

    /// What a queued task waits for now, and what of that others ahead of it do.
    pub(super) fn kept_from(&self, slot: Slot) -> (ResourceSet, ResourceSet) {
        let (Some(Task { stage, .. }), Some(obstacles)) =
            (self.tasks.get(slot), self.obstacles(slot))
        else {
            return (ResourceSet::EMPTY, ResourceSet::EMPTY);
        };
        let Stage::Queued { lane, rank, .. } = *stage else {
            return (ResourceSet::EMPTY, ResourceSet::EMPTY);
        };
        let behind = self.behind(lane, rank);
        let taken = obstacles.claimed().all().union(behind);
        (obstacles.all().all().union(behind), taken)
    }

    /// Rejects a queued task for want of a resource. Of `taken` nothing is left for it.
    fn reject_queued(
        &mut self,
        slot: Slot,
        reason: Reason,
        resource: Resource,
        taken: ResourceSet,
        actions: &mut Actions,
    ) {
        let Some(task) = self.tasks.get(slot) else {
            return;
        };
        let Some(tenant) = self.tenants.get(task.tenant) else {
            return;
        };
        let id = task.id;
        let rejection = self.shortage(reason, resource, tenant, &task.request, taken);
        self.take_from_queue(slot);
        self.forget_task(slot);
        self.turn_away(id, rejection, actions);
    }

    /// How much of a resource there is for a request, and in all. Of `taken` nothing is
    /// left for it.
    fn shortage(
        &self,
        reason: Reason,
        resource: Resource,
        tenant: &Tenant,
        request: &Request,
        taken: ResourceSet,
    ) -> Rejection {
        let mut available = tenant.room(&self.ledger, resource);
        let mut limit = tenant.quota.capacity().get(resource);
        if resource == Resource::Bandwidth && request.spec().period.is_some() {
            available = available.min(self.time.room(tenant.seat, request).units());
            limit = limit.min(self.time.room_alone(request).units());
        }
        let available = if taken.contains(resource) {
            0
        } else {
            available
        };
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
