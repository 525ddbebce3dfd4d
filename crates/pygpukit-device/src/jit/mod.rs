//! Users' CUDA C kernels: the signature read from the source, calls checked
//! against it, compiled once per target, launched on a stream.
//!
//! Names and types of parameters come from the source ([`Signature`]), their
//! sizes and offsets from the compiled image. A call whose count, names, types or
//! values do not fit is refused before anything is launched.

mod argument;
mod c_condition;
mod c_token;
mod c_type;
mod compiled;
mod kernel;
mod launch_config;
mod passed;
mod signature;

pub use argument::{Argument, ArrayArgument};
pub use c_type::{CType, Parameter, Pointee};
pub use compiled::Compiled;
pub use kernel::Kernel;
pub use launch_config::{Block, LaunchConfig, LaunchOptions, dimensions};
pub use signature::Signature;
