//! What to compile for.

use crate::error::Error;
use std::fmt;
use std::str::FromStr;

/// A compilation target: `sm_90` (machine code and PTX), `sm_90a` (the same,
/// with features of that architecture only), `compute_90` (PTX only).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Arch {
    number: u32,
    suffix: Option<char>,
    is_real: bool,
}

impl Arch {
    /// The target where there is no GPU to ask.
    pub const DEFAULT: Self = Self::real(90);

    const fn real(number: u32) -> Self {
        Self {
            number,
            suffix: None,
            is_real: true,
        }
    }

    /// The exact target of a device: with its architecture's own features, which
    /// exist from compute capability 9.0.
    pub fn of_device((major, minor): (u32, u32)) -> Self {
        Self {
            suffix: (major >= 9).then_some('a'),
            ..Self::real(10 * major + minor)
        }
    }

    /// PTX only, for a device that the compiler does not know yet.
    #[must_use]
    pub fn virtual_of(number: u32) -> Self {
        Self {
            is_real: false,
            ..Self::real(number)
        }
    }

    /// 10 * major + minor.
    pub const fn number(self) -> u32 {
        self.number
    }

    /// True if the compiler makes a CUBIN for this target.
    pub const fn is_real(self) -> bool {
        self.is_real
    }
}

impl FromStr for Arch {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let refuse = || {
            Error::Value(format!(
                "`{text}` is not an architecture; use \"sm_90\", \"sm_90a\" or \"compute_90\""
            ))
        };
        let (is_real, rest) = match text.split_once('_') {
            Some(("sm", rest)) => (true, rest),
            Some(("compute", rest)) => (false, rest),
            _ => return Err(refuse()),
        };
        let digits = rest.trim_end_matches(['a', 'f']);
        let suffix = match &rest[digits.len()..] {
            "" => None,
            "a" => Some('a'),
            "f" => Some('f'),
            _ => return Err(refuse()),
        };
        // `parse` would take a sign.
        if digits.len() > 3 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(refuse());
        }
        Ok(Self {
            number: digits.parse().map_err(|_| refuse())?,
            suffix,
            is_real,
        })
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.is_real { "sm" } else { "compute" };
        write!(f, "{kind}_{}", self.number)?;
        self.suffix.map_or(Ok(()), |suffix| write!(f, "{suffix}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for name in ["sm_90", "sm_90a", "compute_80", "sm_103f", "compute_120a"] {
            assert_eq!(name.parse::<Arch>().unwrap().to_string(), name);
        }
        for bad in [
            "", "90", "sm_", "sm_+9", "sm_9x", "sm_90aa", "sm-90", "sm_9999",
        ] {
            let error = bad.parse::<Arch>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{bad}`")), "{error}");
        }
        assert_eq!(Arch::of_device((9, 0)).to_string(), "sm_90a");
        assert_eq!(Arch::of_device((8, 6)).to_string(), "sm_86");
        assert_eq!(Arch::of_device((12, 0)).to_string(), "sm_120a");
    }
}
