//! The one ledger: what a device has, and what of it is granted.

mod amount;
mod book;
mod resource;

pub use amount::Amount;
pub use book::{Grant, Ledger, Shortage};
pub use resource::{Resource, ResourceSet};
