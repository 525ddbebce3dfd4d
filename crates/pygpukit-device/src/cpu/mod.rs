//! The CPU as a device: memory, streams and array operations on the host's cores.
//!
//! [`run`] carries out one piece of work; a [`queue`] does so in order. An
//! operation reads its operands in blocks of contiguous elements ([`block`]),
//! which come straight from memory where it is contiguous, so that the inner
//! loops ([`kernel`]) know nothing of strides. Large work is split over the
//! device's own threads ([`pool`]).

mod arange;
mod arithmetic;
mod binary;
mod block;
mod cast;
mod compare;
mod copy;
mod device;
mod half_matmul;
mod host;
mod integer_matmul;
mod kernel;
mod matmul;
mod pool;
mod queue;
mod run;
mod storage;
mod unary;
mod walk;

pub(crate) use device::open;
