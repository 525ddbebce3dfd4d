//! Reads the top level of a module.

use super::cursor::Cursor;
use super::declaration::is_space;
use super::operand::unexpected;
use super::refuse;
use super::span_from;
use super::statement::statements;
use super::syntax::{Declaration, Function, Item};
use super::token::{Token, tokens};
use crate::error::PtxError;

/// A module as it is written.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// (major, minor) of `.version`.
    pub(crate) version: Option<(u32, u32)>,
    pub(crate) target: String,
    pub(crate) items: Vec<Item>,
}

impl Outline {
    /// Reads the text.
    pub(crate) fn parse(text: &str) -> Result<Self, PtxError> {
        let tokens = tokens(text);
        let mut found = Self::default();
        found.read(&mut Cursor::new(&tokens))?;
        Ok(found)
    }

    fn read(&mut self, cursor: &mut Cursor<'_, '_>) -> Result<(), PtxError> {
        // Words such as `.visible`, until it is known what they belong to.
        let mut head = Vec::new();
        while let Some(token) = cursor.peek() {
            let line = token.line;
            match token.word() {
                Some(".visible" | ".extern" | ".weak" | ".common") => {
                    head.push(token.written());
                    cursor.next();
                    continue;
                }
                Some(".entry" | ".func") => {
                    let function = function(cursor, std::mem::take(&mut head))?;
                    self.items.push(Item::Function(function));
                    continue;
                }
                Some(word) if is_space(word) => {
                    let declaration = Declaration::read(cursor, std::mem::take(&mut head), true)?;
                    if !cursor.take(';') {
                        return Err(unexpected(cursor, "`;`"));
                    }
                    self.items.push(Item::Variable(declaration));
                    continue;
                }
                _ => self.raw(std::mem::take(&mut head)),
            }
            cursor.next();
            self.raw([token.written()]);
            match token.word() {
                Some(".version") => {
                    let word = cursor.peek().and_then(|token| token.word());
                    let version = word.and_then(version);
                    let version = version.ok_or_else(|| refuse(line, "an unreadable version"))?;
                    self.version = Some(version);
                }
                Some(".target") => {
                    let target = cursor.peek().and_then(|token| token.word());
                    self.target = target.unwrap_or_default().into();
                }
                None if token.is('{') => {
                    let group = cursor.take_group('{', '}');
                    let group = group.ok_or_else(|| refuse(line, "`{` without `}`"))?;
                    self.raw(group.iter().map(Token::written));
                    self.raw(["}".into()]);
                }
                _ => {}
            }
        }
        self.raw(head);
        Ok(())
    }

    fn raw(&mut self, tokens: impl IntoIterator<Item = String>) {
        for token in tokens {
            if let Some(Item::Raw(last)) = self.items.last_mut() {
                last.push(token);
            } else {
                self.items.push(Item::Raw(vec![token]));
            }
        }
    }
}

/// Reads from `.entry` or `.func` to the end of the body or the semicolon.
fn function(cursor: &mut Cursor<'_, '_>, head: Vec<String>) -> Result<Function, PtxError> {
    let start = cursor.next();
    let is_entry = start.and_then(|token| token.word()) == Some(".entry");
    let line = cursor.line();
    let open = |what: &str| refuse(line, &format!("{what} without an end"));
    let mut returns = None;
    if !is_entry && cursor.take('(') {
        let group = cursor.take_group('(', ')');
        returns = Some(parameters(group.ok_or_else(|| open("a return value"))?)?);
    }
    let name = cursor.take_word();
    let name = name.ok_or_else(|| refuse(line, "a function without a name"))?;
    let mut list = None;
    if cursor.take('(') {
        let group = cursor.take_group('(', ')');
        list = Some(parameters(group.ok_or_else(|| open("a parameter list"))?)?);
    }
    let mut function = Function {
        head,
        is_entry,
        name: name.into(),
        returns,
        parameters: list,
        directives: Vec::new(),
        body: None,
        span: span_from(start, cursor),
    };
    while let Some(token) = cursor.next() {
        if token.is('{') {
            let body = cursor.take_group('{', '}').ok_or_else(|| open("a body"))?;
            function.body = Some(statements(body)?);
            break;
        }
        if token.is(';') {
            break;
        }
        function.directives.push(token.written());
    }
    Ok(function)
}

fn parameters(tokens: &[Token<'_>]) -> Result<Vec<Declaration>, PtxError> {
    let mut cursor = Cursor::new(tokens);
    let mut found = Vec::new();
    while cursor.peek().is_some() {
        found.push(Declaration::read(&mut cursor, Vec::new(), false)?);
        if cursor.peek().is_some() && !cursor.take(',') {
            return Err(unexpected(&cursor, "`,`"));
        }
    }
    Ok(found)
}

fn version(word: &str) -> Option<(u32, u32)> {
    let (major, minor) = word.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
