//! How much work may start when, and what work will cost.
//!
//! Work is counted in multiprocessors times nanoseconds. Where to start reading:
//!
//! - [`TokenBucket`]: so much work at a rate, and no more in any span of time.
//! - [`Predictor`]: what the next launch of a kernel will cost.
//! - [`PacingEngine`]: streams that share the time of a device.

mod answer;
mod engine;
mod paced_stream;
mod predictor;
mod recent;
mod token_bucket;

#[cfg(test)]
mod engine_tests;
#[cfg(test)]
mod properties;

pub use answer::{Answer, Never};
pub use engine::{PacingConfig, PacingDecision, PacingEngine, PacingStats};
pub use paced_stream::StreamPacingStats;
pub use predictor::{Predictor, SAMPLES, ShapeClass};
pub use token_bucket::{Charge, Rate, TokenBucket};
