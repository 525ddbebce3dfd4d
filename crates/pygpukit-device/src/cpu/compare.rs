//! Comparing one pair of elements.

#![expect(
    clippy::float_cmp,
    reason = "comparing exactly is what these operations do"
)]

use super::kernel::{Kernel2, Map2, map2};
use super::storage::{Plain, Truth};
use num_complex::Complex;
use pygpukit_core::array::BinaryOp;

/// An order, partial where there are NaNs.
pub(super) trait Ordered: Plain {
    fn equal(self, other: Self) -> bool;
    fn less(self, other: Self) -> bool;
    fn less_equal(self, other: Self) -> bool;
}

macro_rules! ordered {
    ($($name:ident),*) => { $(
        impl Ordered for $name {
            #[inline]
            fn equal(self, other: Self) -> bool {
                self == other
            }
            #[inline]
            fn less(self, other: Self) -> bool {
                self < other
            }
            #[inline]
            fn less_equal(self, other: Self) -> bool {
                self <= other
            }
        }
    )* };
}
ordered!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);

impl Ordered for Truth {
    #[inline]
    fn equal(self, other: Self) -> bool {
        self.get() == other.get()
    }
    #[inline]
    fn less(self, other: Self) -> bool {
        !self.get() & other.get()
    }
    #[inline]
    fn less_equal(self, other: Self) -> bool {
        self.get() <= other.get()
    }
}

/// By the real parts, then by the imaginary ones; nothing compares with a NaN.
macro_rules! lexicographic {
    ($($name:ident),*) => { $(
        impl Ordered for Complex<$name> {
            #[inline]
            fn equal(self, other: Self) -> bool {
                self.re == other.re && self.im == other.im
            }
            #[inline]
            fn less(self, other: Self) -> bool {
                let comparable = !self.im.is_nan() && !other.im.is_nan();
                (self.re < other.re && comparable) || (self.re == other.re && self.im < other.im)
            }
            #[inline]
            fn less_equal(self, other: Self) -> bool {
                let comparable = !self.im.is_nan() && !other.im.is_nan();
                (self.re < other.re && comparable) || (self.re == other.re && self.im <= other.im)
            }
        }
    )* };
}
lexicographic!(f32, f64);

macro_rules! comparisons {
    ($($name:ident: |$left:ident, $right:ident| $result:expr;)*) => { $(
        struct $name;
        impl<T: Ordered> Map2<T> for $name {
            type Out = Truth;
            #[inline]
            fn apply($left: T, $right: T) -> Truth {
                Truth::new($result)
            }
        }
    )* };
}
comparisons! {
    Equal: |a, b| a.equal(b);
    NotEqual: |a, b| !a.equal(b);
    Less: |a, b| a.less(b);
    LessEqual: |a, b| a.less_equal(b);
    Greater: |a, b| b.less(a);
    GreaterEqual: |a, b| b.less_equal(a);
}

/// The loop for a comparison; `None` for other operations.
pub(super) fn kernel<T: Ordered>(op: BinaryOp) -> Option<Kernel2<T, Truth>> {
    Some(match op {
        BinaryOp::Equal => map2::<T, Equal>,
        BinaryOp::NotEqual => map2::<T, NotEqual>,
        BinaryOp::Less => map2::<T, Less>,
        BinaryOp::LessEqual => map2::<T, LessEqual>,
        BinaryOp::Greater => map2::<T, Greater>,
        BinaryOp::GreaterEqual => map2::<T, GreaterEqual>,
        BinaryOp::Add
        | BinaryOp::Subtract
        | BinaryOp::Multiply
        | BinaryOp::TrueDivide
        | BinaryOp::FloorDivide
        | BinaryOp::Remainder
        | BinaryOp::Power => return None,
    })
}
