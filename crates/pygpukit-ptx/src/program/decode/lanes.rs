//! What the lanes of a warp do together.

use crate::operations::control::{active_mask, elect};
use crate::operations::warp::{Shuffle, reduce, same, shuffle, vote};
use crate::parse::{Operand, Scalar};
use crate::program::draft::{Draft, Field, Register, Usage};
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
        "shfl" => shuffles(lowering, form, operands),
        "vote" => votes(lowering, form, operands),
        "match" => matches(lowering, form, operands),
        "redux" => reductions(lowering, form, operands),
        "elect" => {
            form.take("sync");
            form.done()?;
            let [first, _] = exactly(operands)?;
            let (to, predicate) = both(lowering, first, Scalar::B32)?;
            let draft = with(Draft::new(elect), Field::To, to);
            lowering.emit(with(draft, Field::D, predicate))
        }
        _ => {
            form.scalar()?;
            form.done()?;
            let [to] = exactly(operands)?;
            let draft = Draft::new(active_mask).to(lowering.written(to, Scalar::B32)?);
            lowering.emit(draft)
        }
    }
}

fn with(draft: Draft, field: Field, register: Option<Register>) -> Draft {
    match register {
        Some(register) => draft.with(field, register, Usage::Write),
        None => draft,
    }
}

/// `%r1|%p1` or `%r1`.
fn both(
    lowering: &mut Lowering<'_>,
    operand: &Operand,
    scalar: Scalar,
) -> Result<(Option<Register>, Option<Register>), Issue> {
    let Operand::Pair(value, predicate) = operand else {
        return Ok((lowering.target(operand, scalar)?, None));
    };
    let mut register = |name: &String, scalar| {
        let named = (name != "_").then(|| lowering.register(name, scalar));
        named.transpose()
    };
    Ok((register(value, scalar)?, register(predicate, Scalar::Pred)?))
}

fn shuffles(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    let synchronous = form.take("sync");
    let how = match form
        .take_of(&["up", "down", "bfly", "idx"])
        .ok_or(Issue::Form)?
    {
        "up" => Shuffle::Up,
        "down" => Shuffle::Down,
        "bfly" => Shuffle::Butterfly,
        _ => Shuffle::Index,
    };
    let scalar = form.scalar()?;
    form.done()?;
    if !synchronous || scalar.bytes() != 4 {
        return Err(Issue::Form);
    }
    let [first, a, b, c, members] = exactly(operands)?;
    let (to, predicate) = both(lowering, first, scalar)?;
    let Some(to) = to else {
        return Err(Issue::Form);
    };
    let members = lowering.source(members, Scalar::B32)?;
    let draft = Draft::new(shuffle)
        .to(to)
        .a(lowering.source(a, scalar)?)
        .b(lowering.source(b, Scalar::B32)?)
        .c(lowering.source(c, Scalar::B32)?)
        .with(Field::Immediate, members, Usage::Read)
        .extra(how as u32);
    lowering.emit(with(draft, Field::D, predicate))
}

fn votes(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    let synchronous = form.take("sync");
    let how = match form
        .take_of(&["ballot", "all", "any", "uni"])
        .ok_or(Issue::Form)?
    {
        "ballot" => 0,
        "all" => 1,
        "any" => 2,
        _ => 3,
    };
    let scalar = form.scalar()?;
    form.done()?;
    if !synchronous || (how == 0) != (scalar == Scalar::B32) {
        return Err(Issue::Form);
    }
    let [to, a, members] = exactly(operands)?;
    let (predicate, negated) = match a {
        // A number: the predicate that is always so.
        Operand::Literal(_) => return Err(Issue::Form),
        _ => lowering.predicate(a)?,
    };
    let draft = Draft::new(vote)
        .to(lowering.written(to, scalar)?)
        .a(predicate)
        .b(lowering.source(members, Scalar::B32)?)
        .extra(how | if negated { 4 } else { 0 });
    lowering.emit(draft)
}

fn matches(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    let synchronous = form.take("sync");
    let all = form.take_of(&["any", "all"]).ok_or(Issue::Form)? == "all";
    let scalar = form.scalar()?;
    form.done()?;
    if !synchronous || !matches!(scalar, Scalar::B32 | Scalar::B64) {
        return Err(Issue::Form);
    }
    let [first, a, members] = exactly(operands)?;
    let (to, predicate) = both(lowering, first, Scalar::B32)?;
    if !all && (to.is_none() || predicate.is_some()) {
        return Err(Issue::Form);
    }
    let wide = if scalar == Scalar::B64 { 2 } else { 0 };
    let draft = Draft::new(same)
        .a(lowering.source(a, scalar)?)
        .b(lowering.source(members, Scalar::B32)?)
        .extra(u32::from(all) | wide);
    let draft = with(draft, Field::To, to);
    lowering.emit(with(draft, Field::D, predicate))
}

fn reductions(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    let synchronous = form.take("sync");
    let how = form.take_of(&["add", "min", "max", "and", "or", "xor"]);
    let how = how.ok_or(Issue::Form)?;
    let scalar = form.scalar()?;
    form.done()?;
    let code = match (how, scalar) {
        ("add", Scalar::U32 | Scalar::S32) => 0,
        ("min", Scalar::U32) => 1,
        ("max", Scalar::U32) => 2,
        ("min", Scalar::S32) => 3,
        ("max", Scalar::S32) => 4,
        ("and", Scalar::B32) => 5,
        ("or", Scalar::B32) => 6,
        ("xor", Scalar::B32) => 7,
        _ => return Err(Issue::Form),
    };
    if !synchronous {
        return Err(Issue::Form);
    }
    let [to, a, members] = exactly(operands)?;
    let draft = Draft::new(reduce)
        .to(lowering.written(to, scalar)?)
        .a(lowering.source(a, scalar)?)
        .b(lowering.source(members, Scalar::B32)?)
        .extra(code);
    lowering.emit(draft)
}
