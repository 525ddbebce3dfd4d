//! Arguments checked against the types that the source declares.

use super::argument::Argument;
use super::c_type::{CType, Parameter, Pointee};
use crate::buffer::Access;
use crate::device::Device;
use crate::error::{ArgumentError, Error, Result};
use pygpukit_core::array::{DType, Kind, Scalar, ScalarError};
use pygpukit_ptx::ParameterKind;
use smallvec::SmallVec;

/// The bytes of one parameter.
pub(super) type Value = SmallVec<[u8; 16]>;

/// A parameter of a kernel and what a call passes for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passed<'a> {
    /// The kernel's name.
    pub(super) kernel: &'a str,
    pub(super) parameter: &'a Parameter,
    pub(super) argument: &'a Argument,
    /// True if a non-contiguous array is welcome.
    pub(super) is_strided: bool,
}

impl Passed<'_> {
    /// How the argument's memory is used, if it is an array.
    pub(super) fn access(&self) -> Access {
        match self.parameter.ctype {
            CType::Pointer(Pointee { is_const: true, .. }) => Access::Read,
            CType::Pointer(_) | CType::Scalar(_) | CType::Sized => Access::Write,
        }
    }

    /// Refuses memory of another device.
    pub(super) fn check_device(&self, device: &Device) -> Result<()> {
        let Some(array) = self.argument.array() else {
            return Ok(());
        };
        let home = array.buffer.device();
        if home == device {
            return Ok(());
        }
        home.check_process()?;
        Err(self.wrong_value(&format!(
            "got an array on device `{}` for a launch on `{}`; copy it there first",
            home.id(),
            device.id()
        )))
    }

    /// Checks the argument against the declared type. `None` if only the compiled
    /// image can tell.
    pub(super) fn value(&self) -> Result<Option<Value>> {
        if let Argument::Unfit(reason) = self.argument {
            let text = format!("{} and got {reason}", self.place());
            return Err(ArgumentError::Type(text).into());
        }
        match self.parameter.ctype {
            CType::Pointer(pointee) => self.address(pointee).map(Some),
            CType::Scalar(dtype) => self.number(dtype).map(Some),
            CType::Sized => Ok(None),
        }
    }

    /// The value of a parameter that only the compiled image explains.
    pub(super) fn sized_value(&self, size: usize, kind: ParameterKind) -> Result<Value> {
        let number = |dtype| self.number(dtype);
        match (self.argument, kind, size) {
            (Argument::Bytes(bytes), ..) if bytes.len() == size => Ok(bytes.as_slice().into()),
            (Argument::Bytes(bytes), ..) => {
                Err(self.wrong_value(&format!("takes {size} bytes, not {}", bytes.len())))
            }
            (
                Argument::Array(_) | Argument::HostArray(_) | Argument::Null,
                ParameterKind::Integer,
                8,
            ) => self.address(Pointee {
                accepts: &[],
                align: 1,
                is_const: false,
            }),
            (_, ParameterKind::Float, 4) => number(DType::Float32),
            (_, ParameterKind::Float, _) => number(DType::Float64),
            (Argument::Scalar(scalar), ParameterKind::Integer, _) => {
                let is_negative = matches!(scalar, Scalar::Int(value) if *value < 0);
                number(integer_of(size, is_negative))
            }
            (Argument::HugeInteger(_), ParameterKind::Integer, _) => {
                number(integer_of(size, false))
            }
            _ => Err(self.wrong_type(&format!("{size} bytes: a structured NumPy scalar or bytes"))),
        }
    }

    fn address(&self, pointee: Pointee) -> Result<Value> {
        let array = match self.argument {
            Argument::Null => return Ok(0_u64.to_ne_bytes().as_slice().into()),
            Argument::Array(array) => array,
            Argument::Scalar(_)
            | Argument::HugeInteger(_)
            | Argument::Bytes(_)
            | Argument::HostArray(_)
            | Argument::Unfit(_)
            | Argument::Other(_) => return Err(self.no_array(pointee)),
        };
        let fits = |dtype| pointee.accepts.contains(&dtype);
        if !pointee.accepts.is_empty() && !array.dtype.is_some_and(fits) {
            let names: Vec<&str> = pointee.accepts.iter().map(|dtype| dtype.name()).collect();
            return Err(self.wrong_type(&format!("a {} array", names.join(" or "))));
        }
        if !array.is_contiguous && !self.is_strided {
            return Err(self.wrong_value(&format!(
                "got a non-contiguous array, whose strides the kernel does not see; pass a copy, \
                 or declare that it may be with strided=(\"{}\",)",
                self.parameter.name
            )));
        }
        if array.is_readonly && self.access() == Access::Write {
            return Err(self.wrong_value("got a read-only array; the kernel must take it as const"));
        }
        if array.address % pointee.align as u64 != 0 {
            return Err(self.wrong_value(&format!(
                "needs an address that is a multiple of {}, not {:#x}",
                pointee.align, array.address
            )));
        }
        Ok(array.address.to_ne_bytes().as_slice().into())
    }

    /// Something else where an array is wanted.
    fn no_array(&self, pointee: Pointee) -> Error {
        let names: Vec<&str> = pointee.accepts.iter().map(|dtype| dtype.name()).collect();
        let (a, given) = (names.join(" or "), self.argument.description());
        let a = if a.is_empty() {
            "an"
        } else {
            &format!("a {a}")
        };
        let remedy = if matches!(self.argument, Argument::HostArray(_)) {
            "; copy it there first, with `gp.asarray` or `gp.from_numpy`"
        } else {
            ""
        };
        let takes = format!("takes {a} array on the device, or `nullptr`, not {given}{remedy}");
        ArgumentError::Type(format!("{} and {takes}", self.place())).into()
    }

    fn number(&self, dtype: DType) -> Result<Value> {
        let scalar = match self.argument {
            Argument::Scalar(scalar) => *scalar,
            Argument::HugeInteger(text) => {
                return Err(self.overflow(&format!("integer `{text}` is out of bounds")));
            }
            Argument::Bytes(bytes)
                if dtype.kind() == Kind::Complex && bytes.len() == dtype.itemsize() =>
            {
                return Ok(bytes.as_slice().into());
            }
            Argument::Array(_)
            | Argument::Null
            | Argument::Bytes(_)
            | Argument::HostArray(_)
            | Argument::Unfit(_)
            | Argument::Other(_) => return Err(self.wrong_type("a number")),
        };
        if dtype == DType::Bool {
            return self.truth(scalar);
        }
        let element = scalar.to_element(dtype).map_err(|error| match error {
            ScalarError::OutOfRange { .. } => self.overflow(&error.to_string()),
            ScalarError::LossyKind { .. } => self.wrong_type(match dtype.kind() {
                Kind::Float => "a real number",
                Kind::Bool | Kind::Unsigned | Kind::Signed | Kind::Complex => "an integer",
            }),
        })?;
        if is_finite(scalar) && !is_finite(element.to_scalar()) {
            return Err(self.overflow(&format!("`{}` is beyond `{dtype}`", text_of(scalar))));
        }
        Ok(element.as_bytes().into())
    }

    fn truth(&self, scalar: Scalar) -> Result<Value> {
        match scalar {
            Scalar::Bool(value) => Ok(smallvec::smallvec![u8::from(value)]),
            Scalar::Int(0) => Ok(smallvec::smallvec![0]),
            Scalar::Int(1) => Ok(smallvec::smallvec![1]),
            Scalar::Int(value) => Err(self.overflow(&format!("integer `{value}` is not 0 or 1"))),
            Scalar::Float(_) | Scalar::Complex(..) => Err(self.wrong_type("True or False")),
        }
    }

    fn place(&self) -> String {
        format!(
            "{}() parameter `{}` is `{}`",
            self.kernel, self.parameter.name, self.parameter.declared
        )
    }

    fn wrong_type(&self, takes: &str) -> Error {
        let (place, given) = (self.place(), self.argument.description());
        ArgumentError::Type(format!("{place} and takes {takes}, not {given}")).into()
    }

    fn wrong_value(&self, what: &str) -> Error {
        ArgumentError::Value(format!("{} and {what}", self.place())).into()
    }

    fn overflow(&self, what: &str) -> Error {
        ArgumentError::Overflow(format!("{}: {what}", self.place())).into()
    }
}

/// An integer type of that many bytes. Whether it is signed is not known, so
/// whatever fits either is taken.
fn integer_of(size: usize, is_signed: bool) -> DType {
    match (size, is_signed) {
        (1, true) => DType::Int8,
        (1, false) => DType::UInt8,
        (2, true) => DType::Int16,
        (2, false) => DType::UInt16,
        (4, true) => DType::Int32,
        (4, false) => DType::UInt32,
        (_, true) => DType::Int64,
        (_, false) => DType::UInt64,
    }
}

fn is_finite(scalar: Scalar) -> bool {
    match scalar {
        Scalar::Bool(_) | Scalar::Int(_) => true,
        Scalar::Float(value) => value.is_finite(),
        Scalar::Complex(re, im) => re.is_finite() && im.is_finite(),
    }
}

fn text_of(scalar: Scalar) -> String {
    match scalar {
        Scalar::Bool(value) => value.to_string(),
        Scalar::Int(value) => value.to_string(),
        Scalar::Float(value) => format!("{value:e}"),
        Scalar::Complex(re, im) => format!("{re:e}{im:+e}j"),
    }
}
