//! Who wants time.

use super::feasibility::Promise;
use super::server::Server;
use crate::collections::Slot;
use crate::pacing::{Rate, TokenBucket};
use crate::scheduler::Policy;
use crate::units::{Nanoseconds, Share, SmNanoseconds};

/// Somebody who has [joined](super::TimeShare::join).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientKey(pub(super) Slot);

/// What somebody is to get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientSpec {
    /// Best effort gets what all others leave over.
    pub policy: Policy,
    /// Of those who take what is left over, larger ones go first.
    pub priority: i32,
    /// The part of what is left over, against others of the same priority.
    pub weight: u32,
    /// The share of the time that is promised.
    pub floor: Share,
    /// The largest share of the time, over any span of a period and more.
    pub cap: Share,
    /// The promise is kept within every such period; `None` for
    /// [the usual one](super::TimeConfig::period), not kept strictly.
    pub period: Option<Nanoseconds>,
    /// The longest piece of work that cannot be interrupted, if it is longer than
    /// [a slice](super::TimeConfig::slice).
    pub piece: Nanoseconds,
}

impl Default for ClientSpec {
    fn default() -> Self {
        Self {
            policy: Policy::BestEffort,
            priority: 0,
            weight: 1,
            floor: Share::ZERO,
            cap: Share::ONE,
            period: None,
            piece: Nanoseconds::ZERO,
        }
    }
}

/// Somebody who may want time.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) spec: ClientSpec,
    pub(super) promise: Option<Promise>,
    pub(super) server: Option<Server>,
    pub(super) cap: Option<TokenBucket>,
    /// The longest grant.
    pub(super) longest: Nanoseconds,
    /// What is wanted beyond what is granted.
    pub(super) wanted: Nanoseconds,
    pub(super) place: Place,
    /// Grants that are out.
    pub(super) grants: u32,
    pub(super) is_leaving: bool,
}

/// Where somebody waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Nowhere: nothing is wanted.
    Idle,
    /// Among those with a budget.
    Served,
    /// Among those who take what is left over.
    LeftOver,
    /// Nowhere, until the cap allows more.
    Capped,
}

impl Client {
    pub(super) fn new(
        spec: ClientSpec,
        promise: Option<Promise>,
        longest: Nanoseconds,
        period: Nanoseconds,
        now: Nanoseconds,
    ) -> Self {
        let span = spec.period.unwrap_or(period);
        let cap = (spec.cap < Share::ONE).then(|| {
            let rate = Rate::new(spec.cap, 1);
            let of_span = u128::from(span.get()) * u128::from(spec.cap.units());
            let of_span = u64::try_from(of_span / u128::from(Share::ONE.units()));
            let burst = of_span.unwrap_or(u64::MAX).max(longest.get());
            TokenBucket::new(now, rate, SmNanoseconds::new(burst))
        });
        Self {
            server: promise.map(|promise| Server::new(now, promise.share, promise.period)),
            promise,
            cap,
            longest,
            wanted: Nanoseconds::ZERO,
            place: Place::Idle,
            grants: 0,
            is_leaving: false,
            spec,
        }
    }

    /// How long the next grant would be.
    pub(super) fn next(&self) -> Nanoseconds {
        self.wanted.min(self.longest)
    }
}
