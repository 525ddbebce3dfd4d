//! Transfers queued by direction, handed out chunk by chunk, followed to their end.

use super::direction::{ByDirection, Direction};
use super::limits::Limits;
use super::queue::Queue;
use super::request::{Next, Request};
use super::state::{State, Stop, Transfer};
use super::stats::TransferStats;
use crate::collections::{IdMap, List, Places, Slab, Slot};
use crate::id::TransferId;
use crate::units::{Bytes, Nanoseconds};
use std::cmp::Reverse;

/// Hands out copies chunk by chunk: within a direction the most urgent first, the oldest of
/// those, and never more than [`Limits`] allow; the directions take turns.
///
/// Chunks of one transfer are reported in the order in which they were handed out, as a
/// stream carries them out.
///
/// ```
/// use pygpukit_core::transfer::{Direction, Limits, Next, Request, TransferEngine};
/// use pygpukit_core::units::{Bytes, Nanoseconds};
/// use std::num::NonZeroUsize;
///
/// // 40 us at 50 GB/s are 2 MB.
/// let (latency, a_second) = (Nanoseconds::new(40_000), Bytes::new(50_000_000_000));
/// let up = Direction::HostToDevice;
/// let limits = Limits::new(NonZeroUsize::MIN).within(up, latency, a_second);
/// let mut engine = TransferEngine::new(limits);
/// let request = |priority, size, payload| {
///     Request { direction: up, priority, size: Bytes::new(size), payload }
/// };
/// let now = Nanoseconds::ZERO;
/// let bulk = engine.queue(now, request(0, 1 << 30, "bulk"));
/// let chunk = engine.next(now).chunk().unwrap();
/// assert!(chunk.transfer == bulk && chunk.size <= Bytes::new(2_000_000));
///
/// let urgent = engine.queue(now, request(9, 256, "urgent"));
/// assert_eq!(engine.next(now), Next::Full { under_way: 1 });
/// engine.completed(now, bulk);
/// assert_eq!(engine.next(now).chunk().unwrap().transfer, urgent);
/// ```
#[derive(Debug)]
pub struct TransferEngine<T> {
    limits: Limits,
    transfers: Slab<Transfer<T>>,
    by_id: IdMap<TransferId>,
    queues: ByDirection<Queue>,
    /// Each transfer waits in one direction at most.
    places: Places,
    ended: List,
    turn: Direction,
    next: u64,
    stats: TransferStats,
}

