//! Which launch of a lane is next, and how many may be under way.
//!
//! Where to start reading:
//!
//! - [`Dispatcher`]: launches queued by lane, handed out once, followed to their end.
//! - [`Stage`]: the life of a launch.
//! - [`Limits`]: how much may be under way on a lane, in predicted time and in number.

mod dispatcher;
mod lane;
mod launch;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

pub use dispatcher::{DispatchStats, Dispatcher, Request};
pub use lane::Limits;
pub use launch::{Launch, Stage};
