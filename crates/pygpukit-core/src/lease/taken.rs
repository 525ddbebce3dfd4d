//! A lease: work on a lane that launches may draw without asking.

use crate::id::LaneId;
use crate::pacing::Charge;
use crate::units::SmNanoseconds;

/// A number that goes up when the leases of a lane are revoked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(u64);

impl Epoch {
    /// The epoch of that number.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The one after it.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// Work on a lane that launches may draw without asking, while its epoch lasts.
///
/// A launch compares two numbers and subtracts one. An executor with many threads keeps
/// the current epoch and what is left in atomic integers, and draws by one decrement.
#[derive(Debug)]
#[must_use = "a lease that is dropped stays charged in full: hand it back"]
pub struct Lease {
    lane: LaneId,
    epoch: Epoch,
    charge: Charge,
    left: SmNanoseconds,
}

/// What a launch hears that draws from a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a launch may only start after `Go`"]
pub enum Draw {
    /// It may start; this much is left.
    Go(SmNanoseconds),
    /// Not from this lease: that is all that is left.
    Spent(SmNanoseconds),
    /// Not from this lease: it ended with its epoch.
    Revoked,
}

/// A lease that is over.
#[derive(Debug, PartialEq, Eq)]
pub struct Returned {
    /// What it was charged with.
    pub charge: Charge,
    /// What launches have drawn from it.
    pub drawn: SmNanoseconds,
}

impl Lease {
    pub(super) const fn new(lane: LaneId, epoch: Epoch, charge: Charge) -> Self {
        Self {
            lane,
            epoch,
            left: charge.predicted(),
            charge,
        }
    }

    /// The lane that the work is for.
    pub const fn lane(&self) -> LaneId {
        self.lane
    }

    /// The epoch that it lasts for.
    pub const fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// What was granted.
    pub const fn granted(&self) -> SmNanoseconds {
        self.charge.predicted()
    }

    /// What is left.
    pub const fn left(&self) -> SmNanoseconds {
        self.left
    }

    /// Draws what a launch is predicted to cost; all of it, or nothing. `current` is the
    /// lane's epoch now.
    pub fn draw(&mut self, current: Epoch, cost: SmNanoseconds) -> Draw {
        if current != self.epoch {
            return Draw::Revoked;
        }
        if cost > self.left {
            return Draw::Spent(self.left);
        }
        self.left = self.left.saturating_sub(cost);
        Draw::Go(self.left)
    }

    /// Ends it.
    pub fn end(self) -> Returned {
        let drawn = self.granted().saturating_sub(self.left);
        Returned {
            charge: self.charge,
            drawn,
        }
    }
}
