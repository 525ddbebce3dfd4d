//! Queued tasks start when what they wait for is there.

use super::event::{Action, Actions};
use super::order::Rank;
use super::queue::{Class, Lane};
use super::request::Request;
use super::state::Scheduler;
use super::task::{Stage, Task, Waits};
use crate::collections::Slot;
use crate::ledger::{Amount, Grant, Resource, ResourceSet};

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

    /// Who has first claim on a resource.
    #[cfg(test)]
    pub(super) fn by(&self, resource: Resource) -> Option<Rank> {
        self.0[resource as usize]
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
    /// Promises to others. It claims the time that they give back, and is in nobody's
    /// way else.
    Yield,
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
    /// All it lacks is time of its tenant's that others' promises are in the way of.
    yields: bool,
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
    pub(super) fn promote(&mut self, actions: &mut Actions) {
        while std::mem::take(&mut self.unsettled) {
            self.pass(actions);
        }
    }

    /// Walks through the lanes in policy order, and starts what may start. Looks at
    /// no more than one blocked lane of each class: what blocks it blocks all
    /// behind it, since they need the same.
    fn pass(&mut self, actions: &mut Actions) {
        self.claims = Claims::default();
        let mut blocked = [false; Class::COUNT];
        while let Some((class, rank, lane)) = self.next_lane(blocked) {
            let Some((_, task)) = self.queue.first_of(lane) else {
                break;
            };
            match self.judge(task) {
                Verdict::Start => self.start_queued(task, actions),
                Verdict::Blocked(waits) => {
                    self.claims.add(rank, waits);
                    blocked[class.index()] = true;
                }
                Verdict::Yield => {
                    self.claims
                        .add(rank, ResourceSet::EMPTY.with(Resource::Bandwidth));
                    self.queue.unlist(lane);
                    self.yielding.push(lane);
                }
                Verdict::Park => self.queue.unlist(lane),
            }
        }
        while let Some(lane) = self.yielding.pop() {
            self.list(lane);
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
        let device = lacked.device.intersection(obstacles.needs);
        if obstacles.yields && device.is_empty() {
            Verdict::Yield
        } else if obstacles.yields {
            Verdict::Blocked(device.with(Resource::Bandwidth))
        } else if waits.quota.is_empty() {
            Verdict::Blocked(device)
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
        self.obstacles_at(rank, task.tenant, &task.amount, &task.request)
    }

    /// What a task of a tenant would wait for that stands at `rank` and requests
    /// `amount`.
    pub(super) fn obstacles_at(
        &self,
        rank: Rank,
        tenant_slot: Slot,
        amount: &Amount,
        request: &Request,
    ) -> Option<Obstacles> {
        let tenant = self.tenants.get(tenant_slot)?;
        let growth = tenant.growth(amount);
        let needs = growth.resources();
        let mut lacking = Waits {
            device: self.ledger.lacking(&growth),
            quota: tenant.quota.lacking(amount),
        };
        let mut yields = false;
        if !self.time.fits(tenant.seat, request) {
            if needs.contains(Resource::Bandwidth) {
                lacking.device = lacking.device.with(Resource::Bandwidth);
            } else {
                // What its tenant owns would be enough, but for what others were
                // promised to be kept strictly.
                yields = lacking.quota.is_empty() && tenant.seat.is_common();
                lacking.quota = lacking.quota.with(Resource::Bandwidth);
            }
        }
        let quota_claims = self
            .queue
            .firsts_of(tenant_slot)
            .filter(|&(other, _)| other < rank)
            .filter_map(|(_, other)| self.tasks.get(other)?.lacked())
            .fold(ResourceSet::EMPTY, |claimed, lacked| {
                claimed.union(lacked.quota)
            })
            .intersection(amount.resources())
            // Whether workers are lacking is the same for all.
            .without(Resource::Workers);
        Some(Obstacles {
            needs,
            lacking,
            yields: yields && quota_claims.is_empty(),
            claimed: Waits {
                device: self.claims.ahead_of(rank).intersection(needs),
                quota: quota_claims,
            },
        })
    }

    /// Lists a lane by what its first task needs.
    pub(super) fn list(&mut self, lane: Lane) {
        let first = self.queue.first_of(lane);
        let task = first.and_then(|(_, slot)| self.tasks.get(slot));
        match (task, self.tenants.get(lane.tenant())) {
            (Some(task), Some(tenant)) => {
                let growth = tenant.growth(&task.amount);
                self.queue.list(lane, Class::of(growth.resources()));
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

    /// Takes a task out of the queue for good.
    pub(super) fn take_from_queue(&mut self, slot: Slot) {
        if let Some((lane, _, _)) = self.leave_queue(slot) {
            self.freed(lane.tenant());
        }
    }

    /// Takes a task out of the queue; says where it stood, and what it lacked.
    fn leave_queue(&mut self, slot: Slot) -> Option<(Lane, Rank, Waits)> {
        let task = self.tasks.get(slot)?;
        let Stage::Queued {
            lane, rank, lacked, ..
        } = task.stage
        else {
            return None;
        };
        if task.timeout().is_some() {
            self.timeouts.remove(slot, &mut self.timeout_places);
        }
        if self.fresh.contains(slot) {
            self.fresh.remove(slot);
        }
        self.queue.remove(lane, rank, slot);
        Some((lane, rank, lacked))
    }

    /// Starts the first task of a lane, in the course of a [pass](Self::pass).
    ///
    /// Lanes of its tenant that are parked behind it are behind it in the pass too.
    /// One ahead of it may be short of quota now, and so block nobody any more:
    /// then another pass is needed.
    fn start_queued(&mut self, slot: Slot, actions: &mut Actions) {
        let Some((lane, rank, lacked)) = self.leave_queue(slot) else {
            return;
        };
        self.start(slot, actions);
        for other in Lane::all_of(lane.tenant()) {
            let listed = self.queue.listed(other);
            if listed.is_some() || other == lane || !lacked.quota.is_empty() {
                self.list(other);
            }
            self.unsettled |= listed.is_some_and(|(_, ahead)| ahead < rank);
        }
    }

    /// Notes that a tenant uses more. Of what it owns, less is left for its queued
    /// tasks, which so need more of the device; and what they still need of its
    /// quota may stop them now, so that they block nobody else.
    pub(super) fn used_more(&mut self, tenant: Slot) {
        for lane in Lane::all_of(tenant) {
            if self.queue.listed(lane).is_some() {
                self.list(lane);
                self.unsettled = true;
            }
        }
    }

    /// Starts a task that nothing stops and that is in no queue.
    pub(super) fn start(&mut self, slot: Slot, actions: &mut Actions) {
        let Some(task) = self.tasks.get_mut(slot) else {
            return;
        };
        let Some(tenant) = self.tenants.get_mut(task.tenant) else {
            return;
        };
        let client = if self.time.must_fit(&task.request) {
            let client = self
                .time
                .join(self.now, tenant.seat, task.id, &task.request);
            debug_assert!(client.is_some(), "the time was there");
            client
        } else {
            None
        };
        let mut held = Grant::default();
        let taken = tenant.take(&mut self.ledger, &mut held, task.amount);
        debug_assert_eq!(taken, Ok(()), "nothing was lacking");
        task.stage = Stage::Running {
            since: self.now,
            client,
            held,
        };
        self.running.push(slot);
        self.counters.started += 1;
        actions.push(Action::Start {
            task: task.id,
            memory: task.amount.bytes(),
            bandwidth: task.amount.share(Resource::Bandwidth),
        });
    }
}
