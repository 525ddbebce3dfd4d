//! What is left over: by weight among groups, and by weight within each.

use super::fair::{FairQueue, Standings};
use crate::collections::{Slab, Slot};
use crate::units::Nanoseconds;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Who goes before whom, whatever their weights: best effort last, then by the
/// priority of the group, then by that of the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Tier {
    pub(super) is_best_effort: bool,
    pub(super) group: Reverse<i32>,
    pub(super) client: Reverse<i32>,
}

impl Tier {
    const FIRST_BEST_EFFORT: Self = Self {
        is_best_effort: true,
        group: Reverse(i32::MAX),
        client: Reverse(i32::MAX),
    };
}

/// The members of one group that are in one tier.
#[derive(Debug)]
struct Band {
    tier: Tier,
    members: FairQueue,
    /// Whether its group may go, if any of its members want to.
    is_open: bool,
    /// Whether it stands in line with the other bands of its tier.
    is_listed: bool,
}

/// The bands of one tier.
#[derive(Debug, Default)]
struct Line {
    queue: FairQueue,
    bands: usize,
}

/// Who takes what is left over. A fair queue of bands in each tier, and a fair queue of
/// members in each band.
#[derive(Debug, Default)]
pub(super) struct LeftOver {
    tiers: BTreeMap<Tier, Line>,
    bands: Slab<Band>,
    of_bands: Standings,
    of_members: Standings,
}

impl LeftOver {
    /// A band without members.
    pub(super) fn open(&mut self, tier: Tier, weight: u32, is_open: bool) -> Slot {
        self.tiers.entry(tier).or_default().bands += 1;
        let band = self.bands.insert(Band {
            tier,
            members: FairQueue::default(),
            is_open,
            is_listed: false,
        });
        self.of_bands.join(band, weight);
        band
    }

    /// Forgets a band in which nobody waits, unless it has got more than its share and
    /// others could tell.
    pub(super) fn forget(&mut self, slot: Slot) -> bool {
        let Some(band) = self.bands.get(slot).filter(|band| band.members.is_empty()) else {
            return false;
        };
        let tier = self.tiers.get(&band.tier);
        if tier.is_some_and(|Line { queue, .. }| {
            !queue.is_empty() && queue.is_ahead(slot, &self.of_bands)
        }) {
            return false;
        }
        self.close(slot);
        true
    }

    /// Takes a band out in which nobody waits.
    pub(super) fn close(&mut self, slot: Slot) {
        self.list(slot, false);
        if let Some(band) = self.bands.remove(slot) {
            self.leave_tier(band.tier);
        }
    }

    fn leave_tier(&mut self, tier: Tier) {
        if let Some(line) = self.tiers.get_mut(&tier) {
            line.bands -= 1;
            if line.bands == 0 {
                self.tiers.remove(&tier);
            }
        }
    }

    /// Gives a band another tier and weight.
    pub(super) fn change(&mut self, slot: Slot, tier: Tier, weight: u32) {
        self.list(slot, false);
        self.of_bands.set_weight(slot, weight);
        let Some(band) = self.bands.get_mut(slot) else {
            return;
        };
        let before = std::mem::replace(&mut band.tier, tier);
        self.tiers.entry(tier).or_default().bands += 1;
        self.leave_tier(before);
        self.relist(slot);
    }

    /// Lets a band's group go, or holds it back.
    pub(super) fn set_open(&mut self, slot: Slot, is_open: bool) {
        if let Some(band) = self.bands.get_mut(slot) {
            band.is_open = is_open;
        }
        self.relist(slot);
    }

    /// Somebody new.
    pub(super) fn join(&mut self, who: Slot, weight: u32) {
        self.of_members.join(who, weight);
    }

    /// Somebody of a band wants a grant of that length.
    pub(super) fn insert(&mut self, slot: Slot, who: Slot, next: Nanoseconds) {
        if let Some(band) = self.bands.get_mut(slot) {
            band.members.insert(who, next, &mut self.of_members);
        }
    }

    /// Somebody of a band wants none any more.
    pub(super) fn remove(&mut self, slot: Slot, who: Slot) {
        if let Some(band) = self.bands.get_mut(slot) {
            band.members.remove(who, &mut self.of_members);
        }
    }

    /// The band and the member that go first, of all or of best effort.
    pub(super) fn first(&mut self, only_best_effort: bool) -> Option<(Slot, Slot)> {
        let mut tiers = if only_best_effort {
            self.tiers.range_mut(Tier::FIRST_BEST_EFFORT..)
        } else {
            self.tiers.range_mut(..)
        };
        let of_bands = &mut self.of_bands;
        let band = tiers.find_map(|(_, line)| line.queue.first(of_bands))?;
        Some((band, self.first_of(band)?))
    }

    /// The member of a band that goes first.
    pub(super) fn first_of(&mut self, slot: Slot) -> Option<Slot> {
        self.bands
            .get_mut(slot)?
            .members
            .first(&mut self.of_members)
    }

    /// Gives somebody of a band that time, and takes them out. What a budget pays
    /// for is not counted against other groups.
    pub(super) fn grant(&mut self, slot: Slot, who: Slot, time: Nanoseconds, is_paid: bool) {
        let Some(band) = self.bands.get_mut(slot) else {
            return;
        };
        band.members.grant(who, time, &mut self.of_members);
        if !is_paid
            && band.is_listed
            && let Some(line) = self.tiers.get_mut(&band.tier)
        {
            line.queue.grant(slot, time, &mut self.of_bands);
            band.is_listed = false;
        }
    }

    /// Corrects what was charged to what was used, for somebody who is not in.
    pub(super) fn settle(
        &mut self,
        slot: Slot,
        who: Slot,
        charged_and_used: (Nanoseconds, Nanoseconds),
        is_paid: bool,
    ) {
        if !is_paid {
            self.list(slot, false);
        }
        let Some(band) = self.bands.get_mut(slot) else {
            return;
        };
        let members = &mut band.members;
        members.settle(who, charged_and_used, &mut self.of_members);
        if !is_paid && let Some(line) = self.tiers.get_mut(&band.tier) {
            let bands = &mut line.queue;
            bands.settle(slot, charged_and_used, &mut self.of_bands);
        }
    }

    /// Puts a band in line if it is open and has members that want something. To be
    /// done after members came, went or were settled with.
    pub(super) fn relist(&mut self, slot: Slot) {
        let wants = self
            .bands
            .get(slot)
            .is_some_and(|band| band.is_open && !band.members.is_empty());
        self.list(slot, wants);
    }

    fn list(&mut self, slot: Slot, shall: bool) {
        let Some(band) = self.bands.get_mut(slot) else {
            return;
        };
        let Some(line) = self.tiers.get_mut(&band.tier) else {
            return;
        };
        let next = band.members.peek().map_or(Nanoseconds::ZERO, |who| {
            FairQueue::next_of(who, &self.of_members)
        });
        match (band.is_listed, shall) {
            (false, true) => line.queue.insert(slot, next, &mut self.of_bands),
            (true, true) => line.queue.update(slot, next, &mut self.of_bands),
            (true, false) => line.queue.remove(slot, &mut self.of_bands),
            (false, false) => {}
        }
        band.is_listed = shall;
    }
}
