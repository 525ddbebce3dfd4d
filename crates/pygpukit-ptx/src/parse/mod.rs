//! Reads PTX text into a tree, and writes the tree as text.

mod cursor;
mod declaration;
mod operand;
mod outline;
mod print;
mod scalar;
mod statement;
mod syntax;
mod token;

pub(crate) use outline::Outline;
pub(crate) use print::write_items;
pub(crate) use scalar::Scalar;
pub(crate) use syntax::{
    Declaration, Declarator, Function, Instruction, Item, Literal, Number, Operand, Span,
    Statement, StatementKind,
};

use crate::error::PtxError;
use cursor::Cursor;
use token::Token;

pub(crate) fn refuse(line: usize, message: &str) -> PtxError {
    PtxError {
        line,
        message: message.into(),
    }
}

/// From that token to the one before the cursor.
fn span_from(start: Option<Token<'_>>, cursor: &Cursor<'_, '_>) -> Span {
    let end = cursor.passed().map_or(0, |token| token.end());
    let narrow = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    start.map_or(Span::default(), |token| Span {
        start: narrow(token.start),
        end: narrow(end),
        line: narrow(token.line),
    })
}
