//! Arithmetic: whole numbers here, others handed on.

use super::real;
use crate::execute::Handler;
use crate::operations::carry::{flags, with_carry};
use crate::operations::integer as op;
use crate::operations::{binary, ternary, unary};
use crate::parse::{Operand, Scalar};
use crate::program::draft::{Draft, Field, Usage};
use crate::program::error::Issue;
use crate::program::form::Form;
use crate::program::lower::Lowering;
use crate::program::operands::exactly;

/// A handler by the type of whole numbers.
macro_rules! by_type {
    ($scalar:expr, $level:expr, $make:ident, $op:ident) => {
        match $scalar {
            Scalar::U16 | Scalar::B16 => $make::<op::$op<u16>>($level),
            Scalar::S16 => $make::<op::$op<i16>>($level),
            Scalar::U32 | Scalar::B32 => $make::<op::$op<u32>>($level),
            Scalar::S32 => $make::<op::$op<i32>>($level),
            Scalar::U64 | Scalar::B64 => $make::<op::$op<u64>>($level),
            Scalar::S64 => $make::<op::$op<i64>>($level),
            _ => return Err(Issue::Form),
        }
    };
}

/// The same for 32 bits alone.
macro_rules! by_word {
    ($scalar:expr, $level:expr, $make:ident, $op:ident) => {
        match $scalar {
            Scalar::U32 => $make::<op::$op<u32>>($level),
            Scalar::S32 => $make::<op::$op<i32>>($level),
            _ => return Err(Issue::Form),
        }
    };
}

/// The type of twice as many bits.
fn doubled(scalar: Scalar) -> Result<Scalar, Issue> {
    Ok(match scalar {
        Scalar::U16 | Scalar::S16 => Scalar::B32,
        Scalar::U32 | Scalar::S32 => Scalar::B64,
        _ => return Err(Issue::Form),
    })
}

pub(super) fn decode(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    let scalar = form.scalar()?;
    if matches!(
        scalar,
        Scalar::F16 | Scalar::F16x2 | Scalar::Bf16 | Scalar::Bf16x2 | Scalar::F32 | Scalar::F64
    ) {
        return real::arithmetic(lowering, form, operands, scalar);
    }
    let carries = form.take("cc");
    if carries || matches!(form.mnemonic, "addc" | "subc" | "madc") {
        return carried(lowering, form, operands, scalar, carries);
    }
    let half = form.take_of(&["lo", "hi", "wide"]);
    let sat = form.take("sat");
    form.done()?;
    let wide = half == Some("wide");
    let level = lowering.level;
    let handler: Handler = match (form.mnemonic, half, sat) {
        ("add", None, false) => by_type!(scalar, level, binary, Add),
        ("add", None, true) if scalar == Scalar::S32 => {
            by_word!(scalar, level, binary, AddSaturated)
        }
        ("sub", None, false) => by_type!(scalar, level, binary, Sub),
        ("sub", None, true) if scalar == Scalar::S32 => {
            by_word!(scalar, level, binary, SubSaturated)
        }
        ("mul", Some("lo"), false) => by_type!(scalar, level, binary, MulLow),
        ("mul", Some("hi"), false) => by_type!(scalar, level, binary, MulHigh),
        ("mul", Some("wide"), false) => by_type!(scalar, level, binary, MulWide),
        ("mad", Some("lo"), false) => by_type!(scalar, level, ternary, MadLow),
        ("mad", Some("hi"), false) => by_type!(scalar, level, ternary, MadHigh),
        ("mad", Some("hi"), true) if scalar == Scalar::S32 => {
            by_word!(scalar, level, ternary, MadHighSaturated)
        }
        ("mad", Some("wide"), false) => by_type!(scalar, level, ternary, MadWide),
        ("mul24", Some("lo"), false) => by_word!(scalar, level, binary, Mul24Low),
        ("mul24", Some("hi"), false) => by_word!(scalar, level, binary, Mul24High),
        ("mad24", Some("lo"), false) => by_word!(scalar, level, ternary, Mad24Low),
        ("div", None, false) => by_type!(scalar, level, binary, Div),
        ("rem", None, false) => by_type!(scalar, level, binary, Rem),
        ("min", None, false) => by_type!(scalar, level, binary, Min),
        ("max", None, false) => by_type!(scalar, level, binary, Max),
        ("sad", None, false) => by_type!(scalar, level, ternary, Sad),
        ("abs", None, false) => by_type!(scalar, level, unary, Abs),
        ("neg", None, false) => by_type!(scalar, level, unary, Neg),
        _ => return Err(Issue::Form),
    };
    let result = if wide { doubled(scalar)? } else { scalar };
    match form.mnemonic {
        "abs" | "neg" => lowering.unary(handler, operands, [scalar; 2]),
        "mad" | "sad" | "mad24" => {
            lowering.ternary(handler, operands, [result, scalar, scalar, result])
        }
        _ => lowering.binary(handler, operands, [result, scalar, scalar]),
    }
}

fn carried(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
    scalar: Scalar,
    carries: bool,
) -> Result<(), Issue> {
    let half = form.take_of(&["lo", "hi"]);
    form.done()?;
    let mut extra = if carries { flags::OUT } else { 0 };
    extra |= match form.mnemonic {
        "add" | "mad" => 0,
        "addc" | "madc" => flags::IN,
        "sub" => flags::SUBTRACT,
        "subc" => flags::SUBTRACT | flags::IN,
        _ => return Err(Issue::Form),
    };
    let is_product = matches!(form.mnemonic, "mad" | "madc");
    extra |= match (is_product, half) {
        (true, Some("lo")) => flags::MAD_LOW,
        (true, Some("hi")) => flags::MAD_HIGH,
        (false, None) => 0,
        _ => return Err(Issue::Form),
    };
    if scalar.is_signed() {
        extra |= flags::SIGNED;
    }
    let handler: Handler = match scalar {
        Scalar::U32 | Scalar::S32 | Scalar::B32 => with_carry::<u32>,
        Scalar::U64 | Scalar::S64 | Scalar::B64 => with_carry::<u64>,
        _ => return Err(Issue::Form),
    };
    let carry = match lowering.carry {
        Some(carry) => carry,
        None => lowering.temporary(Scalar::Pred)?,
    };
    lowering.carry = Some(carry);
    let (first, rest) = operands.split_first().ok_or(Issue::Form)?;
    let mut draft = Draft::new(handler)
        .to(lowering.written(first, scalar)?)
        .with(Field::D, carry, Usage::Both)
        .extra(extra);
    if is_product {
        let [a, b, c] = exactly(rest)?;
        draft = draft
            .a(lowering.source(a, scalar)?)
            .b(lowering.source(b, scalar)?);
        draft = draft.c(lowering.source(c, scalar)?);
    } else {
        let [a, b] = exactly(rest)?;
        draft = draft
            .a(lowering.source(a, scalar)?)
            .b(lowering.source(b, scalar)?);
    }
    lowering.emit(draft)
}
