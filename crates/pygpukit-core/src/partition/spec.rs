//! What a partition is to have.

use super::error::PartitionError;
use super::split::Split;
use crate::ledger::Resource;
use crate::scheduler::{RequestError, TenantSpec};
use crate::units::Share;
use std::fmt;

/// What keeps a partition's work apart from others'.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Isolation {
    /// Its memory only: its work runs among that of others.
    None,
    /// Its share of the time too.
    #[default]
    Time,
    /// Multiprocessors too, on which nobody else's work runs.
    Sm,
}

impl Isolation {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Time => "time",
            Self::Sm => "sm",
        }
    }
}

impl fmt::Display for Isolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a partition is to have. By default it has nothing of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartitionSpec {
    /// Memory, shares and workers: what its tenant asks of the ledger.
    pub tenant: TenantSpec,
    /// What keeps its work apart.
    pub isolation: Isolation,
    /// Its work goes before that of smaller bands wherever both run on the same
    /// multiprocessors.
    pub band: u8,
    /// Streams that its work is spread over.
    pub streams: u32,
    /// Its kernels launch clusters of blocks.
    pub clusters: bool,
}

impl Default for PartitionSpec {
    fn default() -> Self {
        Self {
            tenant: TenantSpec::default(),
            isolation: Isolation::Time,
            band: 0,
            streams: 1,
            clusters: false,
        }
    }
}

impl PartitionSpec {
    /// With multiprocessors of its own.
    #[must_use]
    pub fn own_sms(mut self, share: Share) -> Self {
        self.tenant.compute = share;
        self.isolation = Isolation::Sm;
        self
    }

    /// Checks it for contradictions, on a device whose streams have `bands`
    /// priorities and whose multiprocessors come as `split`, if they can be split.
    pub(super) fn check(&self, bands: u8, split: Option<&Split>) -> Result<(), PartitionError> {
        self.tenant.check()?;
        if self.band >= bands {
            return Err(PartitionError::Band {
                asked: self.band,
                bands,
            });
        }
        if self.streams == 0 {
            return Err(PartitionError::Request(RequestError::NotPositive {
                option: "streams",
                value: 0,
            }));
        }
        self.check_isolation()?;
        let Some(split) = split.filter(|_| self.isolation == Isolation::Sm) else {
            return Ok(());
        };
        if self.clusters && !split.has_clusters() {
            return Err(PartitionError::Clusters {
                group: split.group(),
            });
        }
        let asked = split.sms_of(self.tenant.compute);
        if asked < split.group() {
            return Err(PartitionError::BelowGroup {
                asked,
                group: split.group(),
            });
        }
        Ok(())
    }

    fn check_isolation(&self) -> Result<(), PartitionError> {
        let own = self.tenant.own();
        let needs = |resource, least| {
            if own.get(resource) > 0 && self.isolation < least {
                return Err(PartitionError::Isolation {
                    isolation: self.isolation,
                    resource,
                    least,
                });
            }
            Ok(())
        };
        needs(Resource::Compute, Isolation::Sm)?;
        needs(Resource::Bandwidth, Isolation::Time)?;
        if self.isolation == Isolation::Sm && self.tenant.compute == Share::ZERO {
            return Err(PartitionError::NoCompute);
        }
        Ok(())
    }
}
