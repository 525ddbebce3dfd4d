//! C source as tokens: no comments, no literals, no preprocessor lines.

/// A token of C source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name or keyword.
    Word(&'a str),
    /// A number.
    Number(&'a str),
    /// A text or character literal.
    Literal,
    /// Any other character.
    Sign(char),
}

impl<'a> Token<'a> {
    pub(super) fn word(self) -> Option<&'a str> {
        match self {
            Self::Word(word) => Some(word),
            Self::Number(_) | Self::Literal | Self::Sign(_) => None,
        }
    }
}

/// The tokens of a source, and the macros without parameters that it defines.
#[derive(Debug, Default)]
pub(super) struct Tokens<'a> {
    pub(super) tokens: Vec<Token<'a>>,
    pub(super) macros: Vec<(&'a str, Vec<Token<'a>>)>,
}

/// Splits C source. Both branches of a condition are kept, but `#if 0` is left out.
pub(super) fn tokens(text: &str) -> Tokens<'_> {
    let mut found = Tokens::default();
    let mut scanner = Scanner {
        // A byte order mark is no code.
        rest: text.strip_prefix('\u{feff}').unwrap_or(text),
        starts_line: true,
    };
    // Conditions open inside a branch that is left out.
    let mut left_out = 0_usize;
    while let Some(piece) = scanner.next_piece() {
        match piece {
            Piece::Directive(line) => {
                let words: Vec<&str> = line.split_whitespace().take(2).collect();
                match (left_out, &words[..]) {
                    (0, ["if", "0"]) => left_out = 1,
                    (0, _) => found.macros.extend(definition(line)),
                    (_, ["if" | "ifdef" | "ifndef", ..]) => left_out += 1,
                    (1, ["else" | "elif", ..]) | (_, ["endif", ..]) => left_out -= 1,
                    _ => {}
                }
            }
            Piece::Token(token) if left_out == 0 => found.tokens.push(token),
            Piece::Token(_) => {}
        }
    }
    found
}

/// `define NAME tokens`, without the number sign.
fn definition(line: &str) -> Option<(&str, Vec<Token<'_>>)> {
    let rest = line.strip_prefix("define")?.trim_start();
    let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    let (name, body) = rest.split_at(end);
    let mut scanner = Scanner {
        rest: body,
        starts_line: false,
    };
    let tokens = std::iter::from_fn(|| scanner.next_piece());
    let tokens = tokens.filter_map(|piece| match piece {
        Piece::Token(token) => Some(token),
        Piece::Directive(_) => None,
    });
    (!name.is_empty() && !body.starts_with('(')).then(|| (name, tokens.collect()))
}

enum Piece<'a> {
    Token(Token<'a>),
    /// A preprocessor line after its number sign.
    Directive(&'a str),
}

struct Scanner<'a> {
    rest: &'a str,
    starts_line: bool,
}

impl<'a> Scanner<'a> {
    fn next_piece(&mut self) -> Option<Piece<'a>> {
        loop {
            let first = self.rest.chars().next()?;
            if first == '\n' {
                self.starts_line = true;
                self.skip(1);
            } else if first.is_whitespace() {
                self.skip(first.len_utf8());
            } else if let Some(joined) = joined_line(self.rest) {
                self.skip(joined);
            } else if let Some(length) = comment(self.rest) {
                self.skip(length);
            } else if first == '#' && self.starts_line {
                let length = directive(self.rest);
                return Some(Piece::Directive(self.skip(length)[1..].trim()));
            } else {
                self.starts_line = false;
                return Some(Piece::Token(self.token(first)));
            }
        }
    }

    fn token(&mut self, first: char) -> Token<'a> {
        if let Some(length) = raw_literal(self.rest).or_else(|| literal(self.rest)) {
            self.skip(length);
            Token::Literal
        } else if first.is_ascii_digit() {
            let is_number = |c: char| is_word(c) || matches!(c, '.' | '\'');
            let length = self.rest.find(|c| !is_number(c)).unwrap_or(self.rest.len());
            Token::Number(self.skip(length))
        } else if is_word(first) {
            let length = self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len());
            Token::Word(self.skip(length))
        } else {
            self.skip(first.len_utf8());
            Token::Sign(first)
        }
    }

    fn skip(&mut self, length: usize) -> &'a str {
        let (passed, rest) = self.rest.split_at(length);
        self.rest = rest;
        passed
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// A backslash at the end of a line.
fn joined_line(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('\\')?;
    if rest.starts_with('\n') {
        Some(2)
    } else {
        rest.starts_with("\r\n").then_some(3)
    }
}

fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(line_end(text));
    }
    let rest = text.strip_prefix("/*")?;
    Some(rest.find("*/").map_or(text.len(), |end| end + 4))
}

/// Where the line ends; one that ends with a backslash goes on.
fn line_end(text: &str) -> usize {
    let ends = text.match_indices('\n').map(|(at, _)| at);
    let mut ends = ends.filter(|&at| !text[..at].trim_end_matches('\r').ends_with('\\'));
    ends.next().unwrap_or(text.len())
}

/// To the end of the line; a line that ends with a backslash goes on.
fn directive(text: &str) -> usize {
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let skipped = joined_line(rest).or_else(|| comment(rest));
        if rest.starts_with('\n') {
            break;
        }
        at += skipped.unwrap_or_else(|| rest.chars().next().map_or(1, char::len_utf8));
    }
    at
}

/// `"text"` or `'c'`, to its end or the end of the line.
fn literal(text: &str) -> Option<usize> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == '\n' && !is_escaped {
            return Some(at);
        }
        if c == quote && !is_escaped {
            return Some(at + 1);
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    Some(text.len())
}

/// `R"mark(text)mark"`.
fn raw_literal(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("R\"")?;
    let (mark, body) = rest.split_once('(')?;
    let close = format!("){mark}\"");
    let start = text.len() - body.len();
    Some(
        body.find(&close)
            .map_or(text.len(), |end| start + end + close.len()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let tokens = tokens(text).tokens.into_iter();
        tokens.filter_map(Token::word).collect()
    }

    #[test]
    fn only_code_is_left() {
        let text = "a // b\n/* c\n d */ e \"f\\\"g\" 'h' R\"x(i )\" j)x\" k\n  # define l m \\\n n\no 1'000 \\\n#p";
        assert_eq!(words(text), ["a", "e", "k", "o", "p"]);
        assert_eq!(words("#define A /* x\n y */ z\nb // c \n d"), ["b", "d"]);
        assert_eq!(words("a // b \\\n c \\\r\n d\ne // f \\"), ["a", "e"]);
        assert_eq!(words("\u{feff}#define A b\nc"), ["c"]);
    }

    #[test]
    fn code_under_if_0_is_left_out() {
        let text =
            "#if 0\na\n#ifdef B\nb\n#else\nc\n#endif\nd\n#else\ne\n#endif\nf\n#ifdef G\ng\n#endif";
        assert_eq!(words(text), ["e", "f", "g"]);
    }

    #[test]
    fn macros_are_listed() {
        let found = tokens("#define REAL float\n#define F(x) x\n#  define EMPTY\n");
        assert_eq!(
            found.macros,
            [("REAL", vec![Token::Word("float")]), ("EMPTY", vec![])]
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text(text in "([\\PC\n\\\\]|#if 0|#endif|/\\*|//|R\"\\(|\"|'){0,60}") {
            let _ = tokens(&text);
        }
    }
}
