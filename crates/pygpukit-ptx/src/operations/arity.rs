//! Handlers that compute each lane by itself.

use crate::execute::{Core, Files, Flow, Step, Value, WIDTH, dispatched};

/// One operand.
pub(crate) trait Unary {
    type A: Value;
    type To: Value;
    fn apply(a: Self::A) -> Self::To;
}

/// Two operands.
pub(crate) trait Binary {
    type A: Value;
    type B: Value;
    type To: Value;
    fn apply(a: Self::A, b: Self::B) -> Self::To;
}

/// Three operands.
pub(crate) trait Ternary {
    type A: Value;
    type B: Value;
    type C: Value;
    type To: Value;
    fn apply(a: Self::A, b: Self::B, c: Self::C) -> Self::To;
}

/// Computes chunk by chunk. Masked and unmasked writes are loops of their own.
#[inline(always)]
pub(super) fn chunks<T: Value>(
    core: &mut Core<'_>,
    step: &Step,
    compute: impl Fn(&Files<'_>, usize) -> [T; WIDTH],
) -> Flow {
    let active = core.active;
    let mut files = core.files.again();
    if active == u32::MAX {
        for chunk in 0..4 {
            let values = compute(&files, chunk);
            T::write(&mut files, step.to, chunk, values);
        }
    } else {
        for chunk in 0..4 {
            let values = compute(&files, chunk);
            T::blend(&mut files, step.to, chunk, values, active >> (chunk * WIDTH));
        }
    }
    Flow::Next
}

#[inline(always)]
fn unary_body<O: Unary>(core: &mut Core<'_>, step: &Step) -> Flow {
    chunks(core, step, |files, chunk| {
        let a = O::A::read(files, step.a, chunk);
        std::array::from_fn(|i| O::apply(a[i]))
    })
}

#[inline(always)]
fn binary_body<O: Binary>(core: &mut Core<'_>, step: &Step) -> Flow {
    chunks(core, step, |files, chunk| {
        let a = O::A::read(files, step.a, chunk);
        let b = O::B::read(files, step.b, chunk);
        std::array::from_fn(|i| O::apply(a[i], b[i]))
    })
}

#[inline(always)]
fn ternary_body<O: Ternary>(core: &mut Core<'_>, step: &Step) -> Flow {
    chunks(core, step, |files, chunk| {
        let a = O::A::read(files, step.a, chunk);
        let b = O::B::read(files, step.b, chunk);
        let c = O::C::read(files, step.c, chunk);
        std::array::from_fn(|i| O::apply(a[i], b[i], c[i]))
    })
}

dispatched! {
    /// The handler of an operation with one operand.
    unary, unary_body, Unary
}
dispatched! {
    /// The handler of an operation with two operands.
    binary, binary_body, Binary
}
dispatched! {
    /// The handler of an operation with three operands.
    ternary, ternary_body, Ternary
}

/// An operation that looks at its step: rare forms, one lane after another. `to`, `a`, `b`,
/// `c` are read as bits of the width that they have.
pub(crate) trait Lanewise {
    type To: Value;
    fn apply(files: &Files<'_>, step: &Step, lane: usize) -> Self::To;
}

/// The handler of an operation that looks at its step.
pub(crate) fn lanewise<O: Lanewise>(core: &mut Core<'_>, step: &Step) -> Flow {
    let active = core.active;
    let mut files = core.files.again();
    for chunk in 0..4 {
        let mask = active >> (chunk * WIDTH) & 0xff;
        if mask == 0 {
            continue;
        }
        let mut values = [O::To::default(); WIDTH];
        for (i, value) in values.iter_mut().enumerate() {
            if mask >> i & 1 == 1 {
                *value = O::apply(&files, step, chunk * WIDTH + i);
            }
        }
        O::To::blend(&mut files, step.to, chunk, values, mask);
    }
    Flow::Next
}
