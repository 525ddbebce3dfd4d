//! Reads operands.

use super::cursor::Cursor;
use super::refuse;
use super::syntax::{Literal, Operand};
use crate::error::PtxError;

/// Brackets within brackets: PTX needs three, and reading is a recursion.
const DEEPEST: usize = 6;

/// Reads operands up to that closing sign, which is passed.
pub(super) fn operands(
    cursor: &mut Cursor<'_, '_>,
    close: char,
    depth: usize,
) -> Result<Vec<Operand>, PtxError> {
    let mut found = Vec::new();
    if cursor.take(close) {
        return Ok(found);
    }
    loop {
        found.push(operand(cursor, depth)?);
        if cursor.take(close) {
            return Ok(found);
        }
        if !cursor.take(',') {
            return Err(unexpected(cursor, &format!("`,` or `{close}`")));
        }
    }
}

fn operand(cursor: &mut Cursor<'_, '_>, depth: usize) -> Result<Operand, PtxError> {
    if depth > DEEPEST {
        return Err(refuse(cursor.line(), "brackets nested too deeply"));
    }
    if cursor.take('[') {
        return operands(cursor, ']', depth + 1).map(Operand::Address);
    }
    if cursor.take('{') {
        return operands(cursor, '}', depth + 1).map(Operand::Vector);
    }
    if cursor.take('(') {
        return operands(cursor, ')', depth + 1).map(Operand::Group);
    }
    if cursor.take('!') {
        return name(cursor).map(Operand::Not);
    }
    if cursor.sees('-') {
        return literal(cursor).map(Operand::Literal);
    }
    let starts_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    if cursor
        .peek()
        .and_then(|token| token.word())
        .is_some_and(starts_number)
    {
        return literal(cursor).map(Operand::Literal);
    }
    let first = name(cursor)?;
    if cursor.take('|') {
        return Ok(Operand::Pair(first, name(cursor)?));
    }
    if cursor.take('+') || cursor.sees('-') {
        return Ok(Operand::Offset(first, literal(cursor)?));
    }
    Ok(Operand::Name(first))
}

fn name(cursor: &mut Cursor<'_, '_>) -> Result<String, PtxError> {
    match cursor.take_word() {
        Some(word) => Ok(word.into()),
        None => Err(unexpected(cursor, "an operand")),
    }
}

fn literal(cursor: &mut Cursor<'_, '_>) -> Result<Literal, PtxError> {
    let line = cursor.line();
    let negative = cursor.take('-');
    let word = name(cursor)?;
    let literal = Literal { negative, word };
    match literal.value() {
        Some(_) => Ok(literal),
        None => Err(refuse(line, &format!("`{}` is not a number", literal.word))),
    }
}

/// What stands where something else was expected.
pub(super) fn unexpected(cursor: &Cursor<'_, '_>, expected: &str) -> PtxError {
    let found = cursor.peek().map(|token| token.written());
    let found = found.map_or("the end".into(), |text| format!("`{text}`"));
    refuse(cursor.line(), &format!("{found} where {expected} belongs"))
}
