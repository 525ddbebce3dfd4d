//! Page-locked ("pinned") host memory within a quota.
//!
//! Locking pages is slow, and locked pages are lost to everyone else on the host. So freed
//! memory is kept for the next block of its size, and counts until it is given up. No memory
//! is locked here: the caller does that, and says where it is.

mod answer;
mod block;
mod config;
mod error;
mod pool;
mod spares;
mod stats;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

pub use answer::{Allocation, Freed};
pub use block::{Block, State};
pub use config::{Alignment, Config};
pub use error::{AlignmentError, Refusal, RegisterError, UnknownBlock};
pub use pool::PinnedPool;
pub use stats::PinnedStats;
