//! PyGPUkit from Rust: arrays, matrix products, custom CUDA C kernels and a
//! scheduler, on NVIDIA GPUs or, without one, on the CPU.
//!
//! The crate is a door: everything here is defined in `pygpukit-device` (which
//! owns devices) and `pygpukit-core` (which decides), and re-exported.
//!
//! - [`Device`]: one GPU, or the CPU; [`device`] finds them and says what they are.
//! - [`Stream`]: work that runs in order. Every operation names one, and returns
//!   at once.
//! - [`Array`]: elements on a device; [`ops`] combines them, [`mod@array`] has their
//!   dtypes and layouts.
//! - [`jit`]: custom kernels in CUDA C, compiled at run time, their calls checked.
//! - [`scheduler`]: tasks, admitted by what they need; [`units`] to say how much.
//! - [`Error`]: what can go wrong, with the numbers.
//!
//! ```
//! use pygpukit::ops::{self, Arg};
//! use pygpukit::{Array, BinaryOp, DType, Device, Result, Scalar};
//!
//! # fn main() -> Result<()> {
//! let device = Device::open("cpu")?;
//! let stream = device.default_stream()?;
//!
//! let x = Array::from_slice(stream, &[1.0_f32, 2.0, 3.0, 4.0], &[2, 2])?;
//! let y = ops::matmul(stream, &x, &x.transposed(), None, false)?;
//! let z = ops::binary(
//!     stream,
//!     BinaryOp::Multiply,
//!     Arg::Array(&y),
//!     Arg::Scalar(Scalar::Float(0.5)),
//!     None,
//! )?;
//!
//! assert_eq!(z.dtype(), DType::Float32);
//! assert_eq!(z.to_vec::<f32>(stream)?, [2.5, 5.5, 5.5, 12.5]);
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! All are on by default.
//!
//! - `cpu`: the CPU device.
//! - `cuda`: NVIDIA GPUs. The driver is loaded at run time: without it everything
//!   builds and runs all the same, and [`device::cuda_presence`] says why there is no GPU.
//! - `nvrtc`: compiling CUDA C with NVRTC, loaded at run time.

#![forbid(unsafe_code)]

pub use pygpukit_core::array::{BinaryOp, DType, Index, Scalar, UnaryOp};
pub use pygpukit_device::{Array, Device, Error, Native, OutOfMemory, Result, Stream, ops};

/// Element types, promotion and layouts, by NumPy's rules.
pub mod array {
    pub use pygpukit_core::array::*;
}

/// Finding devices, and what they are and have.
pub mod device {
    pub use pygpukit_device::backend::{DeviceId, DeviceInfo, Priority};
    pub use pygpukit_device::{DeviceSpec, MemoryStats, Presence, cuda_presence, devices};
}

/// Tasks, admitted, queued or rejected by the memory and time they need.
pub mod scheduler {
    pub use pygpukit_core::scheduler::{
        Admission, MemoryAsk, OnFull, Policy, Reason, Rejection, Request, RequestError, ShareAsk,
        TaskSpec,
    };
    pub use pygpukit_device::scheduler::*;
}

/// Bytes, shares and durations, as integers.
pub mod units {
    pub use pygpukit_core::units::*;
}

/// Who pays for memory.
pub mod account {
    pub use pygpukit_device::account::Account;
}

/// Custom kernels in CUDA C: compiled by NVRTC, checked, launched.
///
/// Compiling needs no GPU. Launching is the one `unsafe` call of this crate: what a
/// kernel touches is the caller's promise.
#[cfg(feature = "nvrtc")]
pub mod jit {
    pub use pygpukit_device::jit::*;
    pub use pygpukit_device::nvrtc::{
        Arch, Candidate, CompileError, CompilerNotFound, Diagnostic, Image, Place, SearchPaths,
        Severity, Source, Toolchain, Verdict,
    };
}
