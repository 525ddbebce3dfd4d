//! Copies between host and device.
//!
//! They run on streams of their own, so that no other stream waits for them, and
//! the host waits by asking, not in the driver.

use super::context::Context;
use super::driver::{Driver, DriverResult};
use super::event::Event;
use super::poll;
use crate::error::Result;
use cudarc::driver::sys::{self, CUstream_flags};
use std::sync::Arc;
use std::time::Duration;

/// The streams that copies run on, one in each direction.
#[derive(Debug)]
pub(super) struct Transfers {
    context: Arc<Context>,
    to_device: sys::CUstream,
    to_host: sys::CUstream,
}

// SAFETY: a stream's handle may be used from any thread.
unsafe impl Send for Transfers {}
// SAFETY: as above; nothing of ours changes.
unsafe impl Sync for Transfers {}

impl Transfers {
    pub(super) fn new(context: &Arc<Context>) -> DriverResult<Self> {
        let driver = context.enter()?;
        let create = || {
            let mut stream = std::ptr::null_mut();
            let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
            // SAFETY: stores into a live variable; a context is current.
            unsafe { driver.cuStreamCreateWithPriority(&raw mut stream, flags, 0) }?;
            Ok(stream)
        };
        Ok(Self {
            context: Arc::clone(context),
            to_device: create()?,
            to_host: create()?,
        })
    }

    /// Copies to the device; returns when the copy is complete.
    ///
    /// # Safety
    /// As [`Backend::write`](crate::backend::Backend::write).
    pub(super) unsafe fn write(&self, address: u64, source: &[u8]) -> Result<()> {
        let (bytes, source) = (source.len(), source.as_ptr().cast());
        self.run(self.to_device, |driver, stream| {
            // SAFETY: the caller's promise; `source` outlives the wait in `run`.
            unsafe { driver.cuMemcpyHtoDAsync_v2(address, source, bytes, stream) }
        })
    }

    /// Copies to the host; returns when the copy is complete.
    ///
    /// # Safety
    /// As [`Backend::read`](crate::backend::Backend::read).
    pub(super) unsafe fn read(&self, address: u64, target: &mut [u8]) -> Result<()> {
        let (bytes, target) = (target.len(), target.as_mut_ptr().cast());
        self.run(self.to_host, |driver, stream| {
            // SAFETY: the caller's promise; `target` outlives the wait in `run`.
            unsafe { driver.cuMemcpyDtoHAsync_v2(target, address, bytes, stream) }
        })
    }

    fn run(
        &self,
        stream: sys::CUstream,
        copy: impl FnOnce(&'static Driver, sys::CUstream) -> DriverResult,
    ) -> Result<()> {
        let context = &self.context;
        context.check_fault()?;
        let start = || {
            let driver = context.enter()?;
            copy(driver, stream)?;
            // SAFETY: the stream is live, the context current.
            unsafe { Event::record(context, stream) }
        };
        let event = start().map_err(|failure| context.error(failure))?;
        let is_done = || event.is_done().map_err(|failure| context.error(failure));
        // The host's memory must not be given back before the copy has ended, and
        // a failed event means that it has.
        while !poll::until(Duration::from_secs(3600), is_done)? {}
        Ok(())
    }
}

impl Drop for Transfers {
    fn drop(&mut self) {
        if let Some(driver) = self.context.enter_to_destroy() {
            for stream in [self.to_device, self.to_host] {
                // SAFETY: made in `new`; every copy has been waited for. What the
                // driver answers is of no use here.
                let _ = unsafe { driver.cuStreamDestroy_v2(stream) };
            }
        }
    }
}
