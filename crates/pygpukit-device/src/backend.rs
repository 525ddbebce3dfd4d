//! The seam between the runtime and a device.
//!
//! A [`Backend`] allocates memory and makes queues; a [`Queue`] runs [`Work`] in
//! order. Shapes, dtypes and devices have been checked before anything gets
//! here. Both devices pass one conformance suite (`tests/conformance`).

use crate::error::Result;
use pygpukit_core::array::{BinaryOp, DType, Element, Layout, UnaryOp};
use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Which device: the CPU, or the n-th CUDA device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DeviceId {
    /// The host's cores as a device.
    Cpu,
    /// The CUDA device of that ordinal.
    Cuda(u32),
}

impl fmt::Display for DeviceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(ordinal) => write!(f, "cuda:{ordinal}"),
        }
    }
}

/// What a device is and has. Zero where the device has no such thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// The vendor's name of the device.
    pub name: String,
    /// Bytes of memory the runtime may use.
    pub total_memory: u64,
    /// (major, minor) of the compute capability; `None` for the CPU.
    pub compute_capability: Option<(u32, u32)>,
    /// Streaming multiprocessors; cores for the CPU.
    pub multiprocessor_count: u32,
    /// Most threads in one block.
    pub max_threads_per_block: u32,
    /// Largest block along each axis.
    pub max_block: [u32; 3],
    /// Largest grid along each axis.
    pub max_grid: [u32; 3],
    /// Bytes of shared memory a block gets without opting in.
    pub shared_memory_per_block: u32,
    /// Bytes of shared memory a block can opt into.
    pub shared_memory_per_block_optin: u32,
    /// Threads in a warp.
    pub warp_size: u32,
    /// Bytes of the last-level cache.
    pub l2_cache_size: u32,
    /// The driver's version as (major, minor); `None` for the CPU.
    pub driver_version: Option<(u32, u32)>,
}

/// How far a queue has come: everything pushed up to this number.
///
/// Tickets of one queue only grow; ticket 0 is always done.
pub type Ticket = u64;

/// What work needs of the work that it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// What it wrote: if it fails, so does what depends on it.
    Outcome,
    /// That it is over, one way or the other: the memory is written anew.
    Order,
}

/// How urgent the work of a stream is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// Behind everything else.
    Low,
    /// The default.
    #[default]
    Normal,
    /// Ahead of everything else.
    High,
}

/// Elements in device memory: `layout` counts from `address`.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The address that the layout's offset counts from.
    pub address: u64,
    /// The element type.
    pub dtype: DType,
    /// Where the elements lie.
    pub layout: Layout,
}

/// An operand of an elementwise operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// Elements in memory, already broadcast to the shape of the result.
    Array(View),
    /// One value for all elements.
    Scalar(Element),
}

/// Something for a queue to do.
#[derive(Clone, Debug)]
pub enum Work {
    /// Every element of `target` becomes `value`, which has its dtype.
    Fill {
        /// Where to write; any strides.
        target: View,
        /// What to write.
        value: Element,
    },
    /// `target[...] = source`, casting as NumPy's `astype` does. Same shapes,
    /// any strides, no overlap.
    Copy {
        /// Where to write.
        target: View,
        /// What to read.
        source: View,
    },
    /// `target[i] = start + i * step`; contiguous, `start` and `step` have its dtype.
    Arange {
        /// Where to write.
        target: View,
        /// The first value.
        start: Element,
        /// The difference of two neighbours.
        step: Element,
    },
    /// `target = op(source)`, all of one dtype and shape; any strides, `source`
    /// and `target` identical or disjoint.
    Unary {
        /// The operation.
        op: UnaryOp,
        /// Where to write.
        target: View,
        /// What to read.
        source: View,
    },
    /// `target = op(left, right)`. The operands have one dtype, the target that
    /// dtype or, for comparisons, `bool`. Any strides; each operand is identical
    /// to the target or disjoint from it.
    Binary {
        /// The operation.
        op: BinaryOp,
        /// Where to write.
        target: View,
        /// The left operand.
        left: Operand,
        /// The right operand.
        right: Operand,
    },
    /// `target[..., m, n] = sum over k of left[..., m, k] * right[..., k, n]`, all
    /// of one dtype, batch dimensions already broadcast. Any strides of the
    /// operands; `target` is C-contiguous and disjoint from both. Float16 and
    /// bfloat16 accumulate in float32; bool is or of ands.
    Matmul {
        /// Where to write.
        target: View,
        /// The left operand.
        left: View,
        /// The right operand.
        right: View,
        /// True if float32 may be rounded to TF32 inside.
        allow_tf32: bool,
    },
    /// A kernel launch.
    Launch(Launch),
}

