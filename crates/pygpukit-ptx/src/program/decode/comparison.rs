//! Comparisons and choices.

use super::plan::{COMPARISONS, plan};
use crate::operations::compare::{self as op, compare, flags, select};
use crate::operations::join::{HighHalf, JoinHalves, LowHalf};
use crate::operations::{binary, ternary, unary};
use crate::parse::{Operand, Scalar};
use crate::program::draft::Register;
use crate::program::draft::{Draft, Field, Usage};
use crate::program::error::Issue;
use crate::program::form::Form;
use crate::program::lower::Lowering;
use crate::program::operands::exactly;

pub(super) fn decode(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    match form.mnemonic {
        "setp" => set_predicate(lowering, form, operands),
        "set" => set(lowering, form, operands),
        "selp" => choose(lowering, form, operands),
        "slct" => choose_by_sign(lowering, form, operands),
        _ => test(lowering, form, operands),
    }
}

fn set_predicate(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    let name = form.take_of(&COMPARISONS).ok_or(Issue::Form)?;
    let join = form.take_of(&["and", "or", "xor"]);
    let ftz = form.take("ftz");
    let scalar = form.scalar()?;
    form.done()?;
    let (to, inverted) = match operands.first() {
        Some(Operand::Pair(first, second)) => {
            let first = (first != "_")
                .then(|| lowering.register(first, Scalar::Pred))
                .transpose()?;
            let second = (second != "_")
                .then(|| lowering.register(second, Scalar::Pred))
                .transpose()?;
            (first, second)
        }
        Some(name) => (lowering.target(name, Scalar::Pred)?, None),
        None => return Err(Issue::Form),
    };
    let Some([a, b, rest @ ..]) = operands.get(1..) else {
        return Err(Issue::Form);
    };
    let (a, b) = (lowering.source(a, scalar)?, lowering.source(b, scalar)?);
    let mut draft = comparison(lowering, name, scalar, ftz, a, b)?;
    let put = |draft: Draft, field, register: Option<Register>| match register {
        Some(register) => draft.with(field, register, Usage::Write),
        None => draft,
    };
    draft = put(draft, Field::To, to);
    draft = put(draft, Field::D, inverted);
    match (join, rest) {
        (None, []) => {}
        (Some(join), [other]) => {
            let (other, negated) = lowering.predicate(other)?;
            draft = draft.c(other);
            draft.step.extra |= match join {
                "and" => flags::AND,
                "or" => flags::OR,
                _ => flags::XOR,
            };
            draft.step.extra |= if negated { flags::INVERT_C } else { 0 };
        }
        _ => return Err(Issue::Form),
    }
    lowering.emit(draft)
}

/// A comparison without the predicate that it goes to.
fn comparison(
    lowering: &Lowering<'_>,
    name: &str,
    scalar: Scalar,
    ftz: bool,
    a: Register,
    b: Register,
) -> Result<Draft, Issue> {
    let plan = plan(lowering, name, scalar, ftz)?;
    let (a, b) = if plan.swap { (b, a) } else { (a, b) };
    let extra = if plan.invert { flags::INVERT } else { 0 };
    Ok(Draft::new(plan.handler).a(a).b(b).extra(extra))
}

