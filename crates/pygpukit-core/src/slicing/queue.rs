//! Whose slice is next, and on which stream of its lane.

use super::boxes::{Boxes, GridBox};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Kernels of one lane, of which slices are handed out and come back finished.
///
/// The most urgent kernel goes first, with all its slices; kernels that are equally
/// urgent take turns. Slices alternate between two streams of the lane, so that the last
/// blocks of one run beside the first of the next. Whatever must come after a kernel
/// therefore waits for both.
#[derive(Debug)]
pub struct SliceQueue<T> {
    kernels: Vec<Option<Kernel<T>>>,
    free: Vec<usize>,
    /// Kernels with slices that have not been handed out.
    waiting: BinaryHeap<Turn>,
    turns: u64,
    submitted: u64,
    pending_kernels: u64,
    pending_slices: u64,
    second_stream: bool,
}

#[derive(Debug)]
struct Kernel<T> {
    serial: u64,
    priority: i32,
    boxes: Boxes,
    handed_out: u64,
    finished: u64,
    payload: T,
}

/// The largest is next: by priority, then whoever had its turn longest ago.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Turn {
    priority: i32,
    since: Reverse<u64>,
    at: usize,
}

/// A slice that is handed out. It cannot be copied, so that it ends once.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a slice that is not finished keeps its kernel from ending"]
pub struct Ticket {
    at: usize,
    serial: u64,
}

/// A slice to be launched.
#[derive(Debug, PartialEq, Eq)]
pub struct Slice {
    /// To be handed back when it has run.
    pub ticket: Ticket,
    /// Its number within its kernel.
    pub index: u64,
    /// Its blocks.
    pub blocks: GridBox,
    /// Which of the lane's two streams it runs on.
    pub stream: usize,
}

/// What a finished slice was the end of.
#[derive(Debug, PartialEq, Eq)]
pub enum Finished<T> {
    /// Only of itself.
    Slice,
    /// Of its kernel.
    Kernel(T),
}

impl<T> Default for SliceQueue<T> {
    fn default() -> Self {
        Self {
            kernels: Vec::new(),
            free: Vec::new(),
            waiting: BinaryHeap::new(),
            turns: 0,
            submitted: 0,
            pending_kernels: 0,
            pending_slices: 0,
            second_stream: false,
        }
    }
}

impl<T> SliceQueue<T> {
    /// Takes a kernel; a larger `priority` is more urgent. One without blocks has ended
    /// already, and comes back.
    pub fn submit(&mut self, boxes: Boxes, priority: i32, payload: T) -> Option<T> {
        let slices = boxes.count();
        if slices == 0 {
            return Some(payload);
        }
        let kernel = Kernel {
            serial: self.submitted,
            priority,
            boxes,
            handed_out: 0,
            finished: 0,
            payload,
        };
        self.submitted += 1;
        self.pending_kernels += 1;
        self.pending_slices = self.pending_slices.saturating_add(slices);
        let at = if let Some(at) = self.free.pop() {
            self.kernels[at] = Some(kernel);
            at
        } else {
            self.kernels.push(Some(kernel));
            self.kernels.len() - 1
        };
        self.enqueue(priority, at);
        None
    }

    /// The next slice, with what its kernel was submitted with.
    pub fn take(&mut self) -> Option<(Slice, &T)> {
        let Turn { at, .. } = self.waiting.pop()?;
        let kernel = self.kernels.get_mut(at)?.as_mut()?;
        let index = kernel.handed_out;
        let blocks = kernel.boxes.get(index)?;
        kernel.handed_out += 1;
        let ticket = Ticket {
            at,
            serial: kernel.serial,
        };
        if kernel.handed_out < kernel.boxes.count() {
            let priority = kernel.priority;
            self.enqueue(priority, at);
        }
        let stream = usize::from(self.second_stream);
        self.second_stream = !self.second_stream;
        let slice = Slice {
            ticket,
            index,
            blocks,
            stream,
        };
        let payload = &self.kernels.get(at)?.as_ref()?.payload;
        Some((slice, payload))
    }

    /// What the kernel of a slice was submitted with; `None` if the queue was cleared
    /// since the slice was handed out.
    pub fn payload(&self, ticket: &Ticket) -> Option<&T> {
        let kernel = self.kernels.get(ticket.at)?.as_ref()?;
        (kernel.serial == ticket.serial).then_some(&kernel.payload)
    }

    /// A slice has run. `None` if the queue was cleared since it was handed out.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "so that it cannot be finished twice"
    )]
    pub fn finish(&mut self, ticket: Ticket) -> Option<Finished<T>> {
        let slot = self.kernels.get_mut(ticket.at)?;
        let kernel = slot.as_mut()?;
        if kernel.serial != ticket.serial {
            return None;
        }
        kernel.finished += 1;
        self.pending_slices -= 1;
        if kernel.finished < kernel.boxes.count() {
            return Some(Finished::Slice);
        }
        self.pending_kernels -= 1;
        self.free.push(ticket.at);
        slot.take().map(|kernel| Finished::Kernel(kernel.payload))
    }

    /// Forgets all kernels. Slices that are handed out belong to nothing any more.
    pub fn clear(&mut self) {
        self.kernels.clear();
        self.free.clear();
        self.waiting.clear();
        self.pending_kernels = 0;
        self.pending_slices = 0;
    }

    /// Kernels that have not ended.
    pub const fn pending_kernels(&self) -> u64 {
        self.pending_kernels
    }

    /// Slices that have not finished, handed out or not.
    pub const fn pending_slices(&self) -> u64 {
        self.pending_slices
    }

    fn enqueue(&mut self, priority: i32, at: usize) {
        self.waiting.push(Turn {
            priority,
            since: Reverse(self.turns),
            at,
        });
        self.turns += 1;
    }
}
