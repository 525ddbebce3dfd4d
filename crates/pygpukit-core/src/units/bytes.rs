//! Bytes.

use super::UnitError;
use super::decimal::{Decimal, Inexact};
use std::fmt;
use std::str::FromStr;

/// A number of bytes.
///
/// Text is an integer, or a decimal number with a unit: `kB MB GB TB` are powers
/// of 1000, `KiB MiB GiB TiB` and `Ki Mi Gi Ti` powers of 1024.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(u64);

impl Bytes {
    /// No bytes.
    pub const ZERO: Self = Self(0);

    /// That many bytes.
    pub const fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// As an integer.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// That many times as much, rounded down. The ratio is taken as the shortest
    /// decimal number that reads as the same float.
    ///
    /// # Errors
    /// [`UnitError::OutOfRange`] for a ratio that is negative or no number, and
    /// for more bytes than can be counted.
    pub fn times(self, ratio: f64) -> Result<Self, UnitError> {
        let text = ratio.to_string();
        Decimal::split(&text)
            .filter(|(_, rest)| rest.is_empty())
            .and_then(|(number, _)| number.floor(self.0))
            .map(Self)
            .ok_or(UnitError::OutOfRange {
                value: text,
                kind: "a ratio of bytes",
                range: "0 to what 64 bits hold",
            })
    }
}

impl From<u64> for Bytes {
    fn from(bytes: u64) -> Self {
        Self(bytes)
    }
}

impl FromStr for Bytes {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let malformed = || UnitError::Malformed {
            value: text.into(),
            kind: "a number of bytes",
            example: "an integer, or a number with a unit such as \"512MB\" or \"1.5GiB\"",
        };
        let (number, unit) = Decimal::split(text.trim()).ok_or_else(malformed)?;
        let unit = match unit {
            "" | "B" => 1,
            "kB" | "KB" => 1000,
            "MB" => 1000_u64.pow(2),
            "GB" => 1000_u64.pow(3),
            "TB" => 1000_u64.pow(4),
            "KiB" | "Ki" => 1 << 10,
            "MiB" | "Mi" => 1 << 20,
            "GiB" | "Gi" => 1 << 30,
            "TiB" | "Ti" => 1 << 40,
            _ => return Err(malformed()),
        };
        number.exactly(unit).map(Self).map_err(|error| match error {
            Inexact::Fraction => UnitError::NotWhole {
                value: text.into(),
                unit: "bytes",
            },
            Inexact::TooLarge => UnitError::OutOfRange {
                value: text.into(),
                kind: "a number of bytes",
                range: "0..=18446744073709551615",
            },
        })
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<u64, UnitError> {
        text.parse::<Bytes>().map(Bytes::get)
    }

    #[test]
    fn units_are_powers_of_1000_or_1024() {
        assert_eq!(parse("512MB"), Ok(512_000_000));
        assert_eq!(parse("512 MiB"), Ok(512 << 20));
        assert_eq!(parse("512Mi"), Ok(512 << 20));
        assert_eq!(parse("1.5GB"), Ok(1_500_000_000));
        assert_eq!(parse("1.5GiB"), Ok(3 << 29));
        assert_eq!(parse("0.001kB"), Ok(1));
        assert_eq!(parse(" 4096 "), Ok(4096));
        assert_eq!(parse("2TB"), Ok(2_000_000_000_000));
        assert_eq!(parse("18446744073709551615"), Ok(u64::MAX));
    }

    #[test]
    fn refusals_name_the_value() {
        for text in [
            "",
            "MB",
            "-1",
            "1mb",
            "1 Mb",
            "1.2.3GB",
            "1.",
            ".5GB",
            "1e9",
            "1GBx",
            "nan",
            "0.5",
            "1.5",
            "0.0001kB",
            "18446744073709551616",
            "99999999TB",
            "１GB",
            "999999999999999999999999999999999999999999999",
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.to_string().contains(&format!("`{text}`")), "{error}");
        }
        assert!(parse("1.5").unwrap_err().to_string().contains("whole"));
        assert!(parse("0.3KiB").unwrap_err().to_string().contains("whole"));
    }

    #[test]
    fn ratios_are_decimal() {
        let times = |bytes, ratio| Bytes::new(bytes).times(ratio).map(Bytes::get);
        assert_eq!(times(10, 1.1), Ok(11));
        assert_eq!(times(1000, 1.5), Ok(1500));
        assert_eq!(times(3, 0.5), Ok(1));
        for bad in [f64::NAN, f64::INFINITY, -1.0, 1e300] {
            assert!(times(1000, bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn decimals_are_exact(whole in 0_u64..1_000_000, thousandths in 0_u64..1000) {
            let text = format!("{whole}.{thousandths:03}kB");
            prop_assert_eq!(parse(&text), Ok(whole * 1000 + thousandths));
        }

        #[test]
        fn integers_are_themselves(bytes: u64) {
            prop_assert_eq!(parse(&bytes.to_string()), Ok(bytes));
            prop_assert_eq!(parse(&format!("{bytes}.000B")), Ok(bytes));
        }

        #[test]
        fn no_text_panics(text in "\\PC*") {
            let _ = parse(&text);
        }
    }
}
