//! Kernels over a number of items, sliced.

use super::boxes::Boxes;
use super::config::SliceConfig;
use super::queue::{Finished, SliceQueue, Ticket};
use crate::dispatch::{GridError, linear_grid};
use crate::id::KernelId;
use crate::pacing::{Predictor, ShapeClass};
use crate::units::{Nanoseconds, SmNanoseconds};
use std::sync::Arc;

/// Durations are remembered for so many blocks, so that those of short ones are exact.
const BLOCKS: u64 = 1 << 20;

/// A kernel over items, one for each thread along x.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// Which kernel.
    pub kernel: KernelId,
    /// How many items.
    pub items: u64,
    /// Threads of a block.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// Whose.
    pub task: Option<Arc<str>>,
    /// More is more urgent.
    pub priority: i32,
}

/// A slice of a kernel over items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemSlice {
    /// Its number within its kernel.
    pub index: u64,
    /// Its first item: a whole number of blocks.
    pub offset: u64,
    /// Its items: a whole number of blocks, but for the kernel's last ones.
    pub count: u64,
    /// Its blocks.
    pub blocks: u32,
    /// What it is a slice of.
    pub of: Submission,
}

/// A scheduler in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SliceStats {
    /// Slices that have run.
    pub completed_slices: u64,
    /// Slices that have not.
    pub pending_slices: u64,
    /// Kernels of which all slices have run.
    pub completed_kernels: u64,
    /// Kernels of which some slice has not.
    pub pending_kernels: u64,
}

/// What a slice scheduler refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SliceError {
    /// Items that no grid has a thread for each of.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// Nothing to complete.
    #[error("no slice is running")]
    NotRunning,
}

/// Runs kernels over items slice by slice, one slice at a time.
#[derive(Debug)]
pub struct SliceScheduler {
    config: SliceConfig,
    queue: SliceQueue<Submission>,
    durations: Predictor,
    running: Option<(Ticket, ItemSlice)>,
    completed_slices: u64,
    completed_kernels: u64,
}

impl SliceScheduler {
    /// Without kernels.
    pub fn new(config: SliceConfig) -> Self {
        Self {
            config,
            queue: SliceQueue::default(),
            durations: Predictor::new(SmNanoseconds::ZERO, 1024),
            running: None,
            completed_slices: 0,
            completed_kernels: 0,
        }
    }

    /// How it slices.
    pub const fn config(&self) -> &SliceConfig {
        &self.config
    }

    /// Takes a kernel; returns how many slices it is cut into: none if it has no items.
    ///
    /// # Errors
    /// [`SliceError`] for blocks without threads, and for more than a grid has.
    pub fn submit(&mut self, submission: Submission) -> Result<u64, SliceError> {
        let blocks = linear_grid(submission.items, submission.block)?;
        let largest = self.largest(submission.kernel, submission.block[0]);
        let count = u64::from(blocks).div_ceil(largest);
        let most = u64::from(self.config.max_slices());
        let count = count.clamp(u64::from(self.config.min_slices()), most);
        let boxes = Boxes::even(blocks, u32::try_from(count).unwrap_or(u32::MAX));
        let priority = submission.priority;
        let ended = self.queue.submit(boxes, priority, submission);
        self.completed_kernels += u64::from(ended.is_some());
        Ok(boxes.count())
    }

    /// The slice that is to run now: the same one until it is completed.
    pub fn running(&mut self) -> Option<&ItemSlice> {
        if self.running.is_none() {
            let (slice, submission) = self.queue.take()?;
            let threads = u64::from(submission.block[0]);
            let offset = u64::from(slice.blocks.origin[0]) * threads;
            let blocks = slice.blocks.extent[0];
            let items = ItemSlice {
                index: slice.index,
                offset,
                count: (u64::from(blocks) * threads).min(submission.items - offset),
                blocks,
                of: submission.clone(),
            };
            self.running = Some((slice.ticket, items));
        }
        self.running.as_ref().map(|(_, items)| items)
    }

    /// The slice that was to run has, and took that long.
    ///
    /// # Errors
    /// [`SliceError::NotRunning`] if none was to run.
    pub fn complete(&mut self, took: Nanoseconds) -> Result<ItemSlice, SliceError> {
        let (ticket, items) = self.running.take().ok_or(SliceError::NotRunning)?;
        let finished = self.queue.finish(ticket);
        self.completed_slices += 1;
        self.completed_kernels += u64::from(matches!(finished, Some(Finished::Kernel(_))));
        let cost = u128::from(took.get()) * u128::from(BLOCKS) / u128::from(items.blocks.max(1));
        let cost = SmNanoseconds::new(u64::try_from(cost).unwrap_or(u64::MAX));
        let kernel = items.of.kernel;
        self.durations.observe(kernel, ShapeClass::default(), cost);
        Ok(items)
    }

    /// Forgets all kernels, and the slice that was to run.
    pub fn clear(&mut self) {
        self.queue.clear();
        self.running = None;
    }

    /// The scheduler in numbers.
    pub const fn stats(&self) -> SliceStats {
        SliceStats {
            completed_slices: self.completed_slices,
            pending_slices: self.queue.pending_slices(),
            completed_kernels: self.completed_kernels,
            pending_kernels: self.queue.pending_kernels(),
        }
    }

    /// The most blocks of a slice; at least one.
    fn largest(&self, kernel: KernelId, threads: u32) -> u64 {
        let by_items = self.config.max_items() / u64::from(threads);
        let known = self.durations.predict(kernel, ShapeClass::default());
        let bound = u128::from(self.config.max_duration().get()) * u128::from(BLOCKS);
        let by_duration = bound
            .checked_div(u128::from(known.get()))
            .filter(|_| self.config.adaptive())
            .and_then(|blocks| u64::try_from(blocks).ok())
            .unwrap_or(u64::MAX);
        by_items.min(by_duration).max(1)
    }
}
