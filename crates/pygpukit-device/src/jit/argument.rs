//! Arguments of a call.

use crate::array::Array;
use crate::buffer::Buffer;
use crate::device::Device;
use pygpukit_core::array::{DType, Scalar};
use std::sync::Arc;

/// An argument of a kernel call.
#[derive(Clone, Debug)]
pub enum Argument {
    /// Device memory.
    Array(ArrayArgument),
    /// A null pointer.
    Null,
    /// A number.
    Scalar(Scalar),
    /// An integer beyond any C type, as text.
    HugeInteger(String),
    /// A structure or vector, as it lies in memory.
    Bytes(Vec<u8>),
    /// Elements in the host's memory, which no kernel reaches; what to call it in
    /// messages.
    HostArray(String),
    /// A structure whose bytes would mean something else to a kernel; what is wrong
    /// with it.
    Unfit(String),
    /// Something that no parameter takes; what to call it in messages.
    Other(String),
}

/// Device memory as an argument.
#[derive(Clone, Debug)]
pub struct ArrayArgument {
    /// The memory.
    pub buffer: Arc<Buffer>,
    /// The address of the first element.
    pub address: u64,
    /// The element type; `None` for one that no dtype describes.
    pub dtype: Option<DType>,
    /// Number of elements.
    pub size: usize,
    /// True if the elements lie in C order without gaps.
    pub is_contiguous: bool,
    /// True if the owner allows no writing.
    pub is_readonly: bool,
}

impl From<&Array> for Argument {
    fn from(array: &Array) -> Self {
        Self::Array(ArrayArgument {
            buffer: Arc::clone(array.buffer()),
            address: array.address(),
            dtype: Some(array.dtype()),
            size: array.size(),
            is_contiguous: array.layout().is_contiguous(),
            is_readonly: array.buffer().is_read_only(),
        })
    }
}

macro_rules! from_numbers {
    ($($number:ty => $kind:ident),*) => {$(
        impl From<$number> for Argument {
            fn from(value: $number) -> Self {
                Self::Scalar(Scalar::$kind(value.into()))
            }
        }
    )*};
}

from_numbers!(bool => Bool, i8 => Int, i16 => Int, i32 => Int, i64 => Int, u8 => Int, u16 => Int,
              u32 => Int, u64 => Int, f32 => Float, f64 => Float);

impl Argument {
    /// What it is called in messages.
    pub(super) fn description(&self) -> String {
        match self {
            Self::Array(array) => match array.dtype {
                Some(dtype) => format!("a `{dtype}` array"),
                None => "an array of unknown dtype".into(),
            },
            Self::Null => "`nullptr`".into(),
            Self::Scalar(scalar) => format!("a `{}`", python_name(*scalar)),
            Self::HugeInteger(_) => "an `int`".into(),
            Self::Bytes(bytes) => format!("{} bytes", bytes.len()),
            Self::HostArray(name) | Self::Other(name) => format!("`{name}`"),
            Self::Unfit(_) => "a structure".into(),
        }
    }

    /// The device whose memory it is, if it is an array.
    pub fn device(&self) -> Option<&Device> {
        self.array().map(|array| array.buffer.device())
    }

    pub(super) fn array(&self) -> Option<&ArrayArgument> {
        match self {
            Self::Array(array) => Some(array),
            Self::Null
            | Self::Scalar(_)
            | Self::HugeInteger(_)
            | Self::Bytes(_)
            | Self::HostArray(_)
            | Self::Unfit(_)
            | Self::Other(_) => None,
        }
    }
}

fn python_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool(_) => "bool",
        Scalar::Int(_) => "int",
        Scalar::Float(_) => "float",
        Scalar::Complex(..) => "complex",
    }
}
