//! The CUDA sources of the built-in kernels, and the pure choice of one for a
//! given problem.
//!
//! A [`Unit`] is one translation unit: a source, the macros that make it specific,
//! and the compiler options it needs. It is compiled when it is first used. The
//! host half of each family ([`elementwise()`], [`arange`], [`matmul`]) turns a
//! problem into a [`Launch`]: which unit and entry, which grid and block, and the
//! bytes of the kernel's parameters. Nothing here touches a device.
//!
//! Sources are CUDA C++ for NVRTC alone: no header, no library.

#![forbid(unsafe_code)]

mod elementwise;
mod launch;
mod matmul;
mod unit;

pub use elementwise::{Operand, arange, elementwise};
pub use launch::{Launch, Limits};
pub use matmul::{Matrix, Product, matmul};
pub use unit::{BinaryOp, Type, UnaryOp, Unit};
