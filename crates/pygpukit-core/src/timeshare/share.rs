//! Who has a share of a device's time.

use super::client::Client;
use super::config::TimeConfig;
use super::feasibility::{Feasibility, Infeasible};
use super::group::{Group, GroupKey, GroupSpec};
use super::left_over::{LeftOver, Tier};
use super::server::Server;
use super::turn::Grant;
use crate::collections::{Heap, Places, Slab, Slot};
use crate::units::{Nanoseconds, Share};
use std::cmp::Reverse;

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
}
