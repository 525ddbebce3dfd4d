//! So much time in every period.

use crate::units::{Nanoseconds, Share};

/// A constant-bandwidth server: a budget of time in every period, with a deadline
/// by which it is to be had.
///
/// The method is that of Abeni and Buttazzo, "Integrating Multimedia
/// Applications in Hard Real-Time Systems" (RTSS 1998), with hard reservations: a
/// budget that is used up comes back at the deadline, not before. Time used
/// beyond it is taken from the next one. So whatever its user does, the server
/// takes no more than its share from the others, and over any number of periods
/// gets exactly that, if it asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Server {
    budget: i128,
    period: i128,
    /// What is left of the budget; less than nothing after an overrun.
    left: i128,
    deadline: i128,
}

impl Server {
    /// `share` of every `period`, from `now` on: at least a nanosecond of it for any
    /// share but none.
    pub fn new(now: Nanoseconds, share: Share, period: Nanoseconds) -> Self {
        let period = i128::from(period.get().max(1));
        let budget = budget(period, share);
        Self {
            budget,
            period,
            left: budget,
            deadline: i128::from(now.get()) + period,
        }
    }

    /// Another share of every period. What is left of the budget is no more than the
    /// new one.
    pub fn set_share(&mut self, share: Share) {
        self.budget = budget(self.period, share);
        self.left = self.left.min(self.budget);
    }

    /// Its budget in every period.
    pub fn budget(&self) -> Nanoseconds {
        nanoseconds(self.budget)
    }

    /// The period.
    pub fn period(&self) -> Nanoseconds {
        nanoseconds(self.period)
    }

    /// By when the budget is to be had. The earliest goes first.
    pub fn deadline(&self) -> Nanoseconds {
        nanoseconds(self.deadline)
    }

    /// Whether it has a budget to work with.
    pub fn has_budget(&self) -> bool {
        self.left > 0
    }

    /// Its user has work again, after having had none.
    ///
    /// What was left over counts only as far as using it up by the deadline would
    /// not be more than the share.
    pub fn wake(&mut self, now: Nanoseconds) {
        self.refill(now);
        let now = i128::from(now.get());
        let until_deadline = self.deadline - now;
        if self.left > 0 && self.left * self.period > until_deadline * self.budget {
            self.left = self.budget;
            self.deadline = now + self.period;
        }
    }

    /// Gives the budget back that is due by `now`.
    pub fn refill(&mut self, now: Nanoseconds) {
        let late = i128::from(now.get()) - self.deadline;
        if self.left > 0 || late < 0 || self.budget == 0 {
            return;
        }
        // As many periods as have begun, or as the debt takes if that is fewer.
        let begun = late / self.period + 1;
        let owed = -self.left / self.budget + 1;
        let periods = begun.min(owed);
        self.left += periods * self.budget;
        self.deadline += periods * self.period;
    }

    /// Uses time of the budget.
    pub fn charge(&mut self, time: Nanoseconds) {
        self.left -= i128::from(time.get());
    }

    /// Corrects what was charged to what was used.
    pub fn settle(&mut self, charged: Nanoseconds, used: Nanoseconds) {
        let back = i128::from(charged.get()) - i128::from(used.get());
        self.left = (self.left + back).min(self.budget);
    }
}

fn budget(period: i128, share: Share) -> i128 {
    let share = i128::from(share.units());
    (period * share / i128::from(Share::ONE.units())).max(share.min(1))
}

fn nanoseconds(value: i128) -> Nanoseconds {
    Nanoseconds::new(u64::try_from(value).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn ns(value: u64) -> Nanoseconds {
        Nanoseconds::new(value)
    }

    fn half() -> Server {
        Server::new(ns(0), Share::from_ratio(1, 2).unwrap(), ns(100))
    }

    #[test]
    fn a_budget_comes_back_at_the_deadline() {
        let mut server = half();
        assert_eq!((server.budget(), server.deadline()), (ns(50), ns(100)));
        server.charge(ns(50));
        server.refill(ns(99));
        assert!(!server.has_budget());
        server.refill(ns(100));
        assert!(server.has_budget());
        assert_eq!(server.deadline(), ns(200));
    }

    #[test]
    fn an_overrun_is_taken_from_the_next_budget() {
        let mut server = half();
        server.charge(ns(70));
        server.refill(ns(100));
        server.charge(ns(29));
        assert!(server.has_budget());
        server.charge(ns(1));
        assert!(!server.has_budget());
        // Two periods' debt is paid in two periods.
        server.charge(ns(100));
        let mut later = server;
        later.refill(ns(300));
        assert!(!later.has_budget());
        server.refill(ns(299));
        assert!(!server.has_budget());
        server.refill(ns(400));
        assert!(server.has_budget());
    }

    #[test]
    fn what_is_left_over_is_not_saved() {
        let mut server = half();
        server.charge(ns(10));
        // 40 of it in the last 10 ns would be more than half.
        server.wake(ns(90));
        assert_eq!(server.deadline(), ns(190));
        server.charge(ns(10));
        // 40 within 80 are not.
        server.wake(ns(110));
        assert_eq!(server.deadline(), ns(190));
        server.wake(ns(100_000));
        assert_eq!(server.deadline(), ns(100_100));
    }

    proptest! {
        /// In any span it gets no more than its share of it, two budgets and an
        /// overrun.
        #[test]
        fn it_never_takes_more_than_its_share(
            share in 1_u64..=1000,
            period in 1_u64..10_000,
            steps in prop::collection::vec((0_u64..5000, 0_u64..3000), 1..200),
        ) {
            let share = Share::from_ratio(share, 1000).unwrap();
            let mut server = Server::new(ns(0), share, ns(period));
            let budget = server.budget().get();
            let longest = 3000;
            let mut now = 0;
            let mut uses = Vec::new();
            for (pass, work) in steps {
                now += pass;
                server.wake(ns(now));
                if server.has_budget() {
                    server.charge(ns(work));
                    uses.push((now, work));
                }
            }
            for from in 0..uses.len() {
                let mut sum = 0;
                for (count, &(at, work)) in (1..).zip(&uses[from..]) {
                    sum += work;
                    let span = at - uses[from].0;
                    // Each time a budget begins anew, a nanosecond may be rounded up.
                    let most = (span + 2 * period) * budget / period + longest + count;
                    prop_assert!(sum <= most, "{sum} in {span}");
                }
            }
        }
    }
}
