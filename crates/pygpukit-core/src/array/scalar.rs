//! One element: as a value, and as the bytes that an array stores.

use super::dtype::{DType, Kind};
use super::promote::Weak;
use super::round::{bf16_from_f64, f16_from_f64};
use half::{bf16, f16};

/// A number that is not yet of any dtype.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// A truth value.
    Bool(bool),
    /// An integer of any width up to 64 bits, signed or unsigned.
    Int(i128),
    /// A real number.
    Float(f64),
    /// A complex number: real, imaginary.
    Complex(f64, f64),
}

/// The bytes of one element of a dtype, native-endian.
#[derive(Clone, Copy, PartialEq)]
pub struct Element {
    dtype: DType,
    bytes: [u8; 16],
}

/// A number that a dtype cannot take.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ScalarError {
    /// An integer outside the range of an integer dtype.
    #[error("integer `{value}` is out of bounds for `{dtype}` ({min}..={max})")]
    OutOfRange {
        /// What was given.
        value: i128,
        /// The dtype that was to hold it.
        dtype: DType,
        /// The smallest value it holds.
        min: i128,
        /// The largest value it holds.
        max: i128,
    },
    /// A float or complex number for an integer dtype, or complex for a real one.
    #[error("a {given} cannot be stored as `{dtype}` without losing part of it")]
    LossyKind {
        /// What was given.
        given: &'static str,
        /// The dtype that was to hold it.
        dtype: DType,
    },
}

impl Element {
    /// The dtype of the element.
    pub const fn dtype(&self) -> DType {
        self.dtype
    }

    /// The element's bytes, `dtype().itemsize()` of them.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.dtype.itemsize()]
    }

    /// Reads an element from the first `itemsize` bytes of a slice.
    ///
    /// # Panics
    /// If the slice is shorter than one element.
    pub fn from_bytes(dtype: DType, source: &[u8]) -> Self {
        let mut bytes = [0; 16];
        let size = dtype.itemsize();
        bytes[..size].copy_from_slice(&source[..size]);
        Self { dtype, bytes }
    }

    /// The element as a number.
    pub fn to_scalar(self) -> Scalar {
        fn take<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
            std::array::from_fn(|i| bytes[at + i])
        }
        let b = &self.bytes;
        match self.dtype {
            DType::Bool => Scalar::Bool(b[0] != 0),
            DType::Int8 => Scalar::Int(i8::from_ne_bytes(take(b, 0)).into()),
            DType::Int16 => Scalar::Int(i16::from_ne_bytes(take(b, 0)).into()),
            DType::Int32 => Scalar::Int(i32::from_ne_bytes(take(b, 0)).into()),
            DType::Int64 => Scalar::Int(i64::from_ne_bytes(take(b, 0)).into()),
            DType::UInt8 => Scalar::Int(b[0].into()),
            DType::UInt16 => Scalar::Int(u16::from_ne_bytes(take(b, 0)).into()),
            DType::UInt32 => Scalar::Int(u32::from_ne_bytes(take(b, 0)).into()),
            DType::UInt64 => Scalar::Int(u64::from_ne_bytes(take(b, 0)).into()),
            DType::Float16 => Scalar::Float(f16::from_ne_bytes(take(b, 0)).to_f64()),
            DType::BFloat16 => Scalar::Float(bf16::from_ne_bytes(take(b, 0)).to_f64()),
            DType::Float32 => Scalar::Float(f32::from_ne_bytes(take(b, 0)).into()),
            DType::Float64 => Scalar::Float(f64::from_ne_bytes(take(b, 0))),
            DType::Complex64 => Scalar::Complex(
                f32::from_ne_bytes(take(b, 0)).into(),
                f32::from_ne_bytes(take(b, 4)).into(),
            ),
            DType::Complex128 => Scalar::Complex(
                f64::from_ne_bytes(take(b, 0)),
                f64::from_ne_bytes(take(b, 8)),
            ),
        }
    }
}

impl std::fmt::Debug for Element {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}: {}", self.to_scalar(), self.dtype)
    }
}

impl Scalar {
    /// The kind of Python scalar that this is.
    pub const fn weak(self) -> Weak {
        match self {
            Self::Bool(_) => Weak::Bool,
            Self::Int(_) => Weak::Int,
            Self::Float(_) => Weak::Float,
            Self::Complex(..) => Weak::Complex,
        }
    }

