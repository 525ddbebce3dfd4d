//! Partitions of a device: each is a tenant, with memory, multiprocessors and a share of the time.
//!
//! - [`Split`]: how multiprocessors come in groups, and who gets how many.
//! - [`PartitionSpec`]: what a partition is to have, beside what any
//!   [tenant](crate::scheduler::TenantSpec) has.
//! - [`Partitions`]: which groups are whose, while partitions come, change and go.
//!   What they have is counted by the [`Scheduler`](crate::scheduler::Scheduler)
//!   whose tenants they are, and nowhere else.
//! - [`PartitionManager`]: the same by name, with a scheduler of its own.

mod error;
mod groups;
mod limits;
mod manager;
mod partitions;
mod spec;
mod split;

#[cfg(test)]
mod manager_tests;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

pub use error::PartitionError;
pub use groups::Change;
pub use limits::{ManagerConfig, PartitionLimits};
pub use manager::{NamedPartition, PartitionManager};
pub use partitions::{Granted, Partitions};
pub use spec::{Isolation, PartitionSpec};
pub use split::Split;
