//! What partitions are refused for.

use super::spec::Isolation;
use crate::ledger::Resource;
use crate::scheduler::{Rejection, RequestError, StepError};

/// Why a partition is not made or changed. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PartitionError {
    /// There is a partition of that name.
    #[error("there is a partition `{0}` already")]
    Exists(String),
    /// No partition of that name.
    #[error("there is no partition `{0}`")]
    Unknown(String),
    /// More than is left.
    #[error(transparent)]
    Denied(#[from] Rejection),
    /// More than is left, for the partition of that name.
    #[error("cannot create partition `{id}`: {rejection}")]
    Insufficient {
        /// The partition that was to be.
        id: String,
        /// What there is too little of.
        rejection: Rejection,
    },
    /// What it asks for contradicts itself.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// No such tenant, or one that is there already.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A priority that there is not.
    #[error("priority band {asked} of {bands}: the most urgent is {}", bands.saturating_sub(1))]
    Band {
        /// The band.
        asked: u8,
        /// How many there are.
        bands: u8,
    },
    /// Something of its own that nothing keeps for it.
    #[error("{resource} of its own needs isolation \"{least}\", not \"{isolation}\"")]
    Isolation {
        /// What it asks for.
        isolation: Isolation,
        /// What is to be its own.
        resource: Resource,
        /// What would keep it.
        least: Isolation,
    },
    /// Multiprocessors of its own, but none.
    #[error("isolation \"sm\" needs multiprocessors of its own: `compute` is 0")]
    NoCompute,
    /// Clusters where none run.
    #[error(
        "clusters of blocks do not run in groups of {group} multiprocessors: use larger groups"
    )]
    Clusters {
        /// Multiprocessors of a group.
        group: u32,
    },
    /// Less than can be given.
    #[error("asked for {asked} multiprocessors; the least is a group, {group}")]
    BelowGroup {
        /// How many.
        asked: u32,
        /// Multiprocessors of a group.
        group: u32,
    },
}

impl PartitionError {
    /// Says whose it is.
    pub(super) fn named(self, id: &str) -> Self {
        if let Self::Denied(rejection) = self {
            let id = id.into();
            return Self::Insufficient { id, rejection };
        }
        self
    }
}
