//! Arrays: memory with a layout and a dtype.

use crate::backend::{DeviceId, View};
use crate::buffer::{Access, Buffer};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::ops;
use crate::stream::Stream;
use crate::upload::Upload;
use pygpukit_core::array::{DType, Index, Layout, check_dimensions};
use std::sync::Arc;
use std::time::Duration;

/// An n-dimensional array on a device. Cloning shares the memory.
///
/// Operations are in [`crate::ops`]; they return at once. Reading waits.
#[derive(Clone, Debug)]
pub struct Array {
    buffer: Arc<Buffer>,
    layout: Layout,
    dtype: DType,
}

impl Array {
    /// A C-contiguous array with undefined contents.
    pub fn empty(stream: &Stream, shape: &[usize], dtype: DType) -> Result<Self> {
        let layout = Layout::contiguous(shape, dtype.itemsize())?;
        let buffer = Buffer::new(stream, layout.nbytes())?;
        Ok(Self {
            buffer,
            layout,
            dtype,
        })
    }

    /// An array over memory that is there already.
    ///
    /// # Errors
    /// [`Error::Value`] if the layout reaches beyond the buffer; [`Error::Shape`] if
    /// it has too many dimensions.
    pub fn from_parts(buffer: Arc<Buffer>, layout: Layout, dtype: DType) -> Result<Self> {
        check_dimensions(layout.ndim())?;
        if let Some((_, end)) = layout.extent()
            && end > buffer.len()
        {
            return Err(Error::Value(format!(
                "a layout that ends at byte {end} does not fit a buffer of {} bytes",
                buffer.len()
            )));
        }
        Ok(Self {
            buffer,
            layout,
            dtype,
        })
    }

    /// A C-contiguous array with a copy of `bytes`, native-endian elements in C order.
    ///
    /// # Errors
    /// [`Error::Value`] if the number of bytes does not match.
    pub fn from_bytes(
        stream: &Stream,
        bytes: &[u8],
        shape: &[usize],
        dtype: DType,
    ) -> Result<Self> {
        let mut upload = Upload::new(stream, shape, dtype)?;
        upload.write(bytes)?;
        upload.finish()
    }

    /// Waits for the array and copies its elements in C order into `target`.
    ///
    /// # Errors
    /// [`Error::Value`] if the number of bytes does not match; the fault of the
    /// work that was to write the array.
    pub fn read_bytes(&self, stream: &Stream, target: &mut [u8]) -> Result<()> {
        if target.len() != self.nbytes() {
            return Err(Error::Value(format!(
                "{} bytes of room for an array of {}",
                target.len(),
                self.nbytes()
            )));
        }
        ops::contiguous(stream, self)?.read_piece(0, target)
    }

    /// Waits for the array, which is contiguous, and copies `target.len()` of its
    /// bytes from byte `start` on.
    ///
    /// # Errors
    /// [`Error::Value`] if it is not contiguous, or has no such bytes; the fault of
    /// the work that was to write it.
    pub fn read_piece(&self, start: usize, target: &mut [u8]) -> Result<()> {
        let is_inside = target.len() <= self.nbytes().saturating_sub(start);
        if !is_inside || !self.layout.is_contiguous() {
            return Err(Error::Value(format!(
                "an array of {} bytes and strides {:?} has no piece of {} bytes at {start}",
                self.nbytes(),
                self.layout.strides(),
                target.len()
            )));
        }
        if target.is_empty() {
            return Ok(());
        }
        while !self.wait(Duration::from_secs(3600))? {}
        let address = self.address() + start as u64;
        // SAFETY: the range lies in the buffer, and nothing queued writes it.
        unsafe { self.device().backend().read(address, target) }
    }

    /// Waits until nothing queued writes the array, or the time is over; true if so.
    pub fn wait(&self, timeout: Duration) -> Result<bool> {
        self.buffer.wait_idle(Access::Read, timeout)
    }

    /// The device whose memory this is.
    pub fn device(&self) -> &Device {
        self.buffer.device()
    }

    /// Which device that is.
    pub fn device_id(&self) -> DeviceId {
        self.device().id()
    }

    /// The memory under the array, shared by its views.
    pub fn buffer(&self) -> &Arc<Buffer> {
        &self.buffer
    }

    /// Where the elements lie.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Lengths of the dimensions.
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// Number of elements.
    pub fn size(&self) -> usize {
        self.layout.size()
    }

    /// Bytes that the elements take.
    pub fn nbytes(&self) -> usize {
        self.layout.nbytes()
    }

    /// The address of element (0, 0, …); 0 for an array without elements.
    pub fn address(&self) -> u64 {
        if self.size() == 0 {
            0
        } else {
            self.buffer.address() + self.layout.offset() as u64
        }
    }

    /// The same memory in another layout of the same itemsize.
    pub(crate) fn with_layout(&self, layout: Layout) -> Self {
        Self {
            buffer: Arc::clone(&self.buffer),
            layout,
            dtype: self.dtype,
        }
    }

    pub(crate) fn view(&self) -> View {
        View {
            address: self.buffer.address(),
            dtype: self.dtype,
            layout: self.layout.clone(),
        }
    }

    /// True if both are views of the same memory.
    pub fn shares_buffer(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.buffer, &other.buffer)
    }

    /// The view that an index expression selects.
    pub fn index(&self, items: &[Index]) -> Result<Self> {
        Ok(self.with_layout(self.layout.index(items)?))
    }

    /// The view with dimensions reversed.
    #[must_use]
    pub fn transposed(&self) -> Self {
        self.with_layout(self.layout.transposed())
    }

    /// The view repeated to a larger shape by zero strides.
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<Self> {
        Ok(self.with_layout(self.layout.broadcast_to(shape)?))
    }
}
