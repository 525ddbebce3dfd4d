//! Streams: work that runs in order, and the order between streams.

use crate::account::Account;
use crate::backend::{DeviceId, Need, Priority, Queue, Ticket, Work};
use crate::buffer::{Access, Buffer};
use crate::deferred::wait_or_defer;
use crate::device::Device;
use crate::error::{Error, Result};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Work of one device that runs in order.
///
/// Streams of a device overlap. What two streams do to the same memory is
/// ordered by the data: see [`Stream::submit`]. Memory that operations on a
/// stream allocate is charged to the stream's account.
///
/// Cloning gives another handle to the same stream.
#[derive(Clone, Debug)]
pub struct Stream {
    device: Device,
    queue: Arc<dyn Queue>,
    account: Arc<dyn Account>,
}

impl Stream {
    /// Makes a stream that charges memory to the device's default tenant.
    pub fn new(device: &Device, priority: Priority) -> Result<Self> {
        let account = device.default_stream()?.account.clone();
        Self::with_account(device, priority, account)
    }

    /// Makes a stream that charges memory to `account`.
    pub fn with_account(
        device: &Device,
        priority: Priority,
        account: Arc<dyn Account>,
    ) -> Result<Self> {
        let queue = device.new_queue(priority)?;
        Ok(Self::over(device, queue, account))
    }

    /// A stream on a queue that is there.
    pub(crate) fn over(device: &Device, queue: Arc<dyn Queue>, account: Arc<dyn Account>) -> Self {
        account.adopt(&queue);
        Self {
            device: device.clone(),
            queue,
            account,
        }
    }

    /// Takes part in a stream that another library owns.
    ///
    /// # Safety
    /// `handle` is a stream of `device` that outlives every clone of the result.
    pub unsafe fn adopt(device: &Device, handle: u64) -> Result<Self> {
        device.check_process()?;
        Ok(Self {
            device: device.clone(),
            // SAFETY: the caller's promise.
            queue: unsafe { device.backend().adopt(handle) }?,
            account: device.default_stream()?.account.clone(),
        })
    }

    /// The device whose work this is.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The native handle (`CUstream`); 0 on the CPU.
    pub fn handle(&self) -> u64 {
        self.queue.handle()
    }

    /// Who pays for memory allocated by operations on this stream.
    pub fn account(&self) -> &Arc<dyn Account> {
        &self.account
    }

    /// Queues work that reads and writes the given buffers, after all earlier
    /// work that it must not overtake: a reader waits for the last writer, a
    /// writer for the last writer and all readers since. On one stream that
    /// costs nothing.
    ///
    /// Returns at once; on the CPU, if others see one of the buffers, when the work
    /// is done (see [`Deferred`](crate::Deferred)).
    ///
    /// Locks: the uses of all buffers named, in order of address, from the first
    /// wait to the record; no other lock is taken meanwhile but the queue's.
    ///
    /// # Safety
    /// As [`Queue::push`]; every address in `work` lies in a buffer named here.
    pub unsafe fn submit(
        &self,
        work: Work,
        reads: &[&Buffer],
        writes: &[&Buffer],
    ) -> Result<Ticket> {
        self.device.check_process()?;
        self.account.permit()?;
        for buffer in reads.iter().chain(writes) {
            if buffer.device() != &self.device {
                return Err(self.device.refusal_of(buffer.device()));
            }
        }
        if let Some(buffer) = writes.iter().find(|buffer| buffer.is_read_only()) {
            return Err(Error::Value(format!(
                "the memory at {:#x} belongs to another library and is read-only",
                buffer.address()
            )));
        }
        let ticket = Buffer::ordered(reads, writes, |access| {
            access.wait_on(&self.queue)?;
            // SAFETY: the caller's promise; the buffers named are alive, and
            // when dropped their memory waits for the ticket recorded below.
            let ticket = unsafe { self.queue.push(work) }?;
            access.record(&self.queue, ticket);
            Ok::<_, Error>(ticket)
        })?;
        let is_visible = |buffer: &&Buffer| buffer.is_shared();
        if self.device.id() == DeviceId::Cpu && reads.iter().chain(writes).any(is_visible) {
            wait_or_defer(&self.queue, ticket)?;
        }
        Ok(ticket)
    }

    /// Makes later work of this stream wait for all that is on `other` now.
    pub fn wait_stream(&self, other: &Self) -> Result<()> {
        self.device.check_process()?;
        self.queue
            .wait_for(&*other.queue, other.queue.mark()?, Need::Outcome)
    }

    /// True if all that is on the stream now has completed.
    pub fn is_idle(&self) -> Result<bool> {
        self.device.check_process()?;
        self.queue.is_done(self.queue.mark()?)
    }

    /// Blocks until all that is on the stream now has completed.
    pub fn synchronize(&self) -> Result<()> {
        while !self.synchronize_for(Duration::from_secs(3600))? {}
        Ok(())
    }

    /// As [`synchronize`](Self::synchronize), for a limited time; true if done.
    pub fn synchronize_for(&self, timeout: Duration) -> Result<bool> {
        self.device.check_process()?;
        self.queue.wait(self.queue.mark()?, timeout)
    }

    /// Makes later work of this stream wait until no other stream writes (or,
    /// before a write, reads) `buffer` any more.
    pub fn wait_for_buffer(&self, buffer: &Buffer, access: Access) -> Result<()> {
        self.device.check_process()?;
        buffer.wait_on(&self.queue, access)
    }

    /// Says that work queued on this stream by others uses `buffer`: later work
    /// elsewhere waits for all that is on the stream now.
    pub fn record_use(&self, buffer: &Buffer, access: Access) -> Result<()> {
        self.device.check_process()?;
        let ticket = self.queue.mark()?;
        buffer.record(&self.queue, ticket, access);
        Ok(())
    }
}

/// Handles are equal if they are of the same stream.
impl PartialEq for Stream {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.queue, &other.queue)
    }
}

impl Eq for Stream {}

impl Hash for Stream {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.queue).cast::<()>().hash(state);
    }
}

/// The rest of a time limit.
pub(crate) fn remaining(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}
