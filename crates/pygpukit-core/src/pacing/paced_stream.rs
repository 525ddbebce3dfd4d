//! One stream that has a share of a device's time.

use super::answer::Answer;
use super::engine::{PacingConfig, PacingDecision};
use super::token_bucket::{Charge, Rate, TokenBucket};
use crate::ledger::{Amount, Grant, Ledger, Resource, Shortage};
use crate::units::{Nanoseconds, Share, SmNanoseconds};
use std::collections::VecDeque;

/// Launches that may wait to be told to have ended. Older ones stay charged as predicted.
const UNSETTLED: usize = 1024;

/// A stream in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamPacingStats {
    /// Its share of the time.
    pub bandwidth: Share,
    /// Launches in the current window.
    pub launches_in_window: u64,
    /// Launches recorded.
    pub launches: u64,
    /// Throttled launches recorded.
    pub throttled: u64,
    /// Time that it used and has not been due yet.
    pub debt: Nanoseconds,
}

/// A stream that has a share of a device's time. The device counts as a single
/// multiprocessor here, so that work is time.
#[derive(Debug)]
pub(super) struct PacedStream {
    grant: Grant,
    bucket: TokenBucket,
    unsettled: VecDeque<Charge>,
    last_launch: Option<Nanoseconds>,
    /// The window of the last launch, and the launches in it.
    window: (u64, u64),
    launches: u64,
    throttled: u64,
}

impl PacedStream {
    /// It starts with one launch saved up.
    pub(super) fn new(now: Nanoseconds, grant: Grant, config: &PacingConfig) -> Self {
        let (rate, burst) = pace(&grant, config);
        Self {
            bucket: TokenBucket::holding(now, rate, burst, time(config.guess())),
            grant,
            unsettled: VecDeque::new(),
            last_launch: None,
            window: (0, 0),
            launches: 0,
            throttled: 0,
        }
    }

    /// Gives it another share from now on. What it owes, it still owes.
    pub(super) fn change(
        &mut self,
        now: Nanoseconds,
        bandwidth: Share,
        ledger: &mut Ledger,
        config: &PacingConfig,
    ) -> Result<(), Shortage> {
        let held = self.bandwidth().units();
        let amount =
            |units| Amount::NOTHING.bandwidth(Share::from_units(units).unwrap_or(Share::ONE));
        let more = bandwidth.units().saturating_sub(held);
        ledger.grow(&mut self.grant, amount(more))?;
        let less = held.saturating_sub(bandwidth.units());
        ledger.shrink(&mut self.grant, amount(less))?;
        let (rate, burst) = pace(&self.grant, config);
        self.bucket.set_rate(now, rate);
        self.bucket.set_burst(now, burst);
        Ok(())
    }

    pub(super) fn into_grant(self) -> Grant {
        self.grant
    }

    fn bandwidth(&self) -> Share {
        self.grant.amount().share(Resource::Bandwidth)
    }

    /// Whether a launch that is predicted to take `cost` may start.
    pub(super) fn decide(
        &self,
        now: Nanoseconds,
        cost: Nanoseconds,
        config: &PacingConfig,
    ) -> PacingDecision {
        let soonest = self.last_launch.map_or(Nanoseconds::ZERO, |last| {
            last.saturating_add(config.min_interval)
        });
        let funds = match self.bandwidth() {
            Share::ZERO => return PacingDecision::Throttle { until: None },
            // Whoever has all the time takes it from nobody.
            Share::ONE => Answer::Go(()),
            // A launch that is longer than the burst takes all of it, and pays the rest later.
            _ => self.bucket.check(now, time(cost).min(self.bucket.burst())),
        };
        match funds {
            Answer::NotUntil(moment) if moment >= soonest => PacingDecision::Throttle {
                until: Some(moment),
            },
            Answer::Never(_) => PacingDecision::Throttle { until: None },
            Answer::Go(()) | Answer::NotUntil(_) if now < soonest => {
                PacingDecision::Wait { until: soonest }
            }
            Answer::Go(()) | Answer::NotUntil(_) => PacingDecision::Launch,
        }
    }

    pub(super) fn launch(&mut self, now: Nanoseconds, cost: Nanoseconds, config: &PacingConfig) {
        if self.unsettled.len() == UNSETTLED {
            self.unsettled.pop_front();
        }
        self.unsettled
            .push_back(self.bucket.charge(now, time(cost)));
        self.last_launch = Some(now);
        let window = now.get() / config.window.get();
        let before = if window == self.window.0 {
            self.window.1
        } else {
            0
        };
        self.window = (window, before + 1);
        self.launches += 1;
    }

    /// The longest unsettled launch took `actual`. False if there is none.
    pub(super) fn complete(&mut self, now: Nanoseconds, actual: Nanoseconds) -> bool {
        match self.unsettled.pop_front() {
            Some(charge) => {
                self.bucket.settle(now, charge, time(actual));
                true
            }
            None => false,
        }
    }

    pub(super) fn throttle(&mut self) {
        self.throttled += 1;
    }

    pub(super) fn stats(&self, now: Nanoseconds, config: &PacingConfig) -> StreamPacingStats {
        let current = now.get() / config.window.get() == self.window.0;
        StreamPacingStats {
            bandwidth: self.bandwidth(),
            launches_in_window: if current { self.window.1 } else { 0 },
            launches: self.launches,
            throttled: self.throttled,
            debt: Nanoseconds::new(self.bucket.debt(now).get()),
        }
    }
}

/// How fast, and how much at once: the share of a window.
fn pace(grant: &Grant, config: &PacingConfig) -> (Rate, SmNanoseconds) {
    let share = grant.amount().share(Resource::Bandwidth);
    let burst = u128::from(config.window.get()) * u128::from(share.units())
        / u128::from(Share::ONE.units());
    // A share of the window is no longer than the window.
    let burst = SmNanoseconds::new(u64::try_from(burst).unwrap_or(u64::MAX));
    (Rate::new(share, 1), burst)
}

fn time(duration: Nanoseconds) -> SmNanoseconds {
    SmNanoseconds::of(1, duration)
}
