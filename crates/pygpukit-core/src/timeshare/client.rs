//! Who wants time.

use super::feasibility::Promise;
use super::server::Server;
use crate::collections::Slot;
use crate::pacing::TokenBucket;
use crate::scheduler::Policy;
use crate::units::{Nanoseconds, Share};

/// Somebody who has [joined](super::TimeShare::join) a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientKey(pub(super) Slot);

impl ClientKey {
    /// A small number that no other client has now.
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What somebody is to get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientSpec {
    /// Best effort gets what all others leave over.
    pub policy: Policy,
    /// Of the members of a group that take what is left over, larger ones go first.
    pub priority: i32,
    /// The part of what is left over, against other members of the same priority.
    pub weight: u32,
    /// The share of the time that is promised.
    pub floor: Share,
    /// The largest share of the time. In any span it gets no more than that share of
    /// the span and of one period, or of the span and one grant if that is longer.
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
    pub(super) group: Slot,
    /// The band of the group in which it takes what it was not promised.
    pub(super) band: Slot,
    /// The period that it asked for.
    pub(super) period: Option<Nanoseconds>,
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
    /// True if the group is there for it alone.
    pub(super) is_alone: bool,
}

/// Where somebody waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Nowhere: nothing is wanted.
    Idle,
    /// Among those with a budget.
    Served,
    /// In its band, for what is left over or its group's budget.
    Banded,
    /// Nowhere, until the cap allows more.
    Capped,
}

impl Client {
    /// How long the next grant would be.
    pub(super) fn next(&self) -> Nanoseconds {
        self.wanted.min(self.longest)
    }
}
