//! Quantities: bytes, shares of a device, durations, work. All are integers.

mod bytes;
mod decimal;
mod nanoseconds;
mod share;
mod sm_nanoseconds;

pub use bytes::Bytes;
pub use nanoseconds::Nanoseconds;
pub use share::Share;
pub use sm_nanoseconds::SmNanoseconds;

/// A value that is not a quantity of its kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// Text or a number that does not say how many.
    #[error("`{value}` is not {kind}; write {example}")]
    Malformed {
        /// What was given.
        value: String,
        /// What it was to be.
        kind: &'static str,
        /// How such a thing is written.
        example: &'static str,
    },
    /// A fraction of the smallest unit.
    #[error("`{value}` is not a whole number of {unit}")]
    NotWhole {
        /// What was given.
        value: String,
        /// The smallest unit.
        unit: &'static str,
    },
    /// Outside what the quantity can be.
    #[error("`{value}` is out of range for {kind}: it must lie in {range}")]
    OutOfRange {
        /// What was given.
        value: String,
        /// What it was to be.
        kind: &'static str,
        /// The smallest and the largest value.
        range: &'static str,
    },
}