    /// The word for this kind of number in messages.
    pub const fn kind_name(self) -> &'static str {
        match self {
            Self::Bool(_) => "bool",
            Self::Int(_) => "integer",
            Self::Float(_) => "float",
            Self::Complex(..) => "complex number",
        }
    }

    /// The element of `dtype` nearest to this number.
    ///
    /// # Errors
    /// An integer outside an integer dtype's range, a float for an integer
    /// dtype, a complex number for a real one. `bool` takes any number.
    pub fn to_element(self, dtype: DType) -> Result<Element, ScalarError> {
        let lossy = ScalarError::LossyKind {
            given: self.kind_name(),
            dtype,
        };
        let bytes: &[u8] = match (dtype.kind(), self) {
            (Kind::Bool, any) => &[u8::from(any.is_true())],
            (Kind::Signed | Kind::Unsigned, Self::Bool(value)) => {
                &integer_bytes(value.into(), dtype)?[..]
            }
            (Kind::Signed | Kind::Unsigned, Self::Int(value)) => &integer_bytes(value, dtype)?[..],
            (Kind::Signed | Kind::Unsigned, Self::Float(_) | Self::Complex(..))
            | (Kind::Float, Self::Complex(..)) => return Err(lossy),
            (Kind::Float | Kind::Complex, _) => return Ok(self.to_float_element(dtype)),
        };
        Ok(Element::from_bytes(dtype, bytes))
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "called for floats and complex numbers only"
    )]
    fn to_float_element(self, dtype: DType) -> Element {
        let (re, im) = match self {
            Self::Bool(value) => (f64::from(u8::from(value)), 0.0),
            Self::Int(value) => (value as f64, 0.0),
            Self::Float(value) => (value, 0.0),
            Self::Complex(re, im) => (re, im),
        };
        let mut bytes = [0; 16];
        match dtype {
            DType::Float16 => bytes[..2].copy_from_slice(&f16_from_f64(re).to_ne_bytes()),
            DType::BFloat16 => bytes[..2].copy_from_slice(&bf16_from_f64(re).to_ne_bytes()),
            DType::Float32 => bytes[..4].copy_from_slice(&as_f32(re).to_ne_bytes()),
            DType::Complex64 => {
                bytes[..4].copy_from_slice(&as_f32(re).to_ne_bytes());
                bytes[4..8].copy_from_slice(&as_f32(im).to_ne_bytes());
            }
            DType::Complex128 => {
                bytes[..8].copy_from_slice(&re.to_ne_bytes());
                bytes[8..].copy_from_slice(&im.to_ne_bytes());
            }
            _ => bytes[..8].copy_from_slice(&re.to_ne_bytes()),
        }
        Element { dtype, bytes }
    }

    fn is_true(self) -> bool {
        match self {
            Self::Bool(value) => value,
            Self::Int(value) => value != 0,
            Self::Float(value) => value != 0.0,
            Self::Complex(re, im) => re != 0.0 || im != 0.0,
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "rounding is the point")]
fn as_f32(value: f64) -> f32 {
    value as f32
}

fn integer_bytes(value: i128, dtype: DType) -> Result<[u8; 16], ScalarError> {
    let bits = 8 * dtype.itemsize();
    let (min, max) = if dtype.kind() == Kind::Signed {
        (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1)
    } else {
        (0, (1_i128 << bits) - 1)
    };
    if value < min || value > max {
        return Err(ScalarError::OutOfRange {
            value,
            dtype,
            min,
            max,
        });
    }
    let mut bytes = [0; 16];
    let size = dtype.itemsize();
    let source = value.to_le_bytes();
    bytes[..size].copy_from_slice(&source[..size]);
    if cfg!(target_endian = "big") {
        bytes[..size].reverse();
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_range_checked() {
        let error = Scalar::Int(256).to_element(DType::UInt8).unwrap_err();
        assert_eq!(
            error.to_string(),
            "integer `256` is out of bounds for `uint8` (0..=255)"
        );
        for dtype in DType::ALL {
            let element = Scalar::Int(1).to_element(dtype).unwrap();
            assert_eq!(element.as_bytes().len(), dtype.itemsize());
        }
        for value in [i128::from(u64::MAX), 0] {
            let element = Scalar::Int(value).to_element(DType::UInt64).unwrap();
            assert_eq!(element.to_scalar(), Scalar::Int(value));
        }
    }

    #[test]
    fn parts_are_never_dropped() {
        assert!(Scalar::Float(1.0).to_element(DType::Int32).is_err());
        assert!(
            Scalar::Complex(1.0, 0.0)
                .to_element(DType::Float32)
                .is_err()
        );
    }
}
