//! Compiling CUDA C with NVRTC, found and loaded at run time.
//!
//! NVRTC needs no GPU and no toolkit. [`Toolchain`] finds it, loads it and keeps
//! what it compiled; [`SearchPaths`] says where it may be.

mod arch;
mod cache;
mod candidate;
mod diagnostics;
mod library;
mod program;
mod running;
mod search;
mod source;
mod toolchain;

pub use arch::Arch;
pub use candidate::{Candidate, Place, Verdict};
pub use diagnostics::{CompileError, Diagnostic, Severity};
pub use program::Image;
pub use running::cancel_compilations;
pub use search::SearchPaths;
pub use source::Source;
pub use toolchain::{CompilerNotFound, Toolchain};
