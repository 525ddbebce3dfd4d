//! Who gets the next grant.

use super::client::{Client, ClientKey, ClientSpec, Place};
use super::fair::{FairQueue, Standings};
use super::feasibility::{Feasibility, Infeasible, Promise};
use super::server::Server;
use crate::collections::{Heap, Places, Slab, Slot};
use crate::pacing::{Answer, Charge};
use crate::scheduler::Policy;
use crate::units::{Nanoseconds, Share, SmNanoseconds};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// How a device's time is handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeConfig {
    /// The longest grant of those whose work can be cut into slices.
    pub slice: Nanoseconds,
    /// Grants are handed out ahead while those that are out are no longer than this
    /// together, so that the device never runs dry.
    pub window: Nanoseconds,
    /// The longest grant of those whose work cannot be cut.
    pub longest: Nanoseconds,
    /// The period of promises that name none.
    pub period: Nanoseconds,
    /// The share that best effort gets together even if others want everything.
    pub best_effort_floor: Share,
}

impl Default for TimeConfig {
    /// Slices of 100 us, two of them ahead, 1 ms for what cannot be cut, periods of
    /// 10 ms, nothing for best effort.
    fn default() -> Self {
        Self {
            slice: Nanoseconds::new(100_000),
            window: Nanoseconds::new(200_000),
            longest: Nanoseconds::new(1_000_000),
            period: Nanoseconds::new(10_000_000),
            best_effort_floor: Share::ZERO,
        }
    }
}

impl TimeConfig {
    /// For how long others may hold the device once they were granted it.
    pub fn blocking(&self) -> Nanoseconds {
        self.window.max(self.longest).max(self.slice)
    }
}

/// A grant that is out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GrantKey(Slot);

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

/// Who paid for a grant.
#[derive(Debug)]
struct Grant {
    client: Slot,
    time: Nanoseconds,
    paid_by: Payer,
    cap: Option<Charge>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Payer {
    /// The client's budget.
    Budget,
    /// The budget of best effort.
    BestEffort,
    /// Nobody: it was left over.
    LeftOver,
}

/// Hands out a device's time, one grant after another.
///
/// Whoever has a budget goes first, the earliest deadline ahead; then burstable
/// (and guaranteed) clients that want more, by priority and weight; then best effort
/// likewise. A budget that nobody uses is left over at once.
#[derive(Debug)]
pub struct TimeShare {
    config: TimeConfig,
    clients: Slab<Client>,
    promises: Feasibility,
    /// Those with a budget, by deadline.
    served: Heap<(Nanoseconds, Slot)>,
    served_places: Places,
    /// Those who take what is left over, best effort last.
    left_over: BTreeMap<(bool, Reverse<i32>), FairQueue>,
    standings: Standings,
    /// When somebody's budget comes back, or their cap allows more.
    wakes: Heap<(Nanoseconds, Slot)>,
    wake_places: Places,
    best_effort: Option<Server>,
    grants: Slab<Grant>,
    in_flight: Nanoseconds,
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
            clients: Slab::default(),
            promises,
            served: Heap::default(),
            served_places: Places::default(),
            left_over: BTreeMap::new(),
            standings: Standings::default(),
            wakes: Heap::default(),
            wake_places: Places::default(),
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

    /// Lets somebody in, who wants nothing yet.
    ///
    /// # Errors
    /// What is to be promised could not be kept.
    pub fn join(&mut self, now: Nanoseconds, spec: ClientSpec) -> Result<ClientKey, Infeasible> {
        let longest = self.config.slice.max(spec.piece.min(self.config.longest));
        let promise = (spec.floor > Share::ZERO).then(|| Promise {
            share: spec.floor,
            period: spec.period.unwrap_or(self.config.period),
            longest,
            is_strict: spec.period.is_some(),
        });
        if let Some(promise) = promise {
            self.promises.promise(promise, self.config.blocking())?;
        }
        let client = Client::new(spec, promise, longest, self.config.period, now);
        let slot = self.clients.insert(client);
        self.standings.join(slot, spec.weight, longest);
        Ok(ClientKey(slot))
    }

    /// Lets somebody go. Their grants that are out may still be handed back.
    pub fn leave(&mut self, key: ClientKey) {
        self.unplace(key.0);
        let Some(client) = self.clients.get_mut(key.0) else {
            return;
        };
        client.is_leaving = true;
        client.wanted = Nanoseconds::ZERO;
        if let Some(promise) = client.promise.take() {
            self.promises.forget(promise);
        }
        if client.grants == 0 {
            self.clients.remove(key.0);
        }
    }

    /// Somebody wants `time` beyond what they have wanted so far.
    pub fn want(&mut self, now: Nanoseconds, key: ClientKey, time: Nanoseconds) {
        let Some(client) = self.clients.get_mut(key.0).filter(|each| !each.is_leaving) else {
            return;
        };
        let was_idle = client.place == Place::Idle;
        client.wanted = client.wanted.saturating_add(time);
        if was_idle
            && client.grants == 0
            && let Some(server) = &mut client.server
        {
            server.wake(now);
        }
        self.place(now, key.0);
    }

