//! Buffers: memory that frees itself, and knows who last used it.

use crate::account::Account;
use crate::backend::{Need, Queue, Ticket};
use crate::device::Device;
use crate::error::Result;
use crate::memory::{Block, Use};
use crate::stream::{Stream, remaining};
use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How work touches a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It reads.
    Read,
    /// It writes, and may read.
    Write,
}

/// Memory that another library owns.
///
/// What it holds is dropped when the last buffer over the memory is gone.
pub struct Foreign {
    _owner: Box<dyn Any + Send + Sync>,
}

impl Foreign {
    /// Keeps `owner` alive for as long as the memory is used.
    pub fn new(owner: impl Any + Send + Sync) -> Self {
        Self {
            _owner: Box::new(owner),
        }
    }
}

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Foreign(..)")
    }
}

/// Memory of a device.
#[derive(Debug)]
pub struct Buffer {
    device: Device,
    address: u64,
    bytes: usize,
    memory: Owner,
    /// Others hold the address too.
    shared: AtomicBool,
    uses: Mutex<Uses>,
}

#[derive(Debug)]
enum Owner {
    /// A block of the device's memory, charged to an account.
    Pool {
        block: Block,
        account: Arc<dyn Account>,
    },
    /// No bytes, no address.
    Nothing,
    /// Somebody else's memory, dropped when no work touches it any more.
    Foreign {
        owner: Option<Foreign>,
        read_only: bool,
    },
}

/// Work that touches a buffer and may not be done.
#[derive(Debug, Default)]
struct Uses {
    write: Option<Use>,
    reads: Vec<Use>,
}

impl Buffer {
    /// Allocates `bytes` bytes, charged to the stream's account. The contents
    /// are undefined. 0 bytes take no memory and have address 0.
    pub fn new(stream: &Stream, bytes: usize) -> Result<Arc<Self>> {
        let device = stream.device();
        device.check_process()?;
        let (address, memory, pending) = if bytes == 0 {
            (0, Owner::Nothing, Vec::new())
        } else {
            let account = Arc::clone(stream.account());
            account.charge(bytes as u64)?;
            let mut block = device.take_memory(bytes).inspect_err(|_| {
                account.release(bytes as u64);
            })?;
            let pending = std::mem::take(&mut block.pending);
            (block.address, Owner::Pool { block, account }, pending)
        };
        // To whoever writes first, the previous owner's work is a read to wait for.
        let uses = Uses {
            write: None,
            reads: pending,
        };
        Ok(Arc::new(Self {
            device: device.clone(),
            address,
            bytes,
            memory,
            shared: AtomicBool::new(false),
            uses: Mutex::new(uses),
        }))
    }

    /// A buffer over memory that another library owns.
    ///
    /// # Safety
    /// `address .. address + bytes` is memory of `device` that stays valid until
    /// `owner` is dropped.
    pub unsafe fn from_foreign(
        device: &Device,
        address: u64,
        bytes: usize,
        owner: Foreign,
        read_only: bool,
    ) -> Arc<Self> {
        Arc::new(Self {
            device: device.clone(),
            address,
            bytes,
            memory: Owner::Foreign {
                owner: Some(owner),
                read_only,
            },
            shared: AtomicBool::new(true),
            uses: Mutex::default(),
        })
    }

    /// The device whose memory this is.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The address of the first byte; 0 for no bytes.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Bytes asked for.
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// True for no bytes.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// True if the memory must not be written.
    pub fn is_read_only(&self) -> bool {
        matches!(
            self.memory,
            Owner::Foreign {
                read_only: true,
                ..
            }
        )
    }

    /// Says that others hold the address from now on.
    pub fn share(&self) {
        self.shared.store(true, Ordering::Relaxed);
    }

    /// True if others hold the address: the memory must stay where it is, and on
    /// the CPU, where others cannot wait for streams, work on it is synchronous.
    pub fn is_shared(&self) -> bool {
        self.shared.load(Ordering::Relaxed)
    }

