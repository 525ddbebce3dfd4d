//! What is left over, by weight.

use crate::collections::{Heap, Places, Slot};
use crate::units::Nanoseconds;

/// Virtual time: 2^-32 nanoseconds that somebody with a weight of 1 gets.
type Virtual = u128;

const FRACTION_BITS: u32 = 32;

fn virtual_time(time: Nanoseconds, weight: u64) -> Virtual {
    let (time, weight) = (time.get(), weight.max(1));
    if time >> (u64::BITS - FRACTION_BITS) == 0 {
        // Four seconds fit into one word, which is divided ten times as fast.
        return ((time << FRACTION_BITS) / weight).into();
    }
    (u128::from(time) << FRACTION_BITS) / u128::from(weight)
}

/// Shares time by weight among those who want some.
///
/// Everybody has a virtual start: the time they got so far, divided by their
/// weight. Of those whose start is not ahead of the queue's virtual time, the one
/// whose next grant would end first, virtually, goes first. So nobody is ever
/// more than one grant ahead of their share, or behind it. The method is that of
/// Bennett and Zhang, "Hierarchical Packet Fair Queueing Algorithms" (SIGCOMM
/// 1996), called WF2Q+; Linux' EEVDF (Stoica and Abdel-Wahab, 1995) decides by the
/// same two rules.
#[derive(Debug, Default)]
pub(super) struct FairQueue {
    now: Virtual,
    /// Weights of all in the queue.
    weight: u64,
    /// Grants so far.
    turn: u64,
    /// Those who may go now, by their virtual end.
    eligible: Heap<(Virtual, Slot)>,
    /// Those who are ahead of their share, by their virtual start.
    ahead: Heap<(Virtual, Slot)>,
}

/// How those stand who are in one of several queues, or were.
#[derive(Debug, Default)]
pub(super) struct Standings {
    of: Vec<Standing>,
    places: Places,
}

/// How somebody stands.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    start: Virtual,
    weight: u32,
    /// How long the next grant would be.
    next: Nanoseconds,
    is_ahead: bool,
    /// The queue's turn when they were last in it.
    left_at: u64,
}

impl Standings {
    /// Somebody new, with a weight.
    pub(super) fn join(&mut self, who: Slot, weight: u32) {
        let at = who as usize;
        if at >= self.of.len() {
            self.of.resize(at + 1, Standing::default());
        }
        self.of[at] = Standing {
            weight,
            ..Standing::default()
        };
    }

    /// Gives somebody in no queue another weight.
    pub(super) fn set_weight(&mut self, who: Slot, weight: u32) {
        self.of[who as usize].weight = weight;
    }
}

impl FairQueue {
    /// True if nobody is in.
    pub(super) fn is_empty(&self) -> bool {
        self.weight == 0
    }

    /// True if somebody in no queue has got more than their share here.
    pub(super) fn is_ahead(&self, who: Slot, standings: &Standings) -> bool {
        standings.of[who as usize].start > self.now
    }

    /// How long the next grant of somebody who is in would be.
    pub(super) fn next_of(who: Slot, standings: &Standings) -> Nanoseconds {
        standings.of[who as usize].next
    }

    /// Corrects what was charged to what was used, for somebody who is not in.
    pub(super) fn settle(
        &mut self,
        who: Slot,
        (charged, used): (Nanoseconds, Nanoseconds),
        standings: &mut Standings,
    ) {
        let standing = &mut standings.of[who as usize];
        let (mine, all) = (
            standing.weight.into(),
            self.weight + u64::from(standing.weight),
        );
        let more = used.saturating_sub(charged);
        let less = charged.saturating_sub(used);
        let corrected = |time: Virtual, weight| {
            (time + virtual_time(more, weight)).saturating_sub(virtual_time(less, weight))
        };
        standing.start = corrected(standing.start, mine);
        self.now = corrected(self.now, all);
    }

    /// Puts somebody in, whose next grant would be that long.
    pub(super) fn insert(&mut self, who: Slot, next: Nanoseconds, standings: &mut Standings) {
        let standing = &mut standings.of[who as usize];
        // Who was away while others were served has saved up nothing. Otherwise each
        // return would put all others further behind the queue's time.
        if standing.left_at != self.turn {
            // Nor do they wait until all have caught up with a time that is ahead of them.
            let first = self.eligible.first().map(|((end, _), _)| end);
            let now = first.map_or(self.now, |end| end.min(self.now));
            standing.start = standing.start.max(now);
        }
        standing.next = next;
        self.weight += u64::from(standing.weight);
        self.place(who, standings);
    }

    fn place(&mut self, who: Slot, standings: &mut Standings) {
        let standing = &mut standings.of[who as usize];
        standing.is_ahead = standing.start > self.now;
        let places = &mut standings.places;
        if standing.is_ahead {
            self.ahead.insert((standing.start, who), who, places);
        } else {
            let end = standing.start + virtual_time(standing.next, standing.weight.into());
            self.eligible.insert((end, who), who, places);
        }
    }

    /// Somebody who is in is to get another next grant.
    pub(super) fn update(&mut self, who: Slot, next: Nanoseconds, standings: &mut Standings) {
        if standings.of[who as usize].next != next {
            self.unplace(who, standings);
            standings.of[who as usize].next = next;
            self.place(who, standings);
        }
    }

    /// Takes somebody out who is in.
    pub(super) fn remove(&mut self, who: Slot, standings: &mut Standings) {
        self.weight -= u64::from(standings.of[who as usize].weight);
        self.unplace(who, standings);
    }

    fn unplace(&mut self, who: Slot, standings: &mut Standings) {
        standings.of[who as usize].left_at = self.turn;
        let heap = if standings.of[who as usize].is_ahead {
            &mut self.ahead
        } else {
            &mut self.eligible
        };
        heap.remove(who, &mut standings.places);
    }

    /// Who goes next.
    pub(super) fn first(&mut self, standings: &mut Standings) -> Option<Slot> {
        if self.eligible.first().is_none() {
            // Nobody is behind: the next one's start is now.
            let ((start, _), _) = self.ahead.first()?;
            self.now = self.now.max(start);
        }
        while let Some(((start, _), who)) = self.ahead.first()
            && start <= self.now
        {
            self.ahead.remove(who, &mut standings.places);
            self.place(who, standings);
        }
        self.eligible.first().map(|(_, who)| who)
    }

    /// Who would go next of those who are in. Somebody may be about to come back, so
    /// that time does not move on yet.
    pub(super) fn peek(&self) -> Option<Slot> {
        let next = self.eligible.first().or(self.ahead.first());
        next.map(|(_, who)| who)
    }

    /// Gives somebody who is in some time, and takes them out.
    pub(super) fn grant(&mut self, who: Slot, time: Nanoseconds, standings: &mut Standings) {
        let all = self.weight;
        self.remove(who, standings);
        self.now += virtual_time(time, all);
        let standing = &mut standings.of[who as usize];
        self.turn += 1;
        standing.left_at = self.turn;
        standing.start += virtual_time(time, standing.weight.into());
    }
}

#[cfg(test)]
#[path = "fair_tests.rs"]
mod tests;
