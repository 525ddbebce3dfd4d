//! Requests that make no sense.

use crate::units::Bytes;

/// A task that asks for what makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// A word that is none of the known ones.
    #[error("unknown {kind} `{word}`; use {known}")]
    UnknownWord {
        /// Which option.
        kind: &'static str,
        /// What was given.
        word: String,
        /// The words there are.
        known: &'static str,
    },
    /// Best effort, with something asked for.
    #[error(
        "a best_effort task reserves nothing, but `{option}` was given; \
         leave it out or use policy \"burstable\""
    )]
    BestEffortAsks {
        /// What was given.
        option: &'static str,
    },
    /// Guaranteed, with nothing asked for.
    #[error("a guaranteed task must ask for `memory` or `bandwidth`, more than 0")]
    GuaranteesNothing,
    /// Guaranteed memory that could grow.
    #[error(
        "a guaranteed task has one amount of memory, but its request is {request} and its limit {}; \
         make them equal or use policy \"burstable\"",
        .limit.map_or_else(|| "none".into(), |limit| limit.to_string())
    )]
    GuaranteedRange {
        /// What it requests.
        request: Bytes,
        /// What it may use.
        limit: Option<Bytes>,
    },
    /// A period without a share of it.
    #[error("`period` is given, but no floor of `bandwidth` to be had within it")]
    PeriodOfNothing,
    /// A minimum above the maximum.
    #[error("the {lower} of `{option}` is {low}, above its {upper} of {high}")]
    Inverted {
        /// Which option.
        option: &'static str,
        /// The name of the minimum.
        lower: &'static str,
        /// The name of the maximum.
        upper: &'static str,
        /// The minimum.
        low: String,
        /// The maximum.
        high: String,
    },
    /// A number that must be larger than 0.
    #[error("`{option}` is {value}; it must be more than 0")]
    NotPositive {
        /// Which option.
        option: &'static str,
        /// What was given.
        value: i64,
    },
    /// A number that is too large.
    #[error("`{option}` is {value}; it must be at most {limit}")]
    TooLarge {
        /// Which option.
        option: &'static str,
        /// What was given.
        value: i64,
        /// The largest number.
        limit: i64,
    },
}
