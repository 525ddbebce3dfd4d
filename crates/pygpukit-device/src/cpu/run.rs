//! Carrying out one piece of work on the calling thread and the pool's.

use super::pool::Pool;
use super::{arange, binary, copy, matmul, unary};
use crate::backend::Work;
use pygpukit_core::array::{BinaryOp, DType};
use std::borrow::Cow;
use std::fmt;

/// The result of carrying out work.
pub(super) type Result = std::result::Result<(), Invalid>;

/// Work that should have been refused before it was queued.
#[derive(Debug)]
pub(super) struct Invalid {
    op: &'static str,
    dtype: Option<DType>,
}

impl Invalid {
    pub(super) const fn new(op: &'static str, dtype: DType) -> Self {
        Self {
            op,
            dtype: Some(dtype),
        }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dtype {
            Some(dtype) => write!(f, "device `cpu` has no `{}` of `{dtype}`", self.op),
            None => write!(f, "device `cpu` has no `{}`", self.op),
        }
    }
}

/// Carries out work; returns when it is done.
///
/// # Safety
/// As [`Queue::push`](crate::backend::Queue::push), and all work it depends on is done.
pub(super) unsafe fn run(pool: &Pool, work: &Work) -> Result {
    // SAFETY: the caller's promise, passed on.
    unsafe {
        match work {
            Work::Fill { target, value } => copy::fill(pool, target, value),
            Work::Copy { target, source } => copy::copy(pool, target, source),
            Work::Arange {
                target,
                start,
                step,
            } => arange::arange(pool, target, start, step),
            Work::Unary { op, target, source } => return unary::unary(pool, *op, target, source),
            Work::Binary {
                op,
                target,
                left,
                right,
            } => return binary::binary(pool, *op, target, left, right),
            Work::Matmul {
                target,
                left,
                right,
                allow_tf32: _,
            } => matmul::matmul(pool, target, left, right),
            Work::Launch(_) => {
                return Err(Invalid {
                    op: "launch",
                    dtype: None,
                });
            }
        }
    }
    Ok(())
}

/// The name of the operation, for messages.
pub(super) fn name(work: &Work) -> Cow<'static, str> {
    let name = match work {
        Work::Fill { .. } => "fill",
        Work::Copy { .. } => "copy",
        Work::Arange { .. } => "arange",
        Work::Unary { op, .. } => op.name(),
        Work::Binary { op, .. } => op.name(),
        Work::Matmul { .. } => "matmul",
        Work::Launch(launch) => return launch.function.name().to_owned().into(),
    };
    name.into()
}

/// True if the work takes about as long as waking another thread would.
pub(super) fn is_small(work: &Work) -> bool {
    let elements = |factor: usize, view: &crate::backend::View| {
        view.layout.size().saturating_mul(factor) <= 1 << 14
    };
    match work {
        Work::Fill { target, .. } | Work::Copy { target, .. } | Work::Arange { target, .. } => {
            elements(1, target)
        }
        Work::Unary { target, .. } => elements(1, target),
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "the slow operations are named"
        )]
        Work::Binary { op, target, .. } => match op {
            BinaryOp::Power => elements(16, target),
            BinaryOp::FloorDivide | BinaryOp::Remainder => elements(8, target),
            _ => elements(1, target),
        },
        Work::Matmul { target, left, .. } => {
            let inner = left.layout.shape().last().copied().unwrap_or(0);
            elements(inner.max(1).div_ceil(4), target)
        }
        Work::Launch(_) => true,
    }
}
