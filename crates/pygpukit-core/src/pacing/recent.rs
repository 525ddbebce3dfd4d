//! A table of bounded size that forgets what was longest unused.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher, Hash};

const NONE: usize = usize::MAX;

/// Values by key, at most so many: a new one takes the place of the one that was
/// longest unused. Every operation takes constant time, and allocates nothing once
/// the table is full.
#[derive(Clone, Debug)]
pub(super) struct Recent<K, V> {
    /// Where a key's value is. Hashed alike in every process, and never walked.
    index: HashMap<K, usize, BuildHasherDefault<DefaultHasher>>,
    slots: Vec<Slot<K, V>>,
    capacity: usize,
    newest: usize,
    oldest: usize,
}

#[derive(Clone, Debug)]
struct Slot<K, V> {
    key: K,
    value: V,
    newer: usize,
    older: usize,
}

impl<K: Copy + Eq + Hash, V> Recent<K, V> {
    /// An empty table of at most `capacity` values, at least one.
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            index: HashMap::default(),
            slots: Vec::new(),
            capacity: capacity.max(1),
            newest: NONE,
            oldest: NONE,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// The value of `key`; looking is no use.
    pub(super) fn get(&self, key: &K) -> Option<&V> {
        self.index.get(key).map(|&at| &self.slots[at].value)
    }

    /// The value of `key`, made if there is none; it is the newest from now on.
    pub(super) fn use_or_insert(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let at = match self.index.get(&key) {
            Some(&at) => {
                self.unlink(at);
                at
            }
            None => self.insert(key, make()),
        };
        self.link(at);
        &mut self.slots[at].value
    }

    /// A slot for `key` outside the list.
    fn insert(&mut self, key: K, value: V) -> usize {
        let slot = Slot {
            key,
            value,
            newer: NONE,
            older: NONE,
        };
        let at = if self.slots.len() < self.capacity {
            self.slots.push(slot);
            self.slots.len() - 1
        } else {
            let at = self.oldest;
            self.unlink(at);
            self.index.remove(&self.slots[at].key);
            self.slots[at] = slot;
            at
        };
        self.index.insert(key, at);
        at
    }

    fn link(&mut self, at: usize) {
        let before = std::mem::replace(&mut self.newest, at);
        self.slots[at].older = before;
        match self.slots.get_mut(before) {
            Some(slot) => slot.newer = at,
            None => self.oldest = at,
        }
    }

    fn unlink(&mut self, at: usize) {
        let slot = &mut self.slots[at];
        let newer = std::mem::replace(&mut slot.newer, NONE);
        let older = std::mem::replace(&mut slot.older, NONE);
        match self.slots.get_mut(newer) {
            Some(slot) => slot.older = older,
            None => self.newest = older,
        }
        match self.slots.get_mut(older) {
            Some(slot) => slot.newer = newer,
            None => self.oldest = newer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_holds_the_keys_used_last(
            capacity in 1_usize..6,
            uses in prop::collection::vec(0_u8..10, 0..100),
        ) {
            let mut table = Recent::new(capacity);
            let mut model: Vec<(u8, usize)> = Vec::new();
            for (moment, key) in uses.into_iter().enumerate() {
                let value = *table.use_or_insert(key, || moment);
                let known = model.iter().position(|&(each, _)| each == key);
                let entry = known.map_or((key, moment), |at| model.remove(at));
                prop_assert_eq!(value, entry.1);
                model.push(entry);
                if model.len() > capacity {
                    model.remove(0);
                }
                prop_assert_eq!(table.len(), model.len());
                for key in 0..10 {
                    let expected = model.iter().find(|&&(each, _)| each == key);
                    prop_assert_eq!(table.get(&key), expected.map(|(_, value)| value));
                }
            }
        }
    }
}
