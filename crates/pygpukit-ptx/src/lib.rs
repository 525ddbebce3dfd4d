//! Reads what the CUDA compiler wrote: PTX text and CUBIN images.
//!
//! The runtime asks this crate what a kernel is before it launches one: which
//! parameters it takes and where they lie, how much shared memory it uses,
//! whether its threads meet at barriers. Where to start reading:
//!
//! - [`Module`] and [`Entry`]: PTX text.
//! - [`Cubin`]: the ELF image that the assembler makes of it.
//! - [`Program`], [`Kernel`], [`Launch`], [`Memory`]: PTX, run on the CPU.
//!
//! No input makes this crate panic or hang.

mod body;
mod cubin;
mod elf;
mod entry;
mod error;
mod execute;
mod memory;
mod module;
mod operations;
mod parse;
mod program;

pub use cubin::{Cubin, CubinKernel, CubinParameter};
pub use entry::{Entry, Facts, Parameter, ParameterKind};
pub use error::{CubinError, PtxError};
pub use execute::{Launch, LaunchError, Place, Trouble};
pub use memory::{Memory, Plain};
pub use module::Module;
pub use program::{CompileError, Kernel, Program, Running, Summary};
