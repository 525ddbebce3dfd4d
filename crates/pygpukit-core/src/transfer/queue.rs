//! One direction: who waits, and how much is under way.

use crate::collections::{Heap, List};
use crate::id::TransferId;
use crate::units::{Bytes, Nanoseconds};
use std::cmp::Reverse;

/// Who is first: by priority, then by age.
pub(super) type Order = (Reverse<i32>, TransferId);

/// One direction.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// Transfers of which more is to be handed out.
    pub(super) waiting: Heap<Order>,
    /// Transfers in progress, the first to start first.
    pub(super) started: List,
    /// Chunks under way.
    pub(super) under_way: usize,
    /// Bytes that were copied.
    pub(super) copied: Bytes,
    /// How long anything was under way, up to when a chunk last ended.
    pub(super) busy: Nanoseconds,
    /// Up to when `busy` is counted, while anything is under way.
    counted: Nanoseconds,
}

impl Queue {
    /// A chunk is under way.
    pub(super) fn take_place(&mut self, now: Nanoseconds) {
        if self.under_way == 0 {
            self.counted = now;
        }
        self.under_way += 1;
    }

    /// A chunk has come to its end, and so many bytes of it were copied.
    pub(super) fn leave_place(&mut self, now: Nanoseconds, copied: Bytes) {
        self.under_way -= 1;
        self.busy = self.busy.saturating_add(now.saturating_sub(self.counted));
        self.counted = now;
        self.copied = Bytes::new(self.copied.get().saturating_add(copied.get()));
    }
}
