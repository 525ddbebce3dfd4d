//! Operations on two operands.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "an operation that a family of dtypes lacks has no loop"
)]

use super::arithmetic::{Field, Floored, Ring};
use super::block::{Sink, Source};
use super::compare;
use super::kernel::{Kernel2, Map2, map2};
use super::pool::Pool;
use super::run::{Invalid, Result};
use super::storage::{BLOCK, Plain, Storage, Truth};
use super::walk::{Walk, plan};
use crate::backend::{Operand, View};
use half::{bf16, f16};
use num_complex::Complex;
use pygpukit_core::array::{BinaryOp, DType};

/// `target = op(left, right)`.
///
/// # Safety
/// As [`Queue::push`](crate::backend::Queue::push): the memory is there and ours.
pub(super) unsafe fn binary(
    pool: &Pool,
    op: BinaryOp,
    target: &View,
    left: &Operand,
    right: &Operand,
) -> Result {
    let work = Binary {
        pool,
        op,
        target,
        left,
        right,
    };
    let dtype = match (left, right) {
        (Operand::Array(view), _) | (_, Operand::Array(view)) => view.dtype,
        (Operand::Scalar(element), Operand::Scalar(_)) => element.dtype(),
    };
    // SAFETY: the caller's promise, and the dtype of both operands.
    unsafe {
        match dtype {
            DType::Bool => work.run::<Truth, Truth>(logic(op)),
            DType::Int8 => work.run::<i8, i8>(integer(op)),
            DType::Int16 => work.run::<i16, i16>(integer(op)),
            DType::Int32 => work.run::<i32, i32>(integer(op)),
            DType::Int64 => work.run::<i64, i64>(integer(op)),
            DType::UInt8 => work.run::<u8, u8>(integer(op)),
            DType::UInt16 => work.run::<u16, u16>(integer(op)),
            DType::UInt32 => work.run::<u32, u32>(integer(op)),
            DType::UInt64 => work.run::<u64, u64>(integer(op)),
            DType::Float16 => work.run::<f16, f32>(float(op)),
            DType::BFloat16 => work.run::<bf16, f32>(float(op)),
            DType::Float32 => work.run::<f32, f32>(float(op)),
            DType::Float64 => work.run::<f64, f64>(float(op)),
            DType::Complex64 => work.run::<Complex<f32>, Complex<f32>>(complex(op)),
            DType::Complex128 => work.run::<Complex<f64>, Complex<f64>>(complex(op)),
        }
    }
}

struct Binary<'a> {
    pool: &'a Pool,
    op: BinaryOp,
    target: &'a View,
    left: &'a Operand,
    right: &'a Operand,
}

impl Binary<'_> {
    /// # Safety
    /// As [`binary`]; the operands are stored as `S`.
    unsafe fn run<S, C>(&self, arithmetic: Option<Kernel2<C, C>>) -> Result
    where
        S: Storage<C>,
        C: Plain + compare::Ordered,
    {
        // SAFETY: the caller's promise; a comparison stores truth values, other
        // operations the operands' type.
        unsafe {
            if let Some(kernel) = compare::kernel::<C>(self.op) {
                self.with::<S, C, Truth, Truth>(kernel);
            } else if let Some(kernel) = arithmetic {
                self.with::<S, C, S, C>(kernel);
            } else {
                return Err(Invalid::new(self.op.name(), self.target.dtype));
            }
        }
        Ok(())
    }

    /// # Safety
    /// As [`run`](Self::run); the target is stored as `O`.
    unsafe fn with<S, C, O, R>(&self, kernel: Kernel2<C, R>)
    where
        S: Storage<C>,
        C: Plain,
        O: Storage<R>,
        R: Plain,
    {
        let view = |operand: &Operand| match operand {
            Operand::Array(view) => view.clone(),
            Operand::Scalar(_) => self.target.clone(),
        };
        let (left, right) = (view(self.left), view(self.right));
        let [target, left, right] = plan([self.target, &left, &right]);
        let source = |operand: &Operand, walk: &Walk| match operand {
            // SAFETY: the caller's promise.
            Operand::Array(_) => unsafe { Source::<S, C>::new(walk) },
            // SAFETY: an element has the bytes of its type.
            Operand::Scalar(element) => Source::Constant(unsafe {
                element.as_bytes().as_ptr().cast::<S>().read_unaligned()
            }),
        };
        let (left, right) = (source(self.left, &left), source(self.right, &right));
        let sink = Sink::<O, R>::new(&target);
        let is_dense = left.is_dense() && right.is_dense() && sink.is_dense();
        let total = self.target.layout.size();
        self.pool.split(total, grain(self.op), |range| {
            let (mut left, mut right, mut out) = (left.reader(), right.reader(), sink.writer());
            let step = if is_dense { range.len() } else { BLOCK };
            for start in range.clone().step_by(step) {
                let count = step.min(range.end - start);
                // SAFETY: the elements exist, the caller's promise, and nobody
                // else writes this range.
                unsafe {
                    let (left, right) = (left.block(start, count), right.block(start, count));
                    kernel(left, right, out.room(start), count);
                    out.commit(start, count);
                }
            }
        });
    }
}

