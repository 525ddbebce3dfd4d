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
    pub fn new(config: TimeConfig, now: Nanoseconds) -> Self {
        let mut promises = Feasibility::default();
        let best_effort = config.best_effort_promise();
        let kept = promises.exchange(None, [best_effort, None], config.blocking());
        debug_assert_eq!(kept, Ok(()), "a lone share is kept, if not strictly");
        Self {
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
            best_effort: best_effort.map(|promise| Server::new(now, promise.share, promise.period)),
            grants: Slab::default(),
            in_flight: Nanoseconds::ZERO,
        }
    }

    /// How the time is handed out.
    pub fn config(&self) -> &TimeConfig {
        &self.config
    }

    /// True if nobody wants anything, and no grant is out.
    pub fn is_idle(&self) -> bool {
        let wants = |(_, client): (_, &Client)| client.wanted > Nanoseconds::ZERO;
        self.grants.len() == 0 && !self.clients.iter().any(wants)
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
        group.promise = group.remainder(group.promised, group.longest);
        self.promises
            .exchange(None, [group.promise, None], self.config.blocking())?;
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
        let remainder = group.remainder(group.promised, group.longest);
        // What members are promised comes out of the group's promise, and follows it.
        let members: Vec<_> = self
            .clients
            .iter()
            .filter(|(_, client)| client.group == slot)
            .filter_map(|(slot, client)| {
                let old = client.promise?;
                Some((
                    slot,
                    old,
                    group.promise_to(old.share, client.period, old.longest)?,
                ))
            })
            .collect();
        let old = members.iter().map(|&(_, old, _)| old).chain(group.promise);
        let new = members.iter().map(|&(_, _, new)| new).chain(remainder);
        let blocking = self.config.blocking();
        if let Err(infeasible) = self.promises.exchange_all(old, new, blocking) {
            group.spec = before;
            group.period = period;
            return Err(infeasible);
        }
        group.promise = remainder;
        group.serve(now);
        group.cap(now);
        for (slot, old, new) in members {
            if let Some(client) = self.clients.get_mut(slot)
                && old != new
            {
                client.promise = Some(new);
                client.server = Some(Server::new(now, new.share, new.period));
                self.place(now, slot);
            }
        }
        let Some(group) = self.groups.get(slot) else {
            return Ok(());
        };
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
        let longest = self.longest_of(&spec);
        let promise = self.promise_to(now, group_slot, &spec, longest)?;
        let band = self.band(group_slot, &spec);
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
            period: spec.period,
        });
        self.left_over.join(slot, spec.weight.max(1));
        Ok(ClientKey(slot))
    }

    /// Whether somebody could be let into a group.
    ///
    /// # Errors
    /// What is to be promised could not be kept.
    pub fn check_join(
        &self,
        GroupKey(slot): GroupKey,
        spec: &ClientSpec,
    ) -> Result<(), Infeasible> {
        let Some(group) = self.groups.get(slot) else {
            return Ok(());
        };
        let longest = self.longest_of(spec);
        let (remainder, promise) = group.with_member(spec, longest);
        let blocking = self.config.blocking();
        self.promises
            .check(group.promise, [remainder, promise], blocking)
    }

    /// The largest floor with which somebody like that could be let into a group.
    pub fn room(&self, group: GroupKey, spec: &ClientSpec) -> Share {
        let fits = |floor| {
            let spec = ClientSpec { floor, ..*spec };
            self.check_join(group, &spec).is_ok()
        };
        let (mut low, mut high) = (0, Share::ONE.units() + 1);
        while high - low > 1 {
            let middle = low.midpoint(high);
            let floor = Share::from_units(middle).unwrap_or(Share::ONE);
            if fits(floor) {
                low = middle;
            } else {
                high = middle;
            }
        }
        Share::from_units(low).unwrap_or(Share::ZERO)
    }

    /// True if any promise is to be kept strictly.
    pub fn is_strict(&self) -> bool {
        self.promises.is_strict()
    }

    /// The longest grant for somebody like that.
    fn longest_of(&self, spec: &ClientSpec) -> Nanoseconds {
        self.config.slice.max(spec.piece.min(self.config.longest))
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
        let (remainder, promise) = group.with_member(spec, longest);
        let blocking = self.config.blocking();
        self.promises
            .exchange(group.promise, [remainder, promise], blocking)?;
        group.promise = remainder;
        group.promised += promise.map_or(0, |promise| promise.share.units());
        group.members += 1;
        group.serve(now);
        if longest > group.longest {
            group.longest = longest;
            group.cap(now);
        }
        Ok(promise)
    }

    /// The band of a group for somebody like that.
    fn band(&mut self, slot: Slot, spec: &ClientSpec) -> Slot {
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
            .open(tier, group.spec.weight.max(1), !group.is_capped);
        group.bands.push((key, band));
        group.bands.sort_unstable();
        band
    }

    /// Lets somebody go. Their grants that are out may still be handed back.
    ///
    /// What was promised to them is free at once. If they have had more of their current
    /// period than was due by now, those who join in their place may have their first
    /// budget late, by no more than that.
    pub fn leave(&mut self, now: Nanoseconds, key: ClientKey) {
        self.unplace(key.0);
        let Some(client) = self.clients.get_mut(key.0).filter(|each| !each.is_leaving) else {
            return;
        };
        client.is_leaving = true;
        client.wanted = Nanoseconds::ZERO;
        let (slot, band, is_alone) = (client.group, client.band, client.is_alone);
        let promise = client.promise.take();
        if let (Some(promise), Some(group)) = (promise, self.groups.get_mut(slot)) {
            self.promises.forget(promise);
            group.promised -= promise.share.units();
            let remainder = group.remainder(group.promised, group.longest);
            let exchanged =
                self.promises
                    .exchange(group.promise, [remainder, None], self.config.blocking());
            debug_assert_eq!(exchanged, Ok(()), "it was promised to the group before");
            group.promise = remainder;
            group.serve(now);
        }
        self.placed(now, slot, band);
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
