//! Converting elements between dtypes, as C does.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::cast_lossless,
    reason = "converting is what this module is for"
)]

use super::kernel::{Kernel1, Map1, map1};
use super::pool::Pool;
use super::storage::{Plain, Storage, Truth};
use super::unary::map;
use crate::backend::View;
use half::{bf16, f16};
use num_complex::Complex;
use pygpukit_core::array::{DType, bf16_from_f64, f16_from_f64};

/// A number on its way from one dtype to another.
///
/// Floats are truncated. What does not fit 64 bits (32 on the way to 8, 16 and 32
/// signed bits), and NaN, becomes the smallest integer of that width, as x86 and
/// NumPy on it do; the rest is cut off as with integers. GPUs do the same.
trait Number: Plain {
    fn truth(self) -> bool;
    fn to_i32(self) -> i32;
    fn to_i64(self) -> i64;
    fn to_u64(self) -> u64;
    fn to_f32(self) -> f32;
    fn to_f64(self) -> f64;
    /// A double that rounds to a 16-bit float as the number itself does.
    #[inline]
    fn to_f64_for_half(self) -> f64 {
        self.to_f64()
    }
    #[inline]
    fn imaginary(self) -> f64 {
        0.0
    }
}

macro_rules! integers {
    ($($name:ident),*) => { $(
        impl Number for $name {
            #[inline]
            fn truth(self) -> bool {
                self != 0
            }
            #[inline]
            fn to_i32(self) -> i32 {
                self as i32
            }
            #[inline]
            fn to_i64(self) -> i64 {
                self as i64
            }
            #[inline]
            fn to_u64(self) -> u64 {
                self as u64
            }
            #[inline]
            fn to_f32(self) -> f32 {
                self as f32
            }
            #[inline]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline]
            fn to_f64_for_half(self) -> f64 {
                // A double holds 53 bits. Of larger numbers the low bits are replaced
                // by one that says whether any was set: all that rounding needs.
                let is_large = size_of::<$name>() == 8 && (self as i128).unsigned_abs() >> 53 != 0;
                let low = self & (0xfff_u64 as $name);
                if is_large && low != 0 {
                    ((self ^ low) | (0x1000_u64 as $name)) as f64
                } else {
                    self as f64
                }
            }
        }
    )* };
}
integers!(i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! floats {
    ($($name:ident),*) => { $(
        impl Number for $name {
            #[inline]
            fn truth(self) -> bool {
                self != 0.0
            }
            #[inline]
            fn to_i32(self) -> i32 {
                // NaN is not less; what is too small saturates.
                if self < 2_147_483_648.0 { self as i32 } else { i32::MIN }
            }
            #[inline]
            fn to_i64(self) -> i64 {
                if self < 9_223_372_036_854_775_808.0 { self as i64 } else { i64::MIN }
            }
            #[inline]
            fn to_u64(self) -> u64 {
                let half = 9_223_372_036_854_775_808.0;
                if self >= half {
                    (self - half).to_i64() as u64 ^ (1 << 63)
                } else {
                    self.to_i64() as u64
                }
            }
            #[inline]
            fn to_f32(self) -> f32 {
                self as f32
            }
            #[inline]
            fn to_f64(self) -> f64 {
                self as f64
            }
        }

        impl Number for Complex<$name> {
            #[inline]
            fn truth(self) -> bool {
                self.re != 0.0 || self.im != 0.0
            }
            #[inline]
            fn to_i32(self) -> i32 {
                self.re.to_i32()
            }
            #[inline]
            fn to_i64(self) -> i64 {
                self.re.to_i64()
            }
            #[inline]
            fn to_u64(self) -> u64 {
                self.re.to_u64()
            }
            #[inline]
            fn to_f32(self) -> f32 {
                self.re as f32
            }
            #[inline]
            fn to_f64(self) -> f64 {
                self.re as f64
            }
            #[inline]
            fn imaginary(self) -> f64 {
                self.im as f64
            }
        }
    )* };
}
floats!(f32, f64);

impl Number for Truth {
    #[inline]
    fn truth(self) -> bool {
        self.get()
    }
    #[inline]
    fn to_i32(self) -> i32 {
        self.get().into()
    }
    #[inline]
    fn to_i64(self) -> i64 {
        self.get().into()
    }
    #[inline]
    fn to_u64(self) -> u64 {
        self.get().into()
    }
    #[inline]
    fn to_f32(self) -> f32 {
        self.to_i32() as f32
    }
    #[inline]
    fn to_f64(self) -> f64 {
        self.to_i32() as f64
    }
}

/// A dtype that numbers are converted to.
trait Target: Plain {
    fn of<N: Number>(number: N) -> Self;
}

macro_rules! targets {
    ($($name:ty: |$number:ident| $result:expr;)*) => { $(
        impl Target for $name {
            #[inline]
            fn of<N: Number>($number: N) -> Self {
                $result
            }
        }
    )* };
}
targets! {
    Truth: |x| Truth::new(x.truth());
    i8: |x| x.to_i32() as i8;
    i16: |x| x.to_i32() as i16;
    i32: |x| x.to_i32();
    i64: |x| x.to_i64();
    u8: |x| x.to_i32() as u8;
    u16: |x| x.to_i32() as u16;
    u32: |x| x.to_i64() as u32;
    u64: |x| x.to_u64();
    f16: |x| f16_from_f64(x.to_f64_for_half());
    bf16: |x| bf16_from_f64(x.to_f64_for_half());
    f32: |x| x.to_f32();
    f64: |x| x.to_f64();
    Complex<f32>: |x| Complex::new(x.to_f32(), x.imaginary() as f32);
    Complex<f64>: |x| Complex::new(x.to_f64(), x.imaginary());
}

struct Convert<T>(std::marker::PhantomData<T>);
impl<S: Number, T: Target> Map1<S> for Convert<T> {
    type Out = T;
    #[inline]
    fn apply(source: S) -> T {
        T::of(source)
    }
}

/// Leaves elements as they are.
pub(super) struct Same;
impl<T: Plain> Map1<T> for Same {
    type Out = T;
    #[inline]
    fn apply(source: T) -> T {
        source
    }
}

/// `target = source` in the target's dtype, which differs from the source's.
///
/// # Safety
/// As [`Queue::push`](crate::backend::Queue::push): the memory is there and ours.
pub(super) unsafe fn cast(pool: &Pool, target: &View, source: &View) {
    // SAFETY: the caller's promise, and the dtype of the source.
    unsafe {
        match source.dtype {
            DType::Bool => from::<Truth, Truth>(pool, target, source),
            DType::Int8 => from::<i8, i8>(pool, target, source),
            DType::Int16 => from::<i16, i16>(pool, target, source),
            DType::Int32 => from::<i32, i32>(pool, target, source),
            DType::Int64 => from::<i64, i64>(pool, target, source),
            DType::UInt8 => from::<u8, u8>(pool, target, source),
            DType::UInt16 => from::<u16, u16>(pool, target, source),
            DType::UInt32 => from::<u32, u32>(pool, target, source),
            DType::UInt64 => from::<u64, u64>(pool, target, source),
            DType::Float16 => from_float::<f16>(pool, target, source),
            DType::BFloat16 => from_float::<bf16>(pool, target, source),
            DType::Float32 => from_float::<f32>(pool, target, source),
            DType::Float64 => from::<f64, f64>(pool, target, source),
            DType::Complex64 => from::<Complex<f32>, Complex<f32>>(pool, target, source),
            DType::Complex128 => from::<Complex<f64>, Complex<f64>>(pool, target, source),
        }
    }
}

/// Blocks of half precision numbers are converted faster than one by one.
///
/// # Safety
/// As [`cast`]; the source is stored as `S`.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the other targets are not special"
)]
unsafe fn from_float<S: Storage<f32>>(pool: &Pool, target: &View, source: &View) {
    // SAFETY: the caller's promise, and the dtype of the target.
    unsafe {
        match target.dtype {
            DType::Float16 => map::<S, f32, f16, f32>(pool, target, source, map1::<f32, Same>),
            DType::BFloat16 => map::<S, f32, bf16, f32>(pool, target, source, map1::<f32, Same>),
            _ => from::<S, f32>(pool, target, source),
        }
    }
}

