//! Items in an order, with removal from anywhere.

use super::slab::{Index, NONE};

/// An item in no list, as what is before it.
const OUT: Index = NONE - 1;

/// What is before and after each item. One table serves any number of lists as
/// long as an item is in one of them at a time.
#[derive(Debug, Default)]
pub(super) struct Links(Vec<Link>);

#[derive(Clone, Copy, Debug)]
struct Link {
    before: Index,
    after: Index,
}

/// A list: its two ends. The rest is in its [`Links`].
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    first: Index,
    last: Index,
}

impl Default for List {
    fn default() -> Self {
        Self {
            first: NONE,
            last: NONE,
        }
    }
}

impl List {
    pub(super) fn first(self) -> Option<Index> {
        (self.first != NONE).then_some(self.first)
    }

    pub(super) fn last(self) -> Option<Index> {
        (self.last != NONE).then_some(self.last)
    }

    pub(super) fn is_empty(self) -> bool {
        self.first == NONE
    }
}

impl Links {
    /// True if the item is in a list.
    #[inline]
    pub(super) fn contains(&self, item: Index) -> bool {
        let link = self.0.get(item as usize);
        link.is_some_and(|link| link.before != OUT)
    }

    pub(super) fn before(&self, item: Index) -> Option<Index> {
        let before = self.0[item as usize].before;
        (before != NONE).then_some(before)
    }

    /// Puts an item first.
    #[inline]
    pub(super) fn push_first(&mut self, list: &mut List, item: Index) {
        self.put(list, item, NONE, list.first);
    }

    /// Puts an item last.
    #[inline]
    pub(super) fn push_last(&mut self, list: &mut List, item: Index) {
        self.put(list, item, list.last, NONE);
    }

    /// Puts an item behind another of the list, or first.
    pub(super) fn insert_after(&mut self, list: &mut List, item: Index, before: Option<Index>) {
        let after = before.map_or(list.first, |before| self.0[before as usize].after);
        self.put(list, item, before.unwrap_or(NONE), after);
    }

    fn put(&mut self, list: &mut List, item: Index, before: Index, after: Index) {
        debug_assert!(!self.contains(item), "in one list at a time");
        let at = item as usize;
        if at >= self.0.len() {
            let out = Link {
                before: OUT,
                after: NONE,
            };
            self.0.resize(at + 1, out);
        }
        self.0[at] = Link { before, after };
        match before {
            NONE => list.first = item,
            before => self.0[before as usize].after = item,
        }
        match after {
            NONE => list.last = item,
            after => self.0[after as usize].before = item,
        }
    }

    /// Takes an item out of the list that it is in; false if it is in none.
    #[inline]
    pub(super) fn remove(&mut self, list: &mut List, item: Index) -> bool {
        if !self.contains(item) {
            return false;
        }
        let Link { before, after } = self.0[item as usize];
        match before {
            NONE => list.first = after,
            before => self.0[before as usize].after = after,
        }
        match after {
            NONE => list.last = before,
            after => self.0[after as usize].before = before,
        }
        self.0[item as usize].before = OUT;
        true
    }
}

#[cfg(test)]
impl Links {
    /// How much there is room for without asking for memory.
    pub(super) fn footprint(&self) -> usize {
        self.0.capacity()
    }

    /// The items of a list, from the first.
    pub(super) fn iter(&self, list: List) -> impl Iterator<Item = Index> + '_ {
        std::iter::successors(list.first(), |&item| {
            let after = self.0[item as usize].after;
            (after != NONE).then_some(after)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn two_lists_over_one_table_keep_their_orders(
            ops in prop::collection::vec((0_u32..20, 0_usize..2, 0_u8..3), 0..200)
        ) {
            let mut links = Links::default();
            let mut lists = [List::default(); 2];
            let mut models = [Vec::new(), Vec::new()];
            for (item, at, how) in ops {
                if links.contains(item) {
                    let from = models.iter().position(|model| model.contains(&item)).unwrap();
                    models[from].retain(|&each| each != item);
                    prop_assert!(links.remove(&mut lists[from], item));
                } else {
                    prop_assert!(!links.remove(&mut lists[at], item));
                    let model = &mut models[at];
                    match how {
                        0 => {
                            model.insert(0, item);
                            links.push_first(&mut lists[at], item);
                        }
                        1 => {
                            model.push(item);
                            links.push_last(&mut lists[at], item);
                        }
                        _ => {
                            let middle = model.len() / 2;
                            let before = middle.checked_sub(1).map(|at| model[at]);
                            model.insert(middle, item);
                            links.insert_after(&mut lists[at], item, before);
                        }
                    }
                }
                for (list, model) in lists.iter().zip(&models) {
                    prop_assert_eq!(&links.iter(*list).collect::<Vec<_>>(), model);
                    prop_assert_eq!(list.first(), model.first().copied());
                    prop_assert_eq!(list.last(), model.last().copied());
                    prop_assert_eq!(list.is_empty(), model.is_empty());
                    for pair in model.windows(2) {
                        prop_assert_eq!(links.before(pair[1]), Some(pair[0]));
                    }
                }
            }
        }
    }
}
