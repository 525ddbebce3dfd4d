//! Floating-point arithmetic and functions.

use crate::execute::Handler;
use crate::operations::exact::Rounding;
use crate::operations::half::{self, Compute};
use crate::operations::{binary, float as op, functions, lanewise, ternary, unary};
use crate::parse::{Operand, Scalar};
use crate::program::draft::Draft;
use crate::program::error::Issue;
use crate::program::form::Form;
use crate::program::lower::Lowering;
use crate::program::operands::exactly;

/// A handler for `f32`, with or without flushing, or `f64`.
macro_rules! by_type {
    ($scalar:expr, $ftz:expr, $level:expr, $make:ident, $op:ident) => {
        match ($scalar, $ftz) {
            (Scalar::F32, false) => $make::<op::$op<f32, false>>($level),
            (Scalar::F32, true) => $make::<op::$op<f32, true>>($level),
            (Scalar::F64, false) => $make::<op::$op<f64, false>>($level),
            _ => return Err(Issue::Form),
        }
    };
}

pub(super) fn arithmetic(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
    scalar: Scalar,
) -> Result<(), Issue> {
    let ftz = form.take("ftz");
    let sat = form.take("sat");
    let relu = form.take("relu");
    let nan = form.take("NaN");
    let approximate = form.take_of(&["approx", "full"]).is_some();
    let rounding = form.rounding();
    form.done()?;
    let compute = match (form.mnemonic, nan) {
        ("add", false) => Compute::Add,
        ("sub", false) => Compute::Sub,
        ("mul", false) => Compute::Mul,
        ("fma" | "mad", false) => Compute::Fma,
        ("div", false) => Compute::Div,
        ("min", false) => Compute::Min,
        ("max", false) => Compute::Max,
        ("min", true) => Compute::MinNan,
        ("max", true) => Compute::MaxNan,
        ("neg", false) => Compute::Neg,
        ("abs", false) => Compute::Abs,
        _ => return Err(Issue::Form),
    };
    if approximate && compute != Compute::Div {
        return Err(Issue::Form);
    }
    let is_plain = !sat && !relu && matches!(rounding, None | Some(Rounding::Nearest));
    let is_fast = is_plain && matches!(scalar, Scalar::F32 | Scalar::F64);
    if !is_fast {
        let form = half::Form {
            compute,
            format: format_of(scalar)?,
            rounding: rounding.unwrap_or(Rounding::Nearest),
            ftz,
            sat,
            relu,
        };
        return exact(lowering, operands, scalar, form);
    }
    let level = lowering.level;
    let handler = match compute {
        Compute::Add => by_type!(scalar, ftz, level, binary, Add),
        Compute::Sub => by_type!(scalar, ftz, level, binary, Sub),
        Compute::Mul => by_type!(scalar, ftz, level, binary, Mul),
        Compute::Div => by_type!(scalar, ftz, level, binary, Div),
        Compute::Min => by_type!(scalar, ftz, level, binary, Min),
        Compute::Max => by_type!(scalar, ftz, level, binary, Max),
        Compute::MinNan => by_type!(scalar, ftz, level, binary, MinNan),
        Compute::MaxNan => by_type!(scalar, ftz, level, binary, MaxNan),
        Compute::Fma => by_type!(scalar, ftz, level, ternary, Fma),
        Compute::Neg => by_type!(scalar, ftz, level, unary, Neg),
        Compute::Abs => by_type!(scalar, ftz, level, unary, Abs),
        Compute::Sqrt | Compute::Reciprocal => return Err(Issue::Form),
    };
    match compute {
        Compute::Fma => lowering.ternary(handler, operands, [scalar; 4]),
        Compute::Neg | Compute::Abs => lowering.unary(handler, operands, [scalar; 2]),
        _ => lowering.binary(handler, operands, [scalar; 3]),
    }
}

/// The place of a type in [`half::FORMATS`].
fn format_of(scalar: Scalar) -> Result<usize, Issue> {
    Ok(match scalar {
        Scalar::F16 | Scalar::F16x2 => 0,
        Scalar::Bf16 | Scalar::Bf16x2 => 1,
        Scalar::F32 => 2,
        Scalar::F64 => 3,
        _ => return Err(Issue::Form),
    })
}

