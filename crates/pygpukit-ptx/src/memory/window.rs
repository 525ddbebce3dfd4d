//! A range of addresses that a kernel may touch.

use super::plain::Plain;

/// A range of addresses of a kernel, and where its bytes really lie.
///
/// Who makes one promises that the bytes stay readable (and writable, if it says so) while
/// the window is used, and that no Rust reference to them is used meanwhile. Threads of a
/// kernel that race for the same bytes get one of the values written or a mixture of them,
/// as on a device.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Window {
    /// The first address, as the kernel sees it.
    start: u64,
    bytes: u64,
    /// What is added to an address to get to the bytes.
    shift: u64,
    writable: bool,
}

impl Window {
    /// # Safety
    /// The bytes at `host` must stay as the type promises while the window is in use, and
    /// their provenance must have been exposed.
    pub(super) unsafe fn new(start: u64, bytes: u64, host: u64, writable: bool) -> Self {
        Self {
            start,
            bytes,
            shift: host.wrapping_sub(start),
            writable,
        }
    }

    /// The same bytes at other addresses.
    pub(crate) fn at(self, start: u64) -> Self {
        let host = self.start.wrapping_add(self.shift);
        Self {
            start,
            shift: host.wrapping_sub(start),
            ..self
        }
    }

    /// Some of the bytes; none if they are not all inside.
    pub(crate) fn part(self, offset: u64, bytes: u64) -> Self {
        let inside = offset <= self.bytes && bytes <= self.bytes - offset;
        Self {
            start: self.start.wrapping_add(offset),
            bytes: if inside { bytes } else { 0 },
            ..self
        }
    }

    pub(crate) fn start(&self) -> u64 {
        self.start
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn is_writable(&self) -> bool {
        self.writable
    }

    /// True if all those bytes are inside.
    #[inline(always)]
    pub(crate) fn holds(&self, address: u64, bytes: u64) -> bool {
        let offset = address.wrapping_sub(self.start);
        offset < self.bytes && bytes <= self.bytes - offset
    }

    /// The value at that address, if it is inside.
    #[inline(always)]
    pub(crate) fn read<T: Plain>(&self, address: u64) -> Option<T> {
        let pointer: *const T = self.pointer::<T>(address)?;
        // SAFETY: `pointer` lies inside the window with all bytes of a `T`, which the maker
        // of the window keeps readable; any bytes are a `T`.
        Some(unsafe { pointer.read_unaligned() })
    }

    /// Writes a value; false if it does not lie inside, or must not be written.
    #[inline(always)]
    #[must_use]
    pub(crate) fn write<T: Plain>(&self, address: u64, value: T) -> bool {
        match self.pointer::<T>(address) {
            Some(pointer) if self.writable => {
                // SAFETY: as in `read`; the maker keeps the bytes writable.
                unsafe { pointer.write_unaligned(value) };
                true
            }
            _ => false,
        }
    }

    /// Where a value at that address really lies.
    #[inline(always)]
    pub(super) fn pointer<T>(&self, address: u64) -> Option<*mut T> {
        let inside = self.holds(address, size_of::<T>() as u64);
        let host = usize::try_from(address.wrapping_add(self.shift)).ok()?;
        inside.then(|| std::ptr::with_exposed_provenance_mut(host))
    }
}
