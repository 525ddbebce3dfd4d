//! How elements are stored, and the type they are computed in.

use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use num_complex::Complex;
use pygpukit_core::array::bf16_from_f32;
use std::mem::MaybeUninit;

/// A plain type without invalid bit patterns: any bytes of its size are a value.
///
/// # Safety
/// That must hold.
pub(super) unsafe trait Plain: Copy + Send + Sync + 'static {}

macro_rules! plain {
    ($($name:ty),*) => {
        // SAFETY: numbers, or pairs of numbers, of which every bit pattern is valid.
        $(unsafe impl Plain for $name {})*
    };
}
plain!(
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
    f16,
    bf16,
    f32,
    f64,
    Complex<f32>,
    Complex<f64>,
    [u64; 2],
    Truth
);

/// A stored `bool`: every byte but 0 is true.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(super) struct Truth(u8);

impl Truth {
    #[inline]
    pub(super) const fn new(value: bool) -> Self {
        Self(value as u8)
    }

    #[inline]
    pub(super) const fn get(self) -> bool {
        self.0 != 0
    }
}

/// Elements in memory that are computed with as `C`.
pub(super) trait Storage<C: Plain>: Plain {
    /// True if the stored and the computed type are one.
    const SAME: bool;

    /// Converts what was stored.
    fn widen(stored: &[Self], computed: &mut [C]);

    /// Rounds what is to be stored.
    fn narrow(computed: &[C], stored: &mut [Self]);
}

impl<T: Plain> Storage<T> for T {
    const SAME: bool = true;

    fn widen(stored: &[T], computed: &mut [T]) {
        computed.copy_from_slice(stored);
    }

    fn narrow(computed: &[T], stored: &mut [T]) {
        stored.copy_from_slice(computed);
    }
}

impl Storage<f32> for f16 {
    const SAME: bool = false;

    fn widen(stored: &[Self], computed: &mut [f32]) {
        stored.convert_to_f32_slice(computed);
    }

    fn narrow(computed: &[f32], stored: &mut [Self]) {
        stored.convert_from_f32_slice(computed);
    }
}

impl Storage<f32> for bf16 {
    const SAME: bool = false;

    fn widen(stored: &[Self], computed: &mut [f32]) {
        for (computed, stored) in computed.iter_mut().zip(stored) {
            *computed = f32::from_bits(u32::from(stored.to_bits()) << 16);
        }
    }

    fn narrow(computed: &[f32], stored: &mut [Self]) {
        for (stored, computed) in stored.iter_mut().zip(computed) {
            *stored = bf16_from_f32(*computed);
        }
    }
}

/// Elements per block: small enough that a few blocks of any type stay in the L1 cache.
pub(super) const BLOCK: usize = 512;

/// Room for one block.
pub(super) struct Scratch<T>([MaybeUninit<T>; BLOCK]);

impl<T: Plain> Scratch<T> {
    pub(super) const fn new() -> Self {
        Self([MaybeUninit::uninit(); BLOCK])
    }

    pub(super) const fn pointer(&mut self) -> *mut T {
        self.0.as_mut_ptr().cast()
    }
}
