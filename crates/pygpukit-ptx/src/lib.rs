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
#[expect(
    clippy::cast_possible_truncation,
    clippy::inline_always,
    clippy::similar_names,
    reason = "registers are bits that an instruction reads as it likes, and what is not inlined \
              is compiled without the processor's features"
)]
mod execute;
#[expect(clippy::inline_always, reason = "as in `execute`")]
mod memory;
mod module;
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::inline_always,
    clippy::similar_names,
    clippy::many_single_char_names,
    clippy::cast_lossless,
    clippy::wildcard_enum_match_arm,
    reason = "as in `execute`; operands are `a`, `b`, `c`, compared as the instruction says; \
              the rest of an enumeration is what is not meant"
)]
mod operations;
mod parse;
#[expect(
    clippy::cast_possible_truncation,
    clippy::wildcard_enum_match_arm,
    reason = "counts are bounded where they grow; what a match does not name is not implemented"
)]
mod program;

pub use cubin::{Cubin, CubinKernel, CubinParameter};
pub use entry::{Entry, Facts, Parameter, ParameterKind};
pub use error::{CubinError, PtxError};
pub use execute::{Launch, LaunchError, Output, Place, Trouble};
pub use memory::{Memory, Plain};
pub use module::Module;
pub use program::{CompileError, Kernel, Program, Running, Summary};
