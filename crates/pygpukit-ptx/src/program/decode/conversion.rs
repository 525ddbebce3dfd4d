//! Moves and conversions.

use crate::execute::{Handler, LOCAL_BASE, PARAMETER_BASE, SHARED_BASE};
use crate::operations::compare::predicate_logic;
use crate::operations::control::{clock, clock64};
use crate::operations::convert::{As, Conversion, Convert, ConvertPair, Kind, WidenHalf};
use crate::operations::exact::Rounding;
use crate::operations::integer::{Add, Copy, Sub};
use crate::operations::join::{HighHalf, HighWord, JoinHalves, JoinWords, LowHalf, LowWord};
use crate::operations::{binary, lanewise, unary};
use crate::parse::{Number, Operand, Scalar};
use crate::program::draft::{Draft, File, Register};
use crate::program::error::Issue;
use crate::program::form::Form;
use crate::program::lower::{Constant, Lowering};
use crate::program::operands::exactly;

pub(super) fn decode(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    match form.mnemonic {
        "mov" => mov(lowering, form, operands),
        "cvta" => address(lowering, form, operands),
        _ => convert(lowering, form, operands),
    }
}

fn mov(
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

fn copy(level: crate::execute::Level, scalar: Scalar) -> Result<Handler, Issue> {
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

/// `cvta`: between the addresses of a space and generic ones.
fn address(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    let from_generic = form.take("to");
    let space = form.take_of(&[
        "global",
        "const",
        "shared",
        "shared::cta",
        "local",
        "param",
        "param::entry",
    ]);
    let scalar = form.scalar()?;
    form.done()?;
    let in_function = lowering.calls.len() > 1;
    let base = match space.ok_or(Issue::Form)? {
        "global" | "const" => 0,
        "local" => LOCAL_BASE,
        // A function's parameters lie in local memory.
        "param" | "param::entry" if in_function => return Err(Issue::Form),
        "param" | "param::entry" => PARAMETER_BASE,
        _ => SHARED_BASE,
    };
    if scalar.bytes() != 8 {
        return Err(Issue::Form);
    }
    let [to, from] = exactly(operands)?;
    let level = lowering.level;
    let draft = Draft::new(match (base, from_generic) {
        (0, _) => unary::<Copy<u64>>(level),
        (_, false) => binary::<Add<u64>>(level),
        (_, true) => binary::<Sub<u64>>(level),
    });
    let mut draft = draft
        .to(lowering.written(to, scalar)?)
        .a(lowering.source(from, scalar)?);
    if base != 0 {
        draft = draft.b(lowering.constant(File::Wide, Constant::Bits(base)));
    }
    lowering.emit(draft)
}

fn convert(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    let integral = form.integer_rounding();
    let rounding = form.rounding();
    let [ftz, sat, relu] = ["ftz", "sat", "relu"].map(|word| form.take(word));
    let (to, from) = (form.scalar()?, form.scalar()?);
    form.done()?;
    if let Scalar::F16x2 | Scalar::Bf16x2 = to {
        let kind = if to == Scalar::F16x2 {
            Scalar::F16
        } else {
            Scalar::Bf16
        };
        let conversion = Conversion {
            from: Kind::of(from).ok_or(Issue::Form)?,
            to: Kind::of(kind).ok_or(Issue::Form)?,
            rounding: rounding.unwrap_or(Rounding::Nearest),
            integral: false,
            ftz,
            sat,
            relu,
        };
        if from != Scalar::F32 {
            return Err(Issue::Form);
        }
        let [first, a, b] = exactly(operands)?;
        let draft = Draft::new(lanewise::<ConvertPair>)
            .to(lowering.written(first, to)?)
            .a(lowering.source(a, from)?)
            .b(lowering.source(b, from)?)
            .extra(conversion.encode());
        return lowering.emit(draft);
    }
    let conversion = Conversion {
        from: Kind::of(from).ok_or(Issue::Form)?,
        to: Kind::of(to).ok_or(Issue::Form)?,
        rounding: integral.or(rounding).unwrap_or(Rounding::Nearest),
        integral: integral.is_some(),
        ftz,
        sat,
        relu,
    };
    let [first, second] = exactly(operands)?;
    let (target, width) = lowering.any_register(first)?;
    let (source, from_width) = match second {
        Operand::Literal(_) => (lowering.source(second, from)?, from.bytes() * 8),
        _ => lowering.any_register(second)?,
    };
    if width < to.bytes() * 8 || from_width < from.bytes() * 8 {
        return Issue::invalid("a register is too narrow for its type");
    }
    let fast = fast(
        lowering,
        &conversion,
        (from, from_width),
        (to, width),
        integral,
    );
    let handler = match fast {
        Some(handler) => handler,
        None => slow(from_width, width)?,
    };
    lowering.emit(
        Draft::new(handler)
            .to(target)
            .a(source)
            .extra(conversion.encode()),
    )
}

/// The handler that does any conversion.
fn slow(from: usize, to: usize) -> Result<Handler, Issue> {
    Ok(match (from, to) {
        (..=16, ..=16) => lanewise::<Convert<u16, u16>>,
        (..=16, 32) => lanewise::<Convert<u16, u32>>,
        (..=16, 64) => lanewise::<Convert<u16, u64>>,
        (32, ..=16) => lanewise::<Convert<u32, u16>>,
        (32, 32) => lanewise::<Convert<u32, u32>>,
        (32, 64) => lanewise::<Convert<u32, u64>>,
        (64, ..=16) => lanewise::<Convert<u64, u16>>,
        (64, 32) => lanewise::<Convert<u64, u32>>,
        (64, 64) => lanewise::<Convert<u64, u64>>,
        _ => return Err(Issue::Form),
    })
}

/// The handler of a common conversion between registers of exactly the types' widths.
fn fast(
    lowering: &Lowering<'_>,
    conversion: &Conversion,
    (from, from_width): (Scalar, usize),
    (to, to_width): (Scalar, usize),
    integral: Option<Rounding>,
) -> Option<Handler> {
    use Scalar::{Bf16, F16, F32, F64, S16, S32, S64, U16, U32, U64};
    let exact_widths = from_width == from.bytes() * 8 && to_width == to.bytes() * 8;
    if !exact_widths || conversion.ftz || conversion.sat || conversion.relu {
        return None;
    }
    let level = lowering.level;
    let nearest = conversion.rounding == Rounding::Nearest;
    Some(match (from, to) {
        (U16, U32 | S32) => unary::<As<u16, u32>>(level),
        (U16, U64 | S64) => unary::<As<u16, u64>>(level),
        (S16, U32 | S32) => unary::<As<i16, i32>>(level),
        (S16, U64 | S64) => unary::<As<i16, i64>>(level),
        (U32 | S32, U16 | S16) => unary::<As<u32, u16>>(level),
        (U64 | S64, U16 | S16) => unary::<As<u64, u16>>(level),
        (U32, U64 | S64) => unary::<As<u32, u64>>(level),
        (S32, U64 | S64) => unary::<As<i32, i64>>(level),
        (U64 | S64, U32 | S32) => unary::<As<u64, u32>>(level),
        (U16, F32) => unary::<As<u16, f32>>(level),
        (S16, F32) => unary::<As<i16, f32>>(level),
        (U32, F32) if nearest => unary::<As<u32, f32>>(level),
        (S32, F32) if nearest => unary::<As<i32, f32>>(level),
        (U32, F64) => unary::<As<u32, f64>>(level),
        (S32, F64) => unary::<As<i32, f64>>(level),
        (U64, F32) if nearest => unary::<As<u64, f32>>(level),
        (S64, F32) if nearest => unary::<As<i64, f32>>(level),
        (U64, F64) if nearest => unary::<As<u64, f64>>(level),
        (S64, F64) if nearest => unary::<As<i64, f64>>(level),
        (F32, S32) if integral == Some(Rounding::Zero) => unary::<As<f32, i32>>(level),
        (F32, U32) if integral == Some(Rounding::Zero) => unary::<As<f32, u32>>(level),
        (F32, F64) if integral.is_none() => unary::<As<f32, f64>>(level),
        (F64, F32) if integral.is_none() && nearest => unary::<As<f64, f32>>(level),
        (F16, F32) if integral.is_none() => unary::<WidenHalf<false>>(level),
        (Bf16, F32) if integral.is_none() => unary::<WidenHalf<true>>(level),
        _ => return None,
    })
}
