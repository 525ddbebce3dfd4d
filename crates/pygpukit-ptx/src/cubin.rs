//! CUBIN images: where the parameters of a kernel really lie.

use crate::elf::{Section, read_u16, read_u32, refuse, sections, text};
use crate::error::CubinError;
use std::collections::BTreeMap;

/// The kernels of a CUBIN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cubin {
    /// The kernels, in the order of the file.
    pub kernels: Vec<CubinKernel>,
}

/// A kernel of a CUBIN.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CubinKernel {
    /// The (mangled) name.
    pub name: String,
    /// The parameters, by ordinal.
    pub parameters: Vec<CubinParameter>,
    /// Bytes of the parameter buffer, if the image says so.
    pub parameter_bytes: Option<usize>,
    /// Registers a thread takes, if the image says so.
    pub registers: Option<u32>,
    /// Bytes of static shared memory, with what the system reserves.
    pub shared_bytes: u64,
}

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CubinParameter {
    /// Bytes from the start of the parameter buffer.
    pub offset: usize,
    /// Bytes it takes.
    pub size: usize,
}

/// Records of `.nv.info` sections that are read here.
mod attribute {
    /// ordinal (u16), offset (u16), flags with the size in bits 18 and up.
    pub(super) const PARAMETER: u8 = 0x17;
    /// The same for more than 4096 bytes of parameters: ordinal (u16), offset (u16),
    /// size (u16), flags.
    pub(super) const LARGE_PARAMETER: u8 = 0x45;
    /// The size of the parameter buffer, in the record's own value.
    pub(super) const PARAMETER_BYTES: u8 = 0x19;
    /// symbol (u32), registers (u32).
    pub(super) const REGISTERS: u8 = 0x2f;
}

impl Cubin {
    /// Reads an image.
    ///
    /// # Errors
    /// Bytes that are not a 64-bit ELF file, or whose tables lead outside it.
    pub fn parse(image: &[u8]) -> Result<Self, CubinError> {
        let sections = sections(image)?;
        let registers = registers(&sections);
        let shared: BTreeMap<&str, u64> = sections
            .iter()
            .filter_map(|section| Some((section.name.strip_prefix(".nv.shared.")?, section.size)))
            .collect();
        let mut kernels = Vec::new();
        for section in &sections {
            if let Some(name) = section.name.strip_prefix(".nv.info.") {
                let mut kernel = kernel(name, section.bytes)?;
                kernel.registers = registers.get(name).copied();
                kernel.shared_bytes = shared.get(name).copied().unwrap_or(0);
                kernels.push(kernel);
            }
        }
        Ok(Self { kernels })
    }

    /// The kernel of that (mangled) name.
    pub fn kernel(&self, name: &str) -> Option<&CubinKernel> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }
}

fn kernel(name: &str, info: &[u8]) -> Result<CubinKernel, CubinError> {
    let mut kernel = CubinKernel {
        name: name.into(),
        ..CubinKernel::default()
    };
    let mut parameters = BTreeMap::new();
    for record in Records(info) {
        let record = record?;
        match record.attribute {
            attribute::PARAMETER | attribute::LARGE_PARAMETER => {
                let (ordinal, parameter) = parameter(record.attribute, record.bytes)
                    .ok_or_else(|| refuse("a parameter record is too short"))?;
                parameters.insert(ordinal, parameter);
            }
            attribute::PARAMETER_BYTES => kernel.parameter_bytes = Some(record.value.into()),
            _ => {}
        }
    }
    // Ordinals are written from the last to the first; none may be missing.
    let expected = 0..parameters.len();
    if !parameters.keys().map(|&key| usize::from(key)).eq(expected) {
        return Err(refuse("its parameter records do not count from 0"));
    }
    kernel.parameters = parameters.into_values().collect();
    Ok(kernel)
}

fn parameter(form: u8, record: &[u8]) -> Option<(u16, CubinParameter)> {
    let size = if form == attribute::LARGE_PARAMETER {
        read_u16(record, 8)?.into()
    } else {
        usize::try_from(read_u32(record, 8)? >> 18).ok()?
    };
    let parameter = CubinParameter {
        offset: read_u16(record, 6)?.into(),
        size,
    };
    Some((read_u16(record, 4)?, parameter))
}

/// Registers by the name of the function.
fn registers<'a>(sections: &[Section<'a>]) -> BTreeMap<&'a str, u32> {
    const SYMBOL: usize = 24;
    let find = |name: &str| sections.iter().find(|section| section.name == name);
    let (Some(info), Some(symbols), Some(names)) =
        (find(".nv.info"), find(".symtab"), find(".strtab"))
    else {
        return BTreeMap::new();
    };
    Records(info.bytes)
        .map_while(Result::ok)
        .filter(|record| record.attribute == attribute::REGISTERS)
        .filter_map(|record| {
            let symbol = usize::try_from(read_u32(record.bytes, 0)?).ok()?;
            let name = read_u32(symbols.bytes, symbol.checked_mul(SYMBOL)?)?;
            Some((text(names.bytes, name)?, read_u32(record.bytes, 4)?))
        })
        .collect()
}

struct Record<'a> {
    attribute: u8,
    /// The value of a record that has no bytes of its own.
    value: u16,
    bytes: &'a [u8],
}

/// The records of an `.nv.info` section: format, attribute, value; a record of
/// format 4 is followed by `value` bytes.
struct Records<'a>(&'a [u8]);

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, CubinError>;

    fn next(&mut self) -> Option<Self::Item> {
        const SIZED: u8 = 4;
        if self.0.is_empty() {
            return None;
        }
        let Some(([format, attribute, low, high], rest)) = self.0.split_first_chunk() else {
            self.0 = &[];
            return Some(Err(refuse("an attribute record is cut off")));
        };
        let value = u16::from_le_bytes([*low, *high]);
        let length = if *format == SIZED { value.into() } else { 0 };
        let Some((bytes, rest)) = rest.split_at_checked(length) else {
            self.0 = &[];
            return Some(Err(refuse("an attribute record is cut off")));
        };
        self.0 = rest;
        Some(Ok(Record {
            attribute: *attribute,
            value,
            bytes,
        }))
    }
}
