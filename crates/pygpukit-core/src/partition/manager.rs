//! Partitions by name, with a scheduler of their own.

use super::error::PartitionError;
use super::limits::{ManagerConfig, PartitionLimits};
use super::partitions::{Granted, Partitions};
use crate::id::TenantId;
use crate::ledger::{Ledger, Resource};
use crate::scheduler::{Actions, Config, Reason, Rejection, Scheduler};
use crate::units::{Bytes, Nanoseconds};
use std::collections::BTreeMap;

/// A partition at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedPartition {
    /// Its name for programs.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// What it was to have.
    pub limits: PartitionLimits,
    /// What it has.
    pub granted: Granted,
    /// The tasks that are assigned to it, by name.
    pub tasks: Vec<String>,
}

#[derive(Debug)]
struct Entry {
    tenant: TenantId,
    name: String,
    limits: PartitionLimits,
}

/// Divides a device into partitions by name.
///
/// They are tenants of a [`Scheduler`], whose ledger counts what they have.
#[derive(Debug)]
pub struct PartitionManager {
    memory: Bytes,
    scheduler: Scheduler,
    partitions: Partitions,
    actions: Actions,
    named: BTreeMap<String, Entry>,
    /// Where tasks go that are assigned to none.
    default: Option<String>,
    tasks: BTreeMap<String, String>,
    next: u64,
}

impl PartitionManager {
    /// A device without partitions.
    pub fn new(config: ManagerConfig) -> Self {
        Self {
            memory: config.memory,
            scheduler: Scheduler::new(Config::new(config.committed, 1)),
            partitions: Partitions::new(1, config.split),
            actions: Actions::new(),
            named: BTreeMap::new(),
            default: None,
            tasks: BTreeMap::new(),
            next: TenantId::DEFAULT.get() + 1,
        }
    }

    /// Makes a partition. The first is the default.
    ///
    /// # Errors
    /// [`PartitionError`], and nothing has changed.
    pub fn create(
        &mut self,
        id: &str,
        name: &str,
        limits: PartitionLimits,
    ) -> Result<(), PartitionError> {
        if self.named.contains_key(id) {
            return Err(PartitionError::Exists(id.into()));
        }
        let tenant = TenantId::new(self.next);
        self.open(tenant, &limits)
            .map_err(|error| error.named(id))?;
        self.next += 1;
        let name = name.into();
        let entry = Entry {
            tenant,
            name,
            limits,
        };
        self.named.insert(id.into(), entry);
        self.default.get_or_insert_with(|| id.into());
        Ok(())
    }

    fn open(&mut self, tenant: TenantId, limits: &PartitionLimits) -> Result<(), PartitionError> {
        let spec = limits.spec();
        let asked = spec.tenant.own().bytes();
        if asked > self.memory {
            let available = self.scheduler.ledger().available().bytes().min(self.memory);
            return Err(PartitionError::Denied(Rejection {
                reason: Reason::Resource(Resource::Memory),
                asked: asked.get(),
                available: available.get(),
                limit: self.memory.get(),
            }));
        }
        drop(self.actions.drain());
        let (partitions, scheduler) = (&mut self.partitions, &mut self.scheduler);
        partitions.create(
            scheduler,
            Nanoseconds::ZERO,
            tenant,
            spec,
            &mut self.actions,
        )?;
        Ok(())
    }

    /// Ends a partition, and says what it was; what it had can be granted again. The
    /// tasks assigned to it are assigned to none. If it was the default, the oldest
    /// of the others is.
    ///
    /// # Errors
    /// [`PartitionError::Unknown`].
    pub fn delete(&mut self, id: &str) -> Result<NamedPartition, PartitionError> {
        let gone = self.get(id)?;
        let tenant = self.entry(id)?.tenant;
        drop(self.actions.drain());
        let (partitions, scheduler) = (&mut self.partitions, &mut self.scheduler);
        partitions.delete(
            scheduler,
            Nanoseconds::ZERO,
            tenant,
            true,
            &mut self.actions,
        )?;
        self.named.remove(id);
        self.tasks.retain(|_, partition| partition != id);
        if self.default.as_deref() == Some(id) {
            let oldest = self.named.iter().min_by_key(|(_, entry)| entry.tenant);
            self.default = oldest.map(|(id, _)| id.clone());
        }
        Ok(gone)
    }

    fn entry(&self, id: &str) -> Result<&Entry, PartitionError> {
        let entry = self.named.get(id);
        entry.ok_or_else(|| PartitionError::Unknown(id.into()))
    }

    /// A partition.
    ///
    /// # Errors
    /// [`PartitionError::Unknown`].
    pub fn get(&self, id: &str) -> Result<NamedPartition, PartitionError> {
        let entry = self.entry(id)?;
        let tasks = self.tasks.iter().filter(|(_, partition)| *partition == id);
        Ok(NamedPartition {
            id: id.into(),
            name: entry.name.clone(),
            limits: entry.limits,
            granted: self.partitions.granted(entry.tenant)?,
            tasks: tasks.map(|(task, _)| task.clone()).collect(),
        })
    }

    /// The names of the partitions, in order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.named.keys().map(String::as_str)
    }

    /// Assigns a task to a partition, and to no other.
    ///
    /// # Errors
    /// [`PartitionError::Unknown`].
    pub fn assign(&mut self, task: &str, id: &str) -> Result<(), PartitionError> {
        self.entry(id)?;
        self.tasks.insert(task.into(), id.into());
        Ok(())
    }

    /// Assigns a task to none; true if it was assigned to one.
    pub fn unassign(&mut self, task: &str) -> bool {
        self.tasks.remove(task).is_some()
    }

    /// The partition of a task: where it is assigned, or else the default.
    pub fn of_task(&self, task: &str) -> Option<NamedPartition> {
        let id = self.tasks.get(task).or(self.default.as_ref())?;
        self.get(id).ok()
    }

    /// Makes a partition the default.
    ///
    /// # Errors
    /// [`PartitionError::Unknown`].
    pub fn set_default(&mut self, id: &str) -> Result<(), PartitionError> {
        self.entry(id)?;
        self.default = Some(id.into());
        Ok(())
    }

    /// The default partition, unless there is none.
    pub fn default_partition(&self) -> Option<NamedPartition> {
        self.get(self.default.as_ref()?).ok()
    }

    /// What there is, and what partitions have of it.
    pub fn ledger(&self) -> &Ledger {
        self.scheduler.ledger()
    }

    /// Ends all partitions.
    pub fn clear(&mut self) {
        let ids: Vec<_> = self.named.keys().cloned().collect();
        for id in ids {
            let deleted = self.delete(&id);
            debug_assert!(deleted.is_ok(), "it was there just now");
        }
    }
}
