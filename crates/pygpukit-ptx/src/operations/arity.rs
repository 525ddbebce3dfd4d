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

/// Computes chunk by chunk; masked and unmasked writes are loops of their own. A macro
/// and not a closure, which would not always be inlined.
macro_rules! chunks {
    ($core:ident, $step:ident, $to:ty, |$files:ident, $chunk:ident| $compute:expr) => {{
        let active = $core.active;
        let mut files = $core.files.again();
        if active == u32::MAX {
            for $chunk in 0..4 {
                let $files = &files;
                let values: [$to; crate::execute::WIDTH] = $compute;
                <$to>::write(&mut files, $step.to, $chunk, values);
            }
        } else {
            for $chunk in 0..4 {
                let $files = &files;
                let values: [$to; crate::execute::WIDTH] = $compute;
                let mask = active >> ($chunk * crate::execute::WIDTH);
                <$to>::blend(&mut files, $step.to, $chunk, values, mask);
            }
        }
        Flow::Next
    }};
}

/// The value of each lane of a chunk.
macro_rules! each {
    ($i:ident => $value:expr) => {{
        let mut values = [Default::default(); crate::execute::WIDTH];
        for $i in 0..crate::execute::WIDTH {
            values[$i] = $value;
        }
        values
    }};
}

pub(super) use {chunks, each};

#[inline(always)]
fn unary_body<O: Unary>(core: &mut Core<'_>, step: &Step) -> Flow {
    chunks!(core, step, O::To, |files, chunk| {
        let a = O::A::read(files, step.a, chunk);
        each!(i => O::apply(a[i]))
    })
}

#[inline(always)]
fn binary_body<O: Binary>(core: &mut Core<'_>, step: &Step) -> Flow {
    chunks!(core, step, O::To, |files, chunk| {
        let a = O::A::read(files, step.a, chunk);
        let b = O::B::read(files, step.b, chunk);
        each!(i => O::apply(a[i], b[i]))
    })
}

#[inline(always)]
fn ternary_body<O: Ternary>(core: &mut Core<'_>, step: &Step) -> Flow {
    chunks!(core, step, O::To, |files, chunk| {
        let a = O::A::read(files, step.a, chunk);
        let b = O::B::read(files, step.b, chunk);
        let c = O::C::read(files, step.c, chunk);
        each!(i => O::apply(a[i], b[i], c[i]))
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
