//! When jobs come.

use super::random::Random;
use crate::units::Nanoseconds;

/// When a tenant's jobs come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// One every period, the first after `offset`.
    Periodic {
        /// Between two jobs.
        period: Nanoseconds,
        /// Before the first.
        offset: Nanoseconds,
    },
    /// At random, one for each `mean` on average (a Poisson process).
    Poisson {
        /// Between two jobs, on average.
        mean: Nanoseconds,
    },
    /// So many at once, again and again.
    Bursty {
        /// Jobs at once.
        jobs: u32,
        /// Between two bursts.
        every: Nanoseconds,
    },
    /// No closer than `least`, and otherwise as inconveniently as can be: at once,
    /// or just after another tenant's work began, or after a while.
    Adversarial {
        /// Between two jobs.
        least: Nanoseconds,
    },
    /// There is always another.
    Saturating,
}

impl Arrivals {
    /// When the next job comes after one that came at `now`, or the first after the
    /// start; `None` if that is not a matter of time.
    pub(super) fn next(
        &self,
        now: Nanoseconds,
        count: u64,
        random: &mut Random,
    ) -> Option<Nanoseconds> {
        let wait = match *self {
            Self::Periodic { offset, .. } if count == 0 => offset,
            Self::Periodic { period, .. } => period,
            Self::Poisson { mean } => random.exponential(mean),
            Self::Bursty { jobs, every } => {
                if count.is_multiple_of(jobs.max(1).into()) && count > 0 {
                    every
                } else {
                    Nanoseconds::ZERO
                }
            }
            Self::Adversarial { least } => {
                let extra = match random.below(4) {
                    0 | 1 => 0,
                    2 => random.below(1 + least.get() / 100),
                    _ => random.below(2 * least.get()),
                };
                let first = if count == 0 { Nanoseconds::ZERO } else { least };
                first.saturating_add(Nanoseconds::new(extra))
            }
            Self::Saturating => return None,
        };
        Some(now.saturating_add(wait))
    }
}
