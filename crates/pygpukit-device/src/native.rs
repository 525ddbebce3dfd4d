//! Arrays from and to slices of Rust's own number types.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::stream::Stream;
use half::{bf16, f16};
use num_complex::Complex;
use pygpukit_core::array::DType;

/// A Rust number type that is stored as it is in arrays of one dtype.
///
/// `bool` is none: memory of others may hold bytes that are no Rust `bool`.
///
/// # Safety
/// Values have the size of the dtype's elements, no padding, and no invalid bit
/// patterns.
pub unsafe trait Native: Copy + Default + 'static {
    /// The dtype of such values.
    const DTYPE: DType;
}

macro_rules! native {
    ($($type:ty => $dtype:ident),* $(,)?) => {$(
        // SAFETY: a number, or two of them: every bit pattern of its size is a value.
        unsafe impl Native for $type {
            const DTYPE: DType = DType::$dtype;
        }
    )*};
}
native! {
    i8 => Int8, i16 => Int16, i32 => Int32, i64 => Int64,
    u8 => UInt8, u16 => UInt16, u32 => UInt32, u64 => UInt64,
    f16 => Float16, bf16 => BFloat16, f32 => Float32, f64 => Float64,
    Complex<f32> => Complex64, Complex<f64> => Complex128,
}

impl Array {
    /// A C-contiguous array with a copy of `values`, in C order.
    ///
    /// # Errors
    /// [`Error::Value`] if their number is not that of the shape.
    pub fn from_slice<T: Native>(stream: &Stream, values: &[T], shape: &[usize]) -> Result<Self> {
        // SAFETY: the values have no padding, and bytes may be read from any address.
        let bytes = unsafe {
            std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values))
        };
        Self::from_bytes(stream, bytes, shape, T::DTYPE)
    }

    /// Waits for the array and copies its elements to the host, in C order.
    ///
    /// # Errors
    /// [`Error::Value`] if `T` is not the type of the array's dtype; the fault of
    /// the work that was to write the array.
    pub fn to_vec<T: Native>(&self, stream: &Stream) -> Result<Vec<T>> {
        if self.dtype() != T::DTYPE {
            return Err(Error::Value(format!(
                "an array of `{}` cannot be read as `{}`",
                self.dtype(),
                T::DTYPE
            )));
        }
        let mut values = vec![T::default(); self.size()];
        // SAFETY: any bytes are values of `T`, and nobody else sees the vector.
        let bytes = unsafe {
            std::slice::from_raw_parts_mut(
                values.as_mut_ptr().cast::<u8>(),
                size_of_val(values.as_slice()),
            )
        };
        self.read_bytes(stream, bytes)?;
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_dtypes() {
        fn check<T: Native>() {
            assert_eq!(size_of::<T>(), T::DTYPE.itemsize());
        }
        check::<i8>();
        check::<i16>();
        check::<i32>();
        check::<i64>();
        check::<u8>();
        check::<u16>();
        check::<u32>();
        check::<u64>();
        check::<f16>();
        check::<bf16>();
        check::<f32>();
        check::<f64>();
        check::<Complex<f32>>();
        check::<Complex<f64>>();
    }
}
