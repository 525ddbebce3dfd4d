//! Items in the order in which they came.

use super::slab::Slot;

/// Items in the order in which they came, with removal from anywhere.
#[derive(Debug, Default)]
pub(crate) struct List {
    ends: Option<(Slot, Slot)>,
    links: Vec<Link>,
    len: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Link {
    before: Option<Slot>,
    after: Option<Slot>,
}

impl List {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn first(&self) -> Option<Slot> {
        self.ends.map(|(first, _)| first)
    }

    pub(crate) fn contains(&self, item: Slot) -> bool {
        let link = self.links.get(item as usize).copied().unwrap_or_default();
        link.before.is_some() || self.first() == Some(item)
    }

    /// Puts an item last. It must not be in the list.
    pub(crate) fn push(&mut self, item: Slot) {
        let at = item as usize;
        if at >= self.links.len() {
            self.links.resize(at + 1, Link::default());
        }
        let last = self.ends.map(|(_, last)| last);
        self.links[at] = Link {
            before: last,
            after: None,
        };
        if let Some(last) = last {
            self.links[last as usize].after = Some(item);
        }
        self.ends = Some((self.ends.map_or(item, |(first, _)| first), item));
        self.len += 1;
    }

    /// Takes an item out. It must be in the list.
    pub(crate) fn remove(&mut self, item: Slot) {
        let Link { before, after } = std::mem::take(&mut self.links[item as usize]);
        if let Some(before) = before {
            self.links[before as usize].after = after;
        }
        if let Some(after) = after {
            self.links[after as usize].before = before;
        }
        self.ends = self.ends.and_then(|(first, last)| {
            let first = if first == item { after? } else { first };
            let last = if last == item { before? } else { last };
            Some((first, last))
        });
        self.len -= 1;
    }

    /// The items, from the first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Slot> + '_ {
        std::iter::successors(self.first(), |&item| self.links[item as usize].after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_keeps_the_order(ops in prop::collection::vec(0_u32..20, 0..200)) {
            let mut list = List::default();
            let mut model = Vec::new();
            for item in ops {
                if let Some(at) = model.iter().position(|&each| each == item) {
                    model.remove(at);
                    list.remove(item);
                } else {
                    model.push(item);
                    list.push(item);
                }
                prop_assert_eq!(list.iter().collect::<Vec<_>>(), model.clone());
                prop_assert_eq!(list.len(), model.len());
                prop_assert_eq!(list.contains(item), model.contains(&item));
            }
        }
    }
}
