//! Whether a promise can be kept.

use crate::units::{Nanoseconds, Share};
use std::collections::BTreeMap;

/// Counts promises of time, and says whether all of them can be kept.
///
/// A promise is a budget in every period, that is, a [`Server`](super::Server). With
/// the earliest deadline first, and work that cannot be interrupted once it was
/// granted, each gets its budget within each of its periods if, for every period P,
///
/// ```text
/// sum of the shares + (sum of the overruns + blocking) / P  <=  1
/// ```
///
/// over all promises with periods up to P. A promise's overrun is the longest
/// grant it gets; the blocking is the longest time for which others may hold the
/// device once it was granted to them.
///
/// Why: let a deadline at the end of a span L be missed, where L begins when the
/// device last had no work with deadlines up to then. In L it worked for grants
/// with such deadlines only, apart from what was granted before: the blocking. A
/// promise with a period beyond L has none of them. Any other asks for no more
/// than its share of L and one overrun, since an overrun comes out of the next
/// budget (see [`Server`](super::Server)). With P the longest period within L, the
/// condition says that all that fits into L. (Processor demand: Baruah, Rosier and
/// Howell, 1990; blocking: Jeffay, Stanat and Martel, 1991; Baker, 1991.)
///
/// It is checked from the shortest period on that was asked to be kept strictly:
/// to the others only the sum of the shares matters, and they get their budgets
/// late by no more than overruns and blocking.
#[derive(Clone, Debug, Default)]
pub struct Feasibility {
    promises: BTreeMap<Nanoseconds, Promises>,
    /// How many are to be kept strictly.
    strict: usize,
}

/// Promises of one period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Promises {
    count: usize,
    strict: usize,
    /// In units of a share.
    share: u64,
    overrun: u64,
}

/// So much time in every period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise {
    /// The part of each period.
    pub share: Share,
    /// The period.
    pub period: Nanoseconds,
    /// The longest grant.
    pub longest: Nanoseconds,
    /// True if the budget must be had within each period.
    pub is_strict: bool,
}

/// A promise that could not be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "within each period of {period}, promises would take {asked}, and the longest other work \
     {blocking}"
)]
pub struct Infeasible {
    /// The period in which there is too little time.
    pub period: Nanoseconds,
    /// What all promises of it and shorter ones would take.
    pub asked: Nanoseconds,
    /// For how long other work may hold the device.
    pub blocking: Nanoseconds,
}

impl Feasibility {
    /// Takes a promise in, if it and all others can be kept.
    ///
    /// Takes as long as there are different periods.
    ///
    /// # Errors
    /// [`Infeasible`]; then it was not taken in.
    pub fn promise(&mut self, promise: Promise, blocking: Nanoseconds) -> Result<(), Infeasible> {
        self.exchange(None, [Some(promise), None], blocking)
    }

    /// Takes promises in in place of one that was taken in before, if all can be kept
    /// then.
    ///
    /// # Errors
    /// [`Infeasible`]; then everything is as before.
    pub fn exchange(
        &mut self,
        old: Option<Promise>,
        new: [Option<Promise>; 2],
        blocking: Nanoseconds,
    ) -> Result<(), Infeasible> {
        self.check(old, new, blocking)?;
        if let Some(old) = old {
            self.forget(old);
        }
        for promise in new.into_iter().flatten() {
            self.add(promise);
        }
        Ok(())
    }

    /// The same for any number of promises.
    ///
    /// # Errors
    /// [`Infeasible`]; then everything is as before.
    pub(super) fn exchange_all(
        &mut self,
        old: impl Iterator<Item = Promise> + Clone,
        new: impl Iterator<Item = Promise> + Clone,
        blocking: Nanoseconds,
    ) -> Result<(), Infeasible> {
        old.clone().for_each(|each| self.forget(each));
        new.clone().for_each(|each| self.add(each));
        let checked = self.check(None, [None, None], blocking);
        if checked.is_err() {
            new.for_each(|each| self.forget(each));
            old.for_each(|each| self.add(each));
        }
        checked
    }

    fn add(&mut self, promise: Promise) {
        self.strict += usize::from(promise.is_strict);
        let promises = self.promises.entry(promise.period).or_default();
        promises.count += 1;
        promises.strict += usize::from(promise.is_strict);
        promises.share += promise.share.units();
        promises.overrun = promises.overrun.saturating_add(promise.longest.get());
    }

    /// Forgets a promise that was taken in.
    pub fn forget(&mut self, promise: Promise) {
        if let Some(promises) = self.promises.get_mut(&promise.period) {
            self.strict -= usize::from(promise.is_strict);
            promises.count -= 1;
            promises.strict -= usize::from(promise.is_strict);
            promises.share -= promise.share.units();
            promises.overrun = promises.overrun.saturating_sub(promise.longest.get());
            if promises.count == 0 {
                self.promises.remove(&promise.period);
            }
        }
    }

    /// True if any promise is to be kept strictly.
    pub fn is_strict(&self) -> bool {
        self.strict > 0
    }

