//! Evenly spaced numbers.

use super::block::pointer;
use super::pool::Pool;
use super::storage::{Plain, Truth};
use crate::backend::View;
use half::{bf16, f16};
use num_complex::Complex;
use pygpukit_core::array::{DType, Element, bf16_from_f32};

/// `target[i] = start + i * step`.
///
/// # Safety
/// As [`Queue::push`](crate::backend::Queue::push): the memory is there and ours.
pub(super) unsafe fn arange(pool: &Pool, target: &View, start: &Element, step: &Element) {
    let work = Arange {
        pool,
        target,
        start,
        step,
    };
    macro_rules! wrapping {
        ($name:ident) => {
            work.run(|start: $name, step: $name, i| {
                #[allow(
                    clippy::allow_attributes,
                    clippy::cast_possible_truncation,
                    clippy::cast_possible_wrap,
                    reason = "integers wrap"
                )]
                start.wrapping_add(step.wrapping_mul(i as $name))
            })
        };
    }
    // SAFETY: the caller's promise, and the dtype of the target.
    unsafe {
        match target.dtype {
            DType::Bool => work.run(|start: Truth, step: Truth, i| {
                Truth::new(start.get() ^ (step.get() && i & 1 == 1))
            }),
            DType::Int8 => wrapping!(i8),
            DType::Int16 => wrapping!(i16),
            DType::Int32 => wrapping!(i32),
            DType::Int64 => wrapping!(i64),
            DType::UInt8 => wrapping!(u8),
            DType::UInt16 => wrapping!(u16),
            DType::UInt32 => wrapping!(u32),
            DType::UInt64 => wrapping!(u64),
            DType::Float16 => work.run(|start: f16, step: f16, i| {
                f16::from_f32(start.to_f32() + i as f32 * step.to_f32())
            }),
            DType::BFloat16 => work.run(|start: bf16, step: bf16, i| {
                bf16_from_f32(start.to_f32() + i as f32 * step.to_f32())
            }),
            DType::Float32 => work.run(|start: f32, step: f32, i| start + i as f32 * step),
            DType::Float64 => work.run(|start: f64, step: f64, i| start + i as f64 * step),
            DType::Complex64 => {
                work.run(|start: Complex<f32>, step: Complex<f32>, i| start + step * (i as f32));
            }
            DType::Complex128 => {
                work.run(|start: Complex<f64>, step: Complex<f64>, i| start + step * (i as f64));
            }
        }
    }
}

struct Arange<'a> {
    pool: &'a Pool,
    target: &'a View,
    start: &'a Element,
    step: &'a Element,
}

impl Arange<'_> {
    /// # Safety
    /// As [`arange`]; the target is stored as `T`.
    unsafe fn run<T: Plain>(&self, value: impl Fn(T, T, usize) -> T + Sync) {
        // SAFETY: the elements are of the target's dtype, which is stored as `T`.
        let read =
            |element: &Element| unsafe { element.as_bytes().as_ptr().cast::<T>().read_unaligned() };
        let (start, step) = (read(self.start), read(self.step));
        let address = self.target.address + self.target.layout.offset() as u64;
        self.pool
            .split(self.target.layout.size(), 1 << 16, |range| {
                for i in range {
                    // SAFETY: element `i` exists, and nobody else writes it.
                    unsafe {
                        pointer::<T>(address)
                            .add(i)
                            .write_unaligned(value(start, step, i));
                    }
                }
            });
    }
}
