//! The words of a request: its policy, and what happens when the device is full.

use super::request_error::RequestError;
use std::fmt;
use std::str::FromStr;

/// What a task is promised. Earlier ones go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Policy {
    /// All it asks for is its own from start to end.
    Guaranteed,
    /// What it requests is its own; up to its limit it uses what is left over.
    Burstable,
    /// Nothing is its own; it uses what is left over.
    BestEffort,
}

/// What happens to a task that cannot start at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnFull {
    /// It waits.
    #[default]
    Queue,
    /// It is rejected.
    Reject,
}

macro_rules! words {
    ($type:ident, $kind:literal, $example:literal, $($variant:ident = $word:literal),+) => {
        impl $type {
            /// The word for it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl FromStr for $type {
            type Err = RequestError;

            fn from_str(word: &str) -> Result<Self, RequestError> {
                match word {
                    $($word => Ok(Self::$variant),)+
                    _ => Err(RequestError::UnknownWord {
                        kind: $kind,
                        word: word.into(),
                        known: $example,
                    }),
                }
            }
        }
    };
}

words!(
    Policy,
    "policy",
    "\"guaranteed\", \"burstable\" or \"best_effort\"",
    Guaranteed = "guaranteed",
    Burstable = "burstable",
    BestEffort = "best_effort"
);
words!(
    OnFull,
    "on_full",
    "\"queue\" or \"reject\"",
    Queue = "queue",
    Reject = "reject"
);
