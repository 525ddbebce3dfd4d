//! Who pays for memory.

use crate::backend::DeviceId;
use crate::error::OutOfMemory;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// A tenant or task that memory is charged to.
///
/// Bytes are counted as asked for. A charge that succeeds is released exactly
/// once, when the buffer is dropped.
pub trait Account: Send + Sync + fmt::Debug {
    /// Takes `bytes`, or says why not and leaves everything as it was.
    fn charge(&self, bytes: u64) -> Result<(), Box<OutOfMemory>>;

    /// Gives back what was charged.
    fn release(&self, bytes: u64);
}

/// An account with a fixed limit.
#[derive(Debug)]
pub struct Tenant {
    device: DeviceId,
    name: String,
    limit: u64,
    used: AtomicU64,
}

impl Tenant {
    /// An account of `device` that may use up to `limit` bytes.
    pub fn new(device: DeviceId, name: impl Into<String>, limit: u64) -> Self {
        Self {
            device,
            name: name.into(),
            limit,
            used: AtomicU64::new(0),
        }
    }
}

impl Account for Tenant {
    fn charge(&self, bytes: u64) -> Result<(), Box<OutOfMemory>> {
        self.used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
                used.checked_add(bytes).filter(|&sum| sum <= self.limit)
            })
            .map(drop)
            .map_err(|used| {
                Box::new(OutOfMemory {
                    device: self.device,
                    owner: self.name.clone(),
                    asked: bytes,
                    used,
                    limit: self.limit,
                    available: self.limit - used,
                })
            })
    }

    fn release(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}
