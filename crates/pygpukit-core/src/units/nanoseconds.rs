//! Time, in nanoseconds.

use super::UnitError;
use super::decimal::{Decimal, Inexact};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A duration, or a moment counted from an origin that the caller chose.
///
/// Text is a number with a unit: `"500us"`, `"1.5ms"`, `"2s"`, `"1min"`, `"1h"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanoseconds(u64);

impl Nanoseconds {
    /// No time.
    pub const ZERO: Self = Self(0);
    const SECOND: u64 = 1_000_000_000;
    /// A second.
    pub const ONE_SECOND: Self = Self(Self::SECOND);
    /// A millisecond.
    pub const ONE_MILLISECOND: Self = Self(1_000_000);

    /// That many nanoseconds.
    pub const fn new(nanoseconds: u64) -> Self {
        Self(nanoseconds)
    }

    /// As an integer.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// `part / whole` seconds, rounded down.
    ///
    /// # Errors
    /// [`UnitError::OutOfRange`] beyond 584 years, or with a `whole` of 0.
    pub fn from_ratio(part: u64, whole: u64) -> Result<Self, UnitError> {
        (u128::from(part) * u128::from(Self::SECOND))
            .checked_div(u128::from(whole))
            .and_then(|nanoseconds| u64::try_from(nanoseconds).ok())
            .map(Self)
            .ok_or_else(|| out_of_range(&format!("{part}/{whole} s")))
    }

    /// `value` times `unit`, to the nearest nanosecond: for floats that were computed,
    /// and so are not exactly what they stand for.
    ///
    /// # Errors
    /// [`UnitError::OutOfRange`] for what is negative, no number, or beyond 584 years.
    pub fn nearest(value: f64, unit: Self) -> Result<Self, UnitError> {
        let nanoseconds = (value * unit.0 as f64).round();
        // The first float that is too large is 2^64.
        if !(0.0..18_446_744_073_709_551_616.0).contains(&nanoseconds) {
            return Err(out_of_range(&value.to_string()));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "compared just now"
        )]
        Ok(Self(nanoseconds as u64))
    }

    /// In `unit`s, for display.
    pub fn in_units(self, unit: Self) -> f64 {
        self.0 as f64 / unit.0 as f64
    }

    /// Later by `duration`; the end of time if there is no such moment.
    #[must_use]
    pub const fn saturating_add(self, duration: Self) -> Self {
        Self(self.0.saturating_add(duration.0))
    }

    /// The time since `earlier`; none if that is later.
    #[must_use]
    pub const fn saturating_sub(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }
}

/// Seconds, rounded down to nanoseconds.
impl TryFrom<f64> for Nanoseconds {
    type Error = UnitError;

    fn try_from(seconds: f64) -> Result<Self, UnitError> {
        if seconds == 0.0 {
            return Ok(Self::ZERO);
        }
        let text = seconds.to_string();
        Decimal::split(&text)
            .filter(|(_, rest)| rest.is_empty())
            .and_then(|(number, _)| number.floor(Self::SECOND))
            .map(Self)
            .ok_or_else(|| out_of_range(&text))
    }
}

/// The end of time for durations beyond 584 years.
impl From<Duration> for Nanoseconds {
    fn from(duration: Duration) -> Self {
        Self(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl From<Nanoseconds> for Duration {
    fn from(nanoseconds: Nanoseconds) -> Self {
        Self::from_nanos(nanoseconds.0)
    }
}

impl FromStr for Nanoseconds {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let malformed = || UnitError::Malformed {
            value: text.into(),
            kind: "a duration",
            example: "a number of seconds, or a number with a unit such as \"500us\" or \"1.5s\"",
        };
        let (number, unit) = Decimal::split(text.trim()).ok_or_else(malformed)?;
        let unit = match unit {
            "ns" => 1,
            "us" | "µs" | "μs" => 1000,
            "ms" => 1_000_000,
            "s" => Self::SECOND,
            "min" => 60 * Self::SECOND,
            "h" => 3600 * Self::SECOND,
            _ => return Err(malformed()),
        };
        number.exactly(unit).map(Self).map_err(|error| match error {
            Inexact::Fraction => UnitError::NotWhole {
                value: text.into(),
                unit: "nanoseconds",
            },
            Inexact::TooLarge => out_of_range(text),
        })
    }
}

fn out_of_range(value: &str) -> UnitError {
    UnitError::OutOfRange {
        value: value.into(),
        kind: "a duration",
        range: "0..=18446744073 seconds",
    }
}

impl fmt::Display for Nanoseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", Duration::from(*self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn text_and_seconds() {
        let parse = |text: &str| text.parse::<Nanoseconds>().map(Nanoseconds::get);
        assert_eq!(parse("500us"), Ok(500_000));
        assert_eq!(parse("500 µs"), Ok(500_000));
        assert_eq!(parse("1.5ms"), Ok(1_500_000));
        assert_eq!(parse("2s"), Ok(2_000_000_000));
        assert_eq!(parse("1min"), Ok(60_000_000_000));
        for bad in [
            "",
            "5",
            "-1s",
            "1.5ns",
            "s",
            "1 year",
            "999999999h",
            "nan s",
        ] {
            let error = parse(bad).unwrap_err().to_string();
            assert!(error.contains(&format!("`{bad}`")), "{error}");
        }
        assert_eq!(
            Nanoseconds::try_from(0.1).map(Nanoseconds::get),
            Ok(100_000_000)
        );
        assert_eq!(
            Nanoseconds::from_ratio(1, 3).map(Nanoseconds::get),
            Ok(333_333_333)
        );
        for bad in [f64::NAN, f64::INFINITY, -0.5, 1e300] {
            assert!(Nanoseconds::try_from(bad).is_err(), "{bad}");
        }
        assert!(Nanoseconds::from_ratio(1, 0).is_err());
        assert!(Nanoseconds::from_ratio(u64::MAX, 1).is_err());
    }

    #[test]
    fn computed_floats_are_rounded() {
        let nearest = |value| Nanoseconds::nearest(value, Nanoseconds::ONE_SECOND);
        assert_eq!(nearest(0.1 + 0.2), Ok(Nanoseconds::new(300_000_000)));
        assert_eq!(nearest(1e-9 * 0.9), Ok(Nanoseconds::new(1)));
        assert_eq!(nearest(-1e-12), Ok(Nanoseconds::ZERO));
        for bad in [f64::NAN, f64::INFINITY, -0.5, 1e300, 18_446_744_073.8] {
            let error = nearest(bad).unwrap_err().to_string();
            assert!(error.contains(&format!("`{bad}`")), "{error}");
        }
        assert_eq!(
            Nanoseconds::new(1_500_000)
                .in_units(Nanoseconds::ONE_MILLISECOND)
                .to_bits(),
            1.5_f64.to_bits()
        );
    }

    proptest! {
        #[test]
        fn whole_nanoseconds_are_exact(nanoseconds: u64) {
            let text = format!("{nanoseconds}ns");
            prop_assert_eq!(text.parse(), Ok(Nanoseconds(nanoseconds)));
        }
    }
}
