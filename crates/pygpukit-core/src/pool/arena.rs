//! Pieces of memory: which are free, for whom, and for what.

use super::free_list::FreeList;
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
    links: Links,
    /// Free pieces that anyone may use.
    nobodys: FreeList,
    /// Free pieces that one lane may use, by lane.
    of_lanes: Vec<FreeList>,
    /// Regions that are wholly free for anyone, the longest so first.
    idle: List,
    idle_links: Links,
    idle_bytes: u64,
    used: u64,
}

impl Arena {
    pub(super) fn open_lane(&mut self) -> LaneId {
        self.of_lanes.push(FreeList::default());
        self.lanes.open()
    }

    pub(super) fn add_region(&mut self, grant: Grant, size: u64) -> RegionId {
        let piece = self.regions.add(grant, size);
        self.link(piece);
        self.regions.id(self.regions[piece].region)
    }

    /// Removes a region that is wholly free for anyone.
    pub(super) fn remove_region(&mut self, region: Index) -> Option<Grant> {
        if !self.idle_links.contains(region) {
            return None;
        }
        let piece = self.regions.first(region);
        self.unlink(piece);
        Some(self.regions.remove(piece))
    }

    /// The region that is wholly free for the longest.
    pub(super) fn idle_region(&self) -> Option<Index> {
        self.idle.first()
    }

    /// Bytes of the regions that are wholly free for anyone.
    pub(super) fn idle_bytes(&self) -> u64 {
        self.idle_bytes
    }

    /// Bytes of the pieces that blocks have.
    pub(super) fn used(&self) -> u64 {
        self.used
    }

    /// The smallest free piece that `lane` may use at once, and of two such its own.
    pub(super) fn find(&self, class: SizeClass, lane: LaneId) -> Option<Index> {
        let own = self.of_lanes[lane.0 as usize].find(class);
        let nobodys = self.nobodys.find(class);
        let best = match (own, nobodys) {
            (Some(own), Some(other)) if other.0 < own.0 => other,
            (Some(own), _) => own,
            (None, other) => other?,
        };
        Some(best.1)
    }

    /// A free piece that a single other lane may use, and what that lane must do
    /// before anyone may.
    pub(super) fn find_elsewhere(&self, class: SizeClass) -> Option<Use> {
        let found = self.of_lanes.iter().filter_map(|list| list.find(class));
        let (_, piece) = found.min_by_key(|&(size, _)| size)?;
        self.lanes.first(&self.regions[piece].uses)
    }

    /// Gives a free piece that holds `class` to a block, without what is beyond.
    pub(super) fn take(&mut self, piece: Index, class: SizeClass, block: Index) {
        self.unlink(piece);
        let size = class.bytes();
        if self.regions[piece].size > size {
            let rest = self.regions.split(piece, size);
            let uses = self.lanes.copy(&self.regions[piece].uses, rest);
            self.regions[rest].uses = uses;
            self.link(rest);
        }
        self.regions[piece].holder = Holder::Block(block);
        self.used += size;
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
    pub(super) fn is_idle(&self, piece: Index) -> bool {
        self.first_use(piece).is_none()
    }

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
                    self.lanes
                        .forget(&mut self.regions[piece].uses, at.lane);
                    if self.is_idle(piece) {
                        on_idle(block);
                    }
                }
                Holder::Free => {
                    self.unlink(piece);
                    self.lanes
                        .forget(&mut self.regions[piece].uses, at.lane);
                    self.settle(piece);
                }
            }
        }
    }

    /// Joins a free piece with its neighbours, and lists it.
    fn settle(&mut self, mut piece: Index) {
        let owner = self.owner(piece);
        if owner != Owner::Several {
            let joins = |arena: &Self, other: Index| {
                arena.regions[other].holder == Holder::Free && arena.owner(other) == owner
            };
            if let Some(after) = self.regions.after(piece)
                && joins(self, after)
            {
                self.unlink(after);
                self.join(piece, after);
            }
            if let Some(before) = self.regions.before(piece)
                && joins(self, before)
            {
                self.unlink(before);
                self.join(before, piece);
                piece = before;
            }
        }
        self.link(piece);
    }

    fn join(&mut self, piece: Index, behind: Index) {
        let other = self.regions.absorb(piece, behind);
        self.lanes
            .merge(&mut self.regions[piece].uses, piece, other);
    }

    pub(super) fn owner(&self, piece: Index) -> Owner {
        self.lanes.owner(&self.regions[piece].uses)
    }

    /// Lists a free piece where its owner looks for it. One that several lanes
    /// still touch is in no list.
    fn link(&mut self, piece: Index) {
        let size = self.regions[piece].size;
        match self.owner(piece) {
            Owner::Nobody => {
                self.nobodys.insert(&mut self.links, piece, size);
                if self.regions.is_whole(piece) {
                    let region = self.regions[piece].region;
                    self.idle_links.push_last(&mut self.idle, region);
                    self.idle_bytes += size;
                }
            }
            Owner::Lane(lane) => {
                self.of_lanes[lane.0 as usize].insert(&mut self.links, piece, size);
            }
            Owner::Several => {}
        }
    }

    fn unlink(&mut self, piece: Index) {
        let size = self.regions[piece].size;
        match self.owner(piece) {
            Owner::Nobody => {
                self.nobodys.remove(&mut self.links, piece, size);
                if self.regions.is_whole(piece) {
                    let region = self.regions[piece].region;
                    self.idle_links.remove(&mut self.idle, region);
                    self.idle_bytes -= size;
                }
            }
            Owner::Lane(lane) => {
                self.of_lanes[lane.0 as usize].remove(&mut self.links, piece, size);
            }
            Owner::Several => {}
        }
    }
}
