//! C source as tokens: no comments, no literals, no preprocessor lines.

use super::c_condition::Condition;

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
pub(super) struct Scanned<'a> {
    pub(super) tokens: Vec<Token<'a>>,
    /// The line of each token, counted from 1.
    pub(super) lines: Vec<usize>,
    pub(super) macros: Vec<(&'a str, Vec<Token<'a>>)>,
}

/// Puts lines that end with a backslash and their next lines together. Newlines go
/// to the end of the joined line, so that later lines keep their numbers.
pub(super) fn join_lines(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut owed = 0;
    for line in text.split_inclusive('\n') {
        let body = line.strip_suffix('\n').unwrap_or(line);
        let body = body.strip_suffix('\r').unwrap_or(body);
        if let (Some(body), true) = (body.strip_suffix('\\'), line.ends_with('\n')) {
            joined.push_str(body);
            owed += 1;
        } else {
            joined.push_str(line);
            joined.extend(std::iter::repeat_n('\n', std::mem::take(&mut owed)));
        }
    }
    joined
}

/// Splits C source whose lines are joined. The branches of a condition are all kept,
/// unless it is just `0` or `1`.
pub(super) fn tokens(text: &str) -> Scanned<'_> {
    let mut found = Scanned::default();
    let mut scanner = Scanner {
        rest: text,
        starts_line: true,
    };
    let mut conditions: Vec<Condition> = Vec::new();
    let (mut line, mut counted) = (1, text);
    while let Some(piece) = scanner.next_piece() {
        let is_kept = conditions.iter().all(|condition| condition.is_kept);
        match piece {
            Piece::Directive(directive) => {
                let is_condition = Condition::follow(&mut conditions, directive);
                if is_kept && !is_condition {
                    found.macros.extend(definition(directive));
                }
            }
            Piece::Token(token) if is_kept => {
                let (passed, rest) = counted.split_at(counted.len() - scanner.rest.len());
                line += passed.bytes().filter(|&byte| byte == b'\n').count();
                counted = rest;
                found.tokens.push(token);
                found.lines.push(line);
            }
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
            } else if let Some(length) = comment(self.rest) {
                self.skip(length);
            } else if let (Some(mark), true) = (number_sign(self.rest), self.starts_line) {
                let length = directive(self.rest);
                return Some(Piece::Directive(self.skip(length)[mark..].trim()));
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
        } else if let Some(sign) = digraph(self.rest) {
            self.skip(2);
            Token::Sign(sign)
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

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The length of the sign that a preprocessor line starts with.
fn number_sign(text: &str) -> Option<usize> {
    let signs = ["#", "%:"].into_iter();
    let mut signs = signs.filter(|sign| text.starts_with(sign));
    signs.next().map(str::len)
}

/// A sign that C also writes with two others.
fn digraph(text: &str) -> Option<char> {
    // `f<::A>` names the global `A`.
    if text.starts_with("<::") && !text.starts_with("<:::") && !text.starts_with("<::>") {
        return None;
    }
    let signs = [
        ("<:", '['),
        (":>", ']'),
        ("<%", '{'),
        ("%>", '}'),
        ("%:", '#'),
    ];
    let mut signs = signs.into_iter().filter(|(pair, _)| text.starts_with(pair));
    signs.next().map(|(_, sign)| sign)
}

fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    let rest = text.strip_prefix("/*")?;
    Some(rest.find("*/").map_or(text.len(), |end| end + 4))
}

/// To the end of the line; a comment inside it may go over several.
fn directive(text: &str) -> usize {
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with('\n') {
            break;
        }
        at += comment(rest).unwrap_or_else(|| rest.chars().next().map_or(1, char::len_utf8));
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

    fn words(text: &str) -> Vec<String> {
        let text = join_lines(text);
        let tokens = tokens(&text).tokens.into_iter();
        tokens.filter_map(Token::word).map(str::to_owned).collect()
    }

    #[test]
    fn only_code_is_left() {
        let text = "a // b\n/* c\n d */ e \"f\\\"g\" 'h' R\"x(i )\" j)x\" k\n  # define l m \\\n n\no 1'000 \\\n#p";
        assert_eq!(words(text), ["a", "e", "k", "o", "p"]);
        assert_eq!(words("#define A /* x\n y */ z\nb // c \n d"), ["b", "d"]);
    }

    #[test]
    fn a_backslash_joins_lines_everywhere() {
        assert_eq!(words("// a \\\n b \\\r\n c\nd"), ["d"]);
        assert_eq!(words("// a \\ \nb"), ["b"]);
        assert_eq!(words("one\\\nword \"text\\\n\" b"), ["oneword", "b"]);
        let text = join_lines("a \\\n b\nc\\");
        let found = tokens(&text);
        assert_eq!(found.lines, [1, 1, 3, 3]);
    }

    #[test]
    fn signs_of_two_characters() {
        let text = "<::> <% %> <:: x > %:";
        let found = tokens(text).tokens.into_iter();
        let signs: String = found
            .filter_map(|token| match token {
                Token::Sign(sign) => Some(sign),
                Token::Word(_) | Token::Number(_) | Token::Literal => None,
            })
            .collect();
        assert_eq!(signs, "[]{}<::>#");
        assert_eq!(
            tokens("%:define A b").macros,
            [("A", vec![Token::Word("b")])]
        );
    }

    #[test]
    fn code_under_if_0_is_left_out() {
        let text =
            "#if 0\na\n#ifdef B\nb\n#else\nc\n#endif\nd\n#else\ne\n#endif\nf\n#ifdef G\ng\n#endif";
        assert_eq!(words(text), ["e", "f", "g"]);
        // Only a plain number is certain.
        assert_eq!(
            words("#if 0 || A\na\n#elif 0 // never\nb\n#else\nc\n#endif"),
            ["a", "c"]
        );
        assert_eq!(
            words("#if 1 /* on */\na\n#elif B\nb\n#else\nc\n#endif\nd"),
            ["a", "d"]
        );
        assert_eq!(words("#endif\na\n#else\nb\n#if 0"), ["a", "b"]);
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
        fn any_text(text in "([\\PC\n\\\\]|#if 0|#else|<:|%:|#endif|/\\*|//|R\"\\(|\"|'){0,60}") {
            let text = join_lines(&text);
            let found = tokens(&text);
            proptest::prop_assert_eq!(found.tokens.len(), found.lines.len());
        }
    }
}
