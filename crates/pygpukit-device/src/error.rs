//! What can go wrong on a device.

use crate::backend::DeviceId;
use pygpukit_core::array::{DType, IndexError, OpError, ScalarError, ShapeError};
use pygpukit_core::id::TaskId;
use pygpukit_core::scheduler::RequestError;

/// The result of an operation on a device.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong on a device.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Shapes that do not fit together.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// An index that the array does not have.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// An operation that the dtype does not have.
    #[error(transparent)]
    Op(#[from] OpError),
    /// A number that the dtype cannot take.
    #[error(transparent)]
    Scalar(#[from] ScalarError),
    /// A value outside what the operation takes; the message names both.
    #[error("{0}")]
    Value(String),
    /// A dtype that cannot be written into another without losing its kind.
    #[error("cannot cast the result of `{op}` from `{from}` to `{to}` (same-kind casts only)")]
    Cast {
        /// The operation.
        op: &'static str,
        /// The dtype of its result.
        from: DType,
        /// The dtype of the output given.
        to: DType,
    },
    /// A device that does not exist or cannot be used.
    #[error("device `{device}` is not available: {reason}")]
    DeviceNotAvailable {
        /// The device asked for.
        device: String,
        /// Why it cannot be used.
        reason: String,
    },
    /// Operands on two devices.
    #[error("operands are on different devices: `{left}` and `{right}`; copy one over first")]
    DeviceMismatch {
        /// The device of the first operand, or of the stream.
        left: DeviceId,
        /// The device of the second operand.
        right: DeviceId,
    },
    /// Not enough memory.
    #[error(transparent)]
    OutOfMemory(#[from] Box<OutOfMemory>),
    /// The device cannot do this.
    #[error("{0}")]
    Unsupported(String),
    /// A kernel call whose arguments do not fit.
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    /// Source that does not compile; says what and where.
    #[cfg(feature = "nvrtc")]
    #[error(transparent)]
    Compile(std::sync::Arc<crate::nvrtc::CompileError>),
    /// No usable compiler; says how to install one.
    #[cfg(feature = "nvrtc")]
    #[error(transparent)]
    CompilerNotFound(std::sync::Arc<crate::nvrtc::CompilerNotFound>),
    /// A file that cannot be read.
    #[error("cannot read `{}`: {reason}", path.display())]
    File {
        /// The file.
        path: std::path::PathBuf,
        /// The system's error number.
        code: Option<i32>,
        /// The system's own words.
        reason: String,
    },
    /// The driver refused a call.
    #[error("{call} failed: {name} ({code}): {text}")]
    Driver {
        /// The driver function.
        call: &'static str,
        /// The `CUresult`.
        code: u32,
        /// The name of the `CUresult`.
        name: String,
        /// The driver's own description.
        text: String,
    },
    /// Work on the device failed after it was queued.
    #[error("{work} on stream {stream} failed: {reason}")]
    Fault {
        /// What was running: a kernel's name, or an operation.
        work: String,
        /// The stream it was queued on.
        stream: u64,
        /// What happened.
        reason: String,
    },
    /// A task that asks for what makes no sense.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// A task waited for another that could not end before it.
    #[error(
        "task {waiter} would wait for ever for task {target}, which cannot end before a running \
         task does: all of those wait too"
    )]
    Deadlock {
        /// Who waits.
        waiter: TaskId,
        /// For whom.
        target: TaskId,
    },
    /// Work of a task that was cancelled.
    #[error("{0} was cancelled; it can queue no more work")]
    Cancelled(String),
    /// A scheduler that takes no more tasks.
    #[error("the scheduler on `{0}` is closed and takes no more tasks")]
    Closed(DeviceId),
    /// The device was opened before this process was forked.
    #[error(
        "device `{0}` was in use before this process was forked, and cannot be used in the child; \
         start processes with the 'spawn' method (multiprocessing.set_start_method(\"spawn\"))"
    )]
    Forked(DeviceId),
}

/// Arguments of a kernel call that do not fit its parameters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// Too many, too few, of a wrong name or a wrong type.
    #[error("{0}")]
    Type(String),
    /// A number beyond the parameter's type.
    #[error("{0}")]
    Overflow(String),
    /// A value that the parameter cannot take although its type is right.
    #[error("{0}")]
    Value(String),
}

/// Not enough memory: who asked for how much, and what was there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "out of memory on `{device}`: {owner} asked for {asked} bytes; it uses {used} of {limit} bytes, \
     {available} are available"
)]
pub struct OutOfMemory {
    /// The device.
    pub device: DeviceId,
    /// The task or tenant that asked.
    pub owner: String,
    /// Bytes asked for.
    pub asked: u64,
    /// Bytes the owner uses already.
    pub used: u64,
    /// Bytes the owner may use: its reservation or limit.
    pub limit: u64,
    /// Bytes it could have had.
    pub available: u64,
}
