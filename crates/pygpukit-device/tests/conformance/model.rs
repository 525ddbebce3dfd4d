//! What operations mean, one element at a time.

use half::{bf16, f16};
use pygpukit_core::array::{BinaryOp, DType, Kind, Scalar};

/// An integer modulo the range of its dtype.
pub(crate) fn wrap(value: i128, dtype: DType) -> i128 {
    let range = 1_i128 << (8 * dtype.itemsize());
    let value = value.rem_euclid(range);
    if dtype.kind() == Kind::Signed && value >= range / 2 {
        value - range
    } else {
        value
    }
}

/// A number as the dtype holds it.
pub(crate) fn round(value: Scalar, dtype: DType) -> Scalar {
    let real = |value: f64| match dtype {
        // Exact values only get here, or such as float32 holds.
        DType::Float16 => f16::from_f32(value as f32).to_f64(),
        DType::BFloat16 => bf16::from_f32(value as f32).to_f64(),
        DType::Float32 | DType::Complex64 => f64::from(value as f32),
        _ => value,
    };
    match (dtype.kind(), value) {
        (_, Scalar::Float(value)) => Scalar::Float(real(value)),
        (_, Scalar::Complex(re, im)) => Scalar::Complex(real(re), real(im)),
        (Kind::Signed | Kind::Unsigned, Scalar::Int(value)) => Scalar::Int(wrap(value, dtype)),
        (_, value) => value,
    }
}

/// How far a result may be from the model's, relative to its size.
pub(crate) fn tolerance(op: BinaryOp, dtype: DType) -> f64 {
    let inexact = match dtype.kind() {
        Kind::Complex => matches!(op, BinaryOp::TrueDivide | BinaryOp::Power),
        Kind::Float => op == BinaryOp::Power,
        Kind::Bool | Kind::Signed | Kind::Unsigned => false,
    };
    match dtype {
        _ if !inexact => 0.0,
        DType::Float16 => 2e-3,
        DType::BFloat16 => 1e-2,
        DType::Float32 | DType::Complex64 => 1e-5,
        _ => 1e-13,
    }
}

/// `op(a, b)` for elements of the dtype that the operation computes in.
pub(crate) fn binary(op: BinaryOp, dtype: DType, a: Scalar, b: Scalar) -> Scalar {
    if op.is_comparison() {
        return Scalar::Bool(compare(op, a, b));
    }
    let result = match (a, b) {
        (Scalar::Bool(a), Scalar::Bool(b)) => Scalar::Bool(match op {
            BinaryOp::Add => a || b,
            BinaryOp::Multiply => a && b,
            _ => unreachable!("bool has no {op}"),
        }),
        (Scalar::Int(a), Scalar::Int(b)) => Scalar::Int(integers(op, dtype, a, b)),
        (Scalar::Float(a), Scalar::Float(b)) => Scalar::Float(floats(op, a, b)),
        (Scalar::Complex(a, ai), Scalar::Complex(b, bi)) => complex(op, (a, ai), (b, bi)),
        _ => unreachable!("operands of one kind"),
    };
    round(result, dtype)
}

fn integers(op: BinaryOp, dtype: DType, a: i128, b: i128) -> i128 {
    let floor = |a: i128, b: i128| (a - a.rem_euclid(b.abs())) / b.abs() * b.signum();
    match op {
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        // Modulo 2^64 before the product can leave 128 bits.
        BinaryOp::Multiply => wrap(a, dtype).wrapping_mul(wrap(b, dtype)),
        BinaryOp::FloorDivide if b == 0 => 0,
        BinaryOp::Remainder if b == 0 => 0,
        BinaryOp::FloorDivide if b > 0 => floor(a, b),
        BinaryOp::FloorDivide => floor(-a, -b),
        BinaryOp::Remainder if b > 0 => a.rem_euclid(b),
        BinaryOp::Remainder => -(-a).rem_euclid(-b),
        BinaryOp::Power if b < 0 => match a {
            1 => 1,
            -1 => 1 - 2 * (b & 1),
            _ => 0,
        },
        BinaryOp::Power => (0..b).fold(1, |power, _| wrap(i128::wrapping_mul(power, a), dtype)),
        _ => unreachable!("integers have no {op}"),
    }
}

/// For `//` and `%` exact if the operands are quarters.
fn floats(op: BinaryOp, a: f64, b: f64) -> f64 {
    match op {
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        BinaryOp::Multiply => a * b,
        BinaryOp::TrueDivide => a / b,
        BinaryOp::FloorDivide if b == 0.0 => a / b,
        BinaryOp::FloorDivide => (a / b).floor(),
        BinaryOp::Remainder if b == 0.0 => f64::NAN,
        BinaryOp::Remainder => a - (a / b).floor() * b,
        BinaryOp::Power => a.powf(b),
        _ => unreachable!("floats have no {op}"),
    }
}

fn complex(op: BinaryOp, a: (f64, f64), b: (f64, f64)) -> Scalar {
    let square = b.0 * b.0 + b.1 * b.1;
    let (re, im) = match op {
        BinaryOp::Add => (a.0 + b.0, a.1 + b.1),
        BinaryOp::Subtract => (a.0 - b.0, a.1 - b.1),
        BinaryOp::Multiply => (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0),
        BinaryOp::TrueDivide => (
            (a.0 * b.0 + a.1 * b.1) / square,
            (a.1 * b.0 - a.0 * b.1) / square,
        ),
        BinaryOp::Power if a == (0.0, 0.0) => {
            let limit = if b.0 > 0.0 { 0.0 } else { f64::NAN };
            (limit, limit)
        }
        BinaryOp::Power => {
            let (log, angle) = (a.0.hypot(a.1).ln(), a.1.atan2(a.0));
            let size = (b.0 * log - b.1 * angle).exp();
            let turn = b.1 * log + b.0 * angle;
            (size * turn.cos(), size * turn.sin())
        }
        _ => unreachable!("complex numbers have no {op}"),
    };
    Scalar::Complex(re, im)
}

fn compare(op: BinaryOp, a: Scalar, b: Scalar) -> bool {
    let order = match (a, b) {
        (Scalar::Bool(a), Scalar::Bool(b)) => a.partial_cmp(&b),
        (Scalar::Int(a), Scalar::Int(b)) => a.partial_cmp(&b),
        (Scalar::Float(a), Scalar::Float(b)) => a.partial_cmp(&b),
        (Scalar::Complex(a, ai), Scalar::Complex(b, bi)) => (a, ai).partial_cmp(&(b, bi)),
        _ => unreachable!("operands of one kind"),
    };
    match op {
        BinaryOp::Equal => order.is_some_and(std::cmp::Ordering::is_eq),
        BinaryOp::NotEqual => !order.is_some_and(std::cmp::Ordering::is_eq),
        BinaryOp::Less => order.is_some_and(std::cmp::Ordering::is_lt),
        BinaryOp::LessEqual => order.is_some_and(std::cmp::Ordering::is_le),
        BinaryOp::Greater => order.is_some_and(std::cmp::Ordering::is_gt),
        BinaryOp::GreaterEqual => order.is_some_and(std::cmp::Ordering::is_ge),
        _ => unreachable!("{op} does not compare"),
    }
}
