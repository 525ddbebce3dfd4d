//! Those who share a promise, a cap and a weight.

use super::client::ClientSpec;
use super::feasibility::Promise;
use super::server::Server;
use crate::collections::{Heap, Slot};
use crate::pacing::{Rate, TokenBucket};
use crate::units::{Nanoseconds, Share, SmNanoseconds};
use std::cmp::Reverse;

/// A group that was [opened](super::TimeShare::open).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupKey(pub(super) Slot);

/// What the members of a group get together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupSpec {
    /// Of those who take what is left over, groups with larger ones go first.
    pub priority: i32,
    /// The part of what is left over, against other groups of the same priority.
    pub weight: u32,
    /// The share of the time that is promised to all members together. What a member
    /// was promised for itself comes out of it.
    pub floor: Share,
    /// The largest share of the time. In any span it gets no more than that share of
    /// the span and of one period, or of the span and one grant if that is longer.
    pub cap: Share,
    /// The promise is kept within every such period; `None` for
    /// [the usual one](super::TimeConfig::period), not kept strictly.
    pub period: Option<Nanoseconds>,
}

impl Default for GroupSpec {
    fn default() -> Self {
        Self {
            priority: 0,
            weight: 1,
            floor: Share::ZERO,
            cap: Share::ONE,
            period: None,
        }
    }
}

/// A cap over spans of `period` and more, for grants no longer than `longest`.
pub(super) fn bucket(
    cap: Share,
    period: Nanoseconds,
    longest: Nanoseconds,
    now: Nanoseconds,
) -> Option<TokenBucket> {
    (cap < Share::ONE).then(|| {
        let (rate, burst) = rate_and_burst(cap, period, longest);
        TokenBucket::new(now, rate, burst)
    })
}

fn rate_and_burst(cap: Share, period: Nanoseconds, longest: Nanoseconds) -> (Rate, SmNanoseconds) {
    let of_period = u128::from(period.get()) * u128::from(cap.units());
    let of_period = u64::try_from(of_period / u128::from(Share::ONE.units()));
    let burst = of_period.unwrap_or(u64::MAX).max(longest.get());
    (Rate::new(cap, 1), SmNanoseconds::new(burst))
}

/// Members of a group that have a budget of their own, and its other members.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) spec: GroupSpec,
    /// The usual period, or its own.
    pub(super) period: Nanoseconds,
    /// What is promised to it, apart from what is promised to members.
    pub(super) promise: Option<Promise>,
    pub(super) server: Option<Server>,
    pub(super) cap: Option<TokenBucket>,
    /// The longest grant of any member so far.
    pub(super) longest: Nanoseconds,
    /// Members that have a budget and want something, by deadline.
    pub(super) served: Heap<(Nanoseconds, Slot)>,
    /// Its bands, best effort last, then by priority.
    pub(super) bands: Vec<((bool, Reverse<i32>), Slot)>,
    /// Members in bands that want something.
    pub(super) waiting: u32,
    /// Grants to members in bands that are out.
    pub(super) grants: u32,
    /// What members were promised for themselves, in units of a share.
    pub(super) promised: u64,
    pub(super) members: u32,
    pub(super) is_capped: bool,
    pub(super) is_leaving: bool,
}

impl Group {
    pub(super) fn new(
        spec: GroupSpec,
        usual: Nanoseconds,
        longest: Nanoseconds,
        now: Nanoseconds,
    ) -> Self {
        let period = spec.period.unwrap_or(usual);
        Self {
            spec,
            period,
            promise: None,
            server: None,
            cap: bucket(spec.cap, period, longest, now),
            longest,
            served: Heap::default(),
            bands: Vec::new(),
            waiting: 0,
            grants: 0,
            promised: 0,
            members: 0,
            is_capped: false,
            is_leaving: false,
        }
    }

    /// What is to be promised to it apart from its members, if they were promised that
    /// much and get no longer grants. It stays, with a share of nothing, where they
    /// were promised everything: so it can always have back what they were.
    pub(super) fn remainder(&self, promised: u64, longest: Nanoseconds) -> Option<Promise> {
        let units = self.spec.floor.units().saturating_sub(promised);
        (self.spec.floor > Share::ZERO).then_some(Promise {
            share: Share::from_units(units).unwrap_or(Share::ZERO),
            period: self.period,
            longest,
            is_strict: self.spec.period.is_some(),
        })
    }

    /// What is to be promised to the group and to a new member. What the member is
    /// promised is kept as strictly as what the group is, out of which it comes, and
    /// in periods that are no longer: so giving it back to the group is never harder.
    pub(super) fn with_member(
        &self,
        member: &ClientSpec,
        longest: Nanoseconds,
    ) -> (Option<Promise>, Option<Promise>) {
        let promise = self.promise_to(member.floor, member.period, longest);
        let promised = self.promised + promise.map_or(0, |promise| promise.share.units());
        (self.remainder(promised, self.longest.max(longest)), promise)
    }

    /// What a member is to be promised that asks for a share, within a period or not.
    pub(super) fn promise_to(
        &self,
        share: Share,
        period: Option<Nanoseconds>,
        longest: Nanoseconds,
    ) -> Option<Promise> {
        let own = period.unwrap_or(self.period);
        let comes_of_group = self.spec.floor > Share::ZERO;
        (share > Share::ZERO).then_some(Promise {
            share,
            period: if comes_of_group {
                own.min(self.period)
            } else {
                own
            },
            longest,
            is_strict: period.is_some() || comes_of_group && self.spec.period.is_some(),
        })
    }

    /// Serves what is promised to it now.
    pub(super) fn serve(&mut self, now: Nanoseconds) {
        let share = self.promise.map_or(Share::ZERO, |promise| promise.share);
        match &mut self.server {
            Some(server) if server.period() == self.period => server.set_share(share),
            _ => self.server = self.promise.map(|_| Server::new(now, share, self.period)),
        }
    }

    /// Changes the cap to what it is now, and keeps what was used of it.
    pub(super) fn cap(&mut self, now: Nanoseconds) {
        let cap = self.spec.cap;
        match &mut self.cap {
            Some(bucket) if cap < Share::ONE => {
                let (rate, burst) = rate_and_burst(cap, self.period, self.longest);
                bucket.set_rate(now, rate);
                bucket.set_burst(now, burst);
            }
            _ => self.cap = bucket(cap, self.period, self.longest, now),
        }
    }

    /// The band of a tier.
    pub(super) fn band(&self, key: (bool, Reverse<i32>)) -> Option<Slot> {
        let at = self
            .bands
            .binary_search_by_key(&key, |&(key, _)| key)
            .ok()?;
        Some(self.bands[at].1)
    }

    /// Its earliest deadline of work that a budget pays for, and who has it; `None`
    /// for the group's own.
    pub(super) fn urgent(&self) -> Option<(Nanoseconds, Option<Slot>)> {
        let own = self
            .server
            .filter(|server| self.waiting > 0 && server.has_budget())
            .map(|server| (server.deadline(), None));
        let member = self
            .served
            .first()
            .map(|((deadline, _), who)| (deadline, Some(who)));
        match (member, own) {
            (Some(member), Some(own)) if own.0 < member.0 => Some(own),
            (member, own) => member.or(own),
        }
    }
}
