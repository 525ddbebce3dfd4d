//! Asynchronous copies.

use super::space::space_of;
use crate::operations::binary;
use crate::operations::control::nothing;
use crate::operations::copy::copy_lanes;
use crate::operations::integer::Add;
use crate::parse::{Number, Operand, Scalar};
use crate::program::draft::{Draft, File, Register};
use crate::program::error::Issue;
use crate::program::form::Form;
use crate::program::lower::{Constant, Lowering};
use crate::program::scope::Named;

/// `cp.async`: done at once, so that there is nothing to wait for.
pub(super) fn decode(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    if !form.take("async") {
        return Err(Issue::Form);
    }
    if form
        .take_of(&["commit_group", "wait_group", "wait_all"])
        .is_some()
    {
        form.done()?;
        return lowering.emit(Draft::new(nothing));
    }
    let shared = form.take_of(&["shared", "shared::cta"]).is_some();
    if !shared || !form.take("global") {
        return Err(Issue::Form);
    }
    form.done()?;
    let [to, from, Operand::Literal(size), rest @ ..] = operands else {
        return Err(Issue::Form);
    };
    let Some(Number::Integer(bytes @ (4 | 8 | 16))) = size.value() else {
        return Err(Issue::Form);
    };
    let to = address_register(lowering, Some("shared"), to)?;
    let from = address_register(lowering, Some("global"), from)?;
    let mut draft = Draft::new(copy_lanes).a(to).b(from).immediate(bytes);
    draft.step.extra = u32::from(to.file == File::Word);
    // How many bytes are really read, the others being zero; a policy may follow.
    if let [count, ..] = rest
        && !matches!(count, Operand::Name(name) if lowering.find(name)?.as_ref().is_some_and(is_wide))
    {
        draft = draft.c(lowering.source(count, Scalar::B32)?);
    }
    lowering.emit(draft)
}

fn is_wide(named: &Named) -> bool {
    matches!(named, Named::Register { width: 64, .. })
}

/// A register that holds an address with its offset added.
fn address_register(
    lowering: &mut Lowering<'_>,
    space: Option<&str>,
    operand: &Operand,
) -> Result<Register, Issue> {
    let (_, place) = space_of(lowering, space, operand)?;
    let level = lowering.level;
    Ok(match place.base {
        None => lowering.constant(File::Wide, Constant::Bits(place.offset)),
        Some((base, _)) if place.offset == 0 => base,
        Some((base, narrow)) => {
            let (scalar, handler) = if narrow {
                (Scalar::B32, binary::<Add<u32>>(level))
            } else {
                (Scalar::B64, binary::<Add<u64>>(level))
            };
            let sum = lowering.temporary(scalar)?;
            let kept = if narrow {
                place.offset & 0xffff_ffff
            } else {
                place.offset
            };
            let offset = lowering.constant(base.file, Constant::Bits(kept));
            lowering.emit(Draft::new(handler).to(sum).a(base).b(offset))?;
            sum
        }
    })
}
