//! Comparisons by a few tests.

use crate::execute::Handler;
use crate::operations::compare::{self as op, compare};
use crate::parse::Scalar;
use crate::program::error::Issue;
use crate::program::lower::Lowering;

/// How a comparison is made of a test.
pub(super) struct Plan {
    pub(super) handler: Handler,
    pub(super) swap: bool,
    pub(super) invert: bool,
}

pub(super) const COMPARISONS: [&str; 18] = [
    "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu",
    "geu", "num", "nan",
];

macro_rules! by_integer {
    ($scalar:expr, $level:expr, $op:ident) => {
        match $scalar {
            Scalar::U16 | Scalar::B16 => compare::<op::$op<u16>>($level),
            Scalar::S16 => compare::<op::$op<i16>>($level),
            Scalar::U32 | Scalar::B32 => compare::<op::$op<u32>>($level),
            Scalar::S32 => compare::<op::$op<i32>>($level),
            Scalar::U64 | Scalar::B64 => compare::<op::$op<u64>>($level),
            Scalar::S64 => compare::<op::$op<i64>>($level),
            _ => return Err(Issue::Form),
        }
    };
}

macro_rules! by_float {
    ($scalar:expr, $ftz:expr, $level:expr, $op:ident) => {
        match ($scalar, $ftz) {
            (Scalar::F32, false) => compare::<op::$op<f32, false>>($level),
            (Scalar::F32, true) => compare::<op::$op<f32, true>>($level),
            (Scalar::F64, false) => compare::<op::$op<f64, false>>($level),
            (Scalar::F16, false) => compare::<op::OnHalves<op::$op<f32, false>, false>>($level),
            (Scalar::Bf16, false) => compare::<op::OnHalves<op::$op<f32, false>, true>>($level),
            _ => return Err(Issue::Form),
        }
    };
}

/// How a comparison of a type is made.
pub(super) fn plan(
    lowering: &Lowering<'_>,
    name: &str,
    scalar: Scalar,
    ftz: bool,
) -> Result<Plan, Issue> {
    let level = lowering.level;
    let plan = |handler, swap, invert| {
        Ok(Plan {
            handler,
            swap,
            invert,
        })
    };
    if matches!(
        scalar,
        Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64
    ) {
        let equal = by_float!(scalar, ftz, level, FloatEqual);
        let less = by_float!(scalar, ftz, level, FloatLess);
        let most = by_float!(scalar, ftz, level, FloatLessOrEqual);
        return match name {
            "eq" => plan(equal, false, false),
            "neu" => plan(equal, false, true),
            "ne" => plan(by_float!(scalar, ftz, level, FloatUnequal), false, false),
            "equ" => plan(by_float!(scalar, ftz, level, FloatUnequal), false, true),
            "lt" => plan(less, false, false),
            "gt" => plan(less, true, false),
            "geu" => plan(less, false, true),
            "leu" => plan(less, true, true),
            "le" => plan(most, false, false),
            "ge" => plan(most, true, false),
            "gtu" => plan(most, false, true),
            "ltu" => plan(most, true, true),
            "nan" => plan(by_float!(scalar, ftz, level, Unordered), false, false),
            "num" => plan(by_float!(scalar, ftz, level, Unordered), false, true),
            _ => Err(Issue::Form),
        };
    }
    let is_unsigned = matches!(scalar, Scalar::U16 | Scalar::U32 | Scalar::U64);
    let less = by_integer!(scalar, level, Less);
    match name {
        "eq" => plan(by_integer!(scalar, level, Equal), false, false),
        "ne" => plan(by_integer!(scalar, level, Equal), false, true),
        "lt" => plan(less, false, false),
        "gt" => plan(less, true, false),
        "ge" => plan(less, false, true),
        "le" => plan(less, true, true),
        "lo" if is_unsigned => plan(less, false, false),
        "hi" if is_unsigned => plan(less, true, false),
        "hs" if is_unsigned => plan(less, false, true),
        "ls" if is_unsigned => plan(less, true, true),
        _ => Err(Issue::Form),
    }
}
