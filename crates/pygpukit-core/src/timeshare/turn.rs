//! Who gets the next grant.

use super::client::{ClientKey, Place};
use super::server::Server;
use super::share::TimeShare;
use crate::collections::Slot;
use crate::pacing::Charge;
use crate::units::{Nanoseconds, SmNanoseconds};

/// A grant that is out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GrantKey(pub(super) Slot);

/// What happens next on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "the time is charged"]
pub enum Turn {
    /// Somebody works for that time.
    Run {
        /// Who.
        client: ClientKey,
        /// To be [handed back](TimeShare::done).
        grant: GrantKey,
        /// For how long.
        time: Nanoseconds,
    },
    /// Enough is granted for now: not until some is handed back.
    Full,
    /// Nobody may go before that moment.
    NotUntil(Nanoseconds),
    /// Nobody wants anything.
    Idle,
}

/// Who paid for a grant, and how much.
#[derive(Debug)]
pub(super) struct Grant {
    client: Slot,
    time: Nanoseconds,
    paid_by: Payer,
    cap: Option<Charge>,
    group_cap: Option<Charge>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Payer {
    /// The client's budget.
    Client,
    /// The group's budget.
    Group,
    /// The budget of best effort.
    BestEffort,
    /// Nobody: it was left over.
    LeftOver,
}

impl TimeShare {
    /// Somebody wants `time` beyond what they have wanted so far.
    pub fn want(&mut self, now: Nanoseconds, key: ClientKey, time: Nanoseconds) {
        let Some(client) = self.clients.get_mut(key.0).filter(|each| !each.is_leaving) else {
            return;
        };
        client.wanted = client.wanted.saturating_add(time);
        let was_idle = client.place == Place::Idle && client.grants == 0;
        let (slot, band) = (client.group, client.band);
        if was_idle {
            if let Some(server) = &mut client.server {
                server.wake(now);
            }
            if let Some(group) = self.groups.get_mut(slot)
                && group.waiting == 0
                && group.grants == 0
                && let Some(server) = &mut group.server
            {
                server.wake(now);
            }
        }
        self.place(now, key.0);
        self.placed(now, slot, band);
    }

    /// Somebody wants nothing any more beyond what is granted; says what they wanted.
    pub fn want_no_more(&mut self, now: Nanoseconds, key: ClientKey) -> Nanoseconds {
        self.unplace(key.0);
        let Some(client) = self.clients.get_mut(key.0) else {
            return Nanoseconds::ZERO;
        };
        let wanted = std::mem::take(&mut client.wanted);
        let (slot, band) = (client.group, client.band);
        self.placed(now, slot, band);
        wanted
    }

    /// Who goes next.
    pub fn next(&mut self, now: Nanoseconds) -> Turn {
        self.wake(now);
        let Some((slot, paid_by)) = self.pick() else {
            return self.next_wake().map_or(Turn::Idle, Turn::NotUntil);
        };
        let Some(client) = self.clients.get(slot) else {
            return Turn::Idle;
        };
        let time = client.next();
        let ahead = self.in_flight.saturating_add(time);
        if self.in_flight > Nanoseconds::ZERO && ahead > self.config.window {
            return Turn::Full;
        }
        self.grant(now, slot, time, paid_by)
    }

    fn pick(&mut self) -> Option<(Slot, Payer)> {
        let urgent = self.urgent.first();
        if let Some(server) = self.best_effort.filter(Server::has_budget)
            && urgent.is_none_or(|((deadline, _), _)| server.deadline() < deadline)
            && let Some((_, who)) = self.left_over.first(true)
        {
            return Some((who, Payer::BestEffort));
        }
        let Some((_, slot)) = urgent else {
            let (_, who) = self.left_over.first(false)?;
            return Some((who, Payer::LeftOver));
        };
        let group = self.groups.get(slot)?;
        if let Some((_, Some(member))) = group.urgent() {
            return Some((member, Payer::Client));
        }
        let left_over = &mut self.left_over;
        let member = group
            .bands
            .iter()
            .find_map(|&(_, band)| left_over.first_of(band))?;
        Some((member, Payer::Group))
    }

    fn grant(&mut self, now: Nanoseconds, slot: Slot, time: Nanoseconds, paid_by: Payer) -> Turn {
        if paid_by == Payer::Client {
            self.unplace(slot);
        }
        let Some(client) = self.clients.get_mut(slot) else {
            return Turn::Idle;
        };
        let Some(group) = self.groups.get_mut(client.group) else {
            return Turn::Idle;
        };
        if paid_by != Payer::Client {
            let is_paid = paid_by == Payer::Group;
            self.left_over.grant(client.band, slot, time, is_paid);
            self.wakes.remove(slot, &mut self.wake_places);
            group.waiting -= 1;
            group.grants += 1;
        }
        client.place = Place::Idle;
        client.wanted = client.wanted.saturating_sub(time);
        client.grants += 1;
        let payer = match paid_by {
            Payer::Client => client.server.as_mut(),
            Payer::Group => group.server.as_mut(),
            Payer::BestEffort => self.best_effort.as_mut(),
            Payer::LeftOver => None,
        };
        if let Some(server) = payer {
            server.charge(time);
        }
        let cost = SmNanoseconds::new(time.get());
        let grant = self.grants.insert(Grant {
            client: slot,
            time,
            paid_by,
            cap: client.cap.as_mut().map(|cap| cap.charge(now, cost)),
            group_cap: group.cap.as_mut().map(|cap| cap.charge(now, cost)),
        });
        self.in_flight = self.in_flight.saturating_add(time);
        let (group, band) = (client.group, client.band);
        self.place(now, slot);
        self.placed(now, group, band);
        Turn::Run {
            client: ClientKey(slot),
            grant: GrantKey(grant),
            time,
        }
    }

    /// Hands a grant back, after work that took `used`. Does nothing for one that is
    /// not out.
    pub fn done(&mut self, now: Nanoseconds, key: GrantKey, used: Nanoseconds) {
        let Some(grant) = self.grants.remove(key.0) else {
            return;
        };
        self.in_flight = self.in_flight.saturating_sub(grant.time);
        let slot = grant.client;
        // Where it took as long as was charged, nobody stands anywhere else.
        let is_settled = used == grant.time;
        if !is_settled {
            self.unplace(slot);
        }
        let Some(client) = self.clients.get_mut(slot) else {
            return;
        };
        client.grants -= 1;
        let Some(group) = self.groups.get_mut(client.group) else {
            return;
        };
        let actual = SmNanoseconds::new(used.get());
        if let (Some(cap), Some(charge)) = (&mut client.cap, grant.cap) {
            cap.settle(now, charge, actual);
        }
        if let (Some(cap), Some(charge)) = (&mut group.cap, grant.group_cap) {
            cap.settle(now, charge, actual);
        }
        let payer = match grant.paid_by {
            Payer::Client => client.server.as_mut(),
            Payer::Group => group.server.as_mut(),
            Payer::BestEffort => self.best_effort.as_mut(),
            Payer::LeftOver => None,
        };
        if let Some(server) = payer {
            server.settle(grant.time, used);
        }
        if grant.paid_by != Payer::Client {
            group.grants -= 1;
        }
        if is_settled {
            return self.forget_client(slot);
        }
        if grant.paid_by != Payer::Client {
            let is_paid = grant.paid_by == Payer::Group;
            self.left_over
                .settle(client.band, slot, (grant.time, used), is_paid);
        }
        let (group, band) = (client.group, client.band);
        self.place(now, slot);
        self.placed(now, group, band);
        self.forget_client(slot);
    }
}