/// `set`: all ones or 1.0 where it holds.
fn set(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    let name = form.take_of(&COMPARISONS).ok_or(Issue::Form)?;
    let ftz = form.take("ftz");
    let (to, scalar) = (form.scalar()?, form.scalar()?);
    form.done()?;
    let [first, a, b] = exactly(operands)?;
    let half = match scalar {
        Scalar::F16x2 => Some(Scalar::F16),
        Scalar::Bf16x2 => Some(Scalar::Bf16),
        _ => None,
    };
    let holds = match (to, half) {
        (Scalar::U32 | Scalar::S32, None) => u32::MAX,
        (Scalar::U16 | Scalar::S16, None) | (Scalar::U32 | Scalar::S32, Some(_)) => 0xffff,
        (Scalar::F32, None) => 0x3f80_0000,
        (Scalar::F16, None) | (Scalar::F16x2, Some(Scalar::F16)) => 0x3c00,
        (Scalar::Bf16, None) | (Scalar::Bf16x2, Some(Scalar::Bf16)) => 0x3f80,
        _ => return Err(Issue::Form),
    };
    let level = lowering.level;
    let (holds, fails) = (lowering.word(holds), lowering.word(0));
    let result = lowering.written(first, to)?;
    let (a, b) = (lowering.source(a, scalar)?, lowering.source(b, scalar)?);
    let put = |lowering: &mut Lowering<'_>, scalar, a, b, to| {
        let predicate = lowering.temporary(Scalar::Pred)?;
        let draft = comparison(lowering, name, scalar, ftz, a, b)?;
        lowering.emit(draft.to(predicate))?;
        let draft = Draft::new(select::<u32>(level)).to(to);
        lowering.emit(draft.a(holds).b(fails).c(predicate))
    };
    let Some(half) = half else {
        return put(lowering, scalar, a, b, result);
    };
    let mut results = [result; 2];
    let halves = [unary::<LowHalf>(level), unary::<HighHalf>(level)];
    for (handler, result) in halves.into_iter().zip(&mut results) {
        let parts = [a, b].map(|from| (lowering.temporary(Scalar::B16), from));
        let [a, b] = parts.map(|(to, from)| to.map(|to| (to, from)));
        let ((a, from), (b, other)) = (a?, b?);
        lowering.emit(Draft::new(handler).to(a).a(from))?;
        lowering.emit(Draft::new(handler).to(b).a(other))?;
        *result = lowering.temporary(Scalar::B16)?;
        put(lowering, half, a, b, *result)?;
    }
    let draft = Draft::new(binary::<JoinHalves>(level)).to(result);
    lowering.emit(draft.a(results[0]).b(results[1]))
}

fn choose(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    let scalar = form.scalar()?;
    form.done()?;
    let level = lowering.level;
    let handler = match scalar.bytes() {
        2 => select::<u16>(level),
        4 => select::<u32>(level),
        8 => select::<u64>(level),
        _ => return Err(Issue::Form),
    };
    let [to, a, b, c] = exactly(operands)?;
    let (predicate, negated) = lowering.predicate(c)?;
    let draft = Draft::new(handler)
        .to(lowering.written(to, scalar)?)
        .a(lowering.source(a, scalar)?)
        .b(lowering.source(b, scalar)?)
        .c(predicate)
        .extra(if negated { flags::INVERT_C } else { 0 });
    lowering.emit(draft)
}

fn choose_by_sign(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    let ftz = form.take("ftz");
    let (scalar, sign) = (form.scalar()?, form.scalar()?);
    form.done()?;
    let level = lowering.level;
    // A flushed subnormal is zero, and zero of any sign is not below zero.
    let handler = match (scalar.bytes(), sign, ftz) {
        (2, Scalar::S32, false) => ternary::<op::SelectBySign<u16, i32>>(level),
        (4, Scalar::S32, false) => ternary::<op::SelectBySign<u32, i32>>(level),
        (8, Scalar::S32, false) => ternary::<op::SelectBySign<u64, i32>>(level),
        (4, Scalar::F32, false) => ternary::<op::SelectBySign<u32, f32>>(level),
        (8, Scalar::F32, false) => ternary::<op::SelectBySign<u64, f32>>(level),
        _ => return Err(Issue::Form),
    };
    lowering.ternary(handler, operands, [scalar, scalar, scalar, sign])
}

fn test(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    let kinds = [
        "finite",
        "infinite",
        "number",
        "notanumber",
        "normal",
        "subnormal",
    ];
    let kind = form.take_of(&kinds).ok_or(Issue::Form)?;
    let scalar = form.scalar()?;
    form.done()?;
    let level = lowering.level;
    macro_rules! by_kind {
        ($type:ty) => {
            match kind {
                "finite" => compare::<op::Kind<$type, 0>>(level),
                "infinite" => compare::<op::Kind<$type, 1>>(level),
                "number" => compare::<op::Kind<$type, 2>>(level),
                "notanumber" => compare::<op::Kind<$type, 3>>(level),
                "normal" => compare::<op::Kind<$type, 4>>(level),
                _ => compare::<op::Kind<$type, 5>>(level),
            }
        };
    }
    let handler = match scalar {
        Scalar::F32 => by_kind!(f32),
        Scalar::F64 => by_kind!(f64),
        _ => return Err(Issue::Form),
    };
    let [to, a] = exactly(operands)?;
    let a = lowering.source(a, scalar)?;
    let draft = Draft::new(handler)
        .to(lowering.written(to, Scalar::Pred)?)
        .a(a)
        .b(a);
    lowering.emit(draft)
}
