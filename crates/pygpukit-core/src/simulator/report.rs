//! What happened.

use crate::units::{Nanoseconds, Share};

/// What happened to a tenant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TenantReport {
    /// Jobs that came.
    pub arrived: u64,
    /// Jobs that ended later than their deadline, or have not ended though it is over.
    pub missed: u64,
    /// Time of its partition that its work took.
    pub served: Nanoseconds,
    /// From each job's arrival to its end, in the order in which they ended.
    pub latencies: Vec<Nanoseconds>,
}

/// What happened in a [`Scenario`](super::Scenario).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// How long it was watched.
    pub span: Nanoseconds,
    /// Events that were played.
    pub events: u64,
    /// The tenants, in the scenario's order.
    pub tenants: Vec<TenantReport>,
}

impl TenantReport {
    /// The latency that so large a share of the jobs did not exceed; `None` without
    /// jobs that ended.
    pub fn latency(&self, percentile: Share) -> Option<Nanoseconds> {
        let mut sorted = self.latencies.clone();
        sorted.sort_unstable();
        let last = sorted.len().checked_sub(1)?;
        let at = last as u128 * u128::from(percentile.units()) / u128::from(Share::ONE.units());
        sorted.get(usize::try_from(at).ok()?).copied()
    }
}

impl Report {
    /// The share of the time that a tenant's work took; at most the whole.
    pub fn share(&self, tenant: usize) -> Share {
        let served = self.tenants.get(tenant).map_or(0, |each| each.served.get());
        let span = self.span.get().max(1);
        Share::from_ratio(served.min(span), span).unwrap_or(Share::ONE)
    }
}
