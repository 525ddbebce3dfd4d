//! An opcode and its modifiers.

use super::error::Issue;
use crate::operations::exact::Rounding;
use crate::parse::Scalar;

/// An opcode and the modifiers that have not been understood yet.
#[derive(Clone, Debug)]
pub(super) struct Form<'a> {
    pub(super) mnemonic: &'a str,
    rest: Vec<&'a str>,
}

impl<'a> Form<'a> {
    pub(super) fn new(opcode: &'a str) -> Self {
        let mut words = opcode.split('.');
        Self {
            mnemonic: words.next().unwrap_or_default(),
            rest: words.collect(),
        }
    }

    /// Takes that modifier, if it is there.
    pub(super) fn take(&mut self, word: &str) -> bool {
        let place = self.rest.iter().position(|it| *it == word);
        place.map(|place| self.rest.remove(place)).is_some()
    }

    /// Takes the first modifier that is one of those.
    pub(super) fn take_of(&mut self, words: &[&str]) -> Option<&'a str> {
        let place = self.rest.iter().position(|it| words.contains(it))?;
        Some(self.rest.remove(place))
    }

    /// Takes all modifiers that say nothing about the result.
    pub(super) fn drop_all(&mut self, is_hint: impl Fn(&str) -> bool) {
        self.rest.retain(|word| !is_hint(word));
    }

    /// Takes the next type.
    pub(super) fn scalar(&mut self) -> Result<Scalar, Issue> {
        let place = self.rest.iter().position(|word| Scalar::of(word).is_some());
        let word = place.map(|place| self.rest.remove(place));
        word.and_then(Scalar::of).ok_or(Issue::Form)
    }

    /// Takes a rounding of a floating-point result.
    pub(super) fn rounding(&mut self) -> Option<Rounding> {
        Some(match self.take_of(&["rn", "rna", "rz", "rm", "rp"])? {
            "rn" => Rounding::Nearest,
            "rna" => Rounding::Away,
            "rz" => Rounding::Zero,
            "rm" => Rounding::Down,
            _ => Rounding::Up,
        })
    }

    /// Takes a rounding to a whole number.
    pub(super) fn integer_rounding(&mut self) -> Option<Rounding> {
        Some(match self.take_of(&["rni", "rzi", "rmi", "rpi"])? {
            "rni" => Rounding::Nearest,
            "rzi" => Rounding::Zero,
            "rmi" => Rounding::Down,
            _ => Rounding::Up,
        })
    }

    /// All is understood.
    pub(super) fn done(&self) -> Result<(), Issue> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(Issue::Form)
        }
    }
}
