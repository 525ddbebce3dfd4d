//! Who has a share of a device's time.

use super::client::{Client, ClientKey, ClientSpec, Place};
use super::config::TimeConfig;
use super::feasibility::{Feasibility, Infeasible, Promise};
use super::group::{Group, GroupKey, GroupSpec, bucket};
use super::left_over::{LeftOver, Tier};
use super::server::Server;
use super::turn::Grant;
use crate::collections::{Heap, Places, Slab, Slot};
use crate::scheduler::Policy;
use crate::units::{Nanoseconds, Share};
use std::cmp::Reverse;

/// Bands beyond which those of priorities that nobody uses are looked for.
const MANY_BANDS: usize = 16;

/// Hands out a device's time, one grant after another.
///
/// Clients are members of groups. Whoever has a budget, a client of its own or as
/// one of a group, goes first, the earliest deadline ahead. Then those who want more:
/// burstable (and guaranteed) clients before best effort, larger priorities first, by
/// weight among groups and by weight within each. A budget that nobody uses is left
/// over at once.
///
/// Everything takes O(log n) for n clients and groups, apart from what changes the
/// cap of a group or reaches it, which takes as long as its members have priorities.
#[derive(Debug)]
pub struct TimeShare {
    pub(super) config: TimeConfig,
    pub(super) groups: Slab<Group>,
    pub(super) clients: Slab<Client>,
    pub(super) promises: Feasibility,
    /// Groups with work that a budget pays for, by deadline.
    pub(super) urgent: Heap<(Nanoseconds, Slot)>,
    pub(super) urgent_places: Places,
    /// Where clients stand in their groups' heaps.
    pub(super) served_places: Places,
    pub(super) left_over: LeftOver,
    /// When somebody's budget comes back, or their cap allows more.
    pub(super) wakes: Heap<(Nanoseconds, Slot)>,
    pub(super) wake_places: Places,
    pub(super) group_wakes: Heap<(Nanoseconds, Slot)>,
    pub(super) group_wake_places: Places,
    pub(super) best_effort: Option<Server>,
    pub(super) grants: Slab<Grant>,
    pub(super) in_flight: Nanoseconds,
}

impl TimeShare {
    /// A device that nobody has joined.
    ///
    /// # Errors
    /// A floor for best effort that could not be kept.
    pub fn new(config: TimeConfig, now: Nanoseconds) -> Result<Self, Infeasible> {
        let mut promises = Feasibility::default();
        let floor = config.best_effort_floor;
        let mut best_effort = None;
        if floor > Share::ZERO {
            let promise = Promise {
                share: floor,
                period: config.period,
                longest: config.longest.max(config.slice),
                is_strict: false,
            };
            promises.promise(promise, config.blocking())?;
            best_effort = Some(Server::new(now, floor, config.period));
        }
        Ok(Self {
            config,
            groups: Slab::default(),
            clients: Slab::default(),
            promises,
            urgent: Heap::default(),
            urgent_places: Places::default(),
            served_places: Places::default(),
            left_over: LeftOver::default(),
            wakes: Heap::default(),
            wake_places: Places::default(),
            group_wakes: Heap::default(),
            group_wake_places: Places::default(),
            best_effort,
            grants: Slab::default(),
            in_flight: Nanoseconds::ZERO,
        })
    }

    /// How the time is handed out.
    pub fn config(&self) -> &TimeConfig {
        &self.config
    }

    /// Time that is granted and not handed back.
    pub fn in_flight(&self) -> Nanoseconds {
        self.in_flight
    }

    /// Lets a group in, without members.
    ///
    /// # Errors
    /// What is to be promised could not be kept.
    pub fn open(&mut self, now: Nanoseconds, spec: GroupSpec) -> Result<GroupKey, Infeasible> {
        let mut group = Group::new(spec, self.config.period, self.config.slice, now);
        group.promise = group.remainder();
        self.promises
            .exchange(None, group.promise, self.config.blocking())?;
        group.serve(now);
        Ok(GroupKey(self.groups.insert(group)))
    }

    /// Promises a group something else, and its members what they were.
    ///
    /// # Errors
    /// What is to be promised could not be kept. Everything is as before.
    pub fn change(
        &mut self,
        now: Nanoseconds,
        GroupKey(slot): GroupKey,
        spec: GroupSpec,
    ) -> Result<(), Infeasible> {
        let Some(group) = self.groups.get_mut(slot) else {
            return Ok(());
        };
        let (before, period) = (group.spec, group.period);
        group.spec = spec;
        group.period = spec.period.unwrap_or(self.config.period);
        let new = group.remainder();
        let changed = self
            .promises
            .exchange(group.promise, new, self.config.blocking());
        if let Err(infeasible) = changed {
            group.spec = before;
            group.period = period;
            return Err(infeasible);
        }
        group.promise = new;
        group.serve(now);
        group.cap(now);
        for &((is_best_effort, client), band) in &group.bands {
            let tier = Tier {
                is_best_effort,
                group: Reverse(spec.priority),
                client,
            };
            self.left_over.change(band, tier, spec.weight.max(1));
        }
        self.refresh(now, slot);
        Ok(())
    }

    /// Lets a group go, when the last of its members has gone.
    pub fn close(&mut self, key: GroupKey) {
        let Some(group) = self.groups.get_mut(key.0) else {
            return;
        };
        group.is_leaving = true;
        if let Some(promise) = group.promise.take() {
            self.promises.forget(promise);
        }
        group.spec.floor = Share::ZERO;
        group.server = None;
        self.forget(key.0);
    }

