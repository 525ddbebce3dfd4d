//! Devices: finding them, opening them, choosing the default.

use crate::account::Account;
use crate::backend::{Backend, DeviceId, DeviceInfo, Priority, Queue};
use crate::buffer::Foreign;
use crate::error::{Error, Result};
use crate::memory::{Block, Memory, MemoryStats, Use};
use crate::scheduler::{Clock, MonotonicClock, Node, TenantAccount};
use crate::stream::{Stream, remaining};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

/// One GPU, or the CPU as a device. Cloning gives another handle to the same.
#[derive(Clone)]
pub struct Device(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    backend: Box<dyn Backend>,
    memory: Memory,
    /// Who may use what of the device.
    node: Arc<Node>,
    default_stream: OnceLock<Stream>,
    /// Every queue made, as long as somebody holds it. Held only for list operations.
    queues: Mutex<Vec<Weak<dyn Queue>>>,
    process: u32,
}

/// The name of a device: `"cpu"`, `"cuda"` (the first), `"cuda:1"`, `"1"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceSpec(pub DeviceId);

impl FromStr for DeviceSpec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let ordinal = match text {
            "cpu" | "cpu:0" => return Ok(Self(DeviceId::Cpu)),
            "cuda" => "0",
            _ => text.strip_prefix("cuda:").unwrap_or(text),
        };
        // `parse` would take a sign.
        if ordinal.bytes().all(|byte| byte.is_ascii_digit())
            && let Ok(ordinal) = ordinal.parse()
        {
            return Ok(Self(DeviceId::Cuda(ordinal)));
        }
        Err(Error::Value(format!(
            "`{text}` does not name a device; use \"cpu\", \"cuda\", \"cuda:N\" or N"
        )))
    }
}

impl Device {
    /// Opens a device by name: see [`DeviceSpec`].
    ///
    /// # Errors
    /// [`Error::DeviceNotAvailable`] with the reason.
    pub fn open(name: &str) -> Result<Self> {
        Self::by_id(name.parse::<DeviceSpec>()?.0)
    }

    /// Opens the device of that id.
    ///
    /// # Errors
    /// [`Error::DeviceNotAvailable`] with the reason.
    pub fn by_id(id: DeviceId) -> Result<Self> {
        // Held while a device is opened, so that it is opened once.
        let mut open = registry()
            .open
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(device) = open.get(&id) {
            return Ok(device.clone());
        }
        let device = Self::new(open_backend(id)?);
        open.insert(id, device.clone());
        Ok(device)
    }

    /// The device that is used where none is named: that of `PYGPUKIT_DEVICE`,
    /// else the first CUDA device, else, only if there is no NVIDIA GPU, the CPU.
    ///
    /// # Errors
    /// [`Error::DeviceNotAvailable`] if a GPU is present but cannot be used.
    pub fn default_device() -> Result<Self> {
        match std::env::var("PYGPUKIT_DEVICE") {
            Ok(name) if !name.is_empty() => Self::open(&name),
            _ => match cuda_presence() {
                Presence::Absent { .. } => Self::by_id(DeviceId::Cpu),
                Presence::Present { .. } | Presence::Unusable { .. } => {
                    Self::by_id(DeviceId::Cuda(0))
                }
            },
        }
    }

    /// Wraps a backend that is not in the registry: for tests and embedders.
    pub fn new(backend: Box<dyn Backend>) -> Self {
        Self::with_clock(backend, Arc::new(MonotonicClock::default()))
    }

    /// As [`new`](Self::new), scheduling by a clock of the caller's.
    pub fn with_clock(backend: Box<dyn Backend>, clock: Arc<dyn Clock>) -> Self {
        let direct = allocates_directly().unwrap_or(false);
        Self(Arc::new(Inner {
            memory: Memory::new(direct),
            node: Node::new(backend.id(), backend.info().total_memory, clock),
            default_stream: OnceLock::new(),
            queues: Mutex::default(),
            process: crate::process::current(),
            backend,
        }))
    }

    /// Which device this is.
    pub fn id(&self) -> DeviceId {
        self.0.backend.id()
    }

