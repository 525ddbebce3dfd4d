//! Moves and conversions.

use crate::execute::{Handler, LOCAL_BASE, PARAMETER_BASE, SHARED_BASE};
use crate::operations::cast::{As, WidenHalf};
use crate::operations::convert::{Conversion, Convert, ConvertPair, Kind};
use crate::operations::exact::Rounding;
use crate::operations::integer::{Add, Copy, Sub};
use crate::operations::{binary, lanewise, unary};
use crate::parse::{Operand, Scalar};
use crate::program::draft::{Draft, File};
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
        "mov" => super::mov::decode(lowering, form, operands),
        "cvta" => address(lowering, form, operands),
        _ => convert(lowering, form, operands),
    }
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
