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

/// A token and where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) text: Text<'a>,
    /// The line it is on, counted from 1.
    pub(crate) line: usize,
    /// Its first byte in the text.
    pub(crate) start: usize,
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

    /// The byte behind it.
    pub(crate) fn end(&self) -> usize {
        self.start
            + match self.text {
                Text::Word(word) => word.len(),
                Text::Quoted(quoted) => quoted.len() + 2,
                Text::Sign(sign) => sign.len_utf8(),
            }
    }

    /// The token as it is written.
    pub(crate) fn written(&self) -> String {
        match self.text {
            Text::Word(word) => word.into(),
            Text::Quoted(quoted) => format!("\"{quoted}\""),
            Text::Sign(sign) => sign.into(),
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
            let end = word_length(rest);
            (Some(Text::Word(&rest[..end])), end)
        } else if first.is_whitespace() {
            (None, first.len_utf8())
        } else {
            (Some(Text::Sign(first)), first.len_utf8())
        };
        let start = text.len() - rest.len();
        found.extend(token.map(|text| Token { text, line, start }));
        let (passed, remaining) = rest.split_at(length);
        line += passed.bytes().filter(|&byte| byte == b'\n').count();
        rest = remaining;
    }
    found
}

/// Two colons belong to a word, `ld.global.L1::no_allocate`; one ends a label.
fn word_length(text: &str) -> usize {
    let mut length = 0;
    loop {
        let rest = &text[length..];
        length += rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        match text[length..].strip_prefix("::") {
            Some(after) if after.starts_with(is_word) => length += 2,
            _ => return length,
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.')
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
    fn double_colons_belong_to_words() {
        let found: Vec<String> = tokens("a.L1::b c:: ::d")
            .iter()
            .map(Token::written)
            .collect();
        assert_eq!(found, ["a.L1::b", "c", ":", ":", ":", ":", "d"]);
        let at: Vec<(usize, usize)> = tokens("ab \"c\";")
            .iter()
            .map(|token| (token.start, token.end()))
            .collect();
        assert_eq!(at, [(0, 2), (3, 6), (6, 7)]);
    }

    #[test]
    fn unfinished_comments_and_quotes_end_with_the_text() {
        assert!(tokens("/* never closed").is_empty());
        assert!(tokens("/*").is_empty());
        assert_eq!(tokens("\"open")[0].text, Text::Quoted("open"));
        assert_eq!(tokens("\"")[0].text, Text::Quoted(""));
    }
}