/// # Safety
/// As [`cast`]; the source is stored as `S`.
unsafe fn from<S: Storage<C>, C: Number>(pool: &Pool, target: &View, source: &View) {
    fn kernel<C: Number, T: Target>() -> Kernel1<C, T> {
        map1::<C, Convert<T>>
    }
    // SAFETY: the caller's promise, and the dtype of the target.
    unsafe {
        match target.dtype {
            DType::Bool => map::<S, C, Truth, Truth>(pool, target, source, kernel()),
            DType::Int8 => map::<S, C, i8, i8>(pool, target, source, kernel()),
            DType::Int16 => map::<S, C, i16, i16>(pool, target, source, kernel()),
            DType::Int32 => map::<S, C, i32, i32>(pool, target, source, kernel()),
            DType::Int64 => map::<S, C, i64, i64>(pool, target, source, kernel()),
            DType::UInt8 => map::<S, C, u8, u8>(pool, target, source, kernel()),
            DType::UInt16 => map::<S, C, u16, u16>(pool, target, source, kernel()),
            DType::UInt32 => map::<S, C, u32, u32>(pool, target, source, kernel()),
            DType::UInt64 => map::<S, C, u64, u64>(pool, target, source, kernel()),
            DType::Float16 => map::<S, C, f16, f16>(pool, target, source, kernel()),
            DType::BFloat16 => map::<S, C, bf16, bf16>(pool, target, source, kernel()),
            DType::Float32 => map::<S, C, f32, f32>(pool, target, source, kernel()),
            DType::Float64 => map::<S, C, f64, f64>(pool, target, source, kernel()),
            DType::Complex64 => {
                map::<S, C, Complex<f32>, Complex<f32>>(pool, target, source, kernel());
            }
            DType::Complex128 => {
                map::<S, C, Complex<f64>, Complex<f64>>(pool, target, source, kernel());
            }
        }
    }
}
