//! Sums and products with a carry: `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc`, `madc`.

use crate::execute::{Core, Flow, NO_SLOT, Step, Value};

/// Bits of [`Step::extra`].
pub(crate) mod flags {
    /// The carry is added, or the borrow subtracted.
    pub(crate) const IN: u32 = 1;
    /// The carry or borrow is kept.
    pub(crate) const OUT: u32 = 1 << 1;
    pub(crate) const SUBTRACT: u32 = 1 << 2;
    /// `a * b + c`, with the low or the high half of the product.
    pub(crate) const MAD_LOW: u32 = 1 << 3;
    pub(crate) const MAD_HIGH: u32 = 1 << 4;
    pub(crate) const SIGNED: u32 = 1 << 5;
}

/// A width that has a carry.
pub(crate) trait Carried: Value {
    fn multiply(self, other: Self, extra: u32) -> Self;
    fn add(self, other: Self, carry: bool) -> (Self, bool);
    fn sub(self, other: Self, borrow: bool) -> (Self, bool);
}

macro_rules! carried {
    ($($type:ty, $signed:ty, $wide:ty, $wide_signed:ty;)*) => { $(
        impl Carried for $type {
            fn multiply(self, other: Self, extra: u32) -> Self {
                if extra & flags::MAD_LOW != 0 {
                    return self.wrapping_mul(other);
                }
                if extra & flags::SIGNED != 0 {
                    let product = <$wide_signed>::from(self.cast_signed())
                        * <$wide_signed>::from(other.cast_signed());
                    return (product >> Self::BITS) as Self;
                }
                (<$wide>::from(self) * <$wide>::from(other) >> Self::BITS) as Self
            }
            fn add(self, other: Self, carry: bool) -> (Self, bool) {
                let (sum, first) = self.overflowing_add(other);
                let (sum, second) = sum.overflowing_add(Self::from(carry));
                (sum, first | second)
            }
            fn sub(self, other: Self, borrow: bool) -> (Self, bool) {
                let (difference, first) = self.overflowing_sub(other);
                let (difference, second) = difference.overflowing_sub(Self::from(borrow));
                (difference, first | second)
            }
        }
    )* };
}

carried! { u32, i32, u64, i64; u64, i64, u128, i128; }

/// `a + b`, `a - b` or `a * b + c`; the carry is the predicate `d`.
pub(crate) fn with_carry<T: Carried>(core: &mut Core<'_>, step: &Step) -> Flow {
    let active = core.active;
    let mut files = core.files.again();
    let mut carries = files.predicates[usize::from(step.d)];
    for lane in (0..32).filter(|lane| active >> lane & 1 == 1) {
        let read = |slot: u16| T::lane(&files, slot, lane);
        let (a, b) = match step.c {
            NO_SLOT => (read(step.a), read(step.b)),
            c => (read(step.a).multiply(read(step.b), step.extra), read(c)),
        };
        let carry = step.extra & flags::IN != 0 && carries >> lane & 1 == 1;
        let (result, carry) = if step.extra & flags::SUBTRACT != 0 {
            a.sub(b, carry)
        } else {
            a.add(b, carry)
        };
        if step.extra & flags::OUT != 0 {
            carries = carries & !(1 << lane) | u32::from(carry) << lane;
        }
        T::blend(&mut files, step.to, lane / 8, [result; 8], 1 << (lane % 8));
    }
    files.predicates[usize::from(step.d)] = carries;
    Flow::Next
}
