//! Type promotion: which dtype holds the values of two others.
//!
//! Source: NEP 50 and `numpy.result_type` of NumPy 2. bfloat16, which NumPy
//! does not know, goes with float16 to float32 and absorbs every integer.

use super::dtype::{DType, Kind};

/// The kind of a Python scalar, which does not force its own width on an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weak {
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `float`
    Float,
    /// `complex`
    Complex,
}

impl Weak {
    /// The dtype that a Python scalar has by itself, as in `asarray(2)`.
    pub const fn default_dtype(self) -> DType {
        match self {
            Self::Bool => DType::Bool,
            Self::Int => DType::Int64,
            Self::Float => DType::Float64,
            Self::Complex => DType::Complex128,
        }
    }
}

/// The smallest dtype that holds all values of both, by NumPy's rules.
pub fn promote(a: DType, b: DType) -> DType {
    if a == b {
        return a;
    }
    let (low, high) = if a.kind() <= b.kind() { (a, b) } else { (b, a) };
    match (low.kind(), high.kind()) {
        (Kind::Bool, _) => high,
        (Kind::Unsigned, Kind::Unsigned)
        | (Kind::Signed, Kind::Signed)
        | (Kind::Complex, Kind::Complex) => wider(low, high),
        (Kind::Unsigned, Kind::Signed) => {
            if high.itemsize() > low.itemsize() {
                high
            } else {
                signed_above(low)
            }
        }
        (Kind::Unsigned | Kind::Signed, Kind::Float) => float_for_integer(low, high),
        (Kind::Unsigned | Kind::Signed, Kind::Complex) => {
            complex_of(float_for_integer(low, real_of(high)))
        }
        (Kind::Float, Kind::Float) => {
            if low.itemsize() == high.itemsize() {
                DType::Float32 // float16 with bfloat16: neither holds the other
            } else {
                wider(low, high)
            }
        }
        (Kind::Float, Kind::Complex) => complex_of(wider(low, real_of(high))),
        // `low` has the smaller kind, so the other pairs do not occur; the
        // wider type would be the answer if they did.
        (Kind::Signed | Kind::Float | Kind::Complex, _) | (Kind::Unsigned, Kind::Bool) => {
            wider(low, high)
        }
    }
}

/// The dtype of an array of `dtype` combined with a Python scalar.
pub fn promote_weak(dtype: DType, scalar: Weak) -> DType {
    match (dtype.kind(), scalar) {
        (_, Weak::Bool)
        | (Kind::Unsigned | Kind::Signed | Kind::Float | Kind::Complex, Weak::Int)
        | (Kind::Float | Kind::Complex, Weak::Float)
        | (Kind::Complex, Weak::Complex) => dtype,
        (Kind::Bool | Kind::Unsigned | Kind::Signed, Weak::Float) => DType::Float64,
        (Kind::Bool, Weak::Int) => DType::Int64,
        (Kind::Float, Weak::Complex) => complex_of(dtype),
        (Kind::Bool | Kind::Unsigned | Kind::Signed, Weak::Complex) => DType::Complex128,
    }
}

/// NumPy's `can_cast(from, to, "same_kind")`: what in-place forms and `out=` allow.
pub fn can_cast_same_kind(from: DType, to: DType) -> bool {
    match (from.kind(), to.kind()) {
        (Kind::Signed, Kind::Unsigned) => false,
        (from_kind, to_kind) => from_kind <= to_kind,
    }
}

/// Whether an array of `from` may be stored in one of `to` without a cast that was
/// asked for: within its kind or to a higher one, and anything as a truth value.
pub fn can_store(from: DType, to: DType) -> bool {
    to == DType::Bool || can_cast_same_kind(from, to)
}

fn wider(a: DType, b: DType) -> DType {
    if a.itemsize() >= b.itemsize() { a } else { b }
}

/// The signed integer that holds an unsigned one; beyond 64 bits, float64.
fn signed_above(unsigned: DType) -> DType {
    match unsigned.itemsize() {
        1 => DType::Int16,
        2 => DType::Int32,
        4 => DType::Int64,
        _ => DType::Float64,
    }
}

fn float_for_integer(integer: DType, float: DType) -> DType {
    if float == DType::BFloat16 {
        return float;
    }
    let needed = match integer.itemsize() {
        1 => DType::Float16,
        2 => DType::Float32,
        _ => DType::Float64,
    };
    wider(float, needed)
}

fn real_of(complex: DType) -> DType {
    if complex == DType::Complex64 {
        DType::Float32
    } else {
        DType::Float64
    }
}

fn complex_of(float: DType) -> DType {
    if float.itemsize() <= 4 {
        DType::Complex64
    } else {
        DType::Complex128
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use DType::*;

    #[test]
    fn promotion_is_symmetric_and_idempotent() {
        for a in DType::ALL {
            assert_eq!(promote(a, a), a);
            for b in DType::ALL {
                assert_eq!(promote(a, b), promote(b, a), "{a} {b}");
            }
        }
    }

    #[test]
    fn numpy_table_corners() {
        for (a, b, expected) in [
            (Int8, UInt8, Int16),
            (Int64, UInt64, Float64),
            (Int32, UInt32, Int64),
            (Int32, UInt8, Int32),
            (Int32, Float32, Float64),
            (Int16, Float16, Float32),
            (UInt8, Float16, Float16),
            (Int16, Complex64, Complex64),
            (Int32, Complex64, Complex128),
            (Float64, Complex64, Complex128),
            (Bool, Int8, Int8),
            (Float16, BFloat16, Float32),
            (Int64, BFloat16, BFloat16),
            (BFloat16, Float64, Float64),
            (BFloat16, Complex64, Complex64),
        ] {
            assert_eq!(promote(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn python_scalars_are_weak() {
        assert_eq!(promote_weak(Float16, Weak::Float), Float16);
        assert_eq!(promote_weak(Int8, Weak::Int), Int8);
        assert_eq!(promote_weak(Int8, Weak::Float), Float64);
        assert_eq!(promote_weak(Float32, Weak::Complex), Complex64);
        assert_eq!(promote_weak(Bool, Weak::Int), Int64);
    }

    #[test]
    fn same_kind_casts() {
        assert!(can_cast_same_kind(Float64, Float16));
        assert!(can_cast_same_kind(UInt64, Int8));
        assert!(!can_cast_same_kind(Int8, UInt64));
        assert!(!can_cast_same_kind(Float32, Int64));
        assert!(!can_cast_same_kind(Complex64, Float64));
    }

    #[test]
    fn stores_keep_the_kind_or_ask_for_truth() {
        for from in DType::ALL {
            assert!(can_store(from, Bool), "{from}");
            assert!(can_store(from, from), "{from}");
            assert_eq!(can_store(from, Float16), from.kind() <= Kind::Float);
        }
        assert!(!can_store(Int64, UInt8));
        assert!(can_store(UInt64, Int8));
    }
}
