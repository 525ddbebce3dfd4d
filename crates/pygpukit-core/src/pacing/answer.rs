//! What someone hears who asks to do work.

use crate::units::{Nanoseconds, SmNanoseconds};

/// What someone hears who asks to do work.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "work may only start after `Go`"]
pub enum Answer<T = ()> {
    /// It may start.
    Go(T),
    /// Not before that moment. If nothing else is charged until then, it will be let
    /// through at that moment, and not a nanosecond earlier.
    NotUntil(Nanoseconds),
    /// Waiting does not help.
    Never(Never),
}

/// Why waiting does not help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Never {
    /// More at once than there ever is.
    #[error("asked for {asked} at once, of at most {burst}")]
    ExceedsBurst {
        /// What was asked for.
        asked: SmNanoseconds,
        /// The most there ever is.
        burst: SmNanoseconds,
    },
    /// Nothing comes in, or not enough before the end of time.
    #[error("asked for {asked}, and {available} is all there will ever be")]
    NoRate {
        /// What was asked for.
        asked: SmNanoseconds,
        /// What there is now.
        available: SmNanoseconds,
    },
}
