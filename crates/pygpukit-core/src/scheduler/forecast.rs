//! What would be answered, and when a task that waits could start.

use super::event::Admission;
use super::order::Rank;
use super::queue::{Class, Lane};
use super::request::Request;
use super::state::{Scheduler, StepError};
use super::task::{Stage, Task, Waits};
use crate::collections::Slot;
use crate::id::{TaskId, TenantId};
use crate::ledger::{Amount, Resource};
use crate::units::Nanoseconds;
use smallvec::SmallVec;

/// Running tasks looked at to say when one could start.
const FORESIGHT: usize = 64;

/// What will have come back to tenants that own something.
type Freed = SmallVec<[(Slot, Amount); FORESIGHT]>;

impl Scheduler {
    /// The answer that a task would get if it were submitted now. Changes nothing.
    ///
    /// # Errors
    /// [`StepError::UnknownTenant`].
    pub fn foresee(&self, tenant: TenantId, request: &Request) -> Result<Admission, StepError> {
        let tenant = self.tenant_slot(tenant)?;
        let amount = request.amount();
        let rank = Rank::new(request, self.now, self.arrivals);
        let lane = Lane::new(tenant, Class::of(amount.resources()));
        Ok(match self.verdict(tenant, &amount, lane, rank, request) {
            Ok(None) => Admission::Admitted {
                memory: amount.bytes(),
                bandwidth: amount.share(Resource::Bandwidth),
            },
            Ok(Some(waits_for)) => Admission::Queued {
                position: self.queue.ahead_of(rank),
                earliest_start: self.earliest_start(&Task {
                    id: TaskId::default(),
                    tenant,
                    request: Box::new(request.clone()),
                    amount,
                    submitted: self.now,
                    stage: Stage::Queued {
                        lane,
                        rank,
                        lacked: Waits::default(),
                    },
                }),
                waits_for,
            },
            Err(rejection) => Admission::Rejected(rejection),
        })
    }

    /// When running tasks will have given back enough for a task, if each runs
    /// for the usual time; `None` if that takes more of them than are looked at, or
    /// more than all of them have, or cannot be said.
    pub(super) fn earliest_start(&self, task: &Task) -> Option<Nanoseconds> {
        if task.request.spec().period.is_some() {
            // What is promised strictly takes more than the shares that come back.
            return None;
        }
        let usual = self.usual_run?;
        let tenant = self.tenants.get(task.tenant)?;
        // What the tenant will use, and the most that its quota and the device allow.
        let mut used = tenant.quota.granted().saturating_add(&task.amount);
        let quota = *tenant.quota.capacity();
        let unused = self.ledger.available();
        let mut most = unused.saturating_add(tenant.holds());
        let mut owners = Freed::new();
        self.running.iter().take(FORESIGHT).find_map(|slot| {
            let running = self.tasks.get(slot)?;
            let Stage::Running { since, held, .. } = &running.stage else {
                return None;
            };
            if running.tenant == task.tenant {
                used = used.saturating_sub(held.amount());
            } else {
                let freed = self.freed_by(running.tenant, held.amount(), &mut owners);
                most = most.saturating_add(&freed);
            }
            let of_device = tenant.spec.of_device(used);
            let lacks = used.exceeding(&quota).union(of_device.exceeding(&most));
            let lacks = lacks.intersection(task.amount.resources());
            lacks
                .is_empty()
                .then(|| since.saturating_add(usual).max(self.now))
        })
    }

    /// What the device gets back when a tenant uses `less`, besides what it was to
    /// use less before: nothing of what it owns.
    fn freed_by(&self, slot: Slot, less: &Amount, owners: &mut Freed) -> Amount {
        let Some(tenant) = self.tenants.get(slot) else {
            return Amount::NOTHING;
        };
        let own = tenant.own();
        let used = tenant.spec.of_device(*tenant.quota.granted());
        let less = tenant.spec.of_device(*less);
        if own == Amount::NOTHING {
            return less;
        }
        let known = owners.iter().position(|&(owner, _)| owner == slot);
        let known = known.unwrap_or_else(|| {
            owners.push((slot, Amount::NOTHING));
            owners.len() - 1
        });
        let freed = &mut owners[known].1;
        let before = used.saturating_sub(freed).max(&own);
        *freed = freed.saturating_add(&less);
        let after = used.saturating_sub(freed).max(&own);
        before.saturating_sub(&after)
    }
}
