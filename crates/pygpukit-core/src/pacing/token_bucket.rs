//! So much work at a rate, and no more in any span of time.

use super::answer::{Answer, Never};
use crate::units::{Nanoseconds, Share, SmNanoseconds};

/// Parts that a unit of work is counted in, so that no rate leaves a remainder.
const PARTS: i128 = 1_000_000_000;

/// How fast work may be done: a share of so many multiprocessors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rate {
    /// In 10^-9 multiprocessors.
    units: u64,
}

impl Rate {
    /// `share` of `sms` multiprocessors.
    pub const fn new(share: Share, sms: u32) -> Self {
        // At most 10^9 times 2^32.
        let units = share.units() * sms as u64;
        Self { units }
    }

    /// What comes in during `time`, in parts: below 2^126.
    fn over(self, time: Nanoseconds) -> i128 {
        i128::from(time.get()) * i128::from(self.units)
    }
}

/// A bucket of work that fills at a rate up to its burst, and that work is taken from.
///
/// Take what each launch is predicted to cost with [`ask`](Self::ask) before it
/// starts, and [`settle`](Self::settle) what it did cost when it has ended. Whoever
/// took too little is in debt, and waits until that is repaid as well.
///
/// **The cap.** In every span of time that ends with work being let through, the work
/// let through in it is at most the burst, plus the rate times the span. Settled work
/// counts as what it did cost, other work as predicted.
///
/// Time is not expected to go back; if it does, nothing comes in meanwhile.
#[derive(Clone, Debug)]
pub struct TokenBucket {
    rate: Rate,
    burst: SmNanoseconds,
    /// What may be taken, in parts; negative for debt.
    level: i128,
    /// The moment for which `level` holds.
    at: Nanoseconds,
    /// All that was ever taken.
    taken: u128,
}

/// Work that was let through and has not ended. It cannot be copied; whoever is done
/// hands it back to [`TokenBucket::settle`].
#[derive(Debug, PartialEq, Eq)]
#[must_use = "work that is not settled stays charged as predicted"]
pub struct Charge {
    predicted: SmNanoseconds,
    /// All that was ever taken, just after this.
    taken: u128,
}

impl Charge {
    /// What the work was predicted to cost.
    pub const fn predicted(&self) -> SmNanoseconds {
        self.predicted
    }
}

impl TokenBucket {
    /// A full bucket at the moment `now`.
    pub fn new(now: Nanoseconds, rate: Rate, burst: SmNanoseconds) -> Self {
        Self {
            rate,
            burst,
            level: parts(burst),
            at: now,
            taken: 0,
        }
    }

    /// A bucket with only so much in it at the moment `now`, at most its burst.
    pub fn holding(
        now: Nanoseconds,
        rate: Rate,
        burst: SmNanoseconds,
        level: SmNanoseconds,
    ) -> Self {
        Self {
            level: parts(level.min(burst)),
            ..Self::new(now, rate, burst)
        }
    }

    /// How fast it fills.
    pub const fn rate(&self) -> Rate {
        self.rate
    }

    /// The most it holds.
    pub const fn burst(&self) -> SmNanoseconds {
        self.burst
    }

    /// What could be taken at the moment `now`, rounded down; none in debt.
    pub fn available(&self, now: Nanoseconds) -> SmNanoseconds {
        whole(self.level_at(now))
    }

    /// What has to come in before anything can be taken, rounded up.
    pub fn debt(&self, now: Nanoseconds) -> SmNanoseconds {
        whole(
            self.level_at(now)
                .saturating_neg()
                .saturating_add(PARTS - 1),
        )
    }

    /// Changes the rate from the moment `now` on; what came in before stays.
    pub fn set_rate(&mut self, now: Nanoseconds, rate: Rate) {
        self.fill(now);
        self.rate = rate;
    }

    /// Changes the most it holds; what is in it beyond that is gone.
    pub fn set_burst(&mut self, now: Nanoseconds, burst: SmNanoseconds) {
        self.fill(now);
        self.burst = burst;
        self.level = self.level.min(parts(burst));
    }

    /// What [`ask`](Self::ask) would answer. Takes nothing.
    pub fn check(&self, now: Nanoseconds, cost: SmNanoseconds) -> Answer {
        if cost > self.burst {
            return Answer::Never(Never::ExceedsBurst {
                asked: cost,
                burst: self.burst,
            });
        }
        let lacking = parts(cost).saturating_sub(self.level_at(now));
        if lacking <= 0 {
            return Answer::Go(());
        }
        match self.moment(now.max(self.at), lacking) {
            Some(moment) => Answer::NotUntil(moment),
            None => Answer::Never(Never::NoRate {
                asked: cost,
                available: self.available(now),
            }),
        }
    }

    /// Takes `cost` if that much is there at the moment `now`.
    pub fn ask(&mut self, now: Nanoseconds, cost: SmNanoseconds) -> Answer<Charge> {
        match self.check(now, cost) {
            Answer::Go(()) => Answer::Go(self.charge(now, cost)),
            Answer::NotUntil(moment) => Answer::NotUntil(moment),
            Answer::Never(why) => Answer::Never(why),
        }
    }

    /// Takes `cost` whether it is there or not, for work that has started already.
    pub fn charge(&mut self, now: Nanoseconds, cost: SmNanoseconds) -> Charge {
        self.fill(now);
        self.take(cost);
        Charge {
            predicted: cost,
            taken: self.taken,
        }
    }

    /// Corrects a charge of this bucket to what the work did cost.
    ///
    /// What it cost less comes back only as far as no other launch has used it up in
    /// the meantime: otherwise what filled up during the work could be spent on top of
    /// a full burst.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "so that it cannot be settled twice"
    )]
    pub fn settle(&mut self, now: Nanoseconds, charge: Charge, actual: SmNanoseconds) {
        self.fill(now);
        self.take(actual.saturating_sub(charge.predicted));
        let back = parts(charge.predicted.saturating_sub(actual));
        let since = self.taken.saturating_sub(charge.taken);
        let since = i128::try_from(since).map_or(i128::MAX, |since| since.saturating_mul(PARTS));
        let most = parts(self.burst).saturating_sub(since);
        let refunded = self.level.saturating_add(back).min(most);
        self.level = self.level.max(refunded);
    }

    fn take(&mut self, cost: SmNanoseconds) {
        self.level = self.level.saturating_sub(parts(cost));
        self.taken = self.taken.saturating_add(u128::from(cost.get()));
    }

    fn fill(&mut self, now: Nanoseconds) {
        self.level = self.level_at(now);
        self.at = self.at.max(now);
    }

    fn level_at(&self, now: Nanoseconds) -> i128 {
        let income = self.rate.over(now.saturating_sub(self.at));
        self.level.saturating_add(income).min(parts(self.burst))
    }

    /// When `lacking` parts will have come in after `now`.
    fn moment(&self, now: Nanoseconds, lacking: i128) -> Option<Nanoseconds> {
        let rate = u128::from(self.rate.units);
        let lacking = lacking.unsigned_abs();
        let wait = lacking.checked_next_multiple_of(rate)?.checked_div(rate)?;
        let wait = u64::try_from(wait).ok()?;
        now.get().checked_add(wait).map(Nanoseconds::new)
    }
}

fn parts(work: SmNanoseconds) -> i128 {
    i128::from(work.get()) * PARTS
}

fn whole(parts: i128) -> SmNanoseconds {
    SmNanoseconds::new(u64::try_from(parts.max(0) / PARTS).unwrap_or(u64::MAX))
}
