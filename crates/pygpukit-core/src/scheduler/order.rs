//! The order in which waiting tasks start.

use super::policy::Policy;
use super::request::Request;
use crate::units::Nanoseconds;
use std::cmp::Reverse;

/// A place in line. Smaller is sooner, and no two are equal.
///
/// First come those who have waited for too long, then guaranteed, burstable and
/// best-effort tasks. Of one tier larger priorities go first, then earlier deadlines
/// (none is the latest), then who came first. Since whoever waits is overdue some
/// day, nobody waits for ever behind a stream of more urgent tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    tier: Tier,
    priority: Reverse<i32>,
    deadline: Nanoseconds,
    arrival: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Tier {
    #[default]
    Overdue,
    Fresh(Policy),
}

impl Rank {
    /// Where a task stands that was submitted at `submitted`, the `arrival`th of all.
    pub(super) fn new(request: &Request, submitted: Nanoseconds, arrival: u64) -> Self {
        let deadline = request.spec().deadline;
        let never = Nanoseconds::new(u64::MAX);
        Self {
            tier: Tier::Fresh(request.policy()),
            priority: Reverse(request.spec().priority),
            deadline: deadline.map_or(never, |within| submitted.saturating_add(within)),
            arrival,
        }
    }

    /// Where it stands once it has waited too long: behind those who came before.
    pub(super) fn overdue(self) -> Self {
        Self {
            tier: Tier::Overdue,
            priority: Reverse(0),
            deadline: Nanoseconds::ZERO,
            arrival: self.arrival,
        }
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
