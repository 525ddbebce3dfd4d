//! What the instructions do: the handlers of steps.

pub(crate) mod access;
mod arity;
pub(crate) mod atomics;
pub(crate) mod bits;
pub(crate) mod carry;
pub(crate) mod cast;
pub(crate) mod compare;
pub(crate) mod control;
pub(crate) mod convert;
pub(crate) mod copy;
mod decimal;
pub(crate) mod exact;
pub(crate) mod float;
mod format;
pub(crate) mod functions;
pub(crate) mod half;
pub(crate) mod integer;
pub(crate) mod join;
mod number;
pub(crate) mod system;
pub(crate) mod warp;

pub(crate) use arity::{Binary, Lanewise, Ternary, Unary, binary, lanewise, ternary, unary};
