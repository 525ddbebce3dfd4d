//! The order in which waiting tasks start.

use super::policy::Policy;
use super::request::Request;
use crate::units::Nanoseconds;
use std::cmp::Ordering;

/// A place in line. Smaller is sooner, and no two are equal.
///
/// First come those who have waited for too long, then guaranteed, burstable and
/// best-effort tasks. Of one tier larger priorities go first, then earlier deadlines
/// (none is the latest), then who came first. Since whoever waits is overdue some
/// day, nobody waits for ever behind a stream of more urgent tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rank {
    /// Tier, priority and deadline, from the top: one number, compared at once.
    standing: u128,
    arrival: u64,
}

/// Those who have waited for too long.
const OVERDUE: u8 = 0;

fn standing(tier: u8, priority: i32, deadline: Nanoseconds) -> u128 {
    // Larger priorities are smaller numbers.
    let priority = u32::MAX - priority.cast_unsigned().wrapping_add(1 << 31);
    u128::from(tier) << 96 | u128::from(priority) << 64 | u128::from(deadline.get())
}

impl Rank {
    /// Where a task stands that was submitted at `submitted`, the `arrival`th of all.
    pub(super) fn new(request: &Request, submitted: Nanoseconds, arrival: u64) -> Self {
        let tier = match request.policy() {
            Policy::Guaranteed => 1,
            Policy::Burstable => 2,
            Policy::BestEffort => 3,
        };
        let deadline = request.spec().deadline;
        let never = Nanoseconds::new(u64::MAX);
        let deadline = deadline.map_or(never, |within| submitted.saturating_add(within));
        Self {
            standing: standing(tier, request.spec().priority, deadline),
            arrival,
        }
    }

    /// Where it stands once it has waited too long: behind those who came before.
    pub(super) fn overdue(self) -> Self {
        Self {
            standing: standing(OVERDUE, 0, Nanoseconds::ZERO),
            arrival: self.arrival,
        }
    }
}

impl Ord for Rank {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |rank: &Self| (rank.standing, rank.arrival);
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    #[expect(
        clippy::needless_bitwise_bool,
        reason = "without branches: searches compare what cannot be predicted"
    )]
    fn lt(&self, other: &Self) -> bool {
        (self.standing < other.standing)
            | ((self.standing == other.standing) & (self.arrival < other.arrival))
    }

    fn le(&self, other: &Self) -> bool {
        !other.lt(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::{ShareAsk, TaskSpec};
    use crate::units::Share;

    fn rank(at: u64, spec: TaskSpec) -> Rank {
        Rank::new(&spec.try_into().unwrap(), Nanoseconds::new(at), at)
    }

    fn priority(priority: i32) -> TaskSpec {
        TaskSpec {
            priority,
            ..TaskSpec::default()
        }
    }

    #[test]
    fn tiers_come_before_priorities_and_long_waits_before_tiers() {
        let burstable = || TaskSpec {
            policy: Some(Policy::Burstable),
            ..TaskSpec::default()
        };
        assert!(rank(9, burstable()) < rank(0, priority(i32::MAX)));
        let promised = TaskSpec {
            policy: Some(Policy::Guaranteed),
            bandwidth: Some(ShareAsk {
                floor: Share::ONE,
                cap: Share::ONE,
            }),
            ..priority(i32::MAX)
        };
        assert!(rank(9, priority(i32::MIN)).overdue() < rank(0, promised));
        assert!(rank(1, priority(0)).overdue() < rank(2, priority(9)).overdue());
    }

    #[test]
    fn priority_then_deadline_then_arrival() {
        let within = |time: u64| TaskSpec {
            deadline: Some(Nanoseconds::new(time)),
            ..TaskSpec::default()
        };
        assert!(rank(9, priority(1)) < rank(0, within(1)));
        assert!(rank(9, within(5)) < rank(0, within(15)));
        assert!(rank(9, within(u64::MAX - 10)) < rank(0, priority(0)));
        assert!(rank(0, priority(0)) < rank(1, priority(0)));
    }
}
