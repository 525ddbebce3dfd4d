//! The sections of a 64-bit little-endian ELF file.

use crate::error::CubinError;

/// A section: its name, its raw header values, its bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section<'a> {
    pub(crate) name: &'a str,
    /// Empty for a section that takes no room in the file.
    pub(crate) bytes: &'a [u8],
    /// Bytes it takes in memory.
    pub(crate) size: u64,
}

/// Reads the section table.
pub(crate) fn sections(file: &[u8]) -> Result<Vec<Section<'_>>, CubinError> {
    const HEADER: usize = 64;
    /// The 64-bit class, little-endian.
    const MAGIC: &[u8] = b"\x7fELF\x02\x01";
    if !file.starts_with(MAGIC) {
        return Err(refuse("it does not begin as a 64-bit ELF file"));
    }
    let short = || refuse("it ends before its section table does");
    let table = read_u64(file, 0x28).ok_or_else(short)?;
    let header_size = read_u16(file, 0x3a).ok_or_else(short)?;
    let count = usize::from(read_u16(file, 0x3c).ok_or_else(short)?);
    let names = usize::from(read_u16(file, 0x3e).ok_or_else(short)?);
    if usize::from(header_size) != HEADER {
        return Err(refuse("its section headers have an unknown size"));
    }
    let start = usize::try_from(table).map_err(|_| short())?;
    let end = start.checked_add(count * HEADER).ok_or_else(short)?;
    let table = file.get(start..end).ok_or_else(short)?;
    let (headers, _) = table.as_chunks::<HEADER>();
    let names = headers.get(names).ok_or_else(short)?;
    let names = contents(file, names).ok_or_else(short)?;
    headers
        .iter()
        .map(|header| {
            let name = read_u32(header, 0).and_then(|at| text(names, at));
            Some(Section {
                name: name?,
                bytes: contents(file, header)?,
                size: read_u64(header, 0x20)?,
            })
        })
        .collect::<Option<_>>()
        .ok_or_else(|| refuse("a section lies outside the file"))
}

fn contents<'a>(file: &'a [u8], header: &[u8; 64]) -> Option<&'a [u8]> {
    const NO_BITS: u32 = 8;
    if read_u32(header, 4)? == NO_BITS {
        return Some(&[]);
    }
    let start = usize::try_from(read_u64(header, 0x18)?).ok()?;
    let size = usize::try_from(read_u64(header, 0x20)?).ok()?;
    file.get(start..start.checked_add(size)?)
}

/// The text at a place of a string table, if it has a sensible length: every
/// section of a hostile file could point at the same long text.
pub(crate) fn text(table: &[u8], at: u32) -> Option<&str> {
    const LONGEST: usize = 1 << 14;
    let from = table.get(usize::try_from(at).ok()?..)?;
    let from = &from[..from.len().min(LONGEST)];
    let end = from.iter().position(|&byte| byte == 0)?;
    std::str::from_utf8(&from[..end]).ok()
}

pub(crate) fn read_u16(bytes: &[u8], at: usize) -> Option<u16> {
    read(bytes, at).map(u16::from_le_bytes)
}

pub(crate) fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    read(bytes, at).map(u32::from_le_bytes)
}

pub(crate) fn read_u64(bytes: &[u8], at: usize) -> Option<u64> {
    read(bytes, at).map(u64::from_le_bytes)
}

fn read<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}

pub(crate) fn refuse(reason: &str) -> CubinError {
    CubinError(reason.into())
}
