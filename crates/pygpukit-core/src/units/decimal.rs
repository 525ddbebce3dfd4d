//! Decimal numbers, read exactly.

/// A decimal number that is not negative: `digits / 10^places`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    digits: u128,
    places: u32,
}

/// A product that is no whole number, or larger than 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inexact {
    Fraction,
    TooLarge,
}

impl Decimal {
    /// Splits `text` into a number and the unit behind it; `None` if it starts
    /// with no number. Digits beyond what 128 bits hold are cut off.
    pub(super) fn split(text: &str) -> Option<(Self, &str)> {
        let end = text
            .find(|c: char| !(c.is_ascii_digit() || c == '.'))
            .unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() || fraction.contains('.') || number.ends_with('.') {
            return None;
        }
        let mut digits: u128 = whole.parse().ok()?;
        let mut places = 0;
        for digit in fraction.trim_end_matches('0').bytes() {
            let longer = digits
                .checked_mul(10)
                .and_then(|digits| digits.checked_add(u128::from(digit - b'0')));
            let Some(longer) = longer else { break };
            digits = longer;
            places += 1;
        }
        Some((Self { digits, places }, unit.trim_start()))
    }

    /// The number times `unit`, which must come out whole.
    pub(super) fn exactly(self, unit: u64) -> Result<u64, Inexact> {
        let (quotient, remainder) = self.divided(unit)?;
        if remainder == 0 {
            Ok(quotient)
        } else {
            Err(Inexact::Fraction)
        }
    }

    /// The number times `unit`, rounded down.
    pub(super) fn floor(self, unit: u64) -> Option<u64> {
        self.divided(unit).ok().map(|(quotient, _)| quotient)
    }

    fn divided(mut self, unit: u64) -> Result<(u64, u128), Inexact> {
        let mut cut = 0;
        let product = loop {
            if let Some(product) = self.digits.checked_mul(u128::from(unit)) {
                break product;
            }
            if self.places == 0 {
                return Err(Inexact::TooLarge);
            }
            cut |= self.digits % 10;
            self.digits /= 10;
            self.places -= 1;
        };
        let divisor = 10_u128.pow(self.places);
        let quotient = u64::try_from(product / divisor).map_err(|_| Inexact::TooLarge)?;
        Ok((quotient, (product % divisor) | cut))
    }
}
