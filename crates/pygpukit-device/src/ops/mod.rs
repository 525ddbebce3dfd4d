//! Operations on arrays. Each names the stream it runs on, and returns at once.
//!
//! The rules are NumPy's: broadcasting, promotion by NEP 50, results as if
//! every operand had been read before anything was written. Arrays without
//! elements queue nothing.

mod compare;
mod copy;
mod create;
mod elementwise;
mod matmul;
mod operand;
mod output;
mod transfer;

pub use copy::{assign, cast, contiguous, copy, fill, reshape};
pub use create::{arange, full, ones, zeros};
pub use elementwise::{binary, check_exponent, unary};
pub use matmul::matmul;
pub use operand::Arg;
pub use transfer::transfer;
