//! Filling a new array from the host.

use crate::array::Array;
use crate::buffer::Access;
use crate::error::{Error, Result};
use crate::stream::Stream;
use pygpukit_core::array::DType;
use std::time::Duration;

/// A new array on its way from the host, in C order, in pieces of any size.
///
/// Gigabytes take seconds: between two pieces the caller may look around, and drop
/// it all.
#[derive(Debug)]
pub struct Upload {
    array: Array,
    written: usize,
}

impl Upload {
    /// Takes the memory.
    pub fn new(stream: &Stream, shape: &[usize], dtype: DType) -> Result<Self> {
        let array = Array::empty(stream, shape, dtype)?;
        Ok(Self { array, written: 0 })
    }

    /// Waits until the memory may be written, or the time is over; true if so. It
    /// may be a freed array's whose work is not done.
    pub fn wait(&self, timeout: Duration) -> Result<bool> {
        self.array.buffer().wait_idle(Access::Write, timeout)
    }

    /// Copies the next bytes, once the memory may be written.
    ///
    /// # Errors
    /// [`Error::Value`] if the array has no room for them.
    pub fn write(&mut self, piece: &[u8]) -> Result<()> {
        let end = self.written + piece.len();
        if end > self.array.nbytes() {
            return Err(self.wrong_length(end));
        }
        if !piece.is_empty() {
            while !self.wait(Duration::from_secs(3600))? {}
            let address = self.array.address() + self.written as u64;
            // SAFETY: the range lies in the buffer, which is ours alone, and nothing
            // queued touches it.
            unsafe { self.array.device().backend().write(address, piece) }?;
        }
        self.written = end;
        Ok(())
    }

    /// The array.
    ///
    /// # Errors
    /// [`Error::Value`] if bytes are missing.
    pub fn finish(self) -> Result<Array> {
        if self.written < self.array.nbytes() {
            return Err(self.wrong_length(self.written));
        }
        Ok(self.array)
    }

    fn wrong_length(&self, given: usize) -> Error {
        Error::Value(format!(
            "{given} bytes given for an array of {}",
            self.array.nbytes()
        ))
    }
}
