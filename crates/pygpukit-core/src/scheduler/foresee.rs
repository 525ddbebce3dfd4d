//! What would be answered, without asking.

use super::event::Admission;
use super::order::Rank;
use super::queue::{Class, Lane};
use super::request::Request;
use super::state::{Scheduler, StepError};
use super::stats::Counters;
use super::task::{Stage, Task, Waits};
use crate::id::{TaskId, TenantId};
use crate::ledger::{Ledger, Resource};

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

    /// Whether a tenant is there: one that was closed is, until all that it has is free.
    pub fn has_tenant(&self, tenant: TenantId) -> bool {
        self.tenant_ids.get(&tenant).is_some()
    }

    /// What there is, and what is granted: to tenants as their own, and to their tasks.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// What has happened so far.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// How many tasks run.
    pub fn running(&self) -> usize {
        self.running.len()
    }

    /// How many tasks wait.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }
}
