//! A kernel that is kept.

use crate::units::{Bytes, Nanoseconds};

/// A kernel that is kept.
#[derive(Clone, Debug)]
pub struct Entry<K, V> {
    pub(super) key: K,
    pub(super) value: V,
    pub(super) bytes: Bytes,
    pub(super) created: Nanoseconds,
    pub(super) used: Nanoseconds,
    pub(super) uses: u64,
}

impl<K, V> Entry<K, V> {
    /// What it is found by.
    pub const fn key(&self) -> &K {
        &self.key
    }

    /// What is kept.
    pub const fn value(&self) -> &V {
        &self.value
    }

    /// How much it counts for.
    pub const fn bytes(&self) -> Bytes {
        self.bytes
    }

    /// Since when it is kept.
    pub const fn created(&self) -> Nanoseconds {
        self.created
    }

    /// When it was last asked for, or put in.
    pub const fn last_used(&self) -> Nanoseconds {
        self.used
    }

    /// How often it was asked for, and once for when it was put in.
    pub const fn uses(&self) -> u64 {
        self.uses
    }
}

/// Why a kernel is not kept any longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Something new needed its room.
    Evicted,
    /// It was kept for as long as it may be.
    Expired,
    /// Something was put in with its key.
    Replaced,
    /// Everything was to leave.
    Cleared,
}

/// A kernel that is not kept any longer: whatever was loaded of it is to be unloaded.
#[derive(Clone, Debug)]
pub struct Gone<K, V> {
    /// What it was.
    pub entry: Entry<K, V>,
    /// Why it left.
    pub why: Why,
}
