//! `+ - * / // % ** @`, comparisons, unary minus and the in-place forms.

use super::PyArray;
use crate::convert::{OperandArg, is_array_like};
use crate::ops::{binary, matmul_arrays};
use pygpukit_core::array::{BinaryOp, UnaryOp};
use pygpukit_device::ops;
use pyo3::basic::CompareOp;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyNotImplemented;

/// A result, or `NotImplemented` where the other operand is none of ours.
type OperatorResult<'py> = PyResult<Bound<'py, PyAny>>;

impl PyArray {
    fn operator<'py>(
        slf: &Bound<'py, Self>,
        op: BinaryOp,
        other: &Bound<'py, PyAny>,
        reflected: bool,
    ) -> OperatorResult<'py> {
        let py = slf.py();
        let Some(other) = operand(other)? else {
            return Ok(PyNotImplemented::get(py).to_owned().into_any());
        };
        let this = OperandArg::Array(slf.get().0.clone());
        let (left, right) = if reflected {
            (other, this)
        } else {
            (this, other)
        };
        let result = binary(py, op, left, right, None)?;
        Ok(Bound::new(py, result)?.into_any())
    }

    /// `x op= y`: the result goes into `x`, if its dtype allows.
    fn in_place(&self, py: Python<'_>, op: BinaryOp, other: OperandArg) -> PyResult<()> {
        let this = OperandArg::Array(self.0.clone());
        binary(py, op, this, other, Some(&self.0)).map(drop)
    }
}

/// The answer to an object that has no matrix product with an array: an error for
/// arrays of other libraries, else its own class gets its turn.
fn not_an_operand<'py>(other: &Bound<'py, PyAny>) -> OperatorResult<'py> {
    match operand(other)? {
        Some(_) => Err(PyTypeError::new_err(
            "matmul takes arrays; multiply by a number with `*`",
        )),
        None => Ok(PyNotImplemented::get(other.py()).to_owned().into_any()),
    }
}

/// The other operand; `None` if it is not one, so that its class gets its turn.
fn operand(other: &Bound<'_, PyAny>) -> PyResult<Option<OperandArg>> {
    match other.extract::<OperandArg>() {
        Ok(operand) => Ok(Some(operand)),
        Err(error) if error.is_instance_of::<PyTypeError>(other.py()) => {
            // Arrays of others and sequences would be refused with a poorer message,
            // repeated as lists are by `*`, or found unequal as a whole by `==`.
            if is_array_like(other)? {
                Err(error)
            } else {
                Ok(None)
            }
        }
        Err(error) => Err(error),
    }
}

#[pymethods]
impl PyArray {
    fn __add__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> OperatorResult<'py> {
        Self::operator(slf, BinaryOp::Add, other, false)
    }

    fn __radd__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> OperatorResult<'py> {
        Self::operator(slf, BinaryOp::Add, other, true)
    }

    fn __iadd__(&self, py: Python<'_>, other: OperandArg) -> PyResult<()> {
        self.in_place(py, BinaryOp::Add, other)
    }

    fn __sub__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> OperatorResult<'py> {
        Self::operator(slf, BinaryOp::Subtract, other, false)
    }

    fn __rsub__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> OperatorResult<'py> {
        Self::operator(slf, BinaryOp::Subtract, other, true)
    }

    fn __isub__(&self, py: Python<'_>, other: OperandArg) -> PyResult<()> {
        self.in_place(py, BinaryOp::Subtract, other)
    }

    fn __mul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> OperatorResult<'py> {
        Self::operator(slf, BinaryOp::Multiply, other, false)
    }

    fn __rmul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> OperatorResult<'py> {
        Self::operator(slf, BinaryOp::Multiply, other, true)
    }

    fn __imul__(&self, py: Python<'_>, other: OperandArg) -> PyResult<()> {
        self.in_place(py, BinaryOp::Multiply, other)
    }

    fn __truediv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> OperatorResult<'py> {
        Self::operator(slf, BinaryOp::TrueDivide, other, false)
    }

    fn __rtruediv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> OperatorResult<'py> {
        Self::operator(slf, BinaryOp::TrueDivide, other, true)
    }

    fn __itruediv__(&self, py: Python<'_>, other: OperandArg) -> PyResult<()> {
        self.in_place(py, BinaryOp::TrueDivide, other)
    }

    fn __floordiv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> OperatorResult<'py> {
        Self::operator(slf, BinaryOp::FloorDivide, other, false)
    }

    fn __rfloordiv__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> OperatorResult<'py> {
        Self::operator(slf, BinaryOp::FloorDivide, other, true)
    }

    fn __ifloordiv__(&self, py: Python<'_>, other: OperandArg) -> PyResult<()> {
        self.in_place(py, BinaryOp::FloorDivide, other)
    }

    fn __mod__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> OperatorResult<'py> {
        Self::operator(slf, BinaryOp::Remainder, other, false)
    }

    fn __rmod__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> OperatorResult<'py> {
        Self::operator(slf, BinaryOp::Remainder, other, true)
    }

    fn __imod__(&self, py: Python<'_>, other: OperandArg) -> PyResult<()> {
        self.in_place(py, BinaryOp::Remainder, other)
    }
}

