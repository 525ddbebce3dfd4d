//! Which launch of a lane is next, and how many may be under way.
//!
//! Where to start reading:
//!
//! - [`Dispatcher`]: launches queued by lane, handed out once, followed to their end.
//! - [`Stage`]: the life of a launch.
//! - [`linear_grid`]: how many blocks so many items take.
//! - [`Limits`]: how much may be under way on a lane, in predicted time and in number.

mod dispatcher;
mod grid;
mod lane;
mod launch;
mod stats;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

pub use dispatcher::{Dispatcher, Request};
pub use grid::{GridError, MAX_BLOCKS, linear_grid};
pub use lane::Limits;
pub use launch::{Launch, Stage};
pub use stats::DispatchStats;