    /// The sum of all shares, in units of a share.
    #[cfg(test)]
    pub(super) fn total(&self) -> u64 {
        self.promises.values().map(|promises| promises.share).sum()
    }

    /// Whether all could be kept after an [exchange](Self::exchange).
    ///
    /// # Errors
    /// [`Infeasible`], if not.
    pub fn check(
        &self,
        old: Option<Promise>,
        mut new: [Option<Promise>; 2],
        blocking: Nanoseconds,
    ) -> Result<(), Infeasible> {
        new.sort_by_key(|promise| promise.map(|promise| promise.period));
        let mut new = new.into_iter().flatten().peekable();
        let mut demand = Demand::default();
        for (&period, promises) in &self.promises {
            while let Some(promise) = new.next_if(|promise| promise.period < period) {
                demand.add(promise);
                demand.check(promise.period, blocking)?;
            }
            while let Some(promise) = new.next_if(|promise| promise.period == period) {
                demand.add(promise);
            }
            demand.share += u128::from(promises.share);
            demand.overrun += u128::from(promises.overrun);
            demand.strict += promises.strict;
            if let Some(old) = old.filter(|old| old.period == period) {
                demand.share -= u128::from(old.share.units());
                demand.overrun = demand.overrun.saturating_sub(old.longest.get().into());
                demand.strict -= usize::from(old.is_strict);
            }
            demand.check(period, blocking)?;
        }
        new.try_for_each(|promise| {
            demand.add(promise);
            demand.check(promise.period, blocking)
        })
    }
}

/// What promises with periods up to one ask for.
#[derive(Default)]
struct Demand {
    /// In units of a share.
    share: u128,
    overrun: u128,
    strict: usize,
}

impl Demand {
    fn add(&mut self, promise: Promise) {
        self.share += u128::from(promise.share.units());
        self.overrun += u128::from(promise.longest.get());
        self.strict += usize::from(promise.is_strict);
    }

    fn check(&self, period: Nanoseconds, blocking: Nanoseconds) -> Result<(), Infeasible> {
        let one = u128::from(Share::ONE.units());
        let length = u128::from(period.get());
        // In units of a share of a nanosecond.
        let asked = self.share * length + self.overrun * one;
        let fits = asked + u128::from(blocking.get()) * one <= length * one;
        if self.share <= one && (self.strict == 0 || fits) {
            return Ok(());
        }
        let asked = u64::try_from(asked.div_ceil(one)).unwrap_or(u64::MAX);
        Err(Infeasible {
            period,
            asked: Nanoseconds::new(asked),
            blocking,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn promise(share: f64, period: u64, is_strict: bool) -> Promise {
        Promise {
            share: share.try_into().unwrap(),
            period: Nanoseconds::new(period),
            longest: Nanoseconds::new(50),
            is_strict,
        }
    }

    #[test]
    fn shares_fit_exactly_where_nobody_is_strict() {
        let mut promises = Feasibility::default();
        let blocking = Nanoseconds::new(1_000_000);
        for share in [0.8, 0.1, 0.1] {
            assert_eq!(
                promises.promise(promise(share, 100, false), blocking),
                Ok(())
            );
        }
        assert!(
            promises
                .promise(promise(1e-9, 1_000_000, false), blocking)
                .is_err()
        );
        promises.forget(promise(0.1, 100, false));
        assert_eq!(promises.promise(promise(0.1, 7, false), blocking), Ok(()));
    }

    #[test]
    fn a_strict_promise_leaves_room_for_what_cannot_be_interrupted() {
        let blocking = Nanoseconds::new(150);
        let try_share =
            |share| Feasibility::default().promise(promise(share, 1000, true), blocking);
        // 1000 less an overrun of 50 and a blocking of 150.
        assert_eq!(try_share(0.8), Ok(()));
        let refused = try_share(0.801).unwrap_err();
        assert_eq!(
            (refused.asked.get(), refused.period.get()),
            (851, 1000),
            "{refused}"
        );
    }

    #[test]
    fn longer_periods_count_where_a_shorter_one_is_strict() {
        let mut promises = Feasibility::default();
        let blocking = Nanoseconds::new(100);
        assert_eq!(promises.promise(promise(0.5, 1000, true), blocking), Ok(()));
        assert!(
            promises
                .promise(promise(0.5, 10_000, false), blocking)
                .is_err()
        );
        assert_eq!(
            promises.promise(promise(0.45, 10_000, false), blocking),
            Ok(())
        );
        // What was refused was not counted.
        assert_eq!(
            promises.promise(promise(0.01, 10_000, false), blocking),
            Ok(())
        );
        // A shorter one must fit by itself, even if nobody wants it kept strictly...
        assert!(promises.promise(promise(0.5, 10, false), blocking).is_err());
        // ... but not if all that is strict is longer and has room.
        assert_eq!(
            promises.promise(promise(0.001, 10, false), blocking),
            Ok(())
        );
    }
}
