//! The device runtime of PyGPUkit.
//!
//! It owns handles, moves bytes, compiles and launches; what to do is decided
//! by `pygpukit-core`. Where to start reading:
//!
//! - [`Device`]: one GPU, or the CPU, behind the [`backend::Backend`] trait.
//! - [`Stream`]: work that runs in order. Every operation names one.
//! - [`Array`]: memory of a device with a layout and a dtype; the operations on
//!   arrays are in [`ops`].
//! - [`scheduler`]: tasks that share a device.

pub mod account;
mod array;
pub mod backend;
mod buffer;
mod deferred;
mod device;
mod error;
#[cfg(feature = "nvrtc")]
pub mod jit;
mod memory;
mod native;
#[cfg(feature = "nvrtc")]
pub mod nvrtc;
pub mod ops;
mod process;
pub mod scheduler;
mod stream;
mod upload;

#[cfg(feature = "cpu")]
mod cpu;
#[cfg(feature = "cuda")]
mod cuda;

pub use array::Array;
pub use buffer::{Access, Buffer, Foreign};
pub use deferred::Deferred;
pub use device::{Device, DeviceSpec, Presence, cuda_presence, devices};
pub use error::{ArgumentError, Error, OutOfMemory, Result};
pub use memory::MemoryStats;
pub use native::Native;
pub use stream::Stream;
pub use upload::Upload;
