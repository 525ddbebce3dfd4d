//! The tasks that wait, in policy order.

use super::order::Rank;
use crate::collections::{Heap, Places, Ranks, Slot};
use crate::ledger::{Resource, ResourceSet};

/// Which of memory and a share of the time something is about. All ask for a
/// worker besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Class(u32);

impl Class {
    pub(super) const COUNT: usize = 4;
    /// Every class.
    pub(super) const ALL: [Self; Self::COUNT] = [Self(0), Self(1), Self(2), Self(3)];

    pub(super) fn of(resources: ResourceSet) -> Self {
        let bit = |resource, bit| if resources.contains(resource) { bit } else { 0 };
        Self(bit(Resource::Memory, 1) | bit(Resource::Bandwidth, 2))
    }

    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Queued tasks of one tenant that ask for the same resources.
///
/// If the first of them is blocked, so are all: each asks for what it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lane(u32);

#[expect(clippy::cast_possible_truncation, reason = "it is 4")]
const LANES: u32 = Class::COUNT as u32;

impl Lane {
    pub(super) fn new(tenant: Slot, asks: Class) -> Self {
        Self(tenant * LANES + asks.0)
    }

    pub(super) fn tenant(self) -> Slot {
        self.0 / LANES
    }

    pub(super) fn all_of(tenant: Slot) -> impl Iterator<Item = Self> {
        Class::ALL.map(|asks| Self::new(tenant, asks)).into_iter()
    }
}

/// The tasks that wait.
///
/// A lane is listed by its first task, with those whose first tasks need the
/// same of the device. One whose first task waits for its tenant's quota is not
/// listed: nothing that happens elsewhere lets it start.
#[derive(Debug, Default)]
pub(super) struct Queue {
    order: Ranks<Rank>,
    lanes: Vec<Line>,
    places: Places,
    listed: [Heap<Rank>; Class::COUNT],
    listed_places: Places,
}

/// The tasks of a lane.
#[derive(Debug, Default)]
struct Line {
    tasks: Heap<Rank>,
    /// Where the lane is listed, and by which first task.
    listed: Option<(Class, Rank)>,
}

impl Queue {
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// Adds a task; says how many are ahead of it, and whether it is the first of its
    /// lane, which then has to be [listed](Self::list).
    pub(super) fn insert(&mut self, lane: Lane, rank: Rank, task: Slot) -> (usize, bool) {
        let at = lane.0 as usize;
        if at >= self.lanes.len() {
            self.lanes.resize_with(at + 1, Line::default);
        }
        let ahead = self.order.insert(rank);
        self.lanes[at].tasks.insert(rank, task, &mut self.places);
        (ahead, self.first_of(lane) == Some((rank, task)))
    }

    /// Removes a task that is there; true if it was the first of its lane, which
    /// then has to be [listed](Self::list) again.
    pub(super) fn remove(&mut self, lane: Lane, rank: Rank, task: Slot) -> bool {
        let first = self.first_of(lane) == Some((rank, task));
        self.order.remove(rank);
        let tasks = &mut self.lanes[lane.0 as usize].tasks;
        tasks.remove(task, &mut self.places);
        first
    }

    /// The first task of a lane.
    pub(super) fn first_of(&self, lane: Lane) -> Option<(Rank, Slot)> {
        self.lanes.get(lane.0 as usize)?.tasks.first()
    }

    /// The first tasks of a tenant's lanes.
    pub(super) fn firsts_of(&self, tenant: Slot) -> impl Iterator<Item = (Rank, Slot)> {
        Lane::all_of(tenant).filter_map(|lane| self.first_of(lane))
    }

    /// The lane listed under `needs` whose first task is first.
    pub(super) fn first_listed(&self, needs: Class) -> Option<(Rank, Lane)> {
        let (rank, lane) = self.listed[needs.index()].first()?;
        Some((rank, Lane(lane)))
    }

    /// Lists a lane by its first task, which needs `needs` of the device.
    pub(super) fn list(&mut self, lane: Lane, needs: Class) {
        let first = self.first_of(lane).map(|(rank, _)| (needs, rank));
        if first == self.listed(lane) {
            return;
        }
        self.unlist(lane);
        if let Some((_, rank)) = first {
            let places = &mut self.listed_places;
            self.listed[needs.index()].insert(rank, lane.0, places);
            self.lanes[lane.0 as usize].listed = first;
        }
    }

    /// Where a lane is listed, and by which first task; `None` if it is not.
    pub(super) fn listed(&self, lane: Lane) -> Option<(Class, Rank)> {
        self.lanes.get(lane.0 as usize)?.listed
    }

    /// Takes a lane off the list.
    pub(super) fn unlist(&mut self, lane: Lane) {
        let known = self.lanes.get_mut(lane.0 as usize);
        if let Some((needs, _)) = known.and_then(|line| line.listed.take()) {
            let listed = &mut self.listed[needs.index()];
            listed.remove(lane.0, &mut self.listed_places);
        }
    }

    /// How many are ahead of `rank`.
    pub(super) fn ahead_of(&self, rank: Rank) -> usize {
        self.order.smaller(rank)
    }

    /// The tasks of a tenant, in policy order.
    pub(super) fn of_tenant(&self, tenant: Slot) -> Vec<Slot> {
        let mut tasks: Vec<_> = Lane::all_of(tenant)
            .filter_map(|lane| self.lanes.get(lane.0 as usize))
            .flat_map(|line| line.tasks.items())
            .collect();
        tasks.sort_unstable();
        tasks.into_iter().map(|&(_, task)| task).collect()
    }

    /// Whether the task at `rank` is the first of those that need the same.
    #[cfg(test)]
    pub(super) fn leads(&self, rank: Rank) -> bool {
        let firsts = Class::ALL.map(|needs| self.first_listed(needs));
        firsts.into_iter().flatten().any(|(first, _)| first == rank)
    }

    /// Who is first of each lane, for tests.
    #[cfg(test)]
    pub(super) fn firsts(&self) -> Vec<(Rank, Slot)> {
        let lines = self.lanes.iter();
        lines.filter_map(|line| line.tasks.first()).collect()
    }
}