impl<T> TransferEngine<T> {
    /// Without transfers. The first id is 1.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            transfers: Slab::default(),
            by_id: IdMap::default(),
            queues: ByDirection::new(|_| Queue::default()),
            places: Places::default(),
            ended: List::default(),
            turn: Direction::HostToDevice,
            next: 1,
            stats: TransferStats::default(),
        }
    }

    /// How much may be under way.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Queues a transfer. An empty one is handed out too, as one empty chunk.
    pub fn queue(&mut self, now: Nanoseconds, request: Request<T>) -> TransferId {
        let id = TransferId::new(self.next);
        self.next += 1;
        self.stats.queued += 1;
        let (direction, priority) = (request.direction, request.priority);
        let slot = self.transfers.insert(Transfer {
            id,
            direction,
            priority,
            size: request.size,
            chunk: self.limits.chunk[direction],
            queued: now,
            handed_out: 0,
            ended: 0,
            copied: Bytes::ZERO,
            state: State::Queued,
            payload: request.payload,
        });
        self.by_id.insert(id, slot);
        let waiting = &mut self.queues[direction].waiting;
        waiting.insert((Reverse(priority), id), slot, &mut self.places);
        id
    }

    /// Hands out the next chunk of the direction whose turn it is, of those that have one
    /// and room for it. No such direction is passed over for more than two chunks.
    pub fn next(&mut self, now: Nanoseconds) -> Next {
        let mut answer = Next::Idle;
        for direction in self.turn.and_the_others() {
            match self.next_of(now, direction) {
                Next::Idle => {}
                full @ Next::Full { .. } => answer = full,
                chunk @ Next::Chunk(_) => {
                    self.turn = direction.next();
                    return chunk;
                }
            }
        }
        answer
    }

    /// Hands out the next chunk of a direction.
    pub fn next_of(&mut self, now: Nanoseconds, direction: Direction) -> Next {
        match self.queues[direction].waiting.first() {
            Some((_, slot)) => self.hand_out(now, slot),
            None => Next::Idle,
        }
    }

    /// Hands out the first chunk of a transfer before its turn. [`Next::Idle`] if it has
    /// been handed out, or has ended, or there is none.
    pub fn start(&mut self, now: Nanoseconds, id: TransferId) -> Next {
        match self.find(id) {
            Some((slot, transfer)) if transfer.state == State::Queued => self.hand_out(now, slot),
            Some(_) | None => Next::Idle,
        }
    }

    /// The oldest chunk under way of a transfer was copied. False if none is under way.
    pub fn completed(&mut self, now: Nanoseconds, id: TransferId) -> bool {
        let Some((slot, transfer)) = self.find(id).filter(|found| found.1.under_way() > 0) else {
            return false;
        };
        let copied = transfer.chunk_at(transfer.ended).size;
        self.leave_place(now, slot, copied);
        self.settle(now, slot);
        true
    }

    /// A transfer failed: its oldest chunk under way, if there is one. No more of it is
    /// handed out. False if it has ended already, or there is none.
    pub fn failed(&mut self, now: Nanoseconds, id: TransferId, error: String) -> bool {
        let Some((slot, transfer)) = self.find(id).filter(|found| !found.1.state.is_terminal())
        else {
            return false;
        };
        if transfer.under_way() > 0 {
            self.leave_place(now, slot, Bytes::ZERO);
        }
        self.stop(now, slot, Stop::Failed(error));
        true
    }

    /// What was not handed out of a transfer is not to be copied. False if there is no such
    /// part of it, or no such transfer.
    pub fn cancel(&mut self, now: Nanoseconds, id: TransferId) -> bool {
        let Some((slot, _)) = self.find(id).filter(|found| self.places.contains(found.0)) else {
            return false;
        };
        self.stop(now, slot, Stop::Cancelled);
        true
    }

    /// A transfer; `None` if it never was, or was forgotten.
    pub fn get(&self, id: TransferId) -> Option<&Transfer<T>> {
        self.find(id).map(|(_, transfer)| transfer)
    }

    /// The transfers of a direction that are in progress, the first to start first.
    pub fn in_progress(&self, direction: Direction) -> impl Iterator<Item = &Transfer<T>> {
        let started = self.queues[direction].started.iter();
        started.filter_map(|slot| self.transfers.get(slot))
    }

    /// Forgets a transfer that has ended. `None` if it has not, or there is none.
    pub fn forget(&mut self, id: TransferId) -> Option<Transfer<T>> {
        let (slot, _) = self.find(id).filter(|found| found.1.state.is_terminal())?;
        self.forget_slot(slot)
    }

    /// Forgets the transfers that have ended; returns how many those were. Statistics stay.
    pub fn forget_ended(&mut self) -> usize {
        let many = self.ended.len();
        while let Some(slot) = self.ended.first() {
            self.forget_slot(slot);
        }
        many
    }

    /// Forgets all transfers, however far they have come, and begins to count anew. No id
    /// is used again.
    pub fn clear(&mut self) {
        let next = self.next;
        *self = Self {
            next,
            ..Self::new(self.limits)
        };
    }

    /// The engine in numbers.
    pub fn stats(&self) -> TransferStats {
        TransferStats {
            in_progress: self.queues.iter().map(|queue| queue.started.len()).sum(),
            bytes: ByDirection::new(|direction| self.queues[direction].copied),
            busy: ByDirection::new(|direction| self.queues[direction].busy),
            ..self.stats
        }
    }

    /// How many chunks of a direction are under way.
    pub fn under_way(&self, direction: Direction) -> usize {
        self.queues[direction].under_way
    }

    fn find(&self, id: TransferId) -> Option<(Slot, &Transfer<T>)> {
        let slot = self.by_id.get(&id)?;
        Some((slot, self.transfers.get(slot)?))
    }

    /// Hands out the next chunk of a transfer that waits.
    fn hand_out(&mut self, now: Nanoseconds, slot: Slot) -> Next {
        let Some(transfer) = self.transfers.get_mut(slot) else {
            return Next::Idle;
        };
        let queue = &mut self.queues[transfer.direction];
        let under_way = queue.under_way;
        if under_way >= self.limits.chunks.get() {
            return Next::Full { under_way };
        }
        let chunk = transfer.chunk_at(transfer.handed_out);
        if transfer.state == State::Queued {
            transfer.state = State::InProgress { started: now };
            queue.started.push(slot);
        }
        transfer.handed_out += 1;
        if transfer.handed_out == transfer.chunks() {
            queue.waiting.remove(slot, &mut self.places);
        }
        queue.take_place(now);
        Next::Chunk(chunk)
    }

    /// The oldest chunk under way has come to its end.
    fn leave_place(&mut self, now: Nanoseconds, slot: Slot, copied: Bytes) {
        if let Some(transfer) = self.transfers.get_mut(slot) {
            transfer.ended += 1;
            transfer.copied = Bytes::new(transfer.copied.get() + copied.get());
            self.queues[transfer.direction].leave_place(now, copied);
        }
    }

    /// Nothing more of a transfer is to be handed out. The first reason stays.
    fn stop(&mut self, now: Nanoseconds, slot: Slot, end: Stop) {
        let Some(transfer) = self.transfers.get_mut(slot) else {
            return;
        };
        let waiting = &mut self.queues[transfer.direction].waiting;
        waiting.remove(slot, &mut self.places);
        if transfer.state == State::Queued {
            self.end(slot, end.at(None, now));
            return;
        }
        if let State::InProgress { started } = transfer.state {
            transfer.state = State::Stopping { started, end };
        }
        self.settle(now, slot);
    }

    /// Ends a transfer of which nothing is under way or to be handed out.
    fn settle(&mut self, now: Nanoseconds, slot: Slot) {
        let Some(transfer) = self.transfers.get(slot) else {
            return;
        };
        if transfer.under_way() > 0 || self.places.contains(slot) {
            return;
        }
        match transfer.state.clone() {
            State::InProgress { started } => self.end(slot, State::Completed { started, at: now }),
            State::Stopping { started, end } => self.end(slot, end.at(Some(started), now)),
            State::Queued
            | State::Completed { .. }
            | State::Failed { .. }
            | State::Cancelled { .. } => {}
        }
    }

    fn end(&mut self, slot: Slot, end: State) {
        let Some(transfer) = self.transfers.get_mut(slot) else {
            return;
        };
        let count = match end {
            State::Completed { .. } => &mut self.stats.completed,
            State::Failed { .. } => &mut self.stats.failed,
            State::Cancelled { .. } => &mut self.stats.cancelled,
            State::Queued | State::InProgress { .. } | State::Stopping { .. } => return,
        };
        *count += 1;
        if transfer.state != State::Queued {
            self.queues[transfer.direction].started.remove(slot);
        }
        transfer.state = end;
        self.ended.push(slot);
    }

    fn forget_slot(&mut self, slot: Slot) -> Option<Transfer<T>> {
        self.ended.remove(slot);
        let transfer = self.transfers.remove(slot)?;
        self.by_id.remove(&transfer.id);
        Some(transfer)
    }
}
