//! Operands as blocks of contiguous elements.

use super::storage::{BLOCK, Plain, Scratch, Storage};
use super::walk::Walk;
use std::slice;

/// An operand that is read: stored as `S`, computed with as `C`.
pub(super) enum Source<S, C> {
    /// Lies in memory as it is computed with.
    Dense(u64),
    /// One value for all elements.
    Constant(S),
    /// Must be gathered or converted.
    Gathered(Walk, std::marker::PhantomData<fn() -> C>),
}

impl<S: Storage<C>, C: Plain> Source<S, C> {
    /// # Safety
    /// The walk's elements are readable memory.
    pub(super) unsafe fn new(walk: &Walk) -> Self {
        match (walk.dense(), walk.constant()) {
            (Some(address), _) if S::SAME && address.is_multiple_of(align_of::<C>() as u64) => {
                Self::Dense(address)
            }
            // SAFETY: the caller's promise.
            (_, Some(address)) => Self::Constant(unsafe { pointer::<S>(address).read_unaligned() }),
            _ => Self::Gathered(walk.clone(), std::marker::PhantomData),
        }
    }

    pub(super) const fn is_dense(&self) -> bool {
        matches!(self, Self::Dense(_))
    }

    /// Makes a reader with its own scratch, for one thread.
    pub(super) fn reader(&self) -> Reader<'_, S, C> {
        let mut reader = Reader {
            source: self,
            stored: Scratch::new(),
            computed: Scratch::new(),
        };
        if let Self::Constant(value) = self {
            let computed = reader.computed.pointer();
            // SAFETY: within the scratch; any bits are a `C`.
            unsafe {
                computed.write_bytes(0, 1);
                S::widen(
                    slice::from_ref(value),
                    slice::from_raw_parts_mut(computed, 1),
                );
                for i in 1..BLOCK {
                    computed.add(i).write(computed.read());
                }
            }
        }
        reader
    }
}

/// Reads an operand block by block.
pub(super) struct Reader<'a, S, C> {
    source: &'a Source<S, C>,
    stored: Scratch<S>,
    computed: Scratch<C>,
}

impl<S: Storage<C>, C: Plain> Reader<'_, S, C> {
    /// The elements numbered `start .. start + count`, contiguous until the next
    /// call. At most [`BLOCK`] unless the source is dense.
    ///
    /// # Safety
    /// The elements are readable memory.
    pub(super) unsafe fn block(&mut self, start: usize, count: usize) -> *const C {
        match self.source {
            Source::Dense(address) => pointer::<C>(*address).wrapping_add(start),
            Source::Constant(_) => self.computed.pointer(),
            Source::Gathered(walk, _) => {
                debug_assert!(count <= BLOCK, "a block does not fit the scratch");
                let stored = self.stored.pointer();
                walk.runs(start, count, |address, stride, first, count| {
                    // SAFETY: the run lies in the operand, and in the scratch.
                    unsafe { gather(address, stride, stored.add(first), count) };
                });
                let computed = self.computed.pointer();
                if S::SAME {
                    return stored.cast();
                }
                // SAFETY: `count` elements were gathered; any bits are a `C`.
                unsafe {
                    computed.write_bytes(0, count);
                    S::widen(
                        slice::from_raw_parts(stored, count),
                        slice::from_raw_parts_mut(computed, count),
                    );
                }
                computed
            }
        }
    }
}

/// An operand that is written: computed as `C`, stored as `S`.
pub(super) enum Sink<S, C> {
    /// Lies in memory as it is computed.
    Dense(u64),
    /// Must be converted or scattered.
    Scattered(Walk, std::marker::PhantomData<fn(C) -> S>),
}

impl<S: Storage<C>, C: Plain> Sink<S, C> {
    pub(super) fn new(walk: &Walk) -> Self {
        match walk.dense() {
            Some(address) if S::SAME && address.is_multiple_of(align_of::<C>() as u64) => {
                Self::Dense(address)
            }
            _ => Self::Scattered(walk.clone(), std::marker::PhantomData),
        }
    }

    pub(super) const fn is_dense(&self) -> bool {
        matches!(self, Self::Dense(_))
    }

    /// Makes a writer with its own scratch, for one thread.
    pub(super) fn writer(&self) -> Writer<'_, S, C> {
        Writer {
            sink: self,
            computed: Scratch::new(),
            stored: Scratch::new(),
        }
    }
}

/// Writes an operand block by block.
pub(super) struct Writer<'a, S, C> {
    sink: &'a Sink<S, C>,
    computed: Scratch<C>,
    stored: Scratch<S>,
}

impl<S: Storage<C>, C: Plain> Writer<'_, S, C> {
    /// Where to put the elements from `start` on: see [`Reader::block`].
    pub(super) fn room(&mut self, start: usize) -> *mut C {
        match self.sink {
            Sink::Dense(address) => pointer::<C>(*address).wrapping_add(start),
            Sink::Scattered(..) => self.computed.pointer(),
        }
    }

    /// Brings `count` elements from the room to where they belong.
    ///
    /// # Safety
    /// They were written, and the operand is writable memory.
    pub(super) unsafe fn commit(&mut self, start: usize, count: usize) {
        let Sink::Scattered(walk, _) = self.sink else {
            return;
        };
        debug_assert!(count <= BLOCK, "a block does not fit the scratch");
        let stored = if S::SAME {
            self.computed.pointer().cast::<S>()
        } else {
            let stored = self.stored.pointer();
            // SAFETY: `count` elements were computed; any bits are an `S`.
            unsafe {
                stored.write_bytes(0, count);
                S::narrow(
                    slice::from_raw_parts(self.computed.pointer(), count),
                    slice::from_raw_parts_mut(stored, count),
                );
            }
            stored
        };
        walk.runs(start, count, |address, stride, first, count| {
            // SAFETY: the run lies in the scratch, and in the operand.
            unsafe { scatter(stored.add(first), address, stride, count) };
        });
    }
}

/// Copies elements at one stride to contiguous ones.
///
/// # Safety
/// `count` elements are readable from `address` on, writable at `target`.
unsafe fn gather<T: Plain>(address: u64, stride: isize, target: *mut T, count: usize) {
    let source = pointer::<u8>(address);
    // SAFETY: the caller's promise, for each of the elements.
    unsafe {
        if stride == size_of::<T>().cast_signed() {
            std::ptr::copy_nonoverlapping(source, target.cast(), count * size_of::<T>());
        } else {
            for i in 0..count {
                let at = source.offset(i.cast_signed() * stride).cast::<T>();
                target.add(i).write(at.read_unaligned());
            }
        }
    }
}

/// Copies contiguous elements to ones at one stride.
///
/// # Safety
/// `count` elements are readable at `source`, writable from `address` on.
unsafe fn scatter<T: Plain>(source: *const T, address: u64, stride: isize, count: usize) {
    let target = pointer::<u8>(address);
    // SAFETY: the caller's promise, for each of the elements.
    unsafe {
        if stride == size_of::<T>().cast_signed() {
            std::ptr::copy_nonoverlapping(source.cast(), target, count * size_of::<T>());
        } else {
            for i in 0..count {
                let at = target.offset(i.cast_signed() * stride).cast::<T>();
                at.write_unaligned(source.add(i).read());
            }
        }
    }
}

/// A device address as the pointer it is on this device.
pub(super) fn pointer<T>(address: u64) -> *mut T {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the address was made from a pointer of this process"
    )]
    std::ptr::with_exposed_provenance_mut(address as usize)
}
