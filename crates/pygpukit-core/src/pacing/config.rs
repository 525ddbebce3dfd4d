//! How streams are paced.

use crate::units::{Nanoseconds, Share};

/// How streams are paced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacingConfig {
    total: Share,
    window: Nanoseconds,
    min_interval: Nanoseconds,
    adaptive: bool,
}

/// A window in which there is no time to share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the window is `0ns`; it must be longer")]
pub struct EmptyWindow;

impl PacingConfig {
    /// Streams together have at most `total` of the time, and each may save up its share
    /// of `window`. Its launches are at least `min_interval` apart, and one of which
    /// nothing is known is taken to last as long; if `adaptive`, the durations of those
    /// that have ended predict the next.
    ///
    /// # Errors
    /// [`EmptyWindow`].
    pub fn new(
        total: Share,
        window: Nanoseconds,
        min_interval: Nanoseconds,
        adaptive: bool,
    ) -> Result<Self, EmptyWindow> {
        if window == Nanoseconds::ZERO {
            return Err(EmptyWindow);
        }
        Ok(Self {
            total,
            window,
            min_interval,
            adaptive,
        })
    }

    /// The share of the time that streams may have together.
    pub const fn total(&self) -> Share {
        self.total
    }

    /// A stream may save up its share of that much time.
    pub const fn window(&self) -> Nanoseconds {
        self.window
    }

    /// Launches of a stream are at least so far apart.
    pub const fn min_interval(&self) -> Nanoseconds {
        self.min_interval
    }

    /// Whether measured durations count.
    pub const fn adaptive(&self) -> bool {
        self.adaptive
    }

    /// How long a launch is taken to last of which nothing is known. Never no time:
    /// such launches could not be shared out.
    pub(super) fn guess(&self) -> Nanoseconds {
        self.min_interval.max(Nanoseconds::new(1))
    }
}

impl Default for PacingConfig {
    fn default() -> Self {
        Self {
            total: Share::ONE,
            window: Nanoseconds::new(100_000_000),
            min_interval: Nanoseconds::new(100_000),
            adaptive: true,
        }
    }
}
