//! Work of a device, in multiprocessors times nanoseconds.

use super::Nanoseconds;
use std::fmt;

/// Work of a device: multiprocessors (SMs) that were held, times how long.
///
/// A launch that holds 16 SMs for a microsecond is as much work as one that
/// holds a single SM for 16 microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SmNanoseconds(u64);

impl SmNanoseconds {
    /// No work.
    pub const ZERO: Self = Self(0);

    /// That much work.
    pub const fn new(work: u64) -> Self {
        Self(work)
    }

    /// The work of holding `sms` multiprocessors for `duration`; the largest
    /// number where that is not one.
    pub const fn of(sms: u32, duration: Nanoseconds) -> Self {
        Self(duration.get().saturating_mul(sms as u64))
    }

    /// As an integer.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// How long `sms` multiprocessors take for it, rounded up; `None` on none of them.
    pub const fn duration(self, sms: u32) -> Option<Nanoseconds> {
        if sms == 0 {
            return None;
        }
        Some(Nanoseconds::new(self.0.div_ceil(sms as u64)))
    }

    /// The sum; the largest number where that is not one.
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// What is left of this without `other`: never less than nothing.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for SmNanoseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} SM·ns", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_multiprocessors_times_time() {
        let work = SmNanoseconds::of(16, Nanoseconds::new(1000));
        assert_eq!(work, SmNanoseconds::of(1, Nanoseconds::new(16_000)));
        assert_eq!(work.to_string(), "16000 SM·ns");
        assert_eq!(work.duration(3), Some(Nanoseconds::new(5334)));
        assert_eq!(work.duration(0), None);
        let forever = SmNanoseconds::of(132, Nanoseconds::new(u64::MAX));
        assert_eq!(forever.get(), u64::MAX);
    }
}
