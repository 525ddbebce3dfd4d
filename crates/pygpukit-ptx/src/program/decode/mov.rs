//! Moves, and halves of registers.

use crate::execute::{Handler, Level};
use crate::operations::compare::predicate_logic;
use crate::operations::control::{clock, clock64};
use crate::operations::integer::Copy;
use crate::operations::join::{HighHalf, HighWord, JoinHalves, JoinWords, LowHalf, LowWord};
use crate::operations::{binary, unary};
use crate::parse::{Number, Operand, Scalar};
use crate::program::draft::{Draft, Register};
use crate::program::error::Issue;
use crate::program::form::Form;
use crate::program::lower::Lowering;
use crate::program::operands::exactly;

pub(super) fn decode(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    let scalar = form.scalar()?;
    form.done()?;
    let [to, from] = exactly(operands)?;
    let level = lowering.level;
    match (to, from) {
        (Operand::Vector(parts), from) => return unpack(lowering, parts, from, scalar),
        (to, Operand::Vector(parts)) => return pack(lowering, to, parts, scalar),
        (to, Operand::Name(name)) => {
            if let Some((handler, shift)) = counter(name, scalar) {
                let draft = Draft::new(handler)
                    .to(lowering.written(to, scalar)?)
                    .extra(shift);
                return lowering.emit(draft);
            }
        }
        _ => {}
    }
    if scalar == Scalar::Pred {
        let draft = Draft::new(predicate_logic).to(lowering.written(to, scalar)?);
        // A number stands for whether it is not zero.
        if let Operand::Literal(literal) = from {
            let holds = literal.value() != Some(Number::Integer(0));
            return lowering.emit(draft.extra(if holds { 0b1111 } else { 0 }));
        }
        let (a, negated) = lowering.predicate(from)?;
        return lowering.emit(draft.a(a).extra(if negated { 0b0011 } else { 0b1100 }));
    }
    let handler = copy(level, scalar)?;
    lowering.unary(handler, operands, [scalar; 2])
}

fn copy(level: Level, scalar: Scalar) -> Result<Handler, Issue> {
    Ok(match scalar.bytes() {
        2 => unary::<Copy<u16>>(level),
        4 => unary::<Copy<u32>>(level),
        8 => unary::<Copy<u64>>(level),
        _ => return Err(Issue::Form),
    })
}

/// Registers that count.
fn counter(name: &str, scalar: Scalar) -> Option<(Handler, u32)> {
    match (name, scalar.bytes()) {
        ("%clock" | "%globaltimer_lo", 4) => Some((clock, 0)),
        ("%clock_hi" | "%globaltimer_hi", 4) => Some((clock, 32)),
        ("%clock64" | "%globaltimer", 8) => Some((clock64, 0)),
        _ => None,
    }
}

/// `mov.b64 {%r1, %r2}, %rd1`.
fn unpack(
    lowering: &mut Lowering<'_>,
    parts: &[Operand],
    from: &Operand,
    scalar: Scalar,
) -> Result<(), Issue> {
    let level = lowering.level;
    let from = lowering.source(from, scalar)?;
    let each = |lowering: &mut Lowering<'_>, handlers: &[Handler], scalar, from| {
        for (part, handler) in parts.iter().zip(handlers) {
            if let Some(to) = lowering.target(part, scalar)? {
                lowering.emit(Draft::new(*handler).to(to).a(from))?;
            }
        }
        Ok(())
    };
    let words = [unary::<LowWord>(level), unary::<HighWord>(level)];
    let halves = [unary::<LowHalf>(level), unary::<HighHalf>(level)];
    match (scalar.bytes(), parts) {
        (8, [_, _]) => each(lowering, &words, Scalar::B32, from),
        (4, [_, _]) => each(lowering, &halves, Scalar::B16, from),
        (8, [a, b, c, d]) => {
            for (pair, word) in [[a, b], [c, d]].into_iter().zip(words) {
                let half = lowering.temporary(Scalar::B32)?;
                lowering.emit(Draft::new(word).to(half).a(from))?;
                for (part, handler) in pair.into_iter().zip(halves) {
                    if let Some(to) = lowering.target(part, Scalar::B16)? {
                        lowering.emit(Draft::new(handler).to(to).a(half))?;
                    }
                }
            }
            Ok(())
        }
        _ => Err(Issue::Form),
    }
}

/// `mov.b64 %rd1, {%r1, %r2}`.
fn pack(
    lowering: &mut Lowering<'_>,
    to: &Operand,
    parts: &[Operand],
    scalar: Scalar,
) -> Result<(), Issue> {
    let level = lowering.level;
    let to = lowering.written(to, scalar)?;
    match (scalar.bytes(), parts) {
        (8, [a, b]) => {
            let draft = Draft::new(binary::<JoinWords>(level)).to(to);
            let draft = draft.a(lowering.source(a, Scalar::B32)?);
            let draft = draft.b(lowering.source(b, Scalar::B32)?);
            lowering.emit(draft)
        }
        (4, [a, b]) => {
            let draft = join_halves(lowering, to, [a, b])?;
            lowering.emit(draft)
        }
        (8, [a, b, c, d]) => {
            let low = lowering.temporary(Scalar::B32)?;
            let high = lowering.temporary(Scalar::B32)?;
            let first = join_halves(lowering, low, [a, b])?;
            lowering.emit(first)?;
            let second = join_halves(lowering, high, [c, d])?;
            lowering.emit(second)?;
            lowering.emit(Draft::new(binary::<JoinWords>(level)).to(to).a(low).b(high))
        }
        _ => Err(Issue::Form),
    }
}

fn join_halves(
    lowering: &mut Lowering<'_>,
    to: Register,
    [a, b]: [&Operand; 2],
) -> Result<Draft, Issue> {
    let draft = Draft::new(binary::<JoinHalves>(lowering.level)).to(to);
    let draft = draft.a(lowering.source(a, Scalar::B16)?);
    Ok(draft.b(lowering.source(b, Scalar::B16)?))
}