/// Elements that are worth a thread of their own.
fn grain(op: BinaryOp) -> usize {
    match op {
        BinaryOp::Power => 1 << 12,
        BinaryOp::FloorDivide | BinaryOp::Remainder => 1 << 14,
        _ => 1 << 16,
    }
}

macro_rules! operations {
    ($($name:ident($bound:ident): $method:ident;)*) => { $(
        struct $name;
        impl<T: $bound> Map2<T> for $name {
            type Out = T;
            #[inline]
            fn apply(left: T, right: T) -> T {
                left.$method(right)
            }
        }
    )* };
}
operations! {
    Add(Ring): add;
    Subtract(Ring): subtract;
    Multiply(Ring): multiply;
    Power(Ring): power;
    FloorDivide(Floored): floor_divide;
    Remainder(Floored): remainder;
    Divide(Field): divide;
}

struct Or;
impl Map2<Truth> for Or {
    type Out = Truth;
    fn apply(left: Truth, right: Truth) -> Truth {
        left.or(right)
    }
}

struct And;
impl Map2<Truth> for And {
    type Out = Truth;
    fn apply(left: Truth, right: Truth) -> Truth {
        left.and(right)
    }
}

fn logic(op: BinaryOp) -> Option<Kernel2<Truth, Truth>> {
    match op {
        BinaryOp::Add => Some(map2::<Truth, Or>),
        BinaryOp::Multiply => Some(map2::<Truth, And>),
        _ => None,
    }
}

fn ring<T: Ring>(op: BinaryOp) -> Option<Kernel2<T, T>> {
    match op {
        BinaryOp::Add => Some(map2::<T, Add>),
        BinaryOp::Subtract => Some(map2::<T, Subtract>),
        BinaryOp::Multiply => Some(map2::<T, Multiply>),
        BinaryOp::Power => Some(map2::<T, Power>),
        _ => None,
    }
}

fn integer<T: Ring + Floored>(op: BinaryOp) -> Option<Kernel2<T, T>> {
    match op {
        BinaryOp::FloorDivide => Some(map2::<T, FloorDivide>),
        BinaryOp::Remainder => Some(map2::<T, Remainder>),
        _ => ring(op),
    }
}

fn float<T: Ring + Floored + Field>(op: BinaryOp) -> Option<Kernel2<T, T>> {
    match op {
        BinaryOp::TrueDivide => Some(map2::<T, Divide>),
        _ => integer(op),
    }
}

fn complex<T: Ring + Field>(op: BinaryOp) -> Option<Kernel2<T, T>> {
    match op {
        BinaryOp::TrueDivide => Some(map2::<T, Divide>),
        _ => ring(op),
    }
}
