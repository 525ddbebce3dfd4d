//! Memory that the executor owns: shared, local and module variables, parameters.

use super::window::Window;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};

/// Zeroed bytes on the host that only kernels touch.
#[derive(Debug)]
pub(crate) struct Storage {
    start: usize,
    layout: Layout,
    bytes: u64,
}

/// The largest alignment that a variable may ask for.
const ALIGN: usize = 1024;

impl Storage {
    /// That many bytes, all zero; `None` if there cannot be so many.
    pub(crate) fn new(bytes: usize) -> Option<Self> {
        // An allocation of no bytes is not allowed.
        let layout = Layout::from_size_align(bytes.max(1), ALIGN).ok()?;
        // SAFETY: the layout has at least one byte.
        let start = unsafe { alloc_zeroed(layout) };
        if start.is_null() {
            handle_alloc_error(layout);
        }
        Some(Self {
            start: start.expose_provenance(),
            layout,
            bytes: u64::try_from(bytes).ok()?,
        })
    }

    /// The bytes at the address where they are.
    pub(crate) fn window(&self, writable: bool) -> Window {
        let start = self.start as u64;
        // SAFETY: the bytes live as long as the storage, which outlives the launch whose
        // windows they are; nobody has a reference to them.
        unsafe { Window::new(start, self.bytes, start, writable) }
    }

    /// Writes bytes before anything runs; false if they do not fit.
    #[must_use]
    pub(crate) fn fill(&self, offset: u64, bytes: &[u8]) -> bool {
        let window = self.window(true);
        let start = window.start().wrapping_add(offset);
        (start..)
            .zip(bytes)
            .all(|(at, &byte)| window.write(at, byte))
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        let start = std::ptr::with_exposed_provenance_mut(self.start);
        // SAFETY: allocated in `new` with this layout, and freed only here.
        unsafe { dealloc(start, self.layout) };
    }
}
