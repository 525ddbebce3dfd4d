//! Who is first, with removal from anywhere.

use super::slab::Slot;

/// Where each item stands in its heap. One table serves any number of heaps as
/// long as an item is in one of them at a time.
#[derive(Debug, Default)]
pub(crate) struct Places(Vec<u32>);

const NOWHERE: u32 = u32::MAX;
const CHILDREN: usize = 4;

impl Places {
    fn set(&mut self, item: Slot, place: usize) {
        let at = item as usize;
        if at >= self.0.len() {
            self.0.resize(at + 1, NOWHERE);
        }
        self.0[at] = u32::try_from(place).unwrap_or(NOWHERE);
    }

    fn get(&self, item: Slot) -> Option<usize> {
        let place = *self.0.get(item as usize)?;
        (place != NOWHERE).then_some(place as usize)
    }

    fn clear(&mut self, item: Slot) {
        self.0[item as usize] = NOWHERE;
    }

    /// True if the item is in a heap.
    pub(crate) fn contains(&self, item: Slot) -> bool {
        self.get(item).is_some()
    }
}

/// Items by key, the smallest first. The keys of items must differ, or which of
/// two equal ones is first depends on the past.
#[derive(Debug)]
pub(crate) struct Heap<K> {
    items: Vec<(K, Slot)>,
}

impl<K> Default for Heap<K> {
    fn default() -> Self {
        Self { items: Vec::new() }
    }
}

impl<K: Copy + Ord> Heap<K> {
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn first(&self) -> Option<(K, Slot)> {
        self.items.first().copied()
    }

    /// The items, in no order.
    pub(crate) fn items(&self) -> &[(K, Slot)] {
        &self.items
    }

    pub(crate) fn insert(&mut self, key: K, item: Slot, places: &mut Places) {
        let at = self.items.len();
        self.items.push((key, item));
        self.rise(at, places);
    }

    /// Takes an item out; false if it is in no heap. It must not be in another.
    pub(crate) fn remove(&mut self, item: Slot, places: &mut Places) -> bool {
        let Some(at) = places.get(item) else {
            return false;
        };
        places.clear(item);
        self.items.swap_remove(at);
        if at < self.items.len() {
            self.rise(at, places);
            self.sink(at, places);
        }
        true
    }

    /// Moves the item at `at` towards the front until none behind it is smaller.
    fn rise(&mut self, mut at: usize, places: &mut Places) {
        let moved = self.items[at];
        while at > 0 {
            let parent = (at - 1) / CHILDREN;
            if self.items[parent].0 <= moved.0 {
                break;
            }
            self.put(at, self.items[parent], places);
            at = parent;
        }
        self.put(at, moved, places);
    }

    fn sink(&mut self, mut at: usize, places: &mut Places) {
        let moved = self.items[at];
        loop {
            let first = at * CHILDREN + 1;
            let end = (first + CHILDREN).min(self.items.len());
            let least = (first..end).min_by_key(|&child| self.items[child].0);
            let Some(child) = least.filter(|&child| self.items[child].0 < moved.0) else {
                break;
            };
            self.put(at, self.items[child], places);
            at = child;
        }
        self.put(at, moved, places);
    }

    fn put(&mut self, at: usize, item: (K, Slot), places: &mut Places) {
        self.items[at] = item;
        places.set(item.1, at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn the_first_is_the_smallest(ops in prop::collection::vec((0_u32..40, prop::option::of(0_u64..50)), 0..300)) {
            let mut places = Places::default();
            let mut heap = Heap::default();
            let mut model: BTreeMap<Slot, (u64, u64)> = BTreeMap::new();
            for (at, (item, key)) in (0..).zip(ops) {
                prop_assert_eq!(heap.remove(item, &mut places), model.remove(&item).is_some());
                if let Some(key) = key {
                    heap.insert((key, at), item, &mut places);
                    model.insert(item, (key, at));
                }
                let first = model.iter().map(|(&item, &key)| (key, item)).min();
                prop_assert_eq!(heap.first(), first);
                prop_assert_eq!(heap.len(), model.len());
                prop_assert_eq!(places.contains(item), key.is_some());
            }
        }
    }
}
