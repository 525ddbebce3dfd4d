//! Free pieces by size.

use super::lane::{LaneId, Owner};
use super::list::{Links, List};
use super::size_class::{CLASSES, SizeClass};
use super::slab::Index;

const WORDS: usize = CLASSES.div_ceil(64);

/// Free pieces, one list for each size class.
///
/// A piece stands in the list of the largest class that fits into it. Requests
/// are rounded up to a class, so any piece of the first list that is not empty,
/// from the request's own class on, serves it: the best fit, to a class, in a few
/// instructions. (Two-level segregated fit: Masmano, Ripoll, Crespo and Real,
/// ECRTS 2004.)
#[derive(Debug)]
pub(super) struct FreeList {
    lists: Box<[List; CLASSES]>,
    /// A bit for each list that is not empty.
    filled: [u64; WORDS],
}

impl Default for FreeList {
    fn default() -> Self {
        Self {
            lists: Box::new([List::default(); CLASSES]),
            filled: [0; WORDS],
        }
    }
}

impl FreeList {
    fn insert(&mut self, links: &mut Links, piece: Index, class: SizeClass) {
        let at = class.index();
        // The last freed is the first to be used: it is likeliest to be in a cache.
        links.push_first(&mut self.lists[at], piece);
        self.filled[at / 64] |= 1 << (at % 64);
    }

    fn remove(&mut self, links: &mut Links, piece: Index, class: SizeClass) {
        let at = class.index();
        links.remove(&mut self.lists[at], piece);
        if self.lists[at].is_empty() {
            self.filled[at / 64] &= !(1 << (at % 64));
        }
    }

    /// A piece of the smallest list whose pieces all hold `class`, and which list
    /// that is.
    fn find(&self, class: SizeClass) -> Option<(usize, Index)> {
        let (word, bit) = (class.index() / 64, class.index() % 64);
        let mut bits = self.filled[word] & (u64::MAX << bit);
        for word in word..WORDS {
            if bits != 0 {
                let at = word * 64 + bits.trailing_zeros() as usize;
                return self.lists[at].first().map(|piece| (at, piece));
            }
            bits = *self.filled.get(word + 1)?;
        }
        None
    }
}

/// Free pieces by who may use them, and by size.
#[derive(Debug, Default)]
pub(super) struct FreePieces {
    nobodys: FreeList,
    of_lanes: Vec<FreeList>,
    links: Links,
}

impl FreePieces {
    /// Makes a list for a lane. One that was closed has left it empty.
    pub(super) fn open_lane(&mut self, lane: LaneId) {
        let lanes = self.of_lanes.len().max(lane.index() as usize + 1);
        self.of_lanes.resize_with(lanes, FreeList::default);
    }

    /// A piece that several lanes still touch is in no list.
    fn of(&mut self, owner: Owner) -> Option<(&mut FreeList, &mut Links)> {
        let list = match owner {
            Owner::Nobody => &mut self.nobodys,
            Owner::Lane(lane) => &mut self.of_lanes[lane.index() as usize],
            Owner::Several => return None,
        };
        Some((list, &mut self.links))
    }

    #[inline]
    pub(super) fn insert(&mut self, owner: Owner, piece: Index, class: SizeClass) {
        if let Some((list, links)) = self.of(owner) {
            list.insert(links, piece, class);
        }
    }

    #[inline]
    pub(super) fn remove(&mut self, owner: Owner, piece: Index, class: SizeClass) {
        if let Some((list, links)) = self.of(owner) {
            list.remove(links, piece, class);
        }
    }

    /// The smallest piece that `lane` may use at once, and of two such its own.
    #[inline]
    pub(super) fn find(&self, class: SizeClass, lane: LaneId) -> Option<Index> {
        let own = self.of_lanes[lane.index() as usize].find(class);
        let nobodys = self.nobodys.find(class);
        let best = match (own, nobodys) {
            (Some(own), Some(other)) if other.0 < own.0 => other,
            (Some(own), _) => own,
            (None, other) => other?,
        };
        Some(best.1)
    }

    /// The smallest piece that a single lane may use, whichever it is.
    pub(super) fn find_elsewhere(&self, class: SizeClass) -> Option<Index> {
        let found = self.of_lanes.iter().filter_map(|list| list.find(class));
        found.min_by_key(|&(size, _)| size).map(|(_, piece)| piece)
    }
}

#[cfg(test)]
impl FreePieces {
    /// How much there is room for without asking for memory.
    pub(super) fn footprint(&self) -> usize {
        self.of_lanes.capacity() + self.links.footprint()
    }
}
