//! What partitions by name are to have.

use super::spec::PartitionSpec;
use super::split::Split;
use crate::scheduler::{ShareAsk, TenantSpec};
use crate::units::{Bytes, Share, UnitError};

/// What there is to be divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManagerConfig {
    /// Memory of the device: no partition has more.
    pub memory: Bytes,
    /// What all partitions together have at most.
    pub committed: Bytes,
    /// How the multiprocessors come; `None` to count shares of them only.
    pub split: Option<Split>,
}

impl ManagerConfig {
    /// That much memory.
    pub const fn new(memory: Bytes) -> Self {
        Self {
            memory,
            committed: memory,
            split: None,
        }
    }

    /// With partitions that together have `ratio` times as much memory as there is.
    ///
    /// # Errors
    /// [`UnitError::OutOfRange`] for a ratio below 1, or no number.
    pub fn overcommitted(mut self, ratio: f64) -> Result<Self, UnitError> {
        let committed = self.memory.times(ratio)?;
        if ratio < 1.0 {
            return Err(UnitError::OutOfRange {
                value: ratio.to_string(),
                kind: "a ratio of over-commitment",
                range: "1 and more",
            });
        }
        self.committed = committed;
        Ok(self)
    }
}

/// What a partition is to have. What is not said is not reserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartitionLimits {
    /// Memory of its own, and no more.
    pub memory: Option<Bytes>,
    /// Share of the multiprocessors of its own.
    pub compute: Option<Share>,
    /// Share of the device's time of its own.
    pub bandwidth: Option<Share>,
    /// Streams that its work is spread over.
    pub streams: u32,
}

impl Default for PartitionLimits {
    fn default() -> Self {
        Self {
            memory: None,
            compute: None,
            bandwidth: None,
            streams: 16,
        }
    }
}

impl PartitionLimits {
    /// As a partition of a device.
    pub fn spec(&self) -> PartitionSpec {
        let memory = self.memory.filter(|memory| *memory > Bytes::ZERO);
        let bandwidth = self.bandwidth.map(|floor| ShareAsk {
            floor,
            cap: Share::ONE,
        });
        let tenant = TenantSpec {
            bandwidth,
            ..TenantSpec::default()
        };
        let spec = PartitionSpec {
            tenant: memory.map_or(tenant, |memory| tenant.own_memory(memory)),
            streams: self.streams,
            ..PartitionSpec::default()
        };
        let compute = self.compute.filter(|share| *share > Share::ZERO);
        compute.map_or(spec, |share| spec.own_sms(share))
    }
}