    /// Blocks until nothing queued writes (or, before a write, reads) the buffer,
    /// or the time is over; true if so.
    ///
    /// # Errors
    /// The fault of the work waited for.
    pub fn wait_idle(&self, access: Access, timeout: Duration) -> Result<bool> {
        self.device.check_process()?;
        let deadline = Instant::now() + timeout;
        // Cloned, so that no lock is held while waiting.
        let pending: Vec<_> = self
            .lock()
            .blocking(access)
            .map(|(pending, need)| (pending.clone(), need))
            .collect();
        for (pending, need) in pending {
            match pending.queue.wait(pending.ticket, remaining(deadline)) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                // What was to read the memory failed, so it reads no more.
                Err(_) if need == Need::Order => {}
                Err(fault) => return Err(fault),
            }
        }
        Ok(true)
    }

    fn lock(&self) -> MutexGuard<'_, Uses> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn wait_on(&self, queue: &Arc<dyn Queue>, access: Access) -> Result<()> {
        self.lock().wait_on(queue, access)
    }

    pub(crate) fn record(&self, queue: &Arc<dyn Queue>, ticket: Ticket, access: Access) {
        self.lock().record(queue, ticket, access);
    }

    /// Runs `act` with the uses of all buffers locked, in order of address, so
    /// that two threads cannot wait for each other.
    pub(crate) fn ordered<T>(
        reads: &[&Self],
        writes: &[&Self],
        act: impl FnOnce(&mut Accesses<'_>) -> T,
    ) -> T {
        let writes = writes.iter().map(|&buffer| (buffer, Access::Write));
        let reads = reads.iter().map(|&buffer| (buffer, Access::Read));
        let mut named: smallvec::SmallVec<[(&Self, Access); 4]> = writes.chain(reads).collect();
        // Stable: of a buffer that is read and written, the write comes first and stays.
        named.sort_by_key(|&(buffer, _)| std::ptr::from_ref(buffer));
        named.dedup_by_key(|&mut (buffer, _)| std::ptr::from_ref(buffer));
        let locked = named
            .into_iter()
            .map(|(buffer, access)| (buffer.lock(), access))
            .collect();
        act(&mut Accesses(locked))
    }
}

/// Buffers locked for one piece of work.
pub(crate) struct Accesses<'a>(smallvec::SmallVec<[(MutexGuard<'a, Uses>, Access); 4]>);

impl Accesses<'_> {
    pub(crate) fn wait_on(&self, queue: &Arc<dyn Queue>) -> Result<()> {
        self.0
            .iter()
            .try_for_each(|(uses, access)| uses.wait_on(queue, *access))
    }

    pub(crate) fn record(&mut self, queue: &Arc<dyn Queue>, ticket: Ticket) {
        for (uses, access) in &mut self.0 {
            uses.record(queue, ticket, *access);
        }
    }
}

impl Uses {
    /// What must be done before this access may begin.
    fn blocking(&self, access: Access) -> impl Iterator<Item = (&Use, Need)> {
        let reads = match access {
            Access::Read => [].as_slice(),
            Access::Write => &self.reads,
        };
        let write = self.write.iter().map(|write| (write, Need::Outcome));
        write.chain(reads.iter().map(|read| (read, Need::Order)))
    }

    fn wait_on(&self, queue: &Arc<dyn Queue>, access: Access) -> Result<()> {
        self.blocking(access)
            .filter(|(pending, _)| !pending.is_of(queue))
            .try_for_each(|(pending, need)| queue.wait_for(&*pending.queue, pending.ticket, need))
    }

    fn record(&mut self, queue: &Arc<dyn Queue>, ticket: Ticket, access: Access) {
        let this = Use {
            queue: Arc::clone(queue),
            ticket,
        };
        match access {
            // Whoever waits for this write waits for all that it waited for.
            Access::Write => {
                self.reads.clear();
                self.write = Some(this);
            }
            Access::Read => match self.reads.iter_mut().find(|read| read.is_of(queue)) {
                Some(read) => *read = this,
                None => self.reads.push(this),
            },
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let uses = self.uses.get_mut().unwrap_or_else(PoisonError::into_inner);
        let pending = uses.write.take().into_iter().chain(uses.reads.drain(..));
        match &mut self.memory {
            Owner::Nothing => {}
            Owner::Pool { block, account } => {
                let block = Block {
                    address: block.address,
                    bytes: block.bytes,
                    pending: pending.collect(),
                };
                self.device.give_back_memory(block);
                account.release(self.bytes as u64);
            }
            Owner::Foreign { owner, .. } => {
                if let Some(owner) = owner.take() {
                    self.device.release_foreign(owner, pending.collect());
                }
            }
        }
    }
}
