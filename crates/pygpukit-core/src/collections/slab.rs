//! Items that stay where they are.

/// Where an item of a [`Slab`] is.
pub(crate) type Slot = u32;

/// Items by slot; a slot that is left is used again.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    items: Vec<Option<T>>,
    vacant: Vec<Slot>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            vacant: Vec::new(),
        }
    }
}

impl<T> Slab<T> {
    /// Puts an item in, and says where.
    ///
    /// # Panics
    /// For more than 2^32 items.
    pub(crate) fn insert(&mut self, item: T) -> Slot {
        if let Some(slot) = self.vacant.pop() {
            self.items[slot as usize] = Some(item);
            return slot;
        }
        let slot = Slot::try_from(self.items.len());
        self.items.push(Some(item));
        slot.unwrap_or_else(|_| panic!("more than 2^32 items"))
    }

    /// Takes an item out.
    pub(crate) fn remove(&mut self, slot: Slot) -> Option<T> {
        let item = self.items.get_mut(slot as usize)?.take();
        if item.is_some() {
            self.vacant.push(slot);
        }
        item
    }

    pub(crate) fn get(&self, slot: Slot) -> Option<&T> {
        self.items.get(slot as usize)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, slot: Slot) -> Option<&mut T> {
        self.items.get_mut(slot as usize)?.as_mut()
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len() - self.vacant.len()
    }

    /// The items with their slots, in order of the slots.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Slot, &T)> {
        (0..)
            .zip(&self.items)
            .filter_map(|(slot, item)| Some((slot, item.as_ref()?)))
    }
}
