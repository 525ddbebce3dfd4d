//! Atomic changes of memory.

use super::space::{SPACES, place_bits, space_of};
use crate::execute::Handler;
use crate::operations::atomics::{self, atomic};
use crate::parse::{Operand, Scalar};
use crate::program::draft::Draft;
use crate::program::error::Issue;
use crate::program::form::Form;
use crate::program::lower::Lowering;

/// `atom` and `red`.
pub(super) fn decode(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    let name = form.take_of(&SPACES);
    let what = form.take_of(&[
        "add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec",
    ]);
    let what = what.ok_or(Issue::Form)?;
    let scalar = form.scalar()?;
    form.done()?;
    let handler = change_handler(what, scalar).ok_or(Issue::Form)?;
    let (to, rest) = if form.mnemonic == "red" {
        (None, operands)
    } else {
        let (to, rest) = operands.split_first().ok_or(Issue::Form)?;
        (lowering.target(to, scalar)?, rest)
    };
    let (address, values) = rest.split_first().ok_or(Issue::Form)?;
    let (space, place) = space_of(lowering, name, address)?;
    let mut draft = Draft::new(handler)
        .extra(place_bits(space, &place))
        .immediate(place.offset);
    if let Some((base, _)) = place.base {
        draft = draft.a(base);
    }
    if let Some(to) = to {
        draft = draft.to(to);
    }
    draft = match (what, values) {
        ("cas", [b, c]) => {
            let draft = draft.b(lowering.source(b, scalar)?);
            draft.c(lowering.source(c, scalar)?)
        }
        ("cas", _) => return Err(Issue::Form),
        (_, [b]) => draft.b(lowering.source(b, scalar)?),
        _ => return Err(Issue::Form),
    };
    lowering.emit(draft)
}

#[rustfmt::skip]
fn change_handler(what: &str, scalar: Scalar) -> Option<Handler> {
    use Scalar::{B16, B32, B64, F32, F64, S32, S64, U32, U64};
    Some(match (what, scalar) {
        ("add", U32 | S32) => atomic::<atomics::Add<u32>>,
        ("add", U64 | S64) => atomic::<atomics::Add<u64>>,
        ("add", F32) => atomic::<atomics::Add<f32>>,
        ("add", F64) => atomic::<atomics::Add<f64>>,
        ("min", U32) => atomic::<atomics::Min<u32>>,
        ("min", U64) => atomic::<atomics::Min<u64>>,
        ("min", S32) => atomic::<atomics::Min<i32>>,
        ("min", S64) => atomic::<atomics::Min<i64>>,
        ("max", U32) => atomic::<atomics::Max<u32>>,
        ("max", U64) => atomic::<atomics::Max<u64>>,
        ("max", S32) => atomic::<atomics::Max<i32>>,
        ("max", S64) => atomic::<atomics::Max<i64>>,
        ("and", B32) => atomic::<atomics::And<u32>>,
        ("and", B64) => atomic::<atomics::And<u64>>,
        ("or", B32) => atomic::<atomics::Or<u32>>,
        ("or", B64) => atomic::<atomics::Or<u64>>,
        ("xor", B32) => atomic::<atomics::Xor<u32>>,
        ("xor", B64) => atomic::<atomics::Xor<u64>>,
        ("exch", B16) => atomic::<atomics::Exchange<u16>>,
        ("exch", B32) => atomic::<atomics::Exchange<u32>>,
        ("exch", B64) => atomic::<atomics::Exchange<u64>>,
        ("inc", U32) => atomic::<atomics::Increment<u32>>,
        ("dec", U32) => atomic::<atomics::Decrement<u32>>,
        ("cas", B16) => atomic::<atomics::CompareAndSwap<u16>>,
        ("cas", B32 | U32 | S32) => atomic::<atomics::CompareAndSwap<u32>>,
        ("cas", B64 | U64 | S64) => atomic::<atomics::CompareAndSwap<u64>>,
        _ => return None,
    })
}
