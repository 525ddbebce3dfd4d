//! So much of each resource.

use super::resource::{Resource, ResourceSet};
use crate::units::{Bytes, Share};

/// So much of each resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount(pub(super) [u64; 4]);

impl Amount {
    /// Nothing of anything.
    pub const NOTHING: Self = Self([0; 4]);

    /// So much memory, and nothing else.
    pub const fn of_memory(bytes: Bytes) -> Self {
        Self::NOTHING.memory(bytes)
    }

    /// With that much memory.
    #[must_use]
    pub const fn memory(mut self, bytes: Bytes) -> Self {
        self.0[Resource::Memory as usize] = bytes.get();
        self
    }

    /// With that share of the multiprocessors.
    #[must_use]
    pub const fn compute(mut self, share: Share) -> Self {
        self.0[Resource::Compute as usize] = share.units();
        self
    }

    /// With that share of the time.
    #[must_use]
    pub const fn bandwidth(mut self, share: Share) -> Self {
        self.0[Resource::Bandwidth as usize] = share.units();
        self
    }

    /// With that many tasks at once.
    #[must_use]
    pub const fn workers(mut self, workers: u32) -> Self {
        self.0[Resource::Workers as usize] = workers as u64;
        self
    }

    /// How much of one resource, in its unit.
    pub const fn get(&self, resource: Resource) -> u64 {
        self.0[resource as usize]
    }

    /// How much memory.
    pub const fn bytes(&self) -> Bytes {
        Bytes::new(self.get(Resource::Memory))
    }

    /// How large a share of `resource`, at most the whole.
    pub fn share(&self, resource: Resource) -> Share {
        Share::from_units(self.get(resource)).unwrap_or(Share::ONE)
    }

    /// The resources of which it is more than nothing.
    pub fn resources(&self) -> ResourceSet {
        self.exceeding(&Self::NOTHING)
    }

    /// The resources of which this is more than `other`.
    pub fn exceeding(&self, other: &Self) -> ResourceSet {
        Resource::ALL
            .into_iter()
            .filter(|&each| self.get(each) > other.get(each))
            .fold(ResourceSet::EMPTY, ResourceSet::with)
    }

    /// The larger of both, for each resource.
    #[must_use]
    pub fn max(mut self, other: &Self) -> Self {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine = (*mine).max(theirs);
        }
        self
    }

    /// What is left of this after `other` is taken from it: never less than nothing.
    #[must_use]
    pub fn saturating_sub(mut self, other: &Self) -> Self {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine = mine.saturating_sub(theirs);
        }
        self
    }

    /// The sum; the largest number where that is not one.
    #[must_use]
    pub fn saturating_add(mut self, other: &Self) -> Self {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine = mine.saturating_add(theirs);
        }
        self
    }
}
