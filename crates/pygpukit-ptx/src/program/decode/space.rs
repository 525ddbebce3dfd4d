//! Accesses of memory.

use crate::execute::{Handler, Space};
use crate::operations::access::{self as op, Cast, flags, load, store};
use crate::parse::{Operand, Scalar};
use crate::program::draft::{Draft, Field, File, Register, Usage};
use crate::program::error::Issue;
use crate::program::form::Form;
use crate::program::lower::Lowering;
use crate::program::operands::{Place, exactly};

pub(super) const SPACES: [&str; 9] = [
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
        "atom" | "red" => super::change::decode(lowering, form, operands),
        "cp" => super::copy::decode(lowering, form, operands),
        _ => is_in_space(lowering, form, operands),
    }
}

/// The space of an access that names one, and the place of its address.
pub(super) fn space_of(
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
pub(super) fn place_bits(space: Space, place: &Place) -> u32 {
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
    // A policy for caches may follow.
    let (([values, address] | [values, address, _], true)
    | ([address, values] | [address, values, _], false)) = (operands, is_load)
    else {
        return Err(Issue::Form);
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
