//! Whose work a device does next.
//!
//! A [`TimeShare`] hands out a device's time in grants, to clients in groups. Who gets
//! the next one is decided by small policies, each a type of its own:
//!
//! - [`Server`]: so much time in every period, to those who were promised it, the
//!   earliest deadline first.
//! - `fair`, `left_over`: what is left over, by weight among groups and within each.
//! - [`TokenBucket`](crate::pacing::TokenBucket): never more than a cap.
//! - [`Feasibility`]: whether a promise can be kept, before it is given.

mod client;
mod config;
mod fair;
mod feasibility;
mod group;
mod left_over;
mod members;
mod place;
mod server;
mod share;
mod turn;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod windows;

pub use client::{ClientKey, ClientSpec};
pub use config::TimeConfig;
pub use feasibility::{Feasibility, Infeasible, Promise};
pub use group::{GroupKey, GroupSpec};
pub use server::Server;
pub use share::TimeShare;
pub use turn::{GrantKey, Turn};
