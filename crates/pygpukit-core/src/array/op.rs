//! The elementwise operations, and which dtypes they compute and return.

use super::dtype::{DType, Kind};
use std::fmt;

/// An operation on two operands, element by element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `+`; logical or for bool.
    Add,
    /// `-`
    Subtract,
    /// `*`; logical and for bool.
    Multiply,
    /// `/`: always floating point.
    TrueDivide,
    /// `//`: rounded towards minus infinity.
    FloorDivide,
    /// `%`: with the sign of the divisor.
    Remainder,
    /// `**`; integers wrap, and to a negative power give the exact value cut off at
    /// the point: 0 unless the base is 1 or -1.
    Power,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

/// An operation on one operand, element by element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-x`
    Negative,
}

/// What an operation computes in, and what it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Operands are cast to this dtype first.
    pub compute: DType,
    /// The dtype of the result.
    pub result: DType,
}

/// An operation that a dtype does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{op}` is not defined for `{dtype}`{hint}")]
pub struct OpError {
    op: &'static str,
    dtype: DType,
    hint: &'static str,
}

impl BinaryOp {
    /// Every binary operation.
    pub const ALL: [Self; 13] = [
        Self::Add,
        Self::Subtract,
        Self::Multiply,
        Self::TrueDivide,
        Self::FloorDivide,
        Self::Remainder,
        Self::Power,
        Self::Equal,
        Self::NotEqual,
        Self::Less,
        Self::LessEqual,
        Self::Greater,
        Self::GreaterEqual,
    ];

    /// NumPy's name for the operation.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Subtract => "subtract",
            Self::Multiply => "multiply",
            Self::TrueDivide => "true_divide",
            Self::FloorDivide => "floor_divide",
            Self::Remainder => "remainder",
            Self::Power => "power",
            Self::Equal => "equal",
            Self::NotEqual => "not_equal",
            Self::Less => "less",
            Self::LessEqual => "less_equal",
            Self::Greater => "greater",
            Self::GreaterEqual => "greater_equal",
        }
    }

    /// True for the six comparisons, whose result is `bool`.
    pub const fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Equal
                | Self::NotEqual
                | Self::Less
                | Self::LessEqual
                | Self::Greater
                | Self::GreaterEqual
        )
    }

    /// The dtypes used when the operands promote to `promoted`.
    ///
    /// # Errors
    /// `bool` has no `-`; complex numbers have no `//` and `%`.
    pub fn signature(self, promoted: DType) -> Result<Signature, OpError> {
        let refuse = |hint| {
            Err(OpError {
                op: self.name(),
                dtype: promoted,
                hint,
            })
        };
        let same = |dtype| Signature {
            compute: dtype,
            result: dtype,
        };
        if self.is_comparison() {
            return Ok(Signature {
                compute: promoted,
                result: DType::Bool,
            });
        }
        match (self, promoted.kind()) {
            (Self::Subtract, Kind::Bool) => refuse("; cast to an integer dtype first"),
            (Self::FloorDivide | Self::Remainder, Kind::Complex) => refuse(""),
            (Self::TrueDivide, Kind::Bool | Kind::Signed | Kind::Unsigned) => {
                Ok(same(DType::Float64))
            }
            (Self::FloorDivide | Self::Remainder | Self::Power, Kind::Bool) => {
                Ok(same(DType::Int8))
            }
            _ => Ok(same(promoted)),
        }
    }
}

impl UnaryOp {
    /// NumPy's name for the operation.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Negative => "negative",
        }
    }

    /// The dtypes used for an operand of `dtype`.
    ///
    /// # Errors
    /// `bool` has no negative.
    pub fn signature(self, dtype: DType) -> Result<Signature, OpError> {
        match (self, dtype.kind()) {
            (Self::Negative, Kind::Bool) => Err(OpError {
                op: self.name(),
                dtype,
                hint: "; cast to an integer dtype first",
            }),
            (Self::Negative, _) => Ok(Signature {
                compute: dtype,
                result: dtype,
            }),
        }
    }
}

impl fmt::Display for BinaryOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
