//! Kernels launched piece by piece, so that something urgent waits for a piece only.
//!
//! Where to start reading:
//!
//! - [`check`]: which kernels can be cut.
//! - [`Boxes`]: into which boxes of blocks.
//! - [`blocks_within`]: how large they are for a bound on latency.
//! - [`SliceQueue`]: whose slice is next, and on which stream of its lane.
//! - [`SliceScheduler`]: all of these for kernels over a number of items.

mod boxes;
mod config;
mod facts;
mod queue;
mod scheduler;
mod size;

#[cfg(test)]
mod queue_tests;
#[cfg(test)]
mod scheduler_tests;

pub use boxes::{Boxes, GridBox};
pub use config::{ConfigError, SliceConfig};
pub use facts::{KernelFacts, Obstacle, check};
pub use queue::{Finished, Slice, SliceQueue, Ticket};
pub use scheduler::{ItemSlice, SliceError, SliceScheduler, SliceStats, Submission};
pub use size::{Residency, SliceSize, blocks_within};
