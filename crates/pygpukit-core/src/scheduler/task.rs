//! What the scheduler knows of a task, and of a tenant.

use super::queue::{Lane, Rank};
use super::request::Request;
use super::state::StepError;
use crate::id::{TaskId, TenantId};
use crate::ledger::{Amount, Grant, Ledger, ResourceSet, Shortage};
use crate::units::{Bytes, Nanoseconds};
use std::collections::BTreeMap;

/// A task that waits, runs, or has left memory behind.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) tenant: TenantId,
    pub(super) request: Box<Request>,
    pub(super) submitted: Nanoseconds,
    pub(super) stage: Stage,
}

/// How far a task is, and what is true there.
#[derive(Debug)]
pub(super) enum Stage {
    Queued {
        lane: Lane,
        rank: Rank,
        lacked: Waits,
    },
    Running {
        since: Nanoseconds,
        /// What it requested, and memory beyond that.
        held: Held,
    },
    /// It has ended, and arrays of it live on.
    Ended { held: Held },
}

/// What a queued task lacks, or has lacked. Kept until it starts, apart from
/// workers: whoever has waited for a resource stays in line for it while it
/// waits for another, or two tasks could take turns in overtaking it for ever.
/// (Nobody overtakes one that waits for a worker, since all ask for that.)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Waits {
    /// Of the device.
    pub(super) device: ResourceSet,
    /// Of its tenant's quota.
    pub(super) quota: ResourceSet,
}

impl Waits {
    pub(super) fn all(self) -> ResourceSet {
        self.device.union(self.quota)
    }
}

/// A grant of the device, counted against a tenant's quota too.
#[derive(Debug, Default)]
pub(super) struct Held {
    device: Grant,
    quota: Grant,
}

impl Held {
    pub(super) fn reserve(
        device: &mut Ledger,
        quota: &mut Ledger,
        amount: Amount,
    ) -> Result<Self, Shortage> {
        let quota_grant = quota.reserve(amount)?;
        match device.reserve(amount) {
            Ok(device) => Ok(Self {
                device,
                quota: quota_grant,
            }),
            Err(shortage) => {
                quota.give_back(quota_grant);
                Err(shortage)
            }
        }
    }

    pub(super) fn amount(&self) -> &Amount {
        self.device.amount()
    }

    pub(super) fn bytes(&self) -> Bytes {
        self.amount().bytes()
    }

    pub(super) fn grow(
        &mut self,
        device: &mut Ledger,
        quota: &mut Ledger,
        bytes: Bytes,
    ) -> Result<(), Shortage> {
        let amount = Amount::of_memory(bytes);
        quota.grow(&mut self.quota, amount)?;
        device.grow(&mut self.device, amount).or_else(|shortage| {
            quota.shrink(&mut self.quota, amount)?;
            Err(shortage)
        })
    }

    pub(super) fn shrink(
        &mut self,
        device: &mut Ledger,
        quota: &mut Ledger,
        amount: Amount,
    ) -> Result<(), Shortage> {
        quota.shrink(&mut self.quota, amount)?;
        device.shrink(&mut self.device, amount)
    }
}

/// Someone who submits tasks.
#[derive(Debug)]
pub(super) struct Tenant {
    /// The device's capacity, with the tenant's own limit on memory.
    pub(super) quota: Ledger,
    /// Memory used outside tasks.
    pub(super) outside: Held,
    pub(super) closed: bool,
    /// Tasks that wait, run or hold memory.
    pub(super) tasks: usize,
}

impl Tenant {
    /// A tenant whose memory is limited to `memory`, on a device of `capacity`.
    pub(super) fn new(capacity: Amount, memory: Option<Bytes>) -> Self {
        let limit = memory.map_or(capacity.bytes(), |limit| limit.min(capacity.bytes()));
        Self {
            quota: Ledger::new(capacity.memory(limit)),
            outside: Held::default(),
            closed: false,
            tasks: 0,
        }
    }
}

/// A task, and the tenant whose it is.
pub(super) fn both<'a>(
    tasks: &'a mut BTreeMap<TaskId, Task>,
    tenants: &'a mut BTreeMap<TenantId, Tenant>,
    id: TaskId,
) -> Result<(&'a mut Task, &'a mut Tenant), StepError> {
    let task = tasks.get_mut(&id).ok_or(StepError::UnknownTask(id))?;
    let tenant = tenants
        .get_mut(&task.tenant)
        .ok_or(StepError::UnknownTenant(task.tenant))?;
    Ok((task, tenant))
}
