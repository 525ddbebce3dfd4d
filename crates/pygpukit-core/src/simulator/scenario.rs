//! What is to happen.

use super::arrivals::Arrivals;
use super::gpu::Gpu;
use crate::timeshare::{ClientSpec, TimeConfig};
use crate::units::{Nanoseconds, Share};

/// What a tenant's jobs are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// How long it takes on the tenant's partition if nothing else runs anywhere.
    pub time: Nanoseconds,
    /// By how much it takes less or more, at most: what is not foreseen.
    pub spread: Share,
    /// The part of the time for which it waits for memory.
    pub memory_bound: Share,
    /// How much power it draws: lowers the clock. All of it is a large product on
    /// tensor cores.
    pub power: Share,
    /// It should end within this time of its arrival.
    pub deadline: Option<Nanoseconds>,
}

impl Job {
    /// A job of that length that nothing slows down.
    pub const fn new(time: Nanoseconds) -> Self {
        Self {
            time,
            spread: Share::ZERO,
            memory_bound: Share::ZERO,
            power: Share::ZERO,
            deadline: None,
        }
    }
}

/// Somebody whose jobs come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tenant {
    /// Which partition they run on.
    pub partition: usize,
    /// What it gets of the partition's time.
    pub client: ClientSpec,
    /// When its jobs come.
    pub arrivals: Arrivals,
    /// What they are like.
    pub job: Job,
}

/// A device, how it is divided, and who uses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// The device.
    pub gpu: Gpu,
    /// Multiprocessors of each partition.
    pub partitions: Vec<u32>,
    /// How the time of each partition is handed out.
    pub time: TimeConfig,
    /// Who uses it.
    pub tenants: Vec<Tenant>,
    /// Where random numbers begin.
    pub seed: u64,
}
