//! Operations on bits.

use crate::execute::Handler;
use crate::operations::bits as op;
use crate::operations::compare::predicate_logic;
use crate::operations::integer::{ShiftLeft, ShiftRight};
use crate::operations::{binary, lanewise, ternary, unary};
use crate::parse::{Operand, Scalar};
use crate::program::draft::Draft;
use crate::program::error::Issue;
use crate::program::form::Form;
use crate::program::lower::Lowering;
use crate::program::operands::exactly;

/// A handler by the width of untyped bits.
macro_rules! by_width {
    ($scalar:expr, $level:expr, $make:ident, $op:ident) => {
        match $scalar.bytes() {
            2 => $make::<op::$op<u16>>($level),
            4 => $make::<op::$op<u32>>($level),
            8 => $make::<op::$op<u64>>($level),
            _ => return Err(Issue::Form),
        }
    };
}

/// A handler by a type of 32 or 64 bits.
macro_rules! by_type {
    ($scalar:expr, $level:expr, $make:ident, $op:ident) => {
        match $scalar {
            Scalar::U32 | Scalar::B32 => $make::<op::$op<u32>>($level),
            Scalar::S32 => $make::<op::$op<i32>>($level),
            Scalar::U64 | Scalar::B64 => $make::<op::$op<u64>>($level),
            Scalar::S64 => $make::<op::$op<i64>>($level),
            _ => return Err(Issue::Form),
        }
    };
}

pub(super) fn decode(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    let level = lowering.level;
    match form.mnemonic {
        "lop3" => return logic3(lowering, form, operands),
        "prmt" => return permute(lowering, form, operands),
        "dp4a" => {
            let types = (form.scalar()?, form.scalar()?);
            form.done()?;
            let handler = match types {
                (Scalar::U32, Scalar::U32) => ternary::<op::Dot4Unsigned>(level),
                (Scalar::S32, Scalar::S32) => ternary::<op::Dot4Signed>(level),
                _ => return Err(Issue::Form),
            };
            return lowering.ternary(handler, operands, [Scalar::B32; 4]);
        }
        _ => {}
    }
    let mode = form.take_of(&["wrap", "clamp", "shiftamt"]);
    let side = form.take_of(&["l", "r"]);
    let scalar = form.scalar()?;
    form.done()?;
    if scalar == Scalar::Pred {
        return predicates(lowering, form.mnemonic, operands);
    }
    let word = Scalar::B32;
    match (form.mnemonic, side, mode) {
        ("and" | "or" | "xor", None, None) => {
            let handler = match form.mnemonic {
                "and" => by_width!(scalar, level, binary, And),
                "or" => by_width!(scalar, level, binary, Or),
                _ => by_width!(scalar, level, binary, Xor),
            };
            lowering.binary(handler, operands, [scalar; 3])
        }
        ("not" | "cnot", None, None) => {
            let handler = match form.mnemonic {
                "not" => by_width!(scalar, level, unary, Not),
                _ => by_width!(scalar, level, unary, ZeroNot),
            };
            lowering.unary(handler, operands, [scalar; 2])
        }
        ("shl" | "shr", None, None) => shift(lowering, form.mnemonic, operands, scalar),
        ("shf", Some(side), Some(mode)) => funnel(lowering, operands, side, mode),
        ("popc" | "clz" | "brev", None, None) => {
            let handler = match form.mnemonic {
                "popc" => by_type!(scalar, level, unary, PopulationCount),
                "clz" => by_type!(scalar, level, unary, LeadingZeros),
                _ => by_type!(scalar, level, unary, Reverse),
            };
            let to = if form.mnemonic == "brev" {
                scalar
            } else {
                word
            };
            lowering.unary(handler, operands, [to, scalar])
        }
        ("bfind", None, None) => {
            let handler = by_type!(scalar, level, unary, FindHighest);
            lowering.unary(handler, operands, [word, scalar])
        }
        ("bfind", None, Some("shiftamt")) => {
            let handler = by_type!(scalar, level, unary, ShiftToHighest);
            lowering.unary(handler, operands, [word, scalar])
        }
        ("bfe", None, None) => {
            let handler = by_type!(scalar, level, ternary, Extract);
            lowering.ternary(handler, operands, [scalar, scalar, word, word])
        }
        ("bfi", None, None) => insert(lowering, operands, scalar),
        ("bmsk", None, Some(mode)) => {
            let handler = match mode {
                "clamp" => binary::<op::MaskClamp>(level),
                _ => binary::<op::MaskWrap>(level),
            };
            lowering.binary(handler, operands, [word; 3])
        }
        ("szext", None, Some(mode)) => {
            let handler: Handler = match scalar {
                Scalar::U32 => lanewise::<op::Extend<u32>>,
                Scalar::S32 => lanewise::<op::Extend<i32>>,
                _ => return Err(Issue::Form),
            };
            let [to, a, b] = exactly(operands)?;
            let draft = Draft::new(handler)
                .to(lowering.written(to, scalar)?)
                .a(lowering.source(a, scalar)?)
                .b(lowering.source(b, word)?)
                .extra(u32::from(mode == "wrap"));
            lowering.emit(draft)
        }
        _ => Err(Issue::Form),
    }
}

