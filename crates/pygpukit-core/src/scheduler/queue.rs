//! Who is next.

use super::policy::Policy;
use super::request::Request;
use crate::id::{TaskId, TenantId};
use crate::ledger::{Resource, ResourceSet};
use crate::units::Nanoseconds;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A place in policy order: tier, priority, deadline, arrival. Smaller is sooner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    policy: Policy,
    priority: Reverse<i32>,
    deadline: Nanoseconds,
    arrival: u64,
}

impl Rank {
    pub(super) fn new(request: &Request, now: Nanoseconds, arrival: u64) -> Self {
        let deadline = request.spec().deadline;
        Self {
            policy: request.policy(),
            priority: Reverse(request.spec().priority),
            deadline: Nanoseconds::new(u64::MAX)
                .min(now.saturating_add(deadline.unwrap_or(Nanoseconds::new(u64::MAX)))),
            arrival,
        }
    }
}

/// Queued tasks of one tenant that ask for the same resources.
///
/// If the first of them is blocked, so are all: each asks for what it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Lane {
    pub(super) tenant: TenantId,
    /// What they ask for besides a worker, which all do.
    pub(super) asks: ResourceSet,
}

impl Lane {
    pub(super) fn new(tenant: TenantId, request: &Request) -> Self {
        Self {
            tenant,
            asks: request.amount().resources().without(Resource::Workers),
        }
    }
}

/// The tasks that wait, in policy order.
#[derive(Debug, Default)]
pub(super) struct Queue {
    lanes: BTreeMap<Lane, BTreeMap<Rank, TaskId>>,
    len: usize,
}

/// The first of each lane, in policy order.
pub(super) type Heads = SmallVec<[(Rank, Lane, TaskId); 8]>;

impl Queue {
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    pub(super) fn insert(&mut self, lane: Lane, rank: Rank, task: TaskId) {
        self.lanes.entry(lane).or_default().insert(rank, task);
        self.len += 1;
    }

    pub(super) fn remove(&mut self, lane: Lane, rank: Rank) {
        if let Some(ranks) = self.lanes.get_mut(&lane)
            && ranks.remove(&rank).is_some()
        {
            self.len -= 1;
        }
    }

    /// Forgets a tenant that has no queued tasks.
    pub(super) fn forget(&mut self, tenant: TenantId) {
        self.lanes.retain(|lane, _| lane.tenant != tenant);
    }

    pub(super) fn heads(&self) -> Heads {
        let mut heads: Heads = self
            .lanes
            .iter()
            .filter_map(|(&lane, ranks)| {
                let (&rank, &task) = ranks.first_key_value()?;
                Some((rank, lane, task))
            })
            .collect();
        heads.sort_unstable_by_key(|&(rank, ..)| rank);
        heads
    }

    /// How many are ahead of `rank`. Takes as long as there are tasks behind it:
    /// nothing for one that is last.
    pub(super) fn ahead_of(&self, rank: Rank) -> usize {
        let behind: usize = self
            .lanes
            .values()
            .map(|ranks| ranks.range(rank..).count())
            .sum();
        self.len - behind
    }

    pub(super) fn of_tenant(&self, tenant: TenantId) -> Vec<TaskId> {
        let mut tasks: Vec<_> = self
            .lanes
            .iter()
            .filter(|(lane, _)| lane.tenant == tenant)
            .flat_map(|(_, ranks)| ranks)
            .collect();
        tasks.sort_unstable();
        tasks.into_iter().map(|(_, &task)| task).collect()
    }
}
