//! Regions of memory, and the pieces that they are cut into.

use super::lane::Uses;
use super::size_class::SizeClass;
use super::slab::{Index, NONE, Slab};
use crate::id::RegionId;
use crate::ledger::Grant;

/// A stretch of memory that the pool's owner added.
#[derive(Debug, Default)]
struct Region {
    grant: Grant,
    /// The piece at its start.
    first: Index,
}

impl Region {
    fn bytes(&self) -> u64 {
        self.grant.amount().bytes().get()
    }
}

/// A part of a region. The pieces of a region lie side by side and fill it.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub(super) region: Index,
    pub(super) offset: u64,
    pub(super) size: u64,
    /// The pieces before and behind it.
    before: Index,
    after: Index,
    pub(super) holder: Holder,
    /// While it is free, the class under which it is listed.
    pub(super) listed: SizeClass,
    pub(super) uses: Uses,
}

/// Who has a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Holder {
    /// Nobody.
    #[default]
    Free,
    /// A block, by its index.
    Block(Index),
}

/// All regions of a pool, with their pieces.
#[derive(Debug, Default)]
pub(super) struct Regions {
    regions: Slab<Region>,
    pieces: Slab<Piece>,
}

impl std::ops::Index<Index> for Regions {
    type Output = Piece;

    fn index(&self, piece: Index) -> &Piece {
        &self.pieces[piece]
    }
}

impl std::ops::IndexMut<Index> for Regions {
    fn index_mut(&mut self, piece: Index) -> &mut Piece {
        &mut self.pieces[piece]
    }
}

impl Regions {
    /// Adds a region that is one free piece; returns the piece.
    pub(super) fn add(&mut self, grant: Grant, size: u64) -> Index {
        let region = self.regions.insert(Region { grant, first: NONE });
        let piece = self.pieces.insert(Piece {
            region,
            offset: 0,
            size,
            before: NONE,
            after: NONE,
            ..Piece::default()
        });
        self.regions[region].first = piece;
        piece
    }

    /// Removes the region that `piece` fills.
    pub(super) fn remove(&mut self, piece: Index) -> Grant {
        let piece = self.pieces.remove(piece);
        self.regions.remove(piece.region).grant
    }

    pub(super) fn id(&self, region: Index) -> RegionId {
        RegionId::new(self.regions.name(region))
    }

    pub(super) fn find(&self, id: RegionId) -> Option<Index> {
        self.regions.find(id.get())
    }

    /// The piece at a region's start.
    pub(super) fn first(&self, region: Index) -> Index {
        self.regions[region].first
    }

    pub(super) fn before(&self, piece: Index) -> Option<Index> {
        Some(self.pieces[piece].before).filter(|&before| before != NONE)
    }

    pub(super) fn after(&self, piece: Index) -> Option<Index> {
        Some(self.pieces[piece].after).filter(|&after| after != NONE)
    }

    /// True for a piece that fills its region.
    pub(super) fn is_whole(&self, piece: Index) -> bool {
        let piece = &self.pieces[piece];
        piece.before == NONE && piece.after == NONE
    }

    /// Cuts `size` bytes off the start of a free piece; returns them as a piece.
    #[inline]
    pub(super) fn cut(&mut self, piece: Index, size: u64) -> Index {
        let rest = &mut self.pieces[piece];
        let front = Piece {
            region: rest.region,
            offset: rest.offset,
            size,
            before: rest.before,
            after: piece,
            ..Piece::default()
        };
        rest.offset += size;
        rest.size -= size;
        let (region, before) = (front.region, front.before);
        let front = self.pieces.insert(front);
        self.pieces[piece].before = front;
        self.follow(region, before, front);
        front
    }

    /// Adds a free neighbour to a free piece; returns what used it.
    #[inline]
    pub(super) fn absorb(&mut self, piece: Index, neighbour: Index) -> Uses {
        let gone = self.pieces.remove(neighbour);
        let grown = &mut self.pieces[piece];
        grown.size += gone.size;
        if gone.after == piece {
            grown.offset = gone.offset;
            grown.before = gone.before;
            self.follow(gone.region, gone.before, piece);
        } else {
            grown.after = gone.after;
            if gone.after != NONE {
                self.pieces[gone.after].before = piece;
            }
        }
        gone.uses
    }

    /// Makes `piece` follow `before`, or start its region.
    fn follow(&mut self, region: Index, before: Index, piece: Index) {
        match before {
            NONE => self.regions[region].first = piece,
            before => self.pieces[before].after = piece,
        }
    }

    /// The regions by their indexes, with what they take.
    pub(super) fn sizes(&self) -> impl Iterator<Item = (Index, u64)> {
        self.regions
            .iter()
            .map(|(index, region)| (index, region.bytes()))
    }

    /// What a region takes.
    pub(super) fn bytes(&self, region: Index) -> u64 {
        self.regions[region].bytes()
    }

    pub(super) fn grants_mut(&mut self) -> impl Iterator<Item = &mut Grant> {
        self.regions.iter_mut().map(|region| &mut region.grant)
    }

    /// The pieces of a region with their indexes, in order of their offsets.
    pub(super) fn pieces_of(&self, region: Index) -> impl Iterator<Item = (Index, &Piece)> {
        let first = Some(self.regions[region].first);
        std::iter::successors(first, |&piece| self.after(piece))
            .map(|piece| (piece, &self.pieces[piece]))
    }

    pub(super) fn len(&self) -> usize {
        self.regions.len()
    }

    pub(super) fn pieces(&self) -> usize {
        self.pieces.len()
    }
}

#[cfg(test)]
impl Regions {
    /// How much there is room for without asking for memory.
    pub(super) fn footprint(&self) -> usize {
        self.regions.footprint() + self.pieces.footprint()
    }
}
