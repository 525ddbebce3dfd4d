//! Items under names that are never given twice.

use std::ops::{Index as At, IndexMut as AtMut};

/// Where an item of a [`Slab`] is.
pub(super) type Index = u32;

/// No item.
pub(super) const NONE: Index = Index::MAX;

/// Items by index. An index is used again, a name is not.
#[derive(Debug)]
pub(super) struct Slab<T> {
    slots: Vec<Slot<T>>,
    vacant: Vec<Index>,
    len: usize,
}

#[derive(Debug)]
struct Slot<T> {
    /// How many items were here before.
    generation: u32,
    item: Option<T>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            vacant: Vec::new(),
            len: 0,
        }
    }
}

impl<T> Slab<T> {
    /// Puts an item in, and says where.
    ///
    /// # Panics
    /// For more than 2^32 items.
    pub(super) fn insert(&mut self, item: T) -> Index {
        self.len += 1;
        if let Some(index) = self.vacant.pop() {
            self.slots[index as usize].item = Some(item);
            return index;
        }
        let index = Index::try_from(self.slots.len())
            .ok()
            .filter(|&index| index != NONE)
            .expect("at most 2^32 items");
        self.slots.push(Slot {
            generation: 0,
            item: Some(item),
        });
        index
    }

    /// Takes an item out.
    ///
    /// # Panics
    /// If there is none.
    pub(super) fn remove(&mut self, index: Index) -> T {
        let slot = &mut self.slots[index as usize];
        let item = slot.item.take().expect("an item that is there");
        self.len -= 1;
        // A slot whose names are used up stays empty.
        if let Some(generation) = slot.generation.checked_add(1) {
            slot.generation = generation;
            self.vacant.push(index);
        }
        item
    }

    /// The name of the item at `index`: the index itself for the first one there.
    pub(super) fn name(&self, index: Index) -> u64 {
        u64::from(self.slots[index as usize].generation) << 32 | u64::from(index)
    }

    /// Where the item of that name is.
    pub(super) fn find(&self, name: u64) -> Option<Index> {
        #[expect(clippy::cast_possible_truncation, reason = "the lower half of a name")]
        let (index, generation) = (name as u32, (name >> 32) as u32);
        let slot = self.slots.get(index as usize)?;
        (slot.generation == generation && slot.item.is_some()).then_some(index)
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The items with their indexes, in order of the indexes.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Index, &T)> {
        (0..)
            .zip(&self.slots)
            .filter_map(|(index, slot)| Some((index, slot.item.as_ref()?)))
    }
}

impl<T> At<Index> for Slab<T> {
    type Output = T;

    fn index(&self, index: Index) -> &T {
        let item = self.slots[index as usize].item.as_ref();
        item.expect("an item that is there")
    }
}

impl<T> AtMut<Index> for Slab<T> {
    fn index_mut(&mut self, index: Index) -> &mut T {
        let item = self.slots[index as usize].item.as_mut();
        item.expect("an item that is there")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    proptest! {
        #[test]
        fn names_are_never_given_twice(ops in prop::collection::vec((any::<bool>(), any::<usize>()), 0..300)) {
            let mut slab = Slab::default();
            let mut model = BTreeMap::new();
            let mut names = BTreeSet::new();
            for (at, (insert, which)) in ops.into_iter().enumerate() {
                if insert || model.is_empty() {
                    let index = slab.insert(at);
                    let name = slab.name(index);
                    prop_assert!(names.insert(name));
                    model.insert(name, at);
                } else {
                    let name = *model.keys().nth(which % model.len()).unwrap();
                    let index = slab.find(name).unwrap();
                    prop_assert_eq!(Some(slab.remove(index)), model.remove(&name));
                }
                for name in &names {
                    let found = slab.find(*name).map(|index| slab[index]);
                    prop_assert_eq!(found, model.get(name).copied());
                }
                prop_assert_eq!(slab.len(), model.len());
            }
        }
    }

    #[test]
    fn a_slot_without_names_left_stays_empty() {
        let mut slab = Slab::default();
        let index = slab.insert('a');
        slab.slots[0].generation = u32::MAX;
        let name = slab.name(index);
        slab.remove(index);
        assert_eq!(slab.find(name), None);
        assert_ne!(slab.insert('b'), index);
    }
}
