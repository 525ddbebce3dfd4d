//! Lanes, how far they are, and what of theirs still touches which piece.

use super::list::{Links, List};
use super::slab::{Index, NONE, Slab};
use std::fmt;

/// A stream of work that is done in order, as a pool knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LaneId(u64);

impl LaneId {
    /// Where it is among the lanes of its pool.
    #[inline]
    pub(super) fn index(self) -> Index {
        #[expect(clippy::cast_possible_truncation, reason = "the lower half of a name")]
        let index = self.0 as Index;
        index
    }
}

impl fmt::Display for LaneId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Work that touches a block: what a lane does up to a ticket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Use {
    /// The lane.
    pub lane: LaneId,
    /// How far the lane must have come for the work to be done. It has come to
    /// ticket 0 from the start.
    pub ticket: u64,
}

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ticket {} of lane {}", self.ticket, self.lane)
    }
}

/// The unfinished uses of a piece. The rest is in [`Lanes`].
#[derive(Debug)]
pub(super) struct Uses(Index);

impl Default for Uses {
    fn default() -> Self {
        Self(NONE)
    }
}

/// Whose unfinished work touches a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// Nobody's.
    Nobody,
    /// One lane's: that lane may use the piece at once, since it works in order.
    Lane(LaneId),
    /// That of several.
    Several,
}

/// All lanes of a pool.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    by_id: Slab<Lane>,
    uses: Slab<Unfinished>,
    links: Links,
}

#[derive(Debug, Default)]
struct Lane {
    completed: u64,
    /// Its unfinished uses, in order of their tickets.
    unfinished: List,
}

#[derive(Debug, Default)]
struct Unfinished {
    piece: Index,
    at: Use,
    /// The next one of the same piece.
    next: Index,
}

impl Lanes {
    pub(super) fn open(&mut self) -> LaneId {
        let index = self.by_id.insert(Lane::default());
        LaneId(self.by_id.name(index))
    }

    /// Ends a lane that is open.
    ///
    /// # Errors
    /// Its last use that is not done.
    pub(super) fn close(&mut self, id: LaneId) -> Result<(), Use> {
        if let Some(last) = self.by_id[id.index()].unfinished.last() {
            return Err(self.uses[last].at);
        }
        self.by_id.remove(id.index());
        Ok(())
    }

    pub(super) fn is_open(&self, id: LaneId) -> bool {
        self.by_id.find(id.0).is_some()
    }

    pub(super) fn is_done(&self, at: Use) -> bool {
        at.ticket <= self.by_id[at.lane.index()].completed
    }

    /// The first unfinished use of a piece.
    #[inline]
    pub(super) fn first(&self, uses: &Uses) -> Option<Use> {
        (uses.0 != NONE).then(|| self.uses[uses.0].at)
    }

    #[inline]
    pub(super) fn owner(&self, uses: &Uses) -> Owner {
        match uses.0 {
            NONE => Owner::Nobody,
            first if self.uses[first].next == NONE => Owner::Lane(self.uses[first].at.lane),
            _ => Owner::Several,
        }
    }

    /// Notes a use of `piece`. One use for each lane is enough: its last.
    pub(super) fn note(&mut self, uses: &mut Uses, piece: Index, at: Use) {
        if self.is_done(at) {
            return;
        }
        let mut index = uses.0;
        while index != NONE {
            let known = &mut self.uses[index];
            if known.at.lane == at.lane {
                if known.at.ticket < at.ticket {
                    known.at = at;
                    let list = &mut self.by_id[at.lane.index()].unfinished;
                    self.links.remove(list, index);
                    self.put_in_order(index);
                }
                return;
            }
            index = known.next;
        }
        let next = uses.0;
        uses.0 = self.uses.insert(Unfinished { piece, at, next });
        self.put_in_order(uses.0);
    }

    /// Puts a use into its lane's list. Uses come nearly in order, and those
    /// behind it are not done, so the search from the back is short.
    fn put_in_order(&mut self, index: Index) {
        let Use { lane, ticket } = self.uses[index].at;
        let mut before = self.by_id[lane.index()].unfinished.last();
        while let Some(other) = before.filter(|&other| self.uses[other].at.ticket > ticket) {
            before = self.links.before(other);
        }
        let list = &mut self.by_id[lane.index()].unfinished;
        self.links.insert_after(list, index, before);
    }

    /// Notes that a lane has come to `ticket`.
    pub(super) fn complete(&mut self, at: Use) {
        let lane = &mut self.by_id[at.lane.index()];
        lane.completed = lane.completed.max(at.ticket);
    }

    /// A piece that a use of `lane` touches which is done.
    pub(super) fn next_done(&self, lane: LaneId) -> Option<Index> {
        let lane = &self.by_id[lane.index()];
        let first = &self.uses[lane.unfinished.first()?];
        (first.at.ticket <= lane.completed).then_some(first.piece)
    }

    /// Forgets a piece's use by `lane`.
    pub(super) fn forget(&mut self, uses: &mut Uses, lane: LaneId) {
        let (mut index, mut previous) = (uses.0, NONE);
        while index != NONE {
            let next = self.uses[index].next;
            if self.uses[index].at.lane == lane {
                match previous {
                    NONE => uses.0 = next,
                    previous => self.uses[previous].next = next,
                }
                let list = &mut self.by_id[lane.index()].unfinished;
                self.links.remove(list, index);
                self.uses.remove(index);
                return;
            }
            (previous, index) = (index, next);
        }
    }

    /// The uses of `uses`, which are one lane's or nobody's, for `piece` too.
    pub(super) fn copy(&mut self, uses: &Uses, piece: Index) -> Uses {
        let mut copied = Uses::default();
        if let Some(at) = self.first(uses) {
            let unfinished = Unfinished {
                piece,
                at,
                next: NONE,
            };
            copied.0 = self.uses.insert(unfinished);
            let list = &mut self.by_id[at.lane.index()].unfinished;
            self.links.insert_after(list, copied.0, Some(uses.0));
        }
        copied
    }

    /// Adds `other` to the uses of `piece`: both are the same lane's or nobody's.
    pub(super) fn merge(&mut self, uses: &mut Uses, piece: Index, mut other: Uses) {
        let (Some(mine), Some(theirs)) = (self.first(uses), self.first(&other)) else {
            return;
        };
        if mine.ticket < theirs.ticket {
            std::mem::swap(uses, &mut other);
            self.uses[uses.0].piece = piece;
        }
        self.forget(&mut other, mine.lane);
    }
}

#[cfg(test)]
impl Lanes {
    /// How much there is room for without asking for memory.
    pub(super) fn footprint(&self) -> usize {
        self.by_id.footprint() + self.uses.footprint() + self.links.footprint()
    }

    /// How many uses are unfinished.
    pub(super) fn unfinished(&self) -> usize {
        self.uses.len()
    }

    /// All unfinished uses of a piece.
    pub(super) fn uses_of(&self, uses: &Uses) -> impl Iterator<Item = Use> {
        let first = Some(uses.0).filter(|&first| first != NONE);
        let next = |&index: &Index| Some(self.uses[index].next).filter(|&next| next != NONE);
        std::iter::successors(first, next).map(|index| self.uses[index].at)
    }
}