    /// What it is and has.
    pub fn info(&self) -> &DeviceInfo {
        self.0.backend.info()
    }

    /// The device behind the trait.
    pub fn backend(&self) -> &dyn Backend {
        &*self.0.backend
    }

    /// The stream that is used where none is named.
    pub fn default_stream(&self) -> Result<&Stream> {
        if let Some(stream) = self.0.default_stream.get() {
            return Ok(stream);
        }
        let account: Arc<dyn Account> = Arc::new(TenantAccount::default_of(self.node()));
        let stream = Stream::with_account(self, Priority::Normal, account)?;
        Ok(self.0.default_stream.get_or_init(|| stream))
    }

    /// Waits until all that is on all streams of the device now has completed, or
    /// the time is over; true if so.
    ///
    /// # Errors
    /// The first fault of a stream.
    pub fn synchronize_for(&self, timeout: Duration) -> Result<bool> {
        self.check_process()?;
        let deadline = Instant::now() + timeout;
        let queues: Vec<_> = {
            let queues = self.0.queues.lock().unwrap_or_else(PoisonError::into_inner);
            queues.iter().filter_map(Weak::upgrade).collect()
        };
        for queue in queues {
            if !queue.wait(queue.mark()?, remaining(deadline))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// As [`synchronize_for`](Self::synchronize_for), without a limit.
    pub fn synchronize(&self) -> Result<()> {
        while !self.synchronize_for(Duration::from_secs(3600))? {}
        Ok(())
    }

    /// Makes a queue, and remembers it for [`synchronize`](Self::synchronize).
    pub(crate) fn new_queue(&self, priority: Priority) -> Result<Arc<dyn Queue>> {
        self.check_process()?;
        let queue = self.backend().queue(priority)?;
        let mut queues = self.0.queues.lock().unwrap_or_else(PoisonError::into_inner);
        queues.retain(|queue| queue.strong_count() > 0);
        queues.push(Arc::downgrade(&queue));
        Ok(queue)
    }

    /// Who may use what of the device.
    pub(crate) fn node(&self) -> &Arc<Node> {
        &self.0.node
    }

    /// Bytes of memory by what they are doing.
    pub fn memory_stats(&self) -> MemoryStats {
        self.0.memory.stats()
    }

    /// Gives cached memory back to the device; returns how many bytes.
    pub fn trim(&self) -> Result<u64> {
        self.check_process()?;
        Ok(self.0.memory.trim(self.backend()))
    }

    /// Refuses a device that was opened before this process was forked.
    pub(crate) fn check_process(&self) -> Result<()> {
        if self.0.process == crate::process::current() {
            Ok(())
        } else {
            Err(Error::Forked(self.id()))
        }
    }

    /// Why an array of `other` cannot take part in work of this device. Of a forked
    /// process that is said first: there a device has the name of the parent's.
    pub(crate) fn refusal_of(&self, other: &Self) -> Error {
        let processes = self.check_process().and_then(|()| other.check_process());
        processes.err().unwrap_or(Error::DeviceMismatch {
            left: self.id(),
            right: other.id(),
        })
    }

    pub(crate) fn take_memory(&self, bytes: usize) -> Result<Block> {
        self.0.memory.take(self.backend(), bytes)
    }

    pub(crate) fn give_back_memory(&self, block: Block) {
        // In a forked child the memory is the parent's; the lock may be held for ever.
        if self.check_process().is_ok() {
            self.0.memory.give_back(self.backend(), block);
        }
    }
}

impl Device {
    pub(crate) fn release_foreign(&self, owner: Foreign, pending: Vec<Use>) {
        match self.check_process() {
            Ok(()) => self.0.memory.release_foreign(owner, pending),
            // The parent's memory: the child must not free it a second time.
            Err(_) => std::mem::forget(owner),
        }
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Device {}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({})", self.id())
    }
}

/// Whether there is an NVIDIA GPU, and whether it can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Presence {
    /// No GPU; why that is so.
    Absent {
        /// What was looked for and not found.
        reason: String,
    },
    /// There is a GPU, and it cannot be used.
    Unusable {
        /// What is missing or failed.
        reason: String,
    },
    /// GPUs that can be used.
    Present {
        /// How many.
        count: u32,
    },
}

/// Whether there are CUDA devices. Opens none.
pub fn cuda_presence() -> Presence {
    #[cfg(feature = "cuda")]
    return crate::cuda::presence();
    #[cfg(not(feature = "cuda"))]
    Presence::Absent {
        reason: "built without the `cuda` feature".into(),
    }
}

/// The devices of this machine that can be opened: CUDA devices, then the CPU.
pub fn devices() -> Vec<DeviceId> {
    let count = match cuda_presence() {
        Presence::Present { count } => count,
        Presence::Absent { .. } | Presence::Unusable { .. } => 0,
    };
    let cpu = cfg!(feature = "cpu").then_some(DeviceId::Cpu);
    (0..count).map(DeviceId::Cuda).chain(cpu).collect()
}

/// Whether `PYGPUKIT_ALLOCATOR` asks for buffers without a cache.
fn allocates_directly() -> Result<bool> {
    match std::env::var("PYGPUKIT_ALLOCATOR").as_deref() {
        Err(_) | Ok("" | "cached") => Ok(false),
        Ok("direct") => Ok(true),
        Ok(other) => Err(Error::Value(format!(
            "`PYGPUKIT_ALLOCATOR={other}` names no allocator; use `cached` or `direct`"
        ))),
    }
}

fn open_backend(id: DeviceId) -> Result<Box<dyn Backend>> {
    allocates_directly()?;
    match id {
        #[cfg(feature = "cpu")]
        DeviceId::Cpu => crate::cpu::open(),
        #[cfg(not(feature = "cpu"))]
        DeviceId::Cpu => Err(Error::DeviceNotAvailable {
            device: id.to_string(),
            reason: "built without the `cpu` feature".into(),
        }),
        #[cfg(feature = "cuda")]
        DeviceId::Cuda(ordinal) => crate::cuda::open(ordinal),
        #[cfg(not(feature = "cuda"))]
        DeviceId::Cuda(_) => Err(Error::DeviceNotAvailable {
            device: id.to_string(),
            reason: "built without the `cuda` feature".into(),
        }),
    }
}

/// The open devices of one process.
struct Registry {
    process: u32,
    open: Mutex<BTreeMap<DeviceId, Device>>,
}

/// The registry of this process. After a fork the child gets a fresh one: the
/// parent's devices have threads and contexts that do not exist in the child.
fn registry() -> &'static Registry {
    static CURRENT: AtomicPtr<Registry> = AtomicPtr::new(std::ptr::null_mut());
    let process = crate::process::current();
    loop {
        let current = CURRENT.load(Ordering::Acquire);
        // SAFETY: the pointer is null or came from `Box::into_raw` below and is
        // never freed.
        if let Some(registry) = unsafe { current.as_ref() }
            && registry.process == process
        {
            return registry;
        }
        let fresh = Box::into_raw(Box::new(Registry {
            process,
            open: Mutex::default(),
        }));
        if CURRENT
            .compare_exchange(current, fresh, Ordering::AcqRel, Ordering::Acquire)
            .is_err()
        {
            // SAFETY: nobody has seen `fresh` but us.
            drop(unsafe { Box::from_raw(fresh) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_devices() {
        let parse = |text: &str| text.parse::<DeviceSpec>().map(|spec| spec.0);
        assert_eq!(parse("cpu").unwrap(), DeviceId::Cpu);
        assert_eq!(parse("cuda").unwrap(), DeviceId::Cuda(0));
        assert_eq!(parse("cuda:3").unwrap(), DeviceId::Cuda(3));
        assert_eq!(parse("2").unwrap(), DeviceId::Cuda(2));
        for bad in [
            "",
            "gpu",
            "cuda:",
            "cuda:-1",
            "cuda:+1",
            "cuda:x",
            "-1",
            "99999999999",
        ] {
            assert!(parse(bad).unwrap_err().to_string().contains(bad));
        }
    }
}