fn shift(
    lowering: &mut Lowering<'_>,
    mnemonic: &str,
    operands: &[Operand],
    scalar: Scalar,
) -> Result<(), Issue> {
    let level = lowering.level;
    let handler = match (mnemonic, scalar.bytes(), scalar.is_signed()) {
        ("shl", 2, _) => binary::<ShiftLeft<u16>>(level),
        ("shl", 4, _) => binary::<ShiftLeft<u32>>(level),
        ("shl", 8, _) => binary::<ShiftLeft<u64>>(level),
        (_, 2, false) => binary::<ShiftRight<u16>>(level),
        (_, 4, false) => binary::<ShiftRight<u32>>(level),
        (_, 8, false) => binary::<ShiftRight<u64>>(level),
        (_, 2, true) => binary::<ShiftRight<i16>>(level),
        (_, 4, true) => binary::<ShiftRight<i32>>(level),
        (_, 8, true) => binary::<ShiftRight<i64>>(level),
        _ => return Err(Issue::Form),
    };
    lowering.binary(handler, operands, [scalar, scalar, Scalar::B32])
}

fn funnel(
    lowering: &mut Lowering<'_>,
    operands: &[Operand],
    side: &str,
    mode: &str,
) -> Result<(), Issue> {
    let level = lowering.level;
    let handler = match (side, mode) {
        ("l", "wrap") => ternary::<op::FunnelLeftWrap>(level),
        ("l", "clamp") => ternary::<op::FunnelLeftClamp>(level),
        ("r", "wrap") => ternary::<op::FunnelRightWrap>(level),
        ("r", "clamp") => ternary::<op::FunnelRightClamp>(level),
        _ => return Err(Issue::Form),
    };
    lowering.ternary(handler, operands, [Scalar::B32; 4])
}

fn insert(lowering: &mut Lowering<'_>, operands: &[Operand], scalar: Scalar) -> Result<(), Issue> {
    let handler: Handler = match scalar.bytes() {
        4 => lanewise::<op::Insert<u32>>,
        8 => lanewise::<op::Insert<u64>>,
        _ => return Err(Issue::Form),
    };
    let [to, a, b, c, d] = exactly(operands)?;
    let draft = Draft::new(handler)
        .to(lowering.written(to, scalar)?)
        .a(lowering.source(a, scalar)?)
        .b(lowering.source(b, scalar)?)
        .c(lowering.source(c, Scalar::B32)?)
        .d(lowering.source(d, Scalar::B32)?);
    lowering.emit(draft)
}

fn logic3(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    let scalar = form.scalar()?;
    form.done()?;
    let [to, a, b, c, Operand::Literal(table)] = exactly(operands)? else {
        return Err(Issue::Form);
    };
    let Some(crate::parse::Number::Integer(table)) = table.value() else {
        return Err(Issue::Form);
    };
    let draft = Draft::new(op::logic3::<()>(lowering.level))
        .to(lowering.written(to, scalar)?)
        .a(lowering.source(a, scalar)?)
        .b(lowering.source(b, scalar)?)
        .c(lowering.source(c, scalar)?)
        .extra(table as u32 & 0xff);
    lowering.emit(draft)
}

fn permute(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    let modes = ["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"];
    let mode = form.take_of(&modes);
    let scalar = form.scalar()?;
    form.done()?;
    let Some(mode) = mode else {
        let handler = ternary::<op::Permute>(lowering.level);
        return lowering.ternary(handler, operands, [scalar; 4]);
    };
    let [to, a, b, c] = exactly(operands)?;
    let mode = modes.iter().position(|it| *it == mode).unwrap_or(0);
    let draft = Draft::new(lanewise::<op::PermuteMode>)
        .to(lowering.written(to, scalar)?)
        .a(lowering.source(a, scalar)?)
        .b(lowering.source(b, scalar)?)
        .c(lowering.source(c, scalar)?)
        .extra(mode as u32);
    lowering.emit(draft)
}

/// `and.pred` and the like, by the table of the results.
fn predicates(
    lowering: &mut Lowering<'_>,
    mnemonic: &str,
    operands: &[Operand],
) -> Result<(), Issue> {
    let table = match mnemonic {
        "and" => 0b1000_u32,
        "or" => 0b1110,
        "xor" => 0b0110,
        // Of one operand: `b` reads as false.
        "not" => 0b0001,
        _ => return Err(Issue::Form),
    };
    let (first, rest) = operands.split_first().ok_or(Issue::Form)?;
    let mut draft = Draft::new(predicate_logic).to(lowering.written(first, Scalar::Pred)?);
    let mut rows = [0, 1, 2, 3];
    match rest {
        [a] if mnemonic == "not" => {
            let (a, negated) = lowering.predicate(a)?;
            draft = draft.a(a);
            rows = if negated { [2, 3, 0, 1] } else { rows };
        }
        [a, b] if mnemonic != "not" => {
            let (a, first) = lowering.predicate(a)?;
            let (b, second) = lowering.predicate(b)?;
            draft = draft.a(a).b(b);
            let swap = if first { 2 } else { 0 } | usize::from(second);
            rows = rows.map(|row| row ^ swap);
        }
        _ => return Err(Issue::Form),
    }
    let table = (0..4).fold(0, |found, row| found | (table >> rows[row] & 1) << row);
    lowering.emit(draft.extra(table))
}
