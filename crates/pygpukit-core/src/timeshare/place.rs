//! Where somebody waits.

use super::client::{Client, Place};
use super::share::TimeShare;
use crate::collections::Slot;
use crate::pacing::Answer;
use crate::units::{Nanoseconds, SmNanoseconds};

impl TimeShare {
    /// When somebody may go who must not now.
    pub fn next_wake(&self) -> Option<Nanoseconds> {
        let client = self.wakes.first().map(|((moment, _), _)| moment);
        let group = self.group_wakes.first().map(|((moment, _), _)| moment);
        client.into_iter().chain(group).min()
    }

    /// Wakes those whose time has come.
    pub(super) fn wake(&mut self, now: Nanoseconds) {
        while let Some(((moment, _), slot)) = self.wakes.first()
            && moment <= now
        {
            self.place(now, slot);
            if let Some(client) = self.clients.get(slot) {
                let (group, band) = (client.group, client.band);
                self.placed(now, group, band);
            }
        }
        while let Some(((moment, _), slot)) = self.group_wakes.first()
            && moment <= now
        {
            self.refresh(now, slot);
        }
        if let Some(server) = &mut self.best_effort {
            server.refill(now);
        }
    }

    /// Takes somebody out of where they wait.
    pub(super) fn unplace(&mut self, slot: Slot) {
        let Some(client) = self.clients.get_mut(slot) else {
            return;
        };
        let group = self.groups.get_mut(client.group);
        match std::mem::replace(&mut client.place, Place::Idle) {
            Place::Idle | Place::Capped => {}
            Place::Served => {
                if let Some(group) = group {
                    group.served.remove(slot, &mut self.served_places);
                }
            }
            Place::Banded => {
                self.left_over.remove(client.band, slot);
                if let Some(group) = group {
                    group.waiting -= 1;
                }
            }
        }
        self.wakes.remove(slot, &mut self.wake_places);
    }

    /// Puts somebody where they have to wait. To be followed by
    /// [`placed`](Self::placed).
    pub(super) fn place(&mut self, now: Nanoseconds, slot: Slot) {
        self.unplace(slot);
        let Some(client) = self.clients.get_mut(slot) else {
            return;
        };
        let Some(group) = self.groups.get_mut(client.group) else {
            return;
        };
        let next = client.next();
        if next == Nanoseconds::ZERO {
            return;
        }
        if let Some(moment) = held_until(client, now, next) {
            client.place = Place::Capped;
            self.wakes
                .insert((moment, slot), slot, &mut self.wake_places);
            return;
        }
        if let Some(server) = &mut client.server {
            server.refill(now);
            let deadline = server.deadline();
            if server.has_budget() {
                client.place = Place::Served;
                let places = &mut self.served_places;
                group.served.insert((deadline, slot), slot, places);
                return;
            }
            self.wakes
                .insert((deadline, slot), slot, &mut self.wake_places);
        }
        client.place = Place::Banded;
        group.waiting += 1;
        self.left_over.insert(client.band, slot, next);
    }

    /// Puts a group and a band of it where they have to wait, after a member was placed.
    pub(super) fn placed(&mut self, now: Nanoseconds, group: Slot, band: Slot) {
        self.left_over.relist(band);
        self.refresh(now, group);
    }

    /// Puts a group where it has to wait, after something has changed for it or a
    /// member.
    pub(super) fn refresh(&mut self, now: Nanoseconds, slot: Slot) {
        self.urgent.remove(slot, &mut self.urgent_places);
        self.group_wakes.remove(slot, &mut self.group_wake_places);
        let Some(group) = self.groups.get_mut(slot) else {
            return;
        };
        let cost = SmNanoseconds::new(group.longest.get());
        let held = group
            .cap
            .as_ref()
            .and_then(|cap| moment(&cap.check(now, cost)));
        if group.is_capped != held.is_some() {
            group.is_capped = held.is_some();
            for &(_, band) in &group.bands {
                self.left_over.set_open(band, held.is_none());
            }
        }
        if group.waiting == 0 && group.served.first().is_none() {
            return;
        }
        let places = &mut self.group_wake_places;
        if let Some(moment) = held {
            self.group_wakes.insert((moment, slot), slot, places);
            return;
        }
        if group.waiting > 0
            && let Some(server) = &mut group.server
        {
            server.refill(now);
            if !server.has_budget() && server.budget() > Nanoseconds::ZERO {
                let key = (server.deadline(), slot);
                self.group_wakes.insert(key, slot, places);
            }
        }
        if let Some((deadline, _)) = group.urgent() {
            self.urgent
                .insert((deadline, slot), slot, &mut self.urgent_places);
        }
    }
}

/// Until when somebody's own cap holds them back.
fn held_until(client: &Client, now: Nanoseconds, next: Nanoseconds) -> Option<Nanoseconds> {
    let cost = SmNanoseconds::new(next.get());
    moment(&client.cap.as_ref()?.check(now, cost))
}

/// When a cap lets something through, if not now. A burst is no less than the longest
/// grant, so that only the end of time is too soon.
fn moment(answer: &Answer) -> Option<Nanoseconds> {
    match answer {
        Answer::Go(()) => None,
        &Answer::NotUntil(moment) => Some(moment),
        Answer::Never(_) => Some(Nanoseconds::new(u64::MAX)),
    }
}
