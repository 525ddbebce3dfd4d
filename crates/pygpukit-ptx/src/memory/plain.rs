//! Values that are nothing but their bytes.

/// A value without padding for which every pattern of bits is valid.
///
/// # Safety
/// Both must hold for the type: bytes of a kernel's memory are read as such values.
pub unsafe trait Plain: Copy + 'static {}

macro_rules! plain {
    ($($type:ty)*) => { $(
        // SAFETY: primitive numbers have no padding and no invalid pattern.
        unsafe impl Plain for $type {}
    )* };
}

plain! { u8 i8 u16 i16 u32 i32 u64 i64 u128 f32 f64 }

// SAFETY: an array has its elements' bytes and nothing between them.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}
