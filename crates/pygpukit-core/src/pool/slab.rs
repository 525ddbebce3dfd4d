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
    /// The first slot without an item that can have one.
    vacant: Index,
    len: usize,
}

#[derive(Debug)]
struct Slot<T> {
    /// Odd while there is an item; half of it is how many were here before.
    generation: u32,
    /// The next vacant slot, while this one is.
    next: Index,
    item: T,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            vacant: NONE,
            len: 0,
        }
    }
}

impl<T: Default> Slab<T> {
    /// Puts an item in, and says where.
    ///
    /// # Panics
    /// For more than 2^32 items.
    #[inline]
    pub(super) fn insert(&mut self, item: T) -> Index {
        if self.vacant == NONE {
            self.grow();
        }
        let index = self.vacant;
        let slot = &mut self.slots[index as usize];
        self.vacant = slot.next;
        slot.generation += 1;
        slot.item = item;
        self.len += 1;
        index
    }

    #[cold]
    fn grow(&mut self) {
        let index = Index::try_from(self.slots.len()).ok();
        self.vacant = index
            .filter(|&index| index != NONE)
            .expect("at most 2^32 items");
        self.slots.push(Slot {
            generation: 0,
            next: NONE,
            item: T::default(),
        });
    }

    /// Takes out an item that is there.
    #[inline]
    pub(super) fn remove(&mut self, index: Index) -> T {
        let slot = &mut self.slots[index as usize];
        debug_assert!(slot.generation % 2 == 1, "an item that is there");
        self.len -= 1;
        let next = slot.generation.wrapping_add(1);
        slot.generation = next;
        // A slot whose names are used up stays empty.
        if next != 0 {
            slot.next = self.vacant;
            self.vacant = index;
        }
        std::mem::take(&mut slot.item)
    }

    /// The name of the item at `index`: the index itself for the first one there.
    #[inline]
    pub(super) fn name(&self, index: Index) -> u64 {
        u64::from(self.slots[index as usize].generation / 2) << 32 | u64::from(index)
    }

    /// Where the item of that name is.
    #[inline]
    pub(super) fn find(&self, name: u64) -> Option<Index> {
        #[expect(clippy::cast_possible_truncation, reason = "the lower half of a name")]
        let index = name as Index;
        let generation = self.slots.get(index as usize)?.generation;
        let is_there = generation % 2 == 1 && u64::from(generation / 2) == name >> 32;
        is_there.then_some(index)
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The items with their indexes, in order of the indexes.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Index, &T)> {
        (0..)
            .zip(&self.slots)
            .filter(|(_, slot)| slot.generation % 2 == 1)
            .map(|(index, slot)| (index, &slot.item))
    }

    /// The items, in order of their indexes.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        let there = |slot: &&mut Slot<T>| slot.generation % 2 == 1;
        self.slots
            .iter_mut()
            .filter(there)
            .map(|slot| &mut slot.item)
    }
}

impl<T> At<Index> for Slab<T> {
    type Output = T;

    #[inline]
    fn index(&self, index: Index) -> &T {
        let slot = &self.slots[index as usize];
        debug_assert!(slot.generation % 2 == 1, "an item that is there");
        &slot.item
    }
}

impl<T> AtMut<Index> for Slab<T> {
    #[inline]
    fn index_mut(&mut self, index: Index) -> &mut T {
        let slot = &mut self.slots[index as usize];
        debug_assert!(slot.generation % 2 == 1, "an item that is there");
        &mut slot.item
    }
}

#[cfg(test)]
impl<T> Slab<T> {
    /// How much there is room for without asking for memory.
    pub(super) fn footprint(&self) -> usize {
        self.slots.capacity()
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
