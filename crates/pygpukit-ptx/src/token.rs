//! PTX text as tokens.

/// A piece of PTX text. Dots belong to words: `ld.param.u64`, `.entry`, `%tid.x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Text<'a> {
    /// A name, number, directive or instruction.
    Word(&'a str),
    /// What stands between quotes.
    Quoted(&'a str),
    /// Any other character.
    Sign(char),
}

/// A token and the line it is on, counted from 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) text: Text<'a>,
    pub(crate) line: usize,
}

impl<'a> Token<'a> {
    pub(crate) fn is(&self, sign: char) -> bool {
        self.text == Text::Sign(sign)
    }

    pub(crate) fn word(&self) -> Option<&'a str> {
        match self.text {
            Text::Word(word) => Some(word),
            Text::Quoted(_) | Text::Sign(_) => None,
        }
    }
}

/// Splits PTX text into tokens, without comments and white space.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while let Some(first) = rest.chars().next() {
        let (token, length) = if rest.starts_with("//") {
            (None, rest.find('\n').unwrap_or(rest.len()))
        } else if let Some(comment) = rest.strip_prefix("/*") {
            (None, comment.find("*/").map_or(rest.len(), |end| end + 4))
        } else if let Some(quoted) = rest.strip_prefix('"') {
            let end = quoted.find('"').unwrap_or(quoted.len());
            let length = rest.len().min(end + 2);
            (Some(Text::Quoted(&quoted[..end])), length)
        } else if is_word(first) {
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            (Some(Text::Word(&rest[..end])), end)
        } else if first.is_whitespace() {
            (None, first.len_utf8())
        } else {
            (Some(Text::Sign(first)), first.len_utf8())
        };
        found.extend(token.map(|text| Token { text, line }));
        let (passed, remaining) = rest.split_at(length);
        line += passed.bytes().filter(|&byte| byte == b'\n').count();
        rest = remaining;
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.')
}

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

    pub(crate) fn next(&mut self) -> Option<Token<'a>> {
        let token = self.peek();
        self.at += usize::from(token.is_some());
        token
    }

    /// The line of the next token, or of the last one.
    pub(crate) fn line(&self) -> usize {
        let token = self.tokens.get(self.at).or(self.tokens.last());
        token.map_or(1, |token| token.line)
    }

    /// Takes the next token if it is that sign.
    pub(crate) fn take(&mut self, sign: char) -> bool {
        let found = self.peek().is_some_and(|token| token.is(sign));
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
        let number = number(self.peek()?.word()?)?;
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
}

fn number(word: &str) -> Option<u64> {
    let digits = word.trim_end_matches('U');
    match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16).ok(),
        None => digits.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_lines() {
        let text = "// .entry no\nld.param.u64 %rd1, [a+8]; /* x\n */ .file 1 \"a b\"\n$L__0:";
        let found: Vec<(Text<'_>, usize)> = tokens(text).iter().map(|t| (t.text, t.line)).collect();
        let expected = [
            (Text::Word("ld.param.u64"), 2),
            (Text::Word("%rd1"), 2),
            (Text::Sign(','), 2),
            (Text::Sign('['), 2),
            (Text::Word("a"), 2),
            (Text::Sign('+'), 2),
            (Text::Word("8"), 2),
            (Text::Sign(']'), 2),
            (Text::Sign(';'), 2),
            (Text::Word(".file"), 3),
            (Text::Word("1"), 3),
            (Text::Quoted("a b"), 3),
            (Text::Word("$L__0"), 4),
            (Text::Sign(':'), 4),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn unfinished_comments_and_quotes_end_with_the_text() {
        assert!(tokens("/* never closed").is_empty());
        assert!(tokens("/*").is_empty());
        assert_eq!(tokens("\"open")[0].text, Text::Quoted("open"));
        assert_eq!(tokens("\"")[0].text, Text::Quoted(""));
    }
}
