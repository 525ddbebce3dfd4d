//! Shares of a device.

use super::UnitError;
use super::decimal::Decimal;
use std::fmt;
use std::str::FromStr;

/// A share of a device, in units of 10^-9, from nothing to the whole.
///
/// Values between two units are rounded down, so that parts which add up to a
/// whole fit into it: six times 1/6, or 2, 4 and 4 of 10.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Share(u32);

impl Share {
    const UNITS: u32 = 1_000_000_000;
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// The whole device.
    pub const ONE: Self = Self(Self::UNITS);

    /// That many units of 10^-9; `None` for more than the whole.
    pub const fn from_units(units: u64) -> Option<Self> {
        if units <= Self::UNITS as u64 {
            #[expect(clippy::cast_possible_truncation, reason = "compared just now")]
            return Some(Self(units as u32));
        }
        None
    }

    /// In units of 10^-9.
    pub const fn units(self) -> u64 {
        self.0 as u64
    }

    /// What is left of it without another; nothing if that is more.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// `part / whole`.
    ///
    /// # Errors
    /// [`UnitError::OutOfRange`] for more than the whole, or of nothing.
    pub fn from_ratio(part: u64, whole: u64) -> Result<Self, UnitError> {
        let units = u128::from(part) * u128::from(Self::UNITS);
        units
            .checked_div(u128::from(whole))
            .and_then(|units| u64::try_from(units).ok())
            .and_then(Self::from_units)
            .filter(|_| part <= whole)
            .ok_or_else(|| out_of_range(&format!("{part}/{whole}")))
    }

    /// As a fraction of 1, for display.
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / f64::from(Self::UNITS)
    }
}

/// Taken as the shortest decimal number that reads as the same float, so that
/// 0.1 is exactly a tenth.
impl TryFrom<f64> for Share {
    type Error = UnitError;

    fn try_from(value: f64) -> Result<Self, UnitError> {
        // Minus zero is zero.
        if value == 0.0 {
            return Ok(Self::ZERO);
        }
        let text = value.to_string();
        text.parse().map_err(|_| out_of_range(&text))
    }
}

impl FromStr for Share {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let malformed = || UnitError::Malformed {
            value: text.into(),
            kind: "a share",
            example: "a number such as 0.25",
        };
        let trimmed = text.trim();
        if trimmed.strip_prefix('-').and_then(Decimal::split).is_some() {
            return Err(out_of_range(text));
        }
        let (number, rest) = Decimal::split(trimmed).ok_or_else(malformed)?;
        if !rest.is_empty() {
            return Err(malformed());
        }
        // Rounding down must not let 1.0000000001 through.
        let fits = number
            .exactly(Self::UNITS.into())
            .map_or_else(
                |_| number.floor(Self::UNITS.into()).map(|units| units + 1),
                Some,
            )
            .is_some_and(|at_least| at_least <= Self::UNITS.into());
        number
            .floor(Self::UNITS.into())
            .filter(|_| fits)
            .and_then(Self::from_units)
            .ok_or_else(|| out_of_range(text))
    }
}

fn out_of_range(value: &str) -> UnitError {
    UnitError::OutOfRange {
        value: value.into(),
        kind: "a share",
        range: "0..=1",
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.as_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn exact_fits_fit() {
        let sum = |parts: &[f64]| {
            parts
                .iter()
                .map(|&part| Share::try_from(part).unwrap().units())
                .sum::<u64>()
        };
        assert_eq!(sum(&[0.8, 0.1, 0.1]), Share::ONE.units());
        assert!(sum(&[1.0 / 6.0; 6]) <= Share::ONE.units());
        assert_eq!(sum(&[0.1; 10]), Share::ONE.units());
        let tenths = [2, 4, 4].map(|part| Share::from_ratio(part, 10).unwrap().units());
        assert_eq!(tenths.iter().sum::<u64>(), Share::ONE.units());
    }

    #[test]
    fn what_is_no_share_is_refused() {
        for value in [
            f64::NAN,
            f64::INFINITY,
            -1.0,
            -1e-300,
            1.000_000_1,
            5.0,
            1e300,
        ] {
            let error = Share::try_from(value).unwrap_err();
            assert!(error.to_string().contains(&format!("`{value}`")), "{error}");
        }
        for text in ["", "half", "0.5x", "-0.5", "1.0000000000001", "2", "50%"] {
            assert!(text.parse::<Share>().is_err(), "{text}");
        }
        assert!(Share::from_ratio(3, 2).is_err());
        assert!(Share::from_ratio(0, 0).is_err());
        assert!(Share::from_ratio(10_000_000_001, 10_000_000_000).is_err());
        assert_eq!(Share::try_from(-0.0), Ok(Share::ZERO));
    }

    proptest! {
        #[test]
        fn n_times_one_nth_fits(n in 1_u64..100_000) {
            let part = Share::from_ratio(1, n).unwrap().units();
            prop_assert!(part * n <= Share::ONE.units());
            #[expect(clippy::cast_precision_loss, reason = "n is small")]
            let float = Share::try_from(1.0 / n as f64).unwrap().units();
            prop_assert!(float * n <= Share::ONE.units());
        }

        #[test]
        fn parts_of_a_whole_fit(parts in prop::collection::vec(1_u64..1000, 1..20)) {
            let whole = parts.iter().sum();
            let sum: u64 = parts.iter().map(|&p| Share::from_ratio(p, whole).unwrap().units()).sum();
            prop_assert!(sum <= Share::ONE.units());
        }

        #[test]
        fn shown_is_read_back(units in 0_u64..=1_000_000_000) {
            let share = Share::from_units(units).unwrap();
            prop_assert_eq!(share.to_string().parse::<Share>(), Ok(share));
            prop_assert_eq!(Share::try_from(share.as_f64()), Ok(share));
        }
    }
}