#[pymethods]
impl PyArray {
    fn __pow__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        modulus: Option<&Bound<'py, PyAny>>,
    ) -> OperatorResult<'py> {
        refuse_modulus(modulus)?;
        Self::operator(slf, BinaryOp::Power, other, false)
    }

    fn __rpow__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        modulus: Option<&Bound<'py, PyAny>>,
    ) -> OperatorResult<'py> {
        refuse_modulus(modulus)?;
        Self::operator(slf, BinaryOp::Power, other, true)
    }

    fn __ipow__(
        &self,
        py: Python<'_>,
        other: OperandArg,
        modulus: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        refuse_modulus(modulus)?;
        self.in_place(py, BinaryOp::Power, other)
    }

    fn __matmul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> OperatorResult<'py> {
        let py = slf.py();
        match other.cast::<Self>() {
            Ok(other) => {
                let result = matmul_arrays(py, &slf.get().0, &other.get().0, None, None)?;
                Ok(Bound::new(py, result)?.into_any())
            }
            Err(_) => not_an_operand(other),
        }
    }

    #[expect(clippy::unused_self, reason = "Python passes it")]
    fn __rmatmul__<'py>(&self, other: &Bound<'py, PyAny>) -> OperatorResult<'py> {
        // An array on the left would have had its turn.
        not_an_operand(other)
    }

    fn __imatmul__(&self, py: Python<'_>, other: &Bound<'_, Self>) -> PyResult<()> {
        matmul_arrays(py, &self.0, &other.get().0, Some(&self.0), None).map(drop)
    }

    fn __neg__(&self, py: Python<'_>) -> PyResult<Self> {
        self.apply(py, |stream, array| {
            ops::unary(stream, UnaryOp::Negative, array, None)
        })
    }

    fn __pos__(&self, py: Python<'_>) -> PyResult<Self> {
        self.apply(py, ops::copy)
    }

    fn __richcmp__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        comparison: CompareOp,
    ) -> OperatorResult<'py> {
        let op = match comparison {
            CompareOp::Lt => BinaryOp::Less,
            CompareOp::Le => BinaryOp::LessEqual,
            CompareOp::Eq => BinaryOp::Equal,
            CompareOp::Ne => BinaryOp::NotEqual,
            CompareOp::Gt => BinaryOp::Greater,
            CompareOp::Ge => BinaryOp::GreaterEqual,
        };
        Self::operator(slf, op, other, false)
    }

    /// Arrays compare element by element, so they have no hash.
    #[classattr]
    fn __hash__() -> Option<u32> {
        None
    }
}

fn refuse_modulus(modulus: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    match modulus {
        None => Ok(()),
        Some(_) => Err(PyTypeError::new_err(
            "pow() of arrays does not take a modulus",
        )),
    }
}
