//! Slots by id.

use super::slab::Slot;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// Slots by id. Never walked through, so that its order decides nothing.
#[derive(Debug)]
pub(crate) struct IdMap<K>(HashMap<K, Slot, BuildHasherDefault<IdHasher>>);

impl<K> Default for IdMap<K> {
    fn default() -> Self {
        Self(HashMap::default())
    }
}

impl<K: Eq + Hash> IdMap<K> {
    pub(crate) fn get(&self, id: &K) -> Option<Slot> {
        self.0.get(id).copied()
    }

    pub(crate) fn insert(&mut self, id: K, slot: Slot) {
        self.0.insert(id, slot);
    }

    pub(crate) fn remove(&mut self, id: &K) -> Option<Slot> {
        self.0.remove(id)
    }
}

/// Spreads one number over all bits of another (the multiplier is 2^64 divided
/// by the golden ratio: Knuth, The Art of Computer Programming 3, 6.4).
#[derive(Debug, Default)]
pub(crate) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    fn write_u64(&mut self, number: u64) {
        let wide = u128::from(self.0 ^ number) * 0x9e37_79b9_7f4a_7c15;
        #[expect(clippy::cast_possible_truncation, reason = "both halves are used")]
        let folded = (wide >> 64) as u64 ^ wide as u64;
        self.0 = folded;
    }
}
