//! A place in a list of tokens.

use super::syntax::integer;
use super::token::Token;

/// A place in a list of tokens.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'t, 'a> {
    tokens: &'t [Token<'a>],
    at: usize,
}

impl<'t, 'a> Cursor<'t, 'a> {
    pub(crate) fn new(tokens: &'t [Token<'a>]) -> Self {
        Self { tokens, at: 0 }
    }

    pub(crate) fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).copied()
    }

    /// True if the next token is that sign.
    pub(crate) fn sees(&self, sign: char) -> bool {
        self.peek().is_some_and(|token| token.is(sign))
    }

    pub(crate) fn next(&mut self) -> Option<Token<'a>> {
        let token = self.peek();
        self.at += usize::from(token.is_some());
        token
    }

    /// The token before the place.
    pub(crate) fn passed(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at.checked_sub(1)?).copied()
    }

    /// The line of the next token, or of the last one.
    pub(crate) fn line(&self) -> usize {
        let token = self.tokens.get(self.at).or(self.tokens.last());
        token.map_or(1, |token| token.line)
    }

    /// Takes the next token if it is that sign.
    pub(crate) fn take(&mut self, sign: char) -> bool {
        let found = self.sees(sign);
        self.at += usize::from(found);
        found
    }

    /// Takes the next token if it is a word.
    pub(crate) fn take_word(&mut self) -> Option<&'a str> {
        let word = self.peek()?.word()?;
        self.at += 1;
        Some(word)
    }

    /// Takes the next token if it is a whole number, decimal or hexadecimal.
    pub(crate) fn take_number(&mut self) -> Option<u64> {
        let number = integer(self.peek()?.word()?)?;
        self.at += 1;
        Some(number)
    }

    /// After an opening bracket: the tokens up to its partner, which is passed.
    /// `None` if there is no partner.
    pub(crate) fn take_group(&mut self, open: char, close: char) -> Option<&'t [Token<'a>]> {
        let start = self.at;
        let mut depth = 1_usize;
        while let Some(token) = self.next() {
            depth += usize::from(token.is(open));
            depth -= usize::from(token.is(close));
            if depth == 0 {
                return Some(&self.tokens[start..self.at - 1]);
            }
        }
        None
    }

    /// All up to that sign, which is passed; `None` if it does not come.
    pub(crate) fn take_until(&mut self, end: char) -> Option<&'t [Token<'a>]> {
        let start = self.at;
        while let Some(token) = self.next() {
            if token.is(end) {
                return Some(&self.tokens[start..self.at - 1]);
            }
        }
        None
    }
}
