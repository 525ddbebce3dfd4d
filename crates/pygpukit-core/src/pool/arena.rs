//! Pieces of memory: which are free, for whom, and for what.

use super::free_list::FreePieces;
use super::lane::{LaneId, Lanes, Owner, Use};
use super::list::{Links, List};
use super::region::{Holder, Regions};
use super::size_class::SizeClass;
use super::slab::Index;
use crate::id::RegionId;
use crate::ledger::Grant;

/// Memory in regions, cut into pieces.
///
/// Of two free neighbours that the same lane may use at once, or anyone, there is
/// never a pair: they are one piece. So what one lane frees never holds up
/// another that takes memory beside it.
#[derive(Debug, Default)]
pub(super) struct Arena {
    pub(super) regions: Regions,
    pub(super) lanes: Lanes,
    pub(super) free: FreePieces,
    /// Regions that are wholly free for anyone, the longest so first.
    idle: List,
    idle_links: Links,
    idle_bytes: u64,
    used: u64,
}

impl Arena {
    pub(super) fn open_lane(&mut self) -> LaneId {
        let lane = self.lanes.open();
        self.free.open_lane(lane);
        lane
    }

    pub(super) fn add_region(&mut self, grant: Grant, size: u64) -> RegionId {
        let piece = self.regions.add(grant, size);
        self.settle(piece);
        self.regions.id(self.regions[piece].region)
    }

    /// Removes a region that is wholly free for anyone.
    pub(super) fn remove_region(&mut self, region: Index) -> Option<Grant> {
        if !self.idle_links.remove(&mut self.idle, region) {
            return None;
        }
        let piece = self.regions.first(region);
        self.idle_bytes -= self.regions.bytes(region);
        self.unlist(piece);
        Some(self.regions.remove(piece))
    }

    /// The region that is wholly free for the longest.
    pub(super) fn idle_region(&self) -> Option<Index> {
        self.idle.first()
    }

    /// What the regions take that are wholly free for anyone.
    pub(super) fn idle_bytes(&self) -> u64 {
        self.idle_bytes
    }

    /// Bytes of the pieces that blocks have.
    pub(super) fn used(&self) -> u64 {
        self.used
    }

    /// The smallest free piece that `lane` may use at once, and of two such its own.
    pub(super) fn find(&self, class: SizeClass, lane: LaneId) -> Option<Index> {
        self.free.find(class, lane)
    }

    /// A free piece that a single other lane may use, and what that lane must do
    /// before anyone may.
    pub(super) fn find_elsewhere(&self, class: SizeClass) -> Option<Use> {
        self.first_use(self.free.find_elsewhere(class)?)
    }

    /// Gives a block as much of a free piece as `class` says; returns that.
    pub(super) fn take(&mut self, piece: Index, class: SizeClass, block: Index) -> Index {
        let size = class.bytes();
        let all = self.regions[piece].size;
        let taken = if all == size {
            self.unlist(piece);
            piece
        } else {
            let taken = self.regions.cut(piece, size);
            let uses = self.lanes.copy(&self.regions[piece].uses, taken);
            self.regions[taken].uses = uses;
            self.relist(piece);
            taken
        };
        let region = self.regions[taken].region;
        if self.idle_links.remove(&mut self.idle, region) {
            self.idle_bytes -= self.regions.bytes(region);
        }
        self.regions[taken].holder = Holder::Block(block);
        self.used += size;
        taken
    }

    /// Takes a piece back from its block.
    pub(super) fn give(&mut self, piece: Index) {
        let freed = &mut self.regions[piece];
        freed.holder = Holder::Free;
        self.used -= freed.size;
        self.settle(piece);
    }

    /// Notes that a lane uses a piece which a block has.
    pub(super) fn note(&mut self, piece: Index, at: Use) {
        self.lanes.note(&mut self.regions[piece].uses, piece, at);
    }

    /// True for a piece that no unfinished work touches.
    #[inline]
    pub(super) fn is_idle(&self, piece: Index) -> bool {
        self.first_use(piece).is_none()
    }

    #[inline]
    pub(super) fn first_use(&self, piece: Index) -> Option<Use> {
        self.lanes.first(&self.regions[piece].uses)
    }

    /// Notes that a lane has come to a ticket; tells of each block that this
    /// leaves without unfinished work.
    pub(super) fn complete(&mut self, at: Use, mut on_idle: impl FnMut(Index)) {
        self.lanes.complete(at);
        while let Some(piece) = self.lanes.next_done(at.lane) {
            match self.regions[piece].holder {
                Holder::Block(block) => {
                    self.lanes.forget(&mut self.regions[piece].uses, at.lane);
                    if self.is_idle(piece) {
                        on_idle(block);
                    }
                }
                Holder::Free => {
                    self.unlist(piece);
                    self.lanes.forget(&mut self.regions[piece].uses, at.lane);
                    self.settle(piece);
                }
            }
        }
    }

    /// Joins a free piece with its neighbours, and lists it.
    fn settle(&mut self, piece: Index) {
        let owner = self.owner(piece);
        let joins = |&other: &Index| {
            self.regions[other].holder == Holder::Free
                && owner != Owner::Several
                && self.owner(other) == owner
        };
        let before = self.regions.before(piece).filter(joins);
        let after = self.regions.after(piece).filter(joins);
        // The neighbours are listed, and stay where they are if they can.
        let grown = before.or(after).unwrap_or(piece);
        if grown == piece {
            self.list(piece);
        } else {
            self.join(grown, piece);
            if let Some(after) = after.filter(|&after| after != grown) {
                self.unlist(after);
                self.join(grown, after);
            }
            self.relist(grown);
        }
        if owner == Owner::Nobody && self.regions.is_whole(grown) {
            let region = self.regions[grown].region;
            self.idle_links.push_last(&mut self.idle, region);
            self.idle_bytes += self.regions.bytes(region);
        }
    }

    fn join(&mut self, piece: Index, neighbour: Index) {
        let other = self.regions.absorb(piece, neighbour);
        let uses = &mut self.regions[piece].uses;
        self.lanes.merge(uses, piece, other);
    }

    #[inline]
    pub(super) fn owner(&self, piece: Index) -> Owner {
        self.lanes.owner(&self.regions[piece].uses)
    }

    fn list(&mut self, piece: Index) {
        let class = self.class(piece);
        self.regions[piece].listed = class;
        self.free.insert(self.owner(piece), piece, class);
    }

    fn unlist(&mut self, piece: Index) {
        let class = self.regions[piece].listed;
        self.free.remove(self.owner(piece), piece, class);
    }

    /// Lists a piece anew whose size has changed, where it has to.
    fn relist(&mut self, piece: Index) {
        if self.class(piece) != self.regions[piece].listed {
            self.unlist(piece);
            self.list(piece);
        }
    }

    /// The largest class that fits into a piece.
    #[inline]
    fn class(&self, piece: Index) -> SizeClass {
        let class = SizeClass::within(self.regions[piece].size);
        class.unwrap_or_default()
    }
}
