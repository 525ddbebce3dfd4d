//! A device that is not there: what would happen, and when.
//!
//! [`simulate`] plays a [`Scenario`] with discrete events: tenants' jobs arrive,
//! [`TimeShare`](crate::timeshare::TimeShare)s grant time, one for each partition of the
//! multiprocessors, and a [`Gpu`] model says how long the granted work takes
//! beside what runs on the others. The same scenario gives the same
//! [`Report`].

mod arrivals;
mod gpu;
mod partition;
mod random;
mod report;
mod run;
mod scenario;

#[cfg(test)]
mod deadlines;
#[cfg(test)]
mod tests;

pub use arrivals::Arrivals;
pub use gpu::{Gpu, Running};
pub use report::{Report, TenantReport};
pub use run::simulate;
pub use scenario::{Job, Scenario, Tenant};
