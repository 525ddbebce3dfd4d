//! Reads the statements of a body.

use super::cursor::Cursor;
use super::declaration::is_space;
use super::operand::{operands, unexpected};
use super::syntax::{Declaration, Guard, Instruction, Statement, StatementKind};
use super::token::Token;
use super::{refuse, span_from};
use crate::error::PtxError;

/// Reads the tokens between the braces of a body.
pub(super) fn statements(tokens: &[Token<'_>]) -> Result<Vec<Statement>, PtxError> {
    let mut cursor = Cursor::new(tokens);
    let mut found = Vec::new();
    let mut depth = 0_usize;
    while let Some(token) = cursor.peek() {
        let kind = if cursor.take('{') {
            depth += 1;
            StatementKind::Open
        } else if cursor.take('}') {
            // The group of the body is balanced, so this never goes below.
            depth = depth.saturating_sub(1);
            StatementKind::Close
        } else if cursor.take(';') {
            continue;
        } else {
            statement(&mut cursor)?
        };
        let span = span_from(Some(token), &cursor);
        found.push(Statement { kind, span });
    }
    if depth > 0 {
        return Err(refuse(cursor.line(), "`{` without `}`"));
    }
    Ok(found)
}

fn statement(cursor: &mut Cursor<'_, '_>) -> Result<StatementKind, PtxError> {
    let line = cursor.line();
    let mut ahead = cursor.clone();
    if let Some(word) = ahead.take_word() {
        if ahead.take(':') {
            *cursor = ahead;
            return Ok(StatementKind::Label(word.into()));
        }
        if word == ".loc" {
            return location(cursor).map(StatementKind::Location);
        }
        if is_space(word) {
            let declaration = Declaration::read(cursor, Vec::new(), true)?;
            if !cursor.take(';') {
                return Err(unexpected(cursor, "`;`"));
            }
            return Ok(StatementKind::Declaration(declaration));
        }
        if word.starts_with('.') {
            let tokens = cursor.take_until(';');
            let tokens = tokens.ok_or_else(|| refuse(line, &format!("`{word}` without `;`")))?;
            return Ok(StatementKind::Directive(
                tokens.iter().map(Token::written).collect(),
            ));
        }
    }
    instruction(cursor).map(StatementKind::Instruction)
}

fn instruction(cursor: &mut Cursor<'_, '_>) -> Result<Instruction, PtxError> {
    let mut guard = None;
    if cursor.take('@') {
        let negated = cursor.take('!');
        let Some(predicate) = cursor.take_word() else {
            return Err(unexpected(cursor, "a predicate"));
        };
        guard = Some(Guard {
            negated,
            predicate: predicate.into(),
        });
    }
    let Some(opcode) = cursor.take_word() else {
        return Err(unexpected(cursor, "an instruction"));
    };
    Ok(Instruction {
        guard,
        opcode: opcode.into(),
        operands: operands(cursor, ';', 0)?,
    })
}

/// `.loc 1 5 3, function_name $L__info_string0+4, inlined_at 1 9 2`: file, line, column.
fn location(cursor: &mut Cursor<'_, '_>) -> Result<Vec<String>, PtxError> {
    let mut found = Vec::new();
    let mut push = |cursor: &mut Cursor<'_, '_>| found.extend(cursor.next().map(|it| it.written()));
    push(cursor);
    for _ in 0..3 {
        if cursor.clone().take_number().is_none() {
            return Err(unexpected(cursor, "a place in a source"));
        }
        push(cursor);
    }
    while cursor.sees(',') {
        push(cursor);
        // The word, then a label with an offset, or three numbers.
        let is_label = cursor.peek().and_then(|token| token.word()) == Some("function_name");
        push(cursor);
        push(cursor);
        if is_label {
            if cursor.sees('+') {
                push(cursor);
                push(cursor);
            }
        } else {
            push(cursor);
            push(cursor);
        }
    }
    Ok(found)
}