    /// Lets somebody in who is alone in a group, and wants nothing yet.
    ///
    /// # Errors
    /// What is to be promised could not be kept.
    pub fn join(&mut self, now: Nanoseconds, spec: ClientSpec) -> Result<ClientKey, Infeasible> {
        let group = self.open(
            now,
            GroupSpec {
                weight: spec.weight,
                ..GroupSpec::default()
            },
        )?;
        let joined = self.join_in(now, group, spec);
        match joined {
            Ok(client) => {
                if let Some(client) = self.clients.get_mut(client.0) {
                    client.is_alone = true;
                }
            }
            Err(_) => self.close(group),
        }
        joined
    }

    /// Lets somebody into a group that was opened and not closed, who wants nothing
    /// yet.
    ///
    /// # Errors
    /// What is to be promised could not be kept.
    pub fn join_in(
        &mut self,
        now: Nanoseconds,
        GroupKey(group_slot): GroupKey,
        spec: ClientSpec,
    ) -> Result<ClientKey, Infeasible> {
        let longest = self.config.slice.max(spec.piece.min(self.config.longest));
        let promise = self.promise_to(now, group_slot, &spec, longest)?;
        let band = self.band(group_slot, &spec, longest);
        let span = spec.period.unwrap_or(self.config.period);
        let slot = self.clients.insert(Client {
            group: group_slot,
            band,
            server: promise.map(|promise| Server::new(now, promise.share, promise.period)),
            promise,
            cap: bucket(spec.cap, span, longest, now),
            longest,
            wanted: Nanoseconds::ZERO,
            place: Place::Idle,
            grants: 0,
            is_leaving: false,
            is_alone: false,
        });
        self.left_over.join(slot, spec.weight.max(1), longest);
        Ok(ClientKey(slot))
    }

    /// Promises a new member of a group what it asks for, out of what the group was.
    fn promise_to(
        &mut self,
        now: Nanoseconds,
        slot: Slot,
        spec: &ClientSpec,
        longest: Nanoseconds,
    ) -> Result<Option<Promise>, Infeasible> {
        let Some(group) = self.groups.get_mut(slot) else {
            return Ok(None);
        };
        let before = (group.longest, group.promised);
        let promise = group.promise_to(spec, longest);
        group.longest = group.longest.max(longest);
        group.promised += promise.map_or(0, |promise| promise.share.units());
        let remainder = group.remainder();
        let exchanged = self.promises.exchange(
            group.promise,
            remainder.into_iter().chain(promise),
            self.config.blocking(),
        );
        if let Err(infeasible) = exchanged {
            (group.longest, group.promised) = before;
            return Err(infeasible);
        }
        group.promise = remainder;
        group.members += 1;
        group.serve(now);
        if group.longest > before.0 {
            group.cap(now);
        }
        Ok(promise)
    }

    /// The band of a group for somebody like that.
    fn band(&mut self, slot: Slot, spec: &ClientSpec, longest: Nanoseconds) -> Slot {
        let is_best_effort = spec.policy == Policy::BestEffort;
        let client = Reverse(spec.priority);
        let Some(group) = self.groups.get_mut(slot) else {
            return Slot::MAX;
        };
        let key = (is_best_effort, client);
        if let Some(band) = group.band(key) {
            return band;
        }
        if group.bands.len() >= MANY_BANDS {
            let left_over = &mut self.left_over;
            group.bands.retain(|&(_, band)| !left_over.forget(band));
        }
        let tier = Tier {
            is_best_effort,
            group: Reverse(group.spec.priority),
            client,
        };
        let band = self
            .left_over
            .open(tier, group.spec.weight.max(1), longest, !group.is_capped);
        group.bands.push((key, band));
        group.bands.sort_unstable();
        band
    }

    /// Lets somebody go. Their grants that are out may still be handed back.
    pub fn leave(&mut self, now: Nanoseconds, key: ClientKey) {
        self.unplace(key.0);
        let Some(client) = self.clients.get_mut(key.0).filter(|each| !each.is_leaving) else {
            return;
        };
        client.is_leaving = true;
        client.wanted = Nanoseconds::ZERO;
        let (slot, is_alone) = (client.group, client.is_alone);
        let promise = client.promise.take();
        if let (Some(promise), Some(group)) = (promise, self.groups.get_mut(slot)) {
            self.promises.forget(promise);
            group.promised -= promise.share.units();
            let remainder = group.remainder();
            let exchanged =
                self.promises
                    .exchange(group.promise, remainder, self.config.blocking());
            debug_assert_eq!(exchanged, Ok(()), "it was promised to the group before");
            group.promise = remainder;
            group.serve(now);
        }
        self.refresh(now, slot);
        if is_alone {
            self.close(GroupKey(slot));
        }
        self.forget_client(key.0);
    }

    /// Forgets somebody who has gone and has no grant out.
    pub(super) fn forget_client(&mut self, slot: Slot) {
        if let Some(client) = self.clients.get(slot)
            && client.is_leaving
            && client.grants == 0
        {
            let group = client.group;
            self.clients.remove(slot);
            if let Some(group) = self.groups.get_mut(group) {
                group.members -= 1;
            }
            self.forget(group);
        }
    }

    /// Forgets a group that has gone and has no members.
    fn forget(&mut self, slot: Slot) {
        let Some(group) = self.groups.get(slot) else {
            return;
        };
        if group.is_leaving && group.members == 0 {
            for &(_, band) in &group.bands {
                self.left_over.close(band);
            }
            self.urgent.remove(slot, &mut self.urgent_places);
            self.group_wakes.remove(slot, &mut self.group_wake_places);
            self.groups.remove(slot);
        }
    }
}
