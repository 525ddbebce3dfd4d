//! Operations on one operand, and the loop that casts share.

use super::arithmetic::Ring;
use super::block::{Sink, Source};
use super::kernel::{Kernel1, Map1, map1};
use super::pool::Pool;
use super::run::{Invalid, Result};
use super::storage::{BLOCK, Plain, Storage};
use super::walk::plan;
use crate::backend::View;
use half::{bf16, f16};
use num_complex::Complex;
use pygpukit_core::array::{DType, UnaryOp};

struct Negative;
impl<T: Ring> Map1<T> for Negative {
    type Out = T;
    #[inline]
    fn apply(source: T) -> T {
        source.negative()
    }
}

/// `target = op(source)`.
///
/// # Safety
/// As [`Queue::push`](crate::backend::Queue::push): the memory is there and ours.
pub(super) unsafe fn unary(pool: &Pool, op: UnaryOp, target: &View, source: &View) -> Result {
    /// # Safety
    /// As [`unary`]; both views are stored as `S`.
    unsafe fn run<S: Storage<C>, C: Ring>(pool: &Pool, op: UnaryOp, target: &View, source: &View) {
        let kernel = match op {
            UnaryOp::Negative => map1::<C, Negative>,
        };
        // SAFETY: the caller's promise.
        unsafe { map::<S, C, S, C>(pool, target, source, kernel) };
    }
    let work = (pool, op, target, source);
    macro_rules! run {
        ($stored:ty, $computed:ty) => {
            // SAFETY: the caller's promise, and the dtype of both.
            unsafe { run::<$stored, $computed>(work.0, work.1, work.2, work.3) }
        };
    }
    match source.dtype {
        DType::Bool => return Err(Invalid::new(op.name(), source.dtype)),
        DType::Int8 => run!(i8, i8),
        DType::Int16 => run!(i16, i16),
        DType::Int32 => run!(i32, i32),
        DType::Int64 => run!(i64, i64),
        DType::UInt8 => run!(u8, u8),
        DType::UInt16 => run!(u16, u16),
        DType::UInt32 => run!(u32, u32),
        DType::UInt64 => run!(u64, u64),
        DType::Float16 => run!(f16, f32),
        DType::BFloat16 => run!(bf16, f32),
        DType::Float32 => run!(f32, f32),
        DType::Float64 => run!(f64, f64),
        DType::Complex64 => run!(Complex<f32>, Complex<f32>),
        DType::Complex128 => run!(Complex<f64>, Complex<f64>),
    }
    Ok(())
}

/// Runs a loop over all elements of views of one shape.
///
/// # Safety
/// The views' memory is there and ours; they are stored as `S` and `O`.
pub(super) unsafe fn map<S, C, O, R>(
    pool: &Pool,
    target: &View,
    source: &View,
    kernel: Kernel1<C, R>,
) where
    S: Storage<C>,
    C: Plain,
    O: Storage<R>,
    R: Plain,
{
    let total = target.layout.size();
    let [target, source] = plan([target, source]);
    // SAFETY: the caller's promise.
    let source = unsafe { Source::<S, C>::new(&source) };
    let sink = Sink::<O, R>::new(&target);
    let is_dense = source.is_dense() && sink.is_dense();
    pool.split(total, 1 << 16, |range| {
        let (mut source, mut out) = (source.reader(), sink.writer());
        let step = if is_dense { range.len() } else { BLOCK };
        for start in range.clone().step_by(step) {
            let count = step.min(range.end - start);
            // SAFETY: the elements exist, the caller's promise, and nobody else
            // writes this range.
            unsafe {
                kernel(source.block(start, count), out.room(start), count);
                out.commit(start, count);
            }
        }
    });
}