/// One launch of a compiled kernel, checked against the kernel and the device.
#[derive(Clone, Debug)]
pub struct Launch {
    /// What to run.
    pub function: Arc<dyn Function>,
    /// Blocks along x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// The parameter buffer, laid out as the compiled image says.
    pub parameters: Vec<u8>,
}

/// A kernel loaded on a device.
pub trait Function: Send + Sync + fmt::Debug {
    /// The name in the source.
    fn name(&self) -> &str;
    /// Most threads a block of this kernel can have on this device.
    fn max_threads(&self) -> u32;
    /// The block size that fills a multiprocessor best, given dynamic shared memory.
    fn occupancy_block(&self, shared: u32) -> Result<u32>;
    /// For the backend that loaded it.
    fn as_any(&self) -> &dyn Any;
}

/// A device.
pub trait Backend: Send + Sync + fmt::Debug {
    /// Which device this is.
    fn id(&self) -> DeviceId;

    /// What it is and has.
    fn info(&self) -> &DeviceInfo;

    /// Allocates `bytes` (more than 0) of memory, aligned to 256 bytes at least.
    /// The contents are undefined.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) if the device has no more.
    fn allocate(&self, bytes: usize) -> Result<u64>;

    /// Gives memory back.
    ///
    /// # Safety
    /// `address` and `bytes` are of one [`allocate`](Self::allocate) of this
    /// backend, not yet released, and no queued work touches them.
    unsafe fn release(&self, address: u64, bytes: usize);

    /// Copies from the host; returns when the source has been read and the
    /// copy is visible to work pushed afterwards.
    ///
    /// # Safety
    /// `address .. address + source.len()` is memory of this device that no
    /// queued work touches.
    unsafe fn write(&self, address: u64, source: &[u8]) -> Result<()>;

    /// Copies to the host; returns when the bytes are there.
    ///
    /// # Safety
    /// `address .. address + target.len()` is memory of this device that no
    /// queued work writes.
    unsafe fn read(&self, address: u64, target: &mut [u8]) -> Result<()>;

    /// Makes a queue.
    fn queue(&self, priority: Priority) -> Result<Arc<dyn Queue>>;

    /// A queue over a stream that another library owns. It must outlive the queue.
    ///
    /// # Safety
    /// `handle` is a live stream of this device.
    unsafe fn adopt(&self, handle: u64) -> Result<Arc<dyn Queue>>;

    /// Loads a compiled kernel: a CUBIN, or PTX where there is none.
    fn load(&self, image: &[u8], entry: &str) -> Result<Arc<dyn Function>>;
}

/// A queue of a device: work runs in the order pushed.
pub trait Queue: Send + Sync + fmt::Debug {
    /// The native handle (`CUstream`); 0 on the CPU.
    fn handle(&self) -> u64;

    /// Queues work and returns at once.
    ///
    /// # Safety
    /// Every address in `work` is memory of this device that stays allocated
    /// until the ticket is done, and work of other queues on the same memory
    /// has been waited for. A kernel launch must in addition keep to its own
    /// contract: it touches only memory that it was given.
    unsafe fn push(&self, work: Work) -> Result<Ticket>;

    /// A ticket that is done when all that is on the queue now is.
    fn mark(&self) -> Result<Ticket>;

    /// Makes later work of this queue wait for a ticket of another queue of the
    /// same device, without blocking the caller.
    ///
    /// # Errors
    /// Where the outcome is needed, the fault of the other queue, now or later.
    fn wait_for(&self, other: &dyn Queue, ticket: Ticket, need: Need) -> Result<()>;

    /// True if everything up to the ticket has completed.
    ///
    /// # Errors
    /// [`Error::Fault`](crate::Error::Fault) if work on this queue failed.
    fn is_done(&self, ticket: Ticket) -> Result<bool>;

    /// Blocks until the ticket is done or the time is over; true if done.
    ///
    /// # Errors
    /// As [`is_done`](Self::is_done).
    fn wait(&self, ticket: Ticket, timeout: Duration) -> Result<bool>;

    /// For the backend that made it.
    fn as_any(&self) -> &dyn Any;
}