/// A computation by whole numbers.
fn exact(
    lowering: &mut Lowering<'_>,
    operands: &[Operand],
    scalar: Scalar,
    form: half::Form,
) -> Result<(), Issue> {
    let handler: Handler = match scalar {
        Scalar::F16 | Scalar::Bf16 => lanewise::<half::Scalar<u16>>,
        Scalar::F16x2 | Scalar::Bf16x2 => lanewise::<half::Packed>,
        Scalar::F32 => lanewise::<half::Scalar<u32>>,
        Scalar::F64 => lanewise::<half::Scalar<u64>>,
        _ => return Err(Issue::Form),
    };
    let mut draft = Draft::new(handler).extra(form.encode());
    match form.compute {
        Compute::Fma => {
            let [to, a, b, c] = exactly(operands)?;
            draft = draft
                .to(lowering.written(to, scalar)?)
                .a(lowering.source(a, scalar)?);
            draft = draft
                .b(lowering.source(b, scalar)?)
                .c(lowering.source(c, scalar)?);
        }
        Compute::Neg | Compute::Abs | Compute::Sqrt | Compute::Reciprocal => {
            let [to, a] = exactly(operands)?;
            draft = draft
                .to(lowering.written(to, scalar)?)
                .a(lowering.source(a, scalar)?);
        }
        _ => {
            let [to, a, b] = exactly(operands)?;
            draft = draft
                .to(lowering.written(to, scalar)?)
                .a(lowering.source(a, scalar)?);
            draft = draft.b(lowering.source(b, scalar)?);
        }
    }
    lowering.emit(draft)
}

/// An approximate function, with or without flushing.
macro_rules! function {
    ($ftz:expr, $level:expr, $op:ident) => {
        if $ftz {
            unary::<functions::$op<true>>($level)
        } else {
            unary::<functions::$op<false>>($level)
        }
    };
}

pub(super) fn function(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    let scalar = form.scalar()?;
    let ftz = form.take("ftz");
    let approximate = form.take("approx");
    let rounding = form.rounding();
    form.done()?;
    let level = lowering.level;
    if form.mnemonic == "copysign" {
        let handler = match scalar {
            Scalar::F32 => binary::<op::CopySign<f32>>(level),
            Scalar::F64 => binary::<op::CopySign<f64>>(level),
            _ => return Err(Issue::Form),
        };
        return lowering.binary(handler, operands, [scalar; 3]);
    }
    let handler = match (form.mnemonic, scalar, rounding) {
        ("rcp", Scalar::F64, None) if ftz => unary::<functions::Rough64<false>>(level),
        ("rsqrt", Scalar::F64, None) if ftz => unary::<functions::Rough64<true>>(level),
        ("rsqrt", Scalar::F64, None) => unary::<functions::ReciprocalRoot64>(level),
        ("rcp", _, None | Some(Rounding::Nearest)) => {
            by_type!(scalar, ftz, level, unary, Reciprocal)
        }
        ("sqrt", _, None | Some(Rounding::Nearest)) => by_type!(scalar, ftz, level, unary, Sqrt),
        ("rcp" | "sqrt", _, Some(rounding)) => {
            let compute = match form.mnemonic {
                "rcp" => Compute::Reciprocal,
                _ => Compute::Sqrt,
            };
            let form = half::Form {
                compute,
                format: format_of(scalar)?,
                rounding,
                ftz,
                sat: false,
                relu: false,
            };
            return exact(lowering, operands, scalar, form);
        }
        (name, Scalar::F32, None) if approximate || name == "tanh" => match name {
            "rsqrt" => function!(ftz, level, ReciprocalRoot),
            "ex2" => function!(ftz, level, Exp2),
            "lg2" => function!(ftz, level, Log2),
            "sin" => function!(ftz, level, Sin),
            "cos" => function!(ftz, level, Cos),
            "tanh" => function!(ftz, level, Tanh),
            _ => return Err(Issue::Form),
        },
        _ => return Err(Issue::Form),
    };
    lowering.unary(handler, operands, [scalar; 2])
}
