//! A task asks to be run: started, queued or rejected.

use super::event::{Action, Actions, Reason, Rejection};
use super::policy::OnFull;
use super::queue::{Lane, Rank};
use super::request::Request;
use super::state::{Scheduler, StepError};
use super::task::{Stage, Task, Waits};
use crate::id::{TaskId, TenantId};
use crate::ledger::{Amount, Resource, ResourceSet, Shortage};
use crate::units::Nanoseconds;

impl Scheduler {
    pub(super) fn submit(
        &mut self,
        id: TaskId,
        tenant_id: TenantId,
        request: Box<Request>,
        actions: &mut Actions,
    ) -> Result<(), StepError> {
        if self.tasks.contains_key(&id) {
            return Err(StepError::DuplicateTask(id));
        }
        let tenant = self
            .tenants
            .get_mut(&tenant_id)
            .ok_or(StepError::UnknownTenant(tenant_id))?;
        let closed = tenant.closed;
        tenant.tasks += 1;
        let rank = Rank::new(&request, self.now, self.arrivals);
        let lane = Lane::new(tenant_id, &request);
        let timeout = request.spec().queue_timeout;
        self.arrivals += 1;
        self.counters.submitted += 1;
        let task = Task {
            tenant: tenant_id,
            request,
            submitted: self.now,
            stage: Stage::Queued {
                lane,
                rank,
                lacked: Waits::default(),
            },
        };
        if closed {
            self.tasks.insert(id, task);
            self.reject(id, Reason::Closed, (1, 0, 0), actions);
            return Ok(());
        }
        let never = self.check_ever(&task);
        self.tasks.insert(id, task);
        self.queue.insert(lane, rank, id);
        if let Err(shortage) = never {
            self.reject_short(id, shortage.resource, false, actions);
            return Ok(());
        }
        if let Some(timeout) = timeout {
            self.timeouts.insert((self.now.saturating_add(timeout), id));
        }
        self.promote(actions);
        self.answer_queued(id, actions);
        Ok(())
    }

    /// Whether the task could run if it were alone.
    fn check_ever(&self, task: &Task) -> Result<(), Shortage> {
        let amount = task.request.amount();
        self.ledger.check_ever(&amount)?;
        match self.tenants.get(&task.tenant) {
            Some(tenant) => tenant.quota.check_ever(&amount),
            None => Ok(()),
        }
    }

    /// Says that a task just submitted waits, or rejects it, unless it started.
    fn answer_queued(&mut self, id: TaskId, actions: &mut Actions) {
        let waits = self.waits_of(id);
        let (Some(waits), Some(task)) = (waits, self.tasks.get(&id)) else {
            return;
        };
        let Stage::Queued { rank, .. } = task.stage else {
            return;
        };
        if task.request.spec().on_full == OnFull::Reject {
            let resource = waits.all().iter().next().unwrap_or(Resource::Workers);
            self.reject_short(id, resource, false, actions);
        } else if self.queue.len() > self.config.max_queued {
            let limit = self.config.max_queued as u64;
            self.reject(id, Reason::QueueFull, (1, 0, limit), actions);
        } else {
            self.counters.queued += 1;
            actions.push(Action::Queue {
                task: id,
                position: self.queue.ahead_of(rank),
                earliest_start: self.earliest_start(&task.request.amount()),
                waits_for: waits.all(),
            });
        }
    }

    /// What a queued task waits for: what it lacks, and what is claimed by the
    /// tasks ahead of it.
    pub(super) fn waits_of(&self, id: TaskId) -> Option<Waits> {
        let task = self.tasks.get(&id)?;
        let Stage::Queued { rank, lacked, .. } = task.stage else {
            return None;
        };
        let asked = task.request.amount();
        let ahead = self.claims_ahead(task.tenant, rank);
        let quota = &self.tenants.get(&task.tenant)?.quota;
        let of = |kept, claimed: ResourceSet, lacking| {
            claimed
                .intersection(asked.resources())
                .union(lacking)
                .union(kept)
        };
        Some(Waits {
            device: of(lacked.device, ahead.device, self.ledger.lacking(&asked)),
            quota: of(lacked.quota, ahead.quota, quota.lacking(&asked)),
        })
    }

    /// When running tasks will have given back enough for `amount`, if each runs
    /// for the usual time.
    fn earliest_start(&self, amount: &Amount) -> Option<Nanoseconds> {
        let usual = self.usual_run?;
        let mut ends: Vec<_> = self
            .running
            .iter()
            .filter_map(|id| match &self.tasks.get(id)?.stage {
                Stage::Running { since, held } => {
                    Some((since.saturating_add(usual).max(self.now), *held.amount()))
                }
                Stage::Queued { .. } | Stage::Ended { .. } => None,
            })
            .collect();
        ends.sort_unstable_by_key(|&(end, _)| end);
        let mut free = self.ledger.available();
        ends.into_iter().find_map(|(end, held)| {
            free = free.saturating_add(&held);
            amount.exceeding(&free).is_empty().then_some(end)
        })
    }

    /// Rejects the tasks that have waited long enough.
    pub(super) fn expire(&mut self, actions: &mut Actions) {
        while let Some(&(due, id)) = self.timeouts.first()
            && due <= self.now
        {
            let resource = self
                .waits_of(id)
                .and_then(|waits| waits.all().iter().next())
                .unwrap_or(Resource::Workers);
            self.reject_short(id, resource, true, actions);
            // What it waited in line for may be another's now.
            self.promote(actions);
        }
    }

    /// Rejects a queued task for want of a resource.
    fn reject_short(
        &mut self,
        id: TaskId,
        resource: Resource,
        waited: bool,
        actions: &mut Actions,
    ) {
        let Some(task) = self.tasks.get(&id) else {
            return;
        };
        let Stage::Queued { rank, .. } = task.stage else {
            return;
        };
        let Some(tenant) = self.tenants.get(&task.tenant) else {
            return;
        };
        let asked = task.request.amount().get(resource);
        let limit = tenant.quota.capacity().get(resource);
        let claimed = self.claims_ahead(task.tenant, rank).all();
        let available = if claimed.contains(resource) {
            0
        } else {
            let quota = tenant.quota.available().get(resource);
            self.ledger.available().get(resource).min(quota)
        };
        let reason = if waited {
            Reason::QueueTimeout(resource)
        } else {
            Reason::Resource(resource)
        };
        self.reject(id, reason, (asked, available, limit), actions);
    }

    fn reject(
        &mut self,
        task: TaskId,
        reason: Reason,
        (asked, available, limit): (u64, u64, u64),
        actions: &mut Actions,
    ) {
        self.leave_queue(task);
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
