//! Reads declarations of variables, parameters and registers.

use super::cursor::Cursor;
use super::operand::unexpected;
use super::scalar::Scalar;
use super::syntax::{Declaration, Declarator, Span};
use super::token::Token;
use super::{refuse, span_from};
use crate::error::PtxError;

/// The words that a declaration begins with. They may hang together: `.reg.b32`.
pub(super) fn is_space(word: &str) -> bool {
    let first = word.get(1..).and_then(|rest| rest.find('.'));
    matches!(
        first.map_or(word, |length| &word[..=length]),
        ".reg" | ".sreg" | ".const" | ".global" | ".local" | ".param" | ".shared" | ".tex"
    )
}

impl Declaration {
    /// Reads to the end of the last name, with the words already read before it.
    /// With `list`, more names may follow after commas.
    pub(super) fn read(
        cursor: &mut Cursor<'_, '_>,
        head: Vec<String>,
        list: bool,
    ) -> Result<Self, PtxError> {
        let start = cursor.peek();
        let mut found = Self {
            head,
            space: String::new(),
            scalar: None,
            lanes: 1,
            align: None,
            names: Vec::new(),
            span: Span::default(),
        };
        found.words(cursor)?;
        found.names.push(Declarator::read(cursor)?);
        while list && cursor.take(',') {
            found.names.push(Declarator::read(cursor)?);
        }
        found.span = span_from(start, cursor);
        Ok(found)
    }

    /// The words before the name.
    fn words(&mut self, cursor: &mut Cursor<'_, '_>) -> Result<(), PtxError> {
        let mut pointer = false;
        while let Some(token) = cursor.peek() {
            let Some(word) = token.word().filter(|word| word.starts_with('.')) else {
                break;
            };
            cursor.next();
            self.head.push(word.into());
            for part in word[1..].split('.') {
                self.word(part, cursor, &mut pointer)?;
            }
        }
        Ok(())
    }

    fn word(
        &mut self,
        word: &str,
        cursor: &mut Cursor<'_, '_>,
        pointer: &mut bool,
    ) -> Result<(), PtxError> {
        match word {
            "align" => {
                let line = cursor.line();
                let written = cursor.peek().map(|token| token.written());
                let bytes = cursor.take_number().and_then(|it| usize::try_from(it).ok());
                let bytes = bytes.ok_or_else(|| refuse(line, "an alignment is no number"))?;
                self.head.extend(written);
                // After `.ptr` it is the alignment of what is pointed to.
                if !*pointer {
                    self.align = Some(bytes);
                }
            }
            "attribute" => self.attribute(cursor)?,
            "ptr" => *pointer = true,
            "v2" => self.lanes = 2,
            "v4" => self.lanes = 4,
            "v8" => self.lanes = 8,
            _ if is_space(&format!(".{word}")) => {
                if !*pointer {
                    self.space = format!(".{word}");
                }
            }
            _ => self.scalar = Scalar::of(word).or(self.scalar),
        }
        Ok(())
    }

    fn attribute(&mut self, cursor: &mut Cursor<'_, '_>) -> Result<(), PtxError> {
        let line = cursor.line();
        if cursor.take('(') {
            let group = cursor.take_group('(', ')');
            let group = group.ok_or_else(|| refuse(line, "an attribute without an end"))?;
            self.head.push("(".into());
            self.head.extend(group.iter().map(Token::written));
            self.head.push(")".into());
        }
        Ok(())
    }

    /// Bytes and alignment of a name; `None` if either is open or absurd.
    pub(crate) fn extent(&self, name: &Declarator) -> Option<(usize, usize)> {
        let itemsize = self.scalar?.bytes();
        let align = self.align.unwrap_or(itemsize * self.lanes);
        let mut size = itemsize.checked_mul(self.lanes)?;
        for axis in &name.axes {
            size = size.checked_mul(usize::try_from((*axis)?).ok()?)?;
        }
        align.is_power_of_two().then_some((size, align))
    }
}

impl Declarator {
    fn read(cursor: &mut Cursor<'_, '_>) -> Result<Self, PtxError> {
        let Some(name) = cursor.take_word() else {
            return Err(unexpected(cursor, "a name"));
        };
        let mut found = Self {
            name: name.into(),
            registers: None,
            axes: Vec::new(),
            initial: Vec::new(),
        };
        if cursor.take('<') {
            found.registers = cursor.take_number();
            if found.registers.is_none() || !cursor.take('>') {
                return Err(unexpected(cursor, "a count of registers"));
            }
        }
        while cursor.take('[') {
            found.axes.push(cursor.take_number());
            if !cursor.take(']') {
                return Err(unexpected(cursor, "`]`"));
            }
        }
        if cursor.take('=') {
            found.initial = initial(cursor)?;
        }
        Ok(found)
    }
}

/// The tokens of a value: up to a comma or semicolon outside braces, which is left.
fn initial(cursor: &mut Cursor<'_, '_>) -> Result<Vec<String>, PtxError> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    loop {
        let Some(token) = cursor.peek() else {
            return Err(unexpected(cursor, "`;`"));
        };
        if depth == 0 && (token.is(';') || token.is(',')) {
            return Ok(found);
        }
        depth += usize::from(token.is('{') || token.is('('));
        depth = depth.saturating_sub(usize::from(token.is('}') || token.is(')')));
        found.push(token.written());
        cursor.next();
    }
}
