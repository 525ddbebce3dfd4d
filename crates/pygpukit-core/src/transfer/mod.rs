//! Copies between host and device: who is next, how much of it, and when.
//!
//! A long copy is handed out in chunks, so that an urgent one passes it after one chunk.
//! Nothing is copied here: the caller carries the chunks out, and reports how they ended.

mod direction;
mod engine;
mod limits;
mod queue;
mod request;
mod state;
mod stats;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

pub use direction::{ByDirection, Direction};
pub use engine::TransferEngine;
pub use limits::Limits;
pub use request::{Next, Request};
pub use state::{Chunk, State, Stop, Transfer};
pub use stats::TransferStats;
