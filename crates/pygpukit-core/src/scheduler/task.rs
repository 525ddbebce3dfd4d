//! What the scheduler knows of a task.

use super::order::Rank;
use super::queue::Lane;
use super::request::Request;
use crate::collections::Slot;
use crate::id::TaskId;
use crate::ledger::{Amount, Grant, Resource, ResourceSet};
use crate::timeshare::ClientKey;
use crate::units::{Bytes, Nanoseconds};

/// A task that waits, runs, or has left memory behind.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) id: TaskId,
    pub(super) tenant: Slot,
    pub(super) request: Box<Request>,
    /// What the request asks for.
    pub(super) amount: Amount,
    pub(super) submitted: Nanoseconds,
    pub(super) stage: Stage,
}

/// How far a task is, and what is true there. What is held is of its tenant's
/// quota.
#[derive(Debug)]
pub(super) enum Stage {
    Queued {
        lane: Lane,
        rank: Rank,
        lacked: Waits,
    },
    Running {
        since: Nanoseconds,
        /// Who it is where time is handed out; nobody before it wants any.
        client: Option<ClientKey>,
        /// What it requested, and memory beyond that.
        held: Grant,
    },
    /// It has ended, and arrays of it live on.
    Ended { held: Grant },
}

impl Task {
    /// What it holds of its tenant's quota.
    pub(super) fn held(&self) -> Option<&Grant> {
        match &self.stage {
            Stage::Queued { .. } => None,
            Stage::Running { held, .. } | Stage::Ended { held } => Some(held),
        }
    }

    /// What it lacks or has lacked, if it waits.
    pub(super) fn lacked(&self) -> Option<Waits> {
        match self.stage {
            Stage::Queued { lacked, .. } => Some(lacked),
            Stage::Running { .. } | Stage::Ended { .. } => None,
        }
    }

    /// When it will have waited long enough.
    pub(super) fn timeout(&self) -> Option<Nanoseconds> {
        let timeout = self.request.spec().queue_timeout?;
        Some(self.submitted.saturating_add(timeout))
    }
}

/// How much memory a grant has.
pub(super) fn bytes(grant: &Grant) -> Bytes {
    grant.amount().bytes()
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

    /// Keeps what was lacked before, apart from workers.
    pub(super) fn add(&mut self, lacking: Self) {
        let kept = |lacked: ResourceSet| lacked.without(Resource::Workers);
        self.device = kept(self.device).union(lacking.device);
        self.quota = kept(self.quota).union(lacking.quota);
    }
}
