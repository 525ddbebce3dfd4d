//! A partition: its time share, and what runs on it.

use super::gpu::scaled;
use super::scenario::Scenario;
use crate::timeshare::{ClientKey, GrantKey, TimeShare};
use crate::units::{Nanoseconds, Share};
use std::collections::{BTreeMap, VecDeque};

/// A partition: its time share, what runs on it, and what was granted ahead.
#[derive(Debug)]
pub(super) struct Partition {
    pub(super) sms: u32,
    pub(super) share: TimeShare,
    /// Which tenant each of its clients is.
    pub(super) tenants: BTreeMap<ClientKey, usize>,
    pub(super) ahead: VecDeque<Granted>,
    pub(super) running: Option<Progress>,
    /// Counts changes, so that the end of what has changed since can be told.
    pub(super) version: u64,
    /// The moment for which a wake is on its way.
    pub(super) wake: Option<Nanoseconds>,
}

/// Work that was granted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Granted {
    pub(super) tenant: usize,
    pub(super) grant: GrantKey,
    pub(super) time: Nanoseconds,
}

/// Work that runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    pub(super) granted: Granted,
    pub(super) since: Nanoseconds,
    /// What is left at `at`, in nanoseconds at full speed.
    left: u64,
    at: Nanoseconds,
    rate: u64,
}

impl Progress {
    pub(super) fn new(granted: Granted, now: Nanoseconds, time: u64) -> Self {
        Self {
            granted,
            since: now,
            left: time,
            at: now,
            rate: Share::ONE.units(),
        }
    }

    /// Goes on at another rate; says when it will end.
    pub(super) fn go_on(&mut self, now: Nanoseconds, rate: u64) -> Nanoseconds {
        let passed = now.saturating_sub(self.at).get();
        self.left = self.left.saturating_sub(scaled(passed, self.rate));
        self.at = now;
        self.rate = rate.max(1);
        let one = Share::ONE.units();
        let needed = if self.rate == one {
            self.left
        } else {
            let needed = (u128::from(self.left) * u128::from(one)).div_ceil(self.rate.into());
            u64::try_from(needed).unwrap_or(u64::MAX)
        };
        now.saturating_add(Nanoseconds::new(needed))
    }
}

impl Partition {
    pub(super) fn new(sms: u32, share: TimeShare) -> Self {
        Self {
            sms,
            share,
            tenants: BTreeMap::new(),
            ahead: VecDeque::new(),
            running: None,
            version: 0,
            wake: None,
        }
    }

    /// What runs, as the device model sees it.
    pub(super) fn seen(&self, scenario: &Scenario) -> Option<super::Running> {
        let running = self.running?;
        let job = scenario.tenants[running.granted.tenant].job;
        Some(super::Running {
            sms: self.sms,
            memory_bound: job.memory_bound,
            power: job.power,
        })
    }
}
