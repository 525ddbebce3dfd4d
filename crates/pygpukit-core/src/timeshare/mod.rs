//! Whose work a device does next.
//!
//! A [`TimeShare`] hands out a device's time in grants. Who gets the next one is
//! decided by small policies, each a type of its own:
//!
//! - [`Server`]: so much time in every period, to those who were promised it, the
//!   earliest deadline first.
//! - `fair`: what is left over, by weight.
//! - [`TokenBucket`](crate::pacing::TokenBucket): never more than a cap.
//! - [`Feasibility`]: whether a promise can be kept, before it is given.

mod client;
mod fair;
mod feasibility;
mod server;
mod share;

pub use client::{ClientKey, ClientSpec};
pub use feasibility::{Feasibility, Infeasible, Promise};
pub use server::Server;
pub use share::{GrantKey, TimeConfig, TimeShare, Turn};
