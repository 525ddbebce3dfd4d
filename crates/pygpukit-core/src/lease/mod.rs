//! Work granted ahead, for kernels too short to be asked for one by one.
//!
//! A [`Lessor`] takes a piece of work out of a token bucket and hands it out as a
//! [`Lease`]; launches draw from it without asking anyone, until it is used up or
//! revoked. What was not used goes back.

mod lessor;
mod taken;

pub use lessor::{Lessor, Terms};
pub use taken::{Draw, Epoch, Lease, Returned};
