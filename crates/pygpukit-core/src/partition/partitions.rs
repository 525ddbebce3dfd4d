//! Partitions come, change and go.

use super::error::PartitionError;
use super::groups::{Change, Groups};
use super::spec::{Isolation, PartitionSpec};
use super::split::Split;
use crate::id::TenantId;
use crate::ledger::Amount;
use crate::scheduler::{Action, Actions, Event, Scheduler};
use crate::units::Nanoseconds;

/// The partitions of a device: which tenants of its scheduler have groups of
/// multiprocessors, and which.
///
/// Tasks may wait and run meanwhile:
///
/// - A new or larger partition takes groups from the default tenant and, to round
///   fairly, at most one from each other. It [is active](Self::is_active) once what
///   ran there has [drained](Self::drained).
/// - A smaller one keeps what its running tasks were promised: its limits are
///   reached as they end.
/// - One that is deleted keeps its groups, and the memory that its tasks use, until the
///   last of them has ended. Then [`settle`](Self::settle) gives them to others.
#[derive(Debug)]
pub struct Partitions {
    bands: u8,
    split: Option<(Split, Groups)>,
    /// In the order in which they came.
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    tenant: TenantId,
    spec: PartitionSpec,
    /// Deleted, but not gone as long as its tasks run.
    deleted: bool,
}

/// What a partition has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Granted {
    /// Of what the ledger counts: memory, and shares of space and time. Of the time of
    /// multiprocessors that are its own it has all.
    pub own: Amount,
    /// Multiprocessors on which nobody else's work runs; `None` if nothing keeps
    /// them apart.
    pub sms: Option<u32>,
    /// The groups that these are.
    pub groups: Vec<u32>,
    /// Tasks that run at once, at most; `None` for as many as the device runs.
    pub workers: Option<u32>,
    /// Streams.
    pub streams: u32,
    /// Priority of these streams: larger is more urgent.
    pub band: u8,
    /// What keeps its work apart.
    pub isolation: Isolation,
}

impl Partitions {
    /// No partitions yet, on a device whose streams have that many priorities, and
    /// whose multiprocessors come as `split`; `None` if they cannot be kept apart.
    pub fn new(bands: u8, split: Option<Split>) -> Self {
        Self {
            bands,
            split: split.map(|split| (split, Groups::new(&split))),
            entries: Vec::new(),
        }
    }

    /// Makes a partition: a tenant of that name, and its groups.
    ///
    /// # Errors
    /// [`PartitionError`]; nothing has changed.
    pub fn create(
        &mut self,
        scheduler: &mut Scheduler,
        now: Nanoseconds,
        tenant: TenantId,
        spec: PartitionSpec,
        actions: &mut Actions,
    ) -> Result<Change, PartitionError> {
        spec.check(self.bands, self.split.as_ref().map(|(split, _)| split))?;
        let event = Event::Open {
            tenant,
            spec: spec.tenant,
        };
        ask(scheduler, now, tenant, event, actions)?;
        self.entries.push(Entry {
            tenant,
            spec,
            deleted: false,
        });
        Ok(self.settle(scheduler))
    }

    /// Gives a partition another size.
    ///
    /// # Errors
    /// [`PartitionError`]; nothing has changed.
    pub fn resize(
        &mut self,
        scheduler: &mut Scheduler,
        now: Nanoseconds,
        tenant: TenantId,
        spec: PartitionSpec,
        actions: &mut Actions,
    ) -> Result<Change, PartitionError> {
        spec.check(self.bands, self.split.as_ref().map(|(split, _)| split))?;
        let at = self.position(tenant)?;
        let event = Event::Resize {
            tenant,
            spec: spec.tenant,
        };
        ask(scheduler, now, tenant, event, actions)?;
        self.entries[at].spec = spec;
        Ok(self.settle(scheduler))
    }

    /// Ends a partition. Its tasks that wait are cancelled, or else run before it is
    /// gone.
    ///
    /// # Errors
    /// [`PartitionError`]; nothing has changed.
    pub fn delete(
        &mut self,
        scheduler: &mut Scheduler,
        now: Nanoseconds,
        tenant: TenantId,
        cancel_pending: bool,
        actions: &mut Actions,
    ) -> Result<Change, PartitionError> {
        let at = self.position(tenant)?;
        let event = Event::Close {
            tenant,
            cancel_pending,
        };
        scheduler.step(now, event, actions)?;
        self.entries[at].deleted = true;
        Ok(self.settle(scheduler))
    }

