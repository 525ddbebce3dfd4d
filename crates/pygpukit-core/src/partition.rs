//! Partitions of a device, as an agreement on numbers.

use crate::ledger::{Amount, Grant, Ledger, Shortage};
use crate::units::{Bytes, Share};
use std::collections::BTreeMap;

/// What a partition is to have. What is not said is not reserved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartitionLimits {
    /// Memory of its own.
    pub memory: Option<Bytes>,
    /// Share of the multiprocessors of its own.
    pub compute: Option<Share>,
    /// Share of the device's time of its own.
    pub bandwidth: Option<Share>,
}

impl PartitionLimits {
    /// What must be granted.
    pub fn amount(&self) -> Amount {
        Amount::NOTHING
            .memory(self.memory.unwrap_or_default())
            .compute(self.compute.unwrap_or_default())
            .bandwidth(self.bandwidth.unwrap_or_default())
    }
}

/// A partition as it was granted.
#[derive(Debug)]
pub struct Partition {
    name: String,
    limits: PartitionLimits,
    grant: Grant,
}

impl Partition {
    /// Its name for people.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it was to have.
    pub fn limits(&self) -> &PartitionLimits {
        &self.limits
    }

    /// What it has.
    pub fn granted(&self) -> &Amount {
        self.grant.amount()
    }
}

/// Divides a device into partitions that together never have more than it has.
#[derive(Debug)]
pub struct PartitionManager {
    ledger: Ledger,
    partitions: BTreeMap<String, Partition>,
}

/// What a partition manager refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PartitionError {
    /// There is a partition of that id.
    #[error("there is a partition `{0}` already")]
    Exists(String),
    /// No partition of that id.
    #[error("there is no partition `{0}`")]
    Unknown(String),
    /// More than is left.
    #[error("cannot create partition `{id}`: {shortage}")]
    Insufficient {
        /// The partition that was to be.
        id: String,
        /// What there is too little of.
        shortage: Shortage,
    },
}

impl PartitionManager {
    /// A device with that much memory, and no partitions.
    pub const fn new(memory: Bytes) -> Self {
        let capacity = Amount::of_memory(memory)
            .compute(Share::ONE)
            .bandwidth(Share::ONE);
        Self {
            ledger: Ledger::new(capacity),
            partitions: BTreeMap::new(),
        }
    }

    /// Makes a partition.
    ///
    /// # Errors
    /// [`PartitionError`], and nothing has changed.
    pub fn create(
        &mut self,
        id: &str,
        name: &str,
        limits: PartitionLimits,
    ) -> Result<&Partition, PartitionError> {
        if self.partitions.contains_key(id) {
            return Err(PartitionError::Exists(id.into()));
        }
        let grant = self.ledger.reserve(limits.amount());
        let grant = grant.map_err(|shortage| PartitionError::Insufficient {
            id: id.into(),
            shortage,
        })?;
        let partition = Partition {
            name: name.into(),
            limits,
            grant,
        };
        Ok(self.partitions.entry(id.into()).or_insert(partition))
    }

    /// Ends a partition; what it had can be granted again.
    ///
    /// # Errors
    /// [`PartitionError::Unknown`].
    pub fn delete(&mut self, id: &str) -> Result<(), PartitionError> {
        let partition = self.partitions.remove(id);
        let partition = partition.ok_or_else(|| PartitionError::Unknown(id.into()))?;
        self.ledger.give_back(partition.grant);
        Ok(())
    }

    /// A partition.
    ///
    /// # Errors
    /// [`PartitionError::Unknown`].
    pub fn get(&self, id: &str) -> Result<&Partition, PartitionError> {
        let partition = self.partitions.get(id);
        partition.ok_or_else(|| PartitionError::Unknown(id.into()))
    }

    /// The partitions, in order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Partition)> {
        self.partitions
            .iter()
            .map(|(id, partition)| (id.as_str(), partition))
    }

    /// What the device has.
    pub fn total(&self) -> &Amount {
        self.ledger.capacity()
    }

    /// What is granted to partitions.
    pub fn granted(&self) -> &Amount {
        self.ledger.granted()
    }

    /// What could still be granted.
    pub fn available(&self) -> Amount {
        self.ledger.available()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Resource;

    fn limits(memory: u64, compute: f64) -> PartitionLimits {
        PartitionLimits {
            memory: Some(Bytes::new(memory)),
            compute: Some(compute.try_into().unwrap()),
            bandwidth: None,
        }
    }

    #[test]
    fn two_halves_make_a_whole() {
        let mut manager = PartitionManager::new(Bytes::new(8 << 30));
        let half = limits(4 << 30, 0.5);
        manager.create("inference", "Inference", half).unwrap();
        let granted = *manager
            .create("training", "Training", half)
            .unwrap()
            .granted();
        assert_eq!(granted, half.amount());
        assert_eq!(manager.available().bytes(), Bytes::ZERO);
        // Nobody asked for a share of the time.
        assert_eq!(manager.available().share(Resource::Bandwidth), Share::ONE);
        let error = manager.create("more", "More", limits(1, 0.0)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot create partition `more`: not enough memory: asked for 1 bytes, \
             0 bytes available of 8589934592 bytes"
        );
        manager.delete("inference").unwrap();
        manager.create("more", "More", half).unwrap();
    }

    #[test]
    fn shares_that_add_up_to_one_fit() {
        let mut manager = PartitionManager::new(Bytes::new(1000));
        for (id, share) in [("a", 0.8), ("b", 0.1), ("c", 0.1)] {
            manager.create(id, id, limits(0, share)).unwrap();
        }
        assert!(manager.create("d", "d", limits(0, 0.1)).is_err());
        assert_eq!(manager.available().share(Resource::Compute), Share::ZERO);
    }

    #[test]
    fn ids_are_used_once_and_known() {
        let mut manager = PartitionManager::new(Bytes::new(1000));
        manager.create("a", "A", limits(600, 0.1)).unwrap();
        let again = manager.create("a", "B", limits(1, 0.1)).unwrap_err();
        assert_eq!(again, PartitionError::Exists("a".into()));
        assert_eq!(manager.granted().bytes(), Bytes::new(600));
        assert_eq!(manager.get("a").unwrap().name(), "A");
        let unknown = PartitionError::Unknown("b".into());
        assert_eq!(manager.delete("b").unwrap_err(), unknown);
        assert_eq!(manager.get("b").unwrap_err(), unknown);
        assert_eq!(manager.iter().count(), 1);
    }

    #[test]
    fn no_partition_is_larger_than_the_device() {
        let mut manager = PartitionManager::new(Bytes::new(1000));
        assert!(manager.create("a", "A", limits(u64::MAX, 1.0)).is_err());
        assert!(manager.create("a", "A", limits(1000, 1.0)).is_ok());
    }
}
