//! Who joins a group, and who leaves.

use super::client::{Client, ClientKey, ClientSpec, Place};
use super::feasibility::{Infeasible, Promise};
use super::group::{GroupKey, GroupSpec, bucket};
use super::left_over::Tier;
use super::server::Server;
use super::share::TimeShare;
use crate::collections::Slot;
use crate::scheduler::Policy;
use crate::units::{Nanoseconds, Share};
use std::cmp::Reverse;

/// Bands beyond which those of priorities that nobody uses are looked for.
const MANY_BANDS: usize = 16;

impl TimeShare {
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
    pub(super) fn forget(&mut self, slot: Slot) {
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
