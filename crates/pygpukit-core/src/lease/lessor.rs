//! Who hands out leases for a lane.

use super::taken::{Epoch, Lease};
use crate::id::LaneId;
use crate::pacing::{Answer, Never, TokenBucket};
use crate::units::{Nanoseconds, SmNanoseconds};

/// How large leases are.
///
/// The most is a bound on latency: what has been drawn from a lease cannot be stopped,
/// so that someone more urgent waits at most that long after a revocation. The least
/// keeps them from being so small that asking costs more than the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// None is smaller, except where the most is.
    pub least: SmNanoseconds,
    /// None is larger.
    pub most: SmNanoseconds,
}

/// Hands out leases for one lane, and revokes them.
#[derive(Clone, Debug)]
pub struct Lessor {
    lane: LaneId,
    terms: Terms,
    epoch: Epoch,
}

impl Lessor {
    /// In the first epoch of a lane.
    pub fn new(lane: LaneId, terms: Terms) -> Self {
        Self {
            lane,
            terms,
            epoch: Epoch::default(),
        }
    }

    /// The lane's epoch now.
    pub const fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// Ends all leases that are out: they let nothing more through.
    pub fn revoke(&mut self) -> Epoch {
        self.epoch = self.epoch.next();
        self.epoch
    }

    /// Takes a lease out of `bucket`, for a launch of that cost and for those after it:
    /// as large as the bucket and the terms allow.
    pub fn grant(
        &self,
        now: Nanoseconds,
        bucket: &mut TokenBucket,
        cost: SmNanoseconds,
    ) -> Answer<Lease> {
        let most = self.terms.most.min(bucket.burst());
        if cost > most {
            return Answer::Never(Never::ExceedsBurst {
                asked: cost,
                burst: most,
            });
        }
        let least = self.terms.least.max(cost).min(most);
        let size = bucket.available(now).clamp(least, most);
        match bucket.ask(now, size) {
            Answer::Go(charge) => Answer::Go(Lease::new(self.lane, self.epoch, charge)),
            Answer::NotUntil(moment) => Answer::NotUntil(moment),
            Answer::Never(why) => Answer::Never(why),
        }
    }

    /// Takes a lease back. `actual` is the work that its launches did cost, where that
    /// was measured; else it is what they have drawn.
    pub fn take_back(
        &self,
        now: Nanoseconds,
        bucket: &mut TokenBucket,
        lease: Lease,
        actual: Option<SmNanoseconds>,
    ) {
        let returned = lease.end();
        let actual = actual.unwrap_or(returned.drawn);
        bucket.settle(now, returned.charge, actual);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Draw;
    use super::*;
    use crate::pacing::Rate;
    use crate::units::Share;
    use proptest::prelude::*;

    const TERMS: Terms = Terms {
        least: SmNanoseconds::new(20),
        most: SmNanoseconds::new(60),
    };

    fn ns(time: u64) -> Nanoseconds {
        Nanoseconds::new(time)
    }

    fn work(cost: u64) -> SmNanoseconds {
        SmNanoseconds::new(cost)
    }

    /// One SM·ns a nanosecond.
    fn bucket(level: u64) -> TokenBucket {
        TokenBucket::holding(ns(0), Rate::new(Share::ONE, 1), work(100), work(level))
    }

    fn lessor() -> Lessor {
        Lessor::new(LaneId::new(3), TERMS)
    }

    fn granted(bucket: &mut TokenBucket, cost: u64) -> Lease {
        match lessor().grant(ns(0), bucket, work(cost)) {
            Answer::Go(lease) => lease,
            refusal @ (Answer::NotUntil(_) | Answer::Never(_)) => panic!("{refusal:?}"),
        }
    }

    #[test]
    fn a_lease_is_as_large_as_bucket_and_terms_allow() {
        for (level, cost, size) in [(100, 1, 60), (45, 1, 45), (20, 1, 20), (30, 30, 30)] {
            let lease = granted(&mut bucket(level), cost);
            assert_eq!((lease.granted(), lease.left()), (work(size), work(size)));
            assert_eq!(
                (lease.lane(), lease.epoch()),
                (LaneId::new(3), Epoch::new(0))
            );
        }
    }

    #[test]
    fn too_little_for_a_lease_is_worth_waiting_for() {
        let mut bucket = bucket(5);
        let answer = lessor().grant(ns(0), &mut bucket, work(1));
        assert!(matches!(answer, Answer::NotUntil(moment) if moment == ns(15)));
        assert_eq!(bucket.available(ns(0)), work(5));
        let lease = lessor().grant(ns(15), &mut bucket, work(1));
        assert!(matches!(lease, Answer::Go(lease) if lease.granted() == work(20)));
        let never = lessor().grant(ns(15), &mut bucket, work(61));
        let (asked, burst) = (work(61), work(60));
        assert!(matches!(never, Answer::Never(why) if why == Never::ExceedsBurst { asked, burst }));
    }

    #[test]
    fn a_revoked_lease_lets_nothing_through() {
        let mut bucket = bucket(100);
        let mut lessor = lessor();
        let mut lease = granted(&mut bucket, 1);
        assert_eq!(lease.draw(lessor.epoch(), work(10)), Draw::Go(work(50)));
        let epoch = lessor.revoke();
        assert_eq!(epoch, lessor.epoch());
        assert_eq!(lease.draw(epoch, work(1)), Draw::Revoked);
        // What it did not draw is there for others again.
        lessor.take_back(ns(0), &mut bucket, lease, None);
        assert_eq!(bucket.available(ns(0)), work(90));
    }

    #[test]
    fn measured_work_counts_instead_of_drawn() {
        let mut bucket = bucket(100);
        let mut lease = granted(&mut bucket, 1);
        let _ = lease.draw(Epoch::default(), work(10));
        lessor().take_back(ns(0), &mut bucket, lease, Some(work(130)));
        assert_eq!(bucket.debt(ns(0)), work(30));
    }

    proptest! {
        #[test]
        fn no_more_is_drawn_than_was_granted(costs in prop::collection::vec(0_u64..40, 0..20)) {
            let mut bucket = bucket(100);
            let mut lease = granted(&mut bucket, 1);
            let mut drawn = 0;
            for cost in costs {
                match lease.draw(Epoch::default(), work(cost)) {
                    Draw::Go(left) => {
                        drawn += cost;
                        prop_assert_eq!(left, work(60 - drawn));
                    }
                    Draw::Spent(left) => {
                        prop_assert!(work(cost) > left);
                        // Exactly that much would have been let through.
                        let last = lease.draw(Epoch::default(), left);
                        prop_assert_eq!(last, Draw::Go(work(0)));
                        drawn = 60;
                    }
                    Draw::Revoked => prop_assert!(false, "nobody revoked it"),
                }
            }
            lessor().take_back(ns(0), &mut bucket, lease, None);
            prop_assert_eq!(bucket.available(ns(0)), work(100 - drawn));
        }
    }
}
