//! New arrays from values.

#![expect(
    clippy::similar_names,
    reason = "`start`, `stop` and `step` are Python's own words"
)]

use super::copy::fill_element;
use super::operand::submit;
use crate::array::Array;
use crate::backend::Work;
use crate::error::{Error, Result};
use crate::stream::Stream;
use pygpukit_core::array::{DType, Element, Kind, Scalar, ScalarError};

/// An array with every element `value`.
///
/// # Errors
/// A value that the dtype cannot take; no memory.
pub fn full(stream: &Stream, shape: &[usize], value: Scalar, dtype: DType) -> Result<Array> {
    let value = value.to_element(dtype)?;
    let array = Array::empty(stream, shape, dtype)?;
    fill_element(stream, &array, value)?;
    Ok(array)
}

/// An array of zeros.
pub fn zeros(stream: &Stream, shape: &[usize], dtype: DType) -> Result<Array> {
    full(stream, shape, Scalar::Int(0), dtype)
}

/// An array of ones.
pub fn ones(stream: &Stream, shape: &[usize], dtype: DType) -> Result<Array> {
    full(stream, shape, Scalar::Int(1), dtype)
}

/// The numbers from `start` up to `stop`, without it, in steps of `step`.
///
/// As in NumPy the length is `ceil((stop - start) / step)`, and element i is
/// `first + i * (second - first)` in `dtype`, where `first` and `second` have
/// been rounded to it.
///
/// # Errors
/// A step of 0, a length that is no number or too large, a first or second
/// element that the dtype cannot take, more than two bools, complex bounds.
pub fn arange(
    stream: &Stream,
    start: Scalar,
    stop: Scalar,
    step: Scalar,
    dtype: DType,
) -> Result<Array> {
    let length = arange_length(start, stop, step)?;
    let too_large = || {
        Error::Value(format!(
            "arange: the length `{length}` is larger than memory can address"
        ))
    };
    let length = usize::try_from(length).map_err(|_| too_large())?;
    if dtype == DType::Bool && length > 2 {
        return Err(Error::Value(format!(
            "arange of `bool` has at most 2 elements, not {length}"
        )));
    }
    if length == 0 {
        return Array::empty(stream, &[0], dtype);
    }
    let first = rounded(start, dtype)?;
    let delta = if length == 1 {
        Scalar::Int(0).to_element(dtype)?
    } else {
        difference(first, rounded(sum(start, step), dtype)?)
    };
    let array = Array::empty(stream, &[length], dtype)?;
    let work = Work::Arange {
        target: array.view(),
        start: first,
        step: delta,
    };
    submit(stream, work, &[], &[&array])?;
    Ok(array)
}

fn arange_length(start: Scalar, stop: Scalar, step: Scalar) -> Result<u128> {
    if let (Some(start), Some(stop), Some(step)) = (integer(start), integer(stop), integer(step)) {
        if step == 0 {
            return Err(Error::Value("arange: step cannot be zero".into()));
        }
        let is_empty = if step > 0 {
            stop <= start
        } else {
            stop >= start
        };
        let steps = if is_empty { 0 } else { stop.abs_diff(start) };
        return Ok(steps.div_ceil(step.unsigned_abs()));
    }
    let (start, stop, step) = (real(start)?, real(stop)?, real(step)?);
    if step == 0.0 {
        return Err(Error::Value("arange: step cannot be zero".into()));
    }
    let length = ((stop - start) / step).ceil();
    // Beyond this no memory counts them, and a whole number would only be clipped.
    if !length.is_finite() || length >= 2_f64.powi(64) {
        let problem = if length.is_finite() {
            "larger than memory can address"
        } else {
            "not a finite number"
        };
        return Err(Error::Value(format!(
            "arange: the length `({stop:?} - {start:?}) / {step:?}` is {problem}"
        )));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number that is not negative, and below 2^64"
    )]
    let length = length.max(0.0) as u128;
    Ok(length)
}

fn integer(scalar: Scalar) -> Option<i128> {
    match scalar {
        Scalar::Bool(value) => Some(value.into()),
        Scalar::Int(value) => Some(value),
        Scalar::Float(_) | Scalar::Complex(..) => None,
    }
}

fn real(scalar: Scalar) -> Result<f64> {
    match scalar {
        Scalar::Bool(value) => Ok(u8::from(value).into()),
        Scalar::Int(value) => Ok(value as f64),
        Scalar::Float(value) => Ok(value),
        Scalar::Complex(re, im) => Err(Error::Value(format!(
            "arange takes real numbers, not `{re}{im:+}j`"
        ))),
    }
}

/// The second element, before it is rounded to the dtype.
fn sum(start: Scalar, step: Scalar) -> Scalar {
    match (integer(start), integer(step)) {
        (Some(start), Some(step)) => Scalar::Int(start + step),
        _ => Scalar::Float(real(start).unwrap_or(f64::NAN) + real(step).unwrap_or(f64::NAN)),
    }
}

/// The element nearest to a number, which loses its fraction in an integer dtype.
fn rounded(value: Scalar, dtype: DType) -> Result<Element, ScalarError> {
    match (value, dtype.kind()) {
        // Beyond 2^127 the cast would saturate; it is out of range either way.
        (Scalar::Float(float), Kind::Signed | Kind::Unsigned) if float.is_finite() => {
            #[expect(clippy::cast_possible_truncation, reason = "truncation is the point")]
            let integer = float as i128;
            Scalar::Int(integer).to_element(dtype)
        }
        _ => value.to_element(dtype),
    }
}

/// `second - first`, rounded to their dtype; integers wrap.
fn difference(first: Element, second: Element) -> Element {
    let dtype = first.dtype();
    match (first.to_scalar(), second.to_scalar()) {
        (Scalar::Float(a), Scalar::Float(b)) => Scalar::Float(b - a).to_element(dtype),
        (Scalar::Complex(a, ai), Scalar::Complex(b, bi)) => {
            Scalar::Complex(b - a, bi - ai).to_element(dtype)
        }
        (a, b) => {
            let difference = integer(b).unwrap_or(0) - integer(a).unwrap_or(0);
            Ok(wrapped(difference, dtype))
        }
    }
    .unwrap_or(first)
}

/// The integer modulo the range of its dtype.
fn wrapped(value: i128, dtype: DType) -> Element {
    let size = dtype.itemsize();
    let value = if dtype.kind() == Kind::Bool {
        value & 1
    } else {
        value
    };
    let bytes = value.to_le_bytes();
    let mut low: [u8; 16] = [0; 16];
    low[..size].copy_from_slice(&bytes[..size]);
    if cfg!(target_endian = "big") {
        low[..size].reverse();
    }
    Element::from_bytes(dtype, &low)
}
