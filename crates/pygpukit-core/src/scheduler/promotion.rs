//! Queued tasks start when what they wait for is there.

use super::event::{Action, Actions};
use super::order::Rank;
use super::queue::{Class, Lane};
use super::state::Scheduler;
use super::task::{Stage, Task, Waits};
use super::tenant::Tenant;
use crate::collections::Slot;
use crate::ledger::{Grant, Resource, ResourceSet};

/// Who has first claim on what the device has too little of: the rank of the
/// first task that waits for each resource.
#[derive(Debug, Default)]
pub(super) struct Claims([Option<Rank>; Resource::ALL.len()]);

impl Claims {
    fn add(&mut self, rank: Rank, waits: ResourceSet) {
        for resource in waits.iter() {
            let claim = &mut self.0[resource as usize];
            *claim = Some(claim.map_or(rank, |first| first.min(rank)));
        }
    }

    /// What tasks ahead of `rank` have first claim on.
    pub(super) fn ahead_of(&self, rank: Rank) -> ResourceSet {
        Resource::ALL
            .into_iter()
            .filter(|&each| self.0[each as usize].is_some_and(|first| first < rank))
            .fold(ResourceSet::EMPTY, ResourceSet::with)
    }
}

/// What stops the first task of a lane.
enum Verdict {
    /// Nothing.
    Start,
    /// Something of the device.
    Blocked(ResourceSet),
    /// Its tenant's quota: only that tenant can change it, so that it claims
    /// nothing of the device meanwhile.
    Park,
}

/// What a queued task waits for.
pub(super) struct Obstacles {
    /// What it needs of the device, beyond what its tenant owns.
    needs: ResourceSet,
    /// There is too little of it.
    lacking: Waits,
    /// Tasks ahead of it have first claim on it.
    claimed: Waits,
}

impl Obstacles {
    /// What tasks ahead of it have first claim on.
    pub(super) fn claimed(&self) -> Waits {
        self.claimed
    }

    pub(super) fn all(&self) -> Waits {
        Waits {
            device: self.lacking.device.union(self.claimed.device),
            quota: self.lacking.quota.union(self.claimed.quota),
        }
    }
}

impl Scheduler {
    /// Starts every task that may start now.
    ///
    /// Walks through the lanes in policy order, and looks at no more than one
    /// blocked lane of each class: what blocks it blocks all behind it, since
    /// they need the same.
    pub(super) fn promote(&mut self, actions: &mut Actions) {
        if !std::mem::take(&mut self.unsettled) {
            return;
        }
        self.claims = Claims::default();
        let mut blocked = [false; Class::COUNT];
        while let Some((class, rank, lane)) = self.next_lane(blocked) {
            let Some((_, task)) = self.queue.first_of(lane) else {
                return;
            };
            match self.judge(task) {
                Verdict::Start => {
                    if self.take_from_queue(task) {
                        blocked = [false; Class::COUNT];
                    }
                    self.start(task, actions);
                }
                Verdict::Blocked(waits) => {
                    self.claims.add(rank, waits);
                    blocked[class.index()] = true;
                }
                Verdict::Park => self.queue.unlist(lane),
            }
        }
    }

    /// The lane that is first in policy order, of the classes not yet blocked.
    fn next_lane(&self, blocked: [bool; Class::COUNT]) -> Option<(Class, Rank, Lane)> {
        Class::ALL
            .into_iter()
            .filter(|class| !blocked[class.index()])
            .filter_map(|class| {
                let (rank, lane) = self.queue.first_listed(class)?;
                Some((class, rank, lane))
            })
            .min_by_key(|&(_, rank, _)| rank)
    }

    /// Whether the first task of a lane may start; notes what it lacks if not.
    fn judge(&mut self, slot: Slot) -> Verdict {
        let Some(obstacles) = self.obstacles(slot) else {
            return Verdict::Park;
        };
        let waits = obstacles.all();
        if waits.all().is_empty() {
            return Verdict::Start;
        }
        let Some(Task {
            stage: Stage::Queued { lacked, .. },
            ..
        }) = self.tasks.get_mut(slot)
        else {
            return Verdict::Park;
        };
        lacked.add(obstacles.lacking);
        if waits.quota.is_empty() {
            Verdict::Blocked(lacked.device.intersection(obstacles.needs))
        } else {
            Verdict::Park
        }
    }

