//! Lanes of a warp that are at the same instruction.

/// Why lanes do not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Ready,
    /// They wait for other lanes of the warp.
    Parked,
    /// They wait at the barrier of the block with that number.
    Barrier(u32),
}

impl State {
    fn is_barrier(self) -> bool {
        matches!(self, Self::Barrier(_))
    }
}

/// Lanes that are at the same instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Split {
    pub(super) at: u32,
    pub(super) mask: u32,
    pub(super) state: State,
    /// How often they have had their turn while others waited.
    pub(super) turns: u32,
}

/// The lanes of a warp that do not run at the moment.
#[derive(Debug, Default)]
pub(super) struct Splits(Vec<Split>);

impl Splits {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds lanes; those that wait for the same thing at the same place become one.
    pub(super) fn push(&mut self, new: Split) {
        let same = self
            .0
            .iter_mut()
            .find(|split| split.at == new.at && split.state == new.state);
        match same {
            Some(split) => {
                split.mask |= new.mask;
                split.turns = split.turns.min(new.turns);
            }
            None => self.0.push(new),
        }
    }

    /// Takes the lanes that run next: of those that had the fewest turns, those that are
    /// furthest behind, so that others are met on the way.
    pub(super) fn take_next(&mut self) -> Option<Split> {
        let ready = self
            .0
            .iter()
            .enumerate()
            .filter(|(_, split)| split.state == State::Ready);
        let (index, _) = ready.min_by_key(|(_, split)| (split.turns, split.at))?;
        Some(self.0.swap_remove(index))
    }

    /// Takes all lanes at that place that need not stay.
    pub(super) fn take_at(&mut self, at: u32) -> u32 {
        let mut mask = 0;
        self.0.retain(|split| {
            let meets = split.at == at && !split.state.is_barrier();
            mask |= if meets { split.mask } else { 0 };
            !meets
        });
        mask
    }

    /// The nearest place from there on where others wait to be met.
    pub(super) fn meeting(&self, from: u32) -> u32 {
        let ahead = self
            .0
            .iter()
            .filter(|split| !split.state.is_barrier() && split.at >= from);
        ahead.map(|split| split.at).min().unwrap_or(u32::MAX)
    }

    /// Lets lanes that waited for others try again.
    pub(super) fn unpark(&mut self) {
        for split in &mut self.0 {
            if split.state == State::Parked {
                split.state = State::Ready;
            }
        }
    }

    /// Lets all that wait at a barrier go on behind it.
    pub(super) fn release(&mut self) {
        for split in &mut self.0 {
            if split.state.is_barrier() {
                split.state = State::Ready;
                split.at += 1;
                split.turns = 0;
            }
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Split> {
        self.0.iter()
    }
}