    fn position(&self, tenant: TenantId) -> Result<usize, PartitionError> {
        let is_it = |entry: &Entry| entry.tenant == tenant && !entry.deleted;
        let at = self.entries.iter().position(is_it);
        at.ok_or_else(|| PartitionError::Unknown(tenant.to_string()))
    }

    /// Gives the groups of deleted partitions to others whose last task has ended: to
    /// be called when tasks of those have.
    pub fn settle(&mut self, scheduler: &Scheduler) -> Change {
        let is_gone = |entry: &mut Entry| entry.deleted && !scheduler.has_tenant(entry.tenant);
        let gone: Vec<_> = self.entries.extract_if(.., is_gone).collect();
        let Some((split, groups)) = &mut self.split else {
            return Change::default();
        };
        let shares = self.entries.iter().map(|entry| entry.spec.tenant.compute);
        let divided = split.divide(&shares.collect::<Vec<_>>());
        debug_assert!(divided.is_ok(), "the ledger grants no more than the whole");
        let tenants = self.entries.iter().map(|entry| entry.tenant);
        let wanted: Vec<_> = tenants.zip(divided.unwrap_or_default()).collect();
        let latest = groups.arrange(&wanted);
        for entry in gone {
            groups.drained(entry.tenant, latest);
        }
        latest
    }

    /// Takes note that all work of a tenant has ended that ran on groups which it
    /// lost up to that change. Without partitions all groups are
    /// [`TenantId::DEFAULT`]'s.
    pub fn drained(&mut self, tenant: TenantId, change: Change) {
        if let Some((_, groups)) = &mut self.split {
            groups.drained(tenant, change);
        }
    }

    /// The last change of groups: what is launched from now on is on those that are
    /// its own.
    pub fn latest_change(&self) -> Change {
        let split = self.split.as_ref();
        split.map_or_else(Change::default, |(_, groups)| groups.latest())
    }

    /// Whether nobody else's work runs any more on what is a partition's own.
    pub fn is_active(&self, tenant: TenantId) -> bool {
        let split = self.split.as_ref();
        split.is_none_or(|(_, groups)| groups.is_alone(tenant))
    }

    /// What a partition has; also one that was deleted, as long as its tasks run.
    ///
    /// # Errors
    /// [`PartitionError::Unknown`].
    pub fn granted(&self, tenant: TenantId) -> Result<Granted, PartitionError> {
        let entry = self.entries.iter().find(|entry| entry.tenant == tenant);
        let unknown = || PartitionError::Unknown(tenant.to_string());
        let spec = entry.ok_or_else(unknown)?.spec;
        let split = self.split.as_ref();
        let split = split.filter(|_| spec.isolation == Isolation::Sm);
        Ok(Granted {
            own: spec.tenant.own(),
            sms: split.map(|(_, groups)| groups.sms_of(tenant)),
            groups: split.map_or_else(Vec::new, |(_, groups)| groups.of(tenant).collect()),
            workers: spec.tenant.workers,
            streams: spec.streams,
            band: spec.band,
            isolation: spec.isolation,
        })
    }

    /// The partitions, in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = (TenantId, &PartitionSpec)> {
        let kept = self.entries.iter().filter(|entry| !entry.deleted);
        kept.map(|entry| (entry.tenant, &entry.spec))
    }
}

/// Asks the scheduler for what is to be a tenant's own.
fn ask(
    scheduler: &mut Scheduler,
    now: Nanoseconds,
    tenant: TenantId,
    event: Event,
    actions: &mut Actions,
) -> Result<(), PartitionError> {
    let before = actions.as_slice().len();
    scheduler.step(now, event, actions)?;
    for action in &actions.as_slice()[before..] {
        if let Action::Deny {
            tenant: whom,
            rejection,
        } = *action
            && whom == tenant
        {
            return Err(PartitionError::Denied(rejection));
        }
    }
    Ok(())
}
