//! The allocations that kernels of a launch may touch.

use super::plain::Plain;
use super::window::Window;
use std::collections::BTreeMap;
use std::marker::PhantomData;

/// The table of allocations that a launch may touch, at their real addresses. An access
/// outside all of them, or across the end of one, is a fault.
///
/// Memory that belongs to Rust is lent to it with [`share`](Self::share); memory that does
/// not, with [`insert`](Self::insert).
///
/// ```
/// use pygpukit_ptx::Memory;
///
/// let mut values = [1.0_f32, 2.0, 3.0];
/// let mut memory = Memory::default();
/// let address = memory.share(&mut values);
/// assert_ne!(address, 0);
/// ```
#[derive(Debug, Default)]
pub struct Memory<'m> {
    windows: BTreeMap<u64, Window>,
    borrowed: PhantomData<&'m mut [u8]>,
}

impl<'m> Memory<'m> {
    /// Lends a slice to kernels as long as the table lives; the answer is its address.
    pub fn share<T: Plain>(&mut self, data: &'m mut [T]) -> u64 {
        let bytes = size_of_val(data) as u64;
        let start = data.as_mut_ptr().expose_provenance() as u64;
        // SAFETY: the slice is borrowed mutably for `'m`, which the table does not outlive.
        unsafe { self.insert(start, bytes, true) };
        start
    }

    /// Lends a slice to kernels that must not write to it; the answer is its address.
    pub fn share_read_only<T: Plain>(&mut self, data: &'m [T]) -> u64 {
        let bytes = size_of_val(data) as u64;
        let start = data.as_ptr().expose_provenance() as u64;
        // SAFETY: the slice is borrowed for `'m`, and the window refuses to write.
        unsafe { self.insert(start, bytes, false) };
        start
    }

    /// Adds an allocation; one of no bytes is not noted.
    ///
    /// # Safety
    /// Until it is [removed](Self::remove) or the table is dropped, the bytes must stay
    /// allocated, readable and, if so noted, writable; their pointer's provenance must have
    /// been exposed; and no Rust reference to them may be used while a launch runs.
    pub unsafe fn insert(&mut self, start: u64, bytes: u64, writable: bool) {
        if bytes > 0 {
            // SAFETY: handed on to the caller.
            let window = unsafe { Window::new(start, bytes, start, writable) };
            self.windows.insert(start, window);
        }
    }

    /// Takes the allocation that begins there out of the table; false if there is none.
    pub fn remove(&mut self, start: u64) -> bool {
        self.windows.remove(&start).is_some()
    }

    /// The allocation that begins last at or before that address.
    pub(crate) fn find(&self, address: u64) -> Option<Window> {
        let (_, window) = self.windows.range(..=address).next_back()?;
        Some(*window)
    }
}
