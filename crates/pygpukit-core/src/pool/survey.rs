//! How much room a full pool could still make.

use super::lane::Use;
use super::policy::{Growth, Reclaim};
use super::region::{Holder, Regions};
use super::size_class::SizeClass;
use super::slab::Index;

/// Room for one block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Room {
    /// The largest that fits.
    pub(super) class: Option<SizeClass>,
    /// Work in its way.
    pub(super) until: Option<Use>,
}

impl Room {
    fn offer(&mut self, class: Option<SizeClass>, until: Option<Use>) {
        if class > self.class {
            *self = Self { class, until };
        }
    }
}

/// Memory side by side that could be had, and the first work that touches it.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    bytes: u64,
    until: Option<Use>,
}

impl Run {
    fn extend(&mut self, bytes: u64, until: Option<Use>) {
        self.bytes += bytes;
        self.until = self.until.or(until);
    }
}

/// The most room in a pool once all work is done and all blocks of which `leaves`
/// is true have left; `capacity` is what it may take in all.
///
/// Looks at every piece, so it is asked only when nothing else serves a request:
/// the wait or the copy that follows takes longer.
pub(super) fn most_room(
    regions: &Regions,
    (growth, reclaim): (Growth, Reclaim),
    capacity: u64,
    first_use: impl Fn(Index) -> Option<Use>,
    leaves: impl Fn(Index) -> bool,
) -> Room {
    let mut room = Room::default();
    // Regions that could be given back, and all others.
    let (mut until_returned, mut kept) = (None, 0);
    for (region, bytes) in regions.sizes() {
        let mut run = Run::default();
        let mut until = None;
        let mut returns = reclaim != Reclaim::Never;
        for (index, piece) in regions.pieces_of(region) {
            let stays = match piece.holder {
                Holder::Free => false,
                Holder::Block(block) => !leaves(block),
            };
            if stays {
                run = Run::default();
                returns = false;
            } else {
                run.extend(piece.size, first_use(index));
                room.offer(SizeClass::within(run.bytes), run.until);
            }
            until = until.or_else(|| first_use(index));
        }
        if returns {
            until_returned = until_returned.or(until);
        } else {
            kept += bytes;
        }
    }
    room.offer(growth.largest(capacity - kept), until_returned);
    room
}
