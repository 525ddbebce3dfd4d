//! When a task that waits could start.

use super::state::Scheduler;
use super::task::{Stage, Task};
use crate::collections::Slot;
use crate::ledger::Amount;
use crate::units::Nanoseconds;
use smallvec::SmallVec;

/// Running tasks looked at to say when one could start.
const FORESIGHT: usize = 64;

/// What will have come back to tenants that own something.
type Freed = SmallVec<[(Slot, Amount); FORESIGHT]>;

impl Scheduler {
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
