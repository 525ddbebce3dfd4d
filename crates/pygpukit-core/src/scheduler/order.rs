//! The order in which waiting tasks start.

use super::request::Request;
use crate::units::Nanoseconds;

/// A place in line. Smaller is sooner, and no two are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank(u128);

/// In which order waiting tasks start.
///
/// Tiers go first to last: tasks that have waited too long, guaranteed,
/// burstable, best effort. Within a tier, who is due first starts first. A task
/// is due at its deadline, or when it has waited for `patience`, whichever is
/// sooner; each level of priority makes that sooner by `patience`. So a task is
/// overtaken only by those that come within a bounded time after it: nobody waits
/// for ever behind a stream of more urgent ones. (Ageing by a constant offset
/// needs no sorting again, since all age at the same rate.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) patience: Nanoseconds,
}

impl Order {
    const ARRIVAL_BITS: u32 = 56;
    const DUE_BITS: u32 = 70;
    /// No due time is further from zero than this.
    const FAR: i128 = (1 << (Self::DUE_BITS - 1)) - 1;

    /// Where a task stands that was submitted at `submitted`, the `arrival`th of
    /// all.
    pub(super) fn rank(self, request: &Request, submitted: Nanoseconds, arrival: u64) -> Rank {
        let patience = i128::from(self.patience.get());
        let wait = request.spec().deadline.unwrap_or(self.patience);
        let due = i128::from(submitted.get()) + i128::from(wait.min(self.patience).get());
        let due = due - i128::from(request.spec().priority) * patience;
        Self::place(1 + request.policy() as u128, due, arrival)
    }

    /// Where it stands once it has waited too long.
    pub(super) fn overdue(submitted: Nanoseconds, arrival: u64) -> Rank {
        Self::place(0, submitted.get().into(), arrival)
    }

    fn place(tier: u128, due: i128, arrival: u64) -> Rank {
        let due = (due.clamp(-Self::FAR, Self::FAR) + Self::FAR).unsigned_abs();
        let tier_and_due = tier << Self::DUE_BITS | due;
        Rank(tier_and_due << Self::ARRIVAL_BITS | u128::from(arrival))
    }
}

impl Rank {
    pub(super) const fn get(self) -> u128 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::{Policy, ShareAsk, TaskSpec};
    use crate::units::Share;

    const SECOND: u64 = 1_000_000_000;

    fn rank(at: u64, spec: TaskSpec) -> Rank {
        let order = Order {
            patience: Nanoseconds::new(60 * SECOND),
        };
        order.rank(&spec.try_into().unwrap(), Nanoseconds::new(at * SECOND), at)
    }

    fn priority(priority: i32) -> TaskSpec {
        TaskSpec {
            priority,
            ..TaskSpec::default()
        }
    }

    #[test]
    fn a_level_of_priority_is_worth_a_minute() {
        assert!(rank(59, priority(1)) < rank(0, priority(0)));
        assert!(rank(61, priority(1)) > rank(0, priority(0)));
        assert!(rank(0, priority(1 << 30)) < rank(0, priority((1 << 30) - 1)));
        assert!(rank(0, priority(-(1 << 30))) > rank(0, priority(1 - (1 << 30))));
    }

    #[test]
    fn tiers_come_before_priorities_and_long_waits_before_tiers() {
        let burstable = || TaskSpec {
            policy: Some(Policy::Burstable),
            ..TaskSpec::default()
        };
        assert!(rank(100_000, burstable()) < rank(0, priority(i32::MAX)));
        let promised = TaskSpec {
            policy: Some(Policy::Guaranteed),
            priority: i32::MAX,
            bandwidth: Some(ShareAsk {
                floor: Share::ONE,
                cap: Share::ONE,
            }),
            ..TaskSpec::default()
        };
        assert!(Order::overdue(Nanoseconds::new(u64::MAX), 7) < rank(0, promised));
    }

    #[test]
    fn a_deadline_is_when_it_is_due() {
        let within = |seconds: u64| TaskSpec {
            deadline: Some(Nanoseconds::new(seconds * SECOND)),
            ..TaskSpec::default()
        };
        assert!(rank(10, within(5)) < rank(0, within(16)));
        assert!(rank(10, within(5)) > rank(0, within(14)));
        // Patience ends before a far deadline.
        assert!(rank(1, within(3600)) > rank(0, priority(0)));
        assert!(rank(0, within(3600)) < rank(1, priority(0)));
    }
}