    /// What a queued task waits for now.
    pub(super) fn obstacles(&self, slot: Slot) -> Option<Obstacles> {
        let task = self.tasks.get(slot)?;
        let Stage::Queued { rank, .. } = task.stage else {
            return None;
        };
        let tenant = self.tenants.get(task.tenant)?;
        let asked = task.amount.resources();
        let growth = tenant.growth(&task.amount);
        let needs = growth.resources();
        let quota_claims = self
            .queue
            .firsts_of(task.tenant)
            .filter(|&(other, _)| other < rank)
            .filter_map(|(_, other)| self.tasks.get(other)?.lacked())
            .fold(ResourceSet::EMPTY, |claimed, lacked| {
                claimed.union(lacked.quota)
            });
        Some(Obstacles {
            needs,
            lacking: Waits {
                device: self.ledger.lacking(&growth),
                quota: tenant.quota.lacking(&task.amount),
            },
            claimed: Waits {
                device: self.claims.ahead_of(rank).intersection(needs),
                quota: quota_claims.intersection(asked),
            },
        })
    }

    /// Lists a lane by what its first task needs.
    pub(super) fn list(&mut self, lane: Lane) {
        let first = self.queue.first_of(lane);
        let task = first.and_then(|(_, slot)| self.tasks.get(slot));
        match (task, self.tenants.get(lane.tenant())) {
            (Some(task), Some(tenant)) => {
                let needs = tenant.growth(&task.amount).resources();
                self.queue.list(lane, Class::of(needs));
            }
            (None, _) | (_, None) => self.queue.unlist(lane),
        }
    }

    /// Lists all lanes of a tenant.
    pub(super) fn list_all(&mut self, tenant: Slot) {
        for lane in Lane::all_of(tenant) {
            self.list(lane);
        }
    }

    /// Takes a task out of the queue; true if other lanes of its tenant may have
    /// waited behind it.
    pub(super) fn take_from_queue(&mut self, slot: Slot) -> bool {
        let Some(task) = self.tasks.get(slot) else {
            return false;
        };
        let Stage::Queued {
            lane, rank, lacked, ..
        } = task.stage
        else {
            return false;
        };
        if task.timeout().is_some() {
            self.timeouts.remove(slot, &mut self.timeout_places);
        }
        if self.fresh.contains(slot) {
            self.fresh.remove(slot);
        }
        if self.queue.remove(lane, rank, slot) {
            self.list(lane);
            self.unsettled = true;
        }
        let claimed = !lacked.quota.is_empty();
        if claimed {
            self.list_all(lane.tenant());
        }
        claimed
    }

    /// Notes that a tenant uses more: of what it owns, less is left for its
    /// queued tasks, which so need more of the device.
    pub(super) fn used_more(&mut self, tenant: Slot) {
        if self.tenants.get(tenant).is_some_and(Tenant::owns_something) {
            self.list_all(tenant);
        }
    }

    fn start(&mut self, slot: Slot, actions: &mut Actions) {
        let Some(task) = self.tasks.get_mut(slot) else {
            return;
        };
        let Some(tenant) = self.tenants.get_mut(task.tenant) else {
            return;
        };
        let mut held = Grant::default();
        let taken = tenant.take(&mut self.ledger, &mut held, task.amount);
        debug_assert_eq!(taken, Ok(()), "nothing was lacking");
        task.stage = Stage::Running {
            since: self.now,
            held,
        };
        self.running.push(slot);
        self.counters.started += 1;
        actions.push(Action::Start {
            task: task.id,
            memory: task.amount.bytes(),
            bandwidth: task.amount.share(Resource::Bandwidth),
        });
        let tenant = task.tenant;
        self.used_more(tenant);
    }
}
