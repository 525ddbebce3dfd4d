//! Makes the text of a kernel executable.

mod decode;
mod draft;
mod error;
mod finish;
mod form;
mod inline;
mod kernel;
mod liveness;
mod lower;
mod operands;
mod scope;
mod special;
mod symbols;
mod variables;

pub use error::CompileError;
pub use kernel::{Kernel, Program, Running, Summary};