    /// Who goes next.
    pub fn next(&mut self, now: Nanoseconds) -> Turn {
        self.wake(now);
        let Some((slot, paid_by)) = self.pick() else {
            return match self.wakes.first() {
                Some(((moment, _), _)) => Turn::NotUntil(moment),
                None => Turn::Idle,
            };
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

    /// Wakes those whose time has come.
    fn wake(&mut self, now: Nanoseconds) {
        while let Some(((moment, _), slot)) = self.wakes.first()
            && moment <= now
        {
            self.place(now, slot);
        }
        if let Some(server) = &mut self.best_effort {
            server.refill(now);
        }
    }

    fn pick(&mut self) -> Option<(Slot, Payer)> {
        let served = self.served.first();
        if let Some(server) = self.best_effort.filter(Server::has_budget)
            && served.is_none_or(|((deadline, _), _)| server.deadline() < deadline)
            && let Some(slot) = self.first_left_over(true)
        {
            return Some((slot, Payer::BestEffort));
        }
        if let Some((_, slot)) = served {
            return Some((slot, Payer::Budget));
        }
        let slot = self.first_left_over(false)?;
        Some((slot, Payer::LeftOver))
    }

    /// The first of those who take what is left over.
    fn first_left_over(&mut self, only_best_effort: bool) -> Option<Slot> {
        let from = (only_best_effort, Reverse(i32::MAX));
        let standings = &mut self.standings;
        self.left_over
            .range_mut(from..)
            .find_map(|(_, queue)| queue.first(standings))
    }

    fn grant(&mut self, now: Nanoseconds, slot: Slot, time: Nanoseconds, paid_by: Payer) -> Turn {
        let queue = self.clients.get(slot).map(queue_of);
        match paid_by {
            Payer::Budget => self.unplace(slot),
            Payer::BestEffort | Payer::LeftOver => {
                if let Some(queue) = queue.and_then(|queue| self.left_over.get_mut(&queue)) {
                    queue.grant(slot, time, &mut self.standings);
                }
                self.wakes.remove(slot, &mut self.wake_places);
            }
        }
        let Some(client) = self.clients.get_mut(slot) else {
            return Turn::Idle;
        };
        client.place = Place::Idle;
        client.wanted = client.wanted.saturating_sub(time);
        client.grants += 1;
        match paid_by {
            Payer::Budget => {
                if let Some(server) = &mut client.server {
                    server.charge(time);
                }
            }
            Payer::BestEffort => {
                if let Some(server) = &mut self.best_effort {
                    server.charge(time);
                }
            }
            Payer::LeftOver => {}
        }
        let cost = SmNanoseconds::new(time.get());
        let cap = client.cap.as_mut().map(|cap| cap.charge(now, cost));
        let grant = self.grants.insert(Grant {
            client: slot,
            time,
            paid_by,
            cap,
        });
        self.in_flight = self.in_flight.saturating_add(time);
        self.place(now, slot);
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
        self.unplace(slot);
        let Some(client) = self.clients.get_mut(slot) else {
            return;
        };
        client.grants -= 1;
        if let (Some(cap), Some(charge)) = (&mut client.cap, grant.cap) {
            cap.settle(now, charge, SmNanoseconds::new(used.get()));
        }
        match grant.paid_by {
            Payer::Budget => {
                if let Some(server) = &mut client.server {
                    server.settle(grant.time, used);
                }
            }
            Payer::BestEffort => {
                if let Some(server) = &mut self.best_effort {
                    server.settle(grant.time, used);
                }
                self.standings.settle(slot, grant.time, used);
            }
            Payer::LeftOver => self.standings.settle(slot, grant.time, used),
        }
        if client.is_leaving && client.grants == 0 {
            self.clients.remove(slot);
        } else {
            self.place(now, slot);
        }
    }

    /// Takes somebody out of where they wait.
    fn unplace(&mut self, slot: Slot) {
        let Some(client) = self.clients.get_mut(slot) else {
            return;
        };
        match std::mem::replace(&mut client.place, Place::Idle) {
            Place::Idle | Place::Capped => {}
            Place::Served => {
                self.served.remove(slot, &mut self.served_places);
            }
            Place::LeftOver => {
                if let Some(queue) = self.left_over.get_mut(&queue_of(client)) {
                    queue.remove(slot, &mut self.standings);
                }
            }
        }
        self.wakes.remove(slot, &mut self.wake_places);
    }

    /// Puts somebody where they have to wait.
    fn place(&mut self, now: Nanoseconds, slot: Slot) {
        self.unplace(slot);
        let Some(client) = self.clients.get_mut(slot) else {
            return;
        };
        let next = client.next();
        if next == Nanoseconds::ZERO {
            return;
        }
        let cost = SmNanoseconds::new(next.get());
        let allowed = client.cap.as_ref().map(|cap| cap.check(now, cost));
        match allowed {
            None | Some(Answer::Go(())) => {}
            Some(Answer::NotUntil(moment)) => {
                client.place = Place::Capped;
                self.wakes
                    .insert((moment, slot), slot, &mut self.wake_places);
                return;
            }
            // A burst is no less than the longest grant, so that only the end of
            // time is too soon.
            Some(Answer::Never(_)) => {
                client.place = Place::Capped;
                return;
            }
        }
        if let Some(server) = &mut client.server {
            server.refill(now);
            let deadline = server.deadline();
            if server.has_budget() {
                client.place = Place::Served;
                self.served
                    .insert((deadline, slot), slot, &mut self.served_places);
                return;
            }
            self.wakes
                .insert((deadline, slot), slot, &mut self.wake_places);
        }
        client.place = Place::LeftOver;
        let queue = self.left_over.entry(queue_of(client)).or_default();
        queue.insert(slot, next, &mut self.standings);
    }
}

/// Which of the queues somebody stands in for what is left over.
fn queue_of(client: &Client) -> (bool, Reverse<i32>) {
    let best_effort = client.spec.policy == Policy::BestEffort;
    (best_effort, Reverse(client.spec.priority))
}
