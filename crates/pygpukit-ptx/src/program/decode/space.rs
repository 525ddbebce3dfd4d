//! Accesses of memory.

use crate::execute::{Handler, Space};
use crate::operations::access::{self as op, Cast, copy_lanes, flags, load, store};
use crate::operations::atomics::{self, atomic};
use crate::operations::binary;
use crate::operations::control::nothing;
use crate::operations::integer::Add;
use crate::parse::{Number, Operand, Scalar};
use crate::program::draft::{Draft, Field, File, Register, Usage};
use crate::program::error::Issue;
use crate::program::form::Form;
use crate::program::lower::{Constant, Lowering};
use crate::program::operands::{Place, exactly};
use crate::program::scope::Named;

const SPACES: [&str; 9] = [
    "global",
    "const",
    "shared",
    "shared::cta",
    "local",
    "param",
    "param::entry",
    "param::func",
    "generic",
];

pub(super) fn decode(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    // Order and place of caches: nothing is reordered here.
    form.drop_all(|word| {
        let hints = [
            "weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "mmio", "cta", "gpu",
            "sys", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc",
        ];
        hints.contains(&word) || word.starts_with("L1::") || word.starts_with("L2::")
    });
    match form.mnemonic {
        "ld" | "ldu" => access(lowering, form, operands, true),
        "st" => access(lowering, form, operands, false),
        "atom" | "red" => change(lowering, form, operands),
        "cp" => copy(lowering, form, operands),
        _ => is_in_space(lowering, form, operands),
    }
}

/// The space of an access that names one, and the place of its address.
fn space_of(
    lowering: &mut Lowering<'_>,
    name: Option<&str>,
    address: &Operand,
) -> Result<(Space, Place), Issue> {
    let place = lowering.place(address)?;
    let named = match name.unwrap_or("generic") {
        "generic" | "global" | "const" => Space::Generic,
        "local" => Space::Local,
        // The parameters of functions lie in local memory.
        "param" | "param::entry" | "param::func" => place.space.unwrap_or(Space::Parameter),
        _ => Space::Shared,
    };
    if place.space.is_some_and(|space| space != named) {
        return Issue::invalid(format!("`{address}` lies in another state space"));
    }
    Ok((named, place))
}

/// Bits of `extra` for a space and a place.
fn place_bits(space: Space, place: &Place) -> u32 {
    let kind = match place.base {
        None => flags::ABSOLUTE,
        Some((_, true)) => flags::NARROW,
        Some((_, false)) => 0,
    };
    space as u32 | kind
}

fn access(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
    is_load: bool,
) -> Result<(), Issue> {
    let name = form.take_of(&SPACES);
    let count = match form.take_of(&["v2", "v4", "v8"]) {
        None => 1,
        Some("v2") => 2,
        Some("v4") => 4,
        Some(_) => 8,
    };
    let scalar = form.scalar()?;
    form.done()?;
    let (values, address) = match (operands, is_load) {
        // A policy for caches may follow.
        ([values, address] | [values, address, _], true)
        | ([address, values] | [address, values, _], false) => (values, address),
        _ => return Err(Issue::Form),
    };
    let values = match values {
        Operand::Vector(parts) => &parts[..],
        value => std::slice::from_ref(value),
    };
    if values.len() != count {
        return Issue::invalid(format!("{} registers where {count} belong", values.len()));
    }
    let (space, place) = space_of(lowering, name, address)?;
    let mut registers = Vec::new();
    let mut width = 0;
    for value in values {
        let (register, bits) = match value {
            Operand::Name(name) if name == "_" => {
                registers.push(None);
                continue;
            }
            Operand::Name(_) => lowering.any_register(value)?,
            _ => (lowering.source(value, scalar)?, scalar.bytes() * 8),
        };
        if bits < scalar.bytes() * 8 || (width != 0 && bits != width) {
            return Issue::invalid("registers do not fit the type");
        }
        width = bits;
        registers.push(Some(register));
    }
    let access = Plan {
        space,
        place,
        scalar,
        width: width.max(16),
        is_load,
    };
    let whole = access.handler(lowering, count);
    if let Some(handler) = whole {
        return access.emit(lowering, handler, &registers, 0);
    }
    // A vector that has no handler is read piece by piece, the address register last.
    let mut order: Vec<usize> = (0..count).collect();
    let base = place.base.map(|(register, _)| register);
    order.sort_by_key(|index| registers[*index] == base);
    for index in order {
        if registers[index].is_some() {
            let handler = access.handler(lowering, 1).ok_or(Issue::Form)?;
            let offset = (index * scalar.bytes()) as u64;
            access.emit(lowering, handler, &registers[index..=index], offset)?;
        }
    }
    Ok(())
}

/// A read or write.
struct Plan {
    space: Space,
    place: Place,
    scalar: Scalar,
    /// Bits of the registers.
    width: usize,
    is_load: bool,
}

/// A handler for one, two or four values.
macro_rules! by_count {
    ($count:expr, $level:expr, $make:ident, $memory:ty, $register:ty) => {
        match $count {
            1 => Some($make::<Cast<$memory, $register, 1>>($level)),
            2 => Some($make::<Cast<$memory, $register, 2>>($level)),
            4 => Some($make::<Cast<$memory, $register, 4>>($level)),
            _ => None,
        }
    };
}

/// The same, for one value alone.
macro_rules! single {
    ($count:expr, $level:expr, $make:ident, $memory:ty, $register:ty) => {
        ($count == 1).then(|| $make::<Cast<$memory, $register, 1>>($level))
    };
}

impl Plan {
    fn handler(&self, lowering: &Lowering<'_>, count: usize) -> Option<Handler> {
        let level = lowering.level;
        let signed = self.scalar.is_signed();
        if self.is_load {
            return match (self.scalar.bytes(), signed, self.width) {
                (1, false, 16) => by_count!(count, level, load, u8, u16),
                (1, false, 32) => single!(count, level, load, u8, u32),
                (1, false, 64) => single!(count, level, load, u8, u64),
                (1, true, 16) => single!(count, level, load, i8, u16),
                (1, true, 32) => single!(count, level, load, i8, u32),
                (1, true, 64) => single!(count, level, load, i8, u64),
                (2, _, 16) => by_count!(count, level, load, u16, u16),
                (2, false, 32) => single!(count, level, load, u16, u32),
                (2, false, 64) => single!(count, level, load, u16, u64),
                (2, true, 32) => single!(count, level, load, i16, u32),
                (2, true, 64) => single!(count, level, load, i16, u64),
                (4, _, 32) => by_count!(count, level, load, u32, u32),
                (4, false, 64) => single!(count, level, load, u32, u64),
                (4, true, 64) => single!(count, level, load, i32, u64),
                (8, _, 64) => by_count!(count, level, load, u64, u64),
                _ => None,
            };
        }
        // Registers of 16 bits are words whose upper half is zero.
        match (self.scalar.bytes(), self.width) {
            (1, 16 | 32) => by_count!(count, level, store, u8, u32),
            (2, 16 | 32) => by_count!(count, level, store, u16, u32),
            (4, 32) => by_count!(count, level, store, u32, u32),
            (8, 64) => by_count!(count, level, store, u64, u64),
            (1, 64) => single!(count, level, store, u8, u64),
            (2, 64) => single!(count, level, store, u16, u64),
            (4, 64) => single!(count, level, store, u32, u64),
            _ => None,
        }
    }

    fn emit(
        &self,
        lowering: &mut Lowering<'_>,
        handler: Handler,
        registers: &[Option<Register>],
        offset: u64,
    ) -> Result<(), Issue> {
        let extra = place_bits(self.space, &self.place);
        let immediate = self.place.offset.wrapping_add(offset);
        let mut draft = Draft::new(handler).extra(extra).immediate(immediate);
        if let Some((base, _)) = self.place.base {
            draft = draft.a(base);
        }
        let usage = if self.is_load {
            Usage::Write
        } else {
            Usage::Read
        };
        for (field, register) in [Field::To, Field::B, Field::C, Field::D]
            .into_iter()
            .zip(registers)
        {
            match register {
                Some(register) => draft = draft.with(field, *register, usage),
                None if self.is_load => {}
                None => return Issue::invalid("`_` cannot be stored"),
            }
        }
        lowering.emit(draft)
    }
}

/// `atom` and `red`.
fn change(
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
    let (to, rest) = match form.mnemonic {
        "red" => (None, operands),
        _ => {
            let (to, rest) = operands.split_first().ok_or(Issue::Form)?;
            (lowering.target(to, scalar)?, rest)
        }
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

fn is_in_space(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    let space = match form.take_of(&SPACES).ok_or(Issue::Form)? {
        "global" => Space::Generic,
        "local" => Space::Local,
        "param" | "param::entry" => Space::Parameter,
        "shared" | "shared::cta" => Space::Shared,
        _ => return Err(Issue::Form),
    };
    form.done()?;
    let [to, a] = exactly(operands)?;
    let a = lowering.source(a, Scalar::B64)?;
    if a.file != File::Wide {
        return Err(Issue::Form);
    }
    let draft = Draft::new(op::is_in_space)
        .to(lowering.written(to, Scalar::Pred)?)
        .a(a)
        .extra(space as u32);
    lowering.emit(draft)
}

/// `cp.async`: done at once, so that there is nothing to wait for.
fn copy(
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
        && !matches!(count, Operand::Name(name) if lowering.find(name)?.is_some_and(is_wide))
    {
        draft = draft.c(lowering.source(count, Scalar::B32)?);
    }
    lowering.emit(draft)
}

fn is_wide(named: Named) -> bool {
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
            let (scalar, handler) = match narrow {
                true => (Scalar::B32, binary::<Add<u32>>(level)),
                false => (Scalar::B64, binary::<Add<u64>>(level)),
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
