//! Runs the blocks of a launch.

use super::block::{Block, Failure};
use super::code::Code;
use super::core::Core;
use super::fault::{LaunchError, Place, Trouble};
use super::warp::Outcome;
use crate::memory::{Memory, Storage, Window};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Takes what `printf` writes. Threads that run blocks at once may call it at once.
pub type Output<'o> = dyn Fn(&[u8]) + Sync + 'o;

/// What a kernel is launched with.
#[derive(Clone, Copy)]
pub struct Launch<'l> {
    /// Blocks along x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y, z.
    pub block: [u32; 3],
    /// Bytes of shared memory beyond what the kernel declares.
    pub shared: u32,
    /// The parameters, laid out as the entry's [`Parameter`](crate::Parameter)s say.
    pub parameters: &'l [u8],
    /// What the kernel may touch.
    pub memory: &'l Memory<'l>,
    /// Warp instructions that it may run in all; counted at loops.
    pub budget: Option<u64>,
    /// Set by another thread, it ends the launch at the next loop.
    pub stop: Option<&'l AtomicBool>,
    /// Gets what `printf` writes, at the end of each block.
    pub output: Option<&'l Output<'l>>,
}

impl std::fmt::Debug for Launch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Launch")
            .field("grid", &self.grid)
            .field("block", &self.block)
            .field("shared", &self.shared)
            .finish_non_exhaustive()
    }
}

/// A launch on its way.
#[derive(Debug)]
pub(crate) struct Run<'l> {
    pub(crate) code: &'l Code,
    pub(crate) launch: &'l Launch<'l>,
    pub(crate) variables: &'l [Window],
    pub(crate) parameters: Storage,
    pub(crate) shared_bytes: u64,
    /// The next block.
    next: AtomicU64,
    spent: AtomicU64,
    failure: Mutex<Option<LaunchError>>,
}

/// The part of the budget of one thread of the host.
#[derive(Debug)]
pub(super) struct Allowance<'l> {
    checkpoint: u64,
    counted: u64,
    run: &'l Run<'l>,
    exhausted: bool,
}

impl Allowance<'_> {
    /// Instructions between two looks at what others have spent.
    const STRIDE: u64 = 1 << 15;

    /// True if the launch must end.
    #[inline(always)]
    pub(super) fn is_spent(&mut self, executed: u64) -> bool {
        executed >= self.checkpoint && self.look(executed)
    }

    #[cold]
    fn look(&mut self, executed: u64) -> bool {
        let new = executed - self.counted;
        self.counted = executed;
        let spent = self.run.spent.fetch_add(new, Ordering::Relaxed) + new;
        let limit = self.run.launch.budget.unwrap_or(u64::MAX);
        self.exhausted = spent > limit;
        self.checkpoint = executed + Self::STRIDE.min(limit.saturating_sub(spent) + 1);
        let stop = self.run.launch.stop;
        self.exhausted
            || stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.run.has_failed()
    }

    /// How a warp ends that may run no more.
    pub(super) fn refuse(&self, at: u32, core: &Core<'_>) -> Outcome {
        if !self.exhausted {
            return Outcome::Stopped;
        }
        let limit = self.run.launch.budget.unwrap_or(u64::MAX);
        Outcome::Fault(super::Fault {
            trouble: Trouble::Budget { limit },
            lane: core.active.trailing_zeros() as usize,
            at,
            active: core.active,
        })
    }
}

impl<'l> Run<'l> {
    /// Checks the launch and prepares what all blocks share.
    pub(crate) fn new(
        code: &'l Code,
        launch: &'l Launch<'l>,
        variables: &'l [Window],
    ) -> Result<Self, LaunchError> {
        let refuse = |reason: String| LaunchError::Refused {
            kernel: code.name.clone(),
            reason,
        };
        code.check(launch).map_err(refuse)?;
        let full = || refuse("no memory for its parameters".into());
        let parameters = Storage::new(launch.parameters.len()).ok_or_else(full)?;
        if !parameters.fill(0, launch.parameters) {
            return Err(full());
        }
        Ok(Self {
            code,
            launch,
            variables,
            parameters,
            shared_bytes: code.shared_bytes + u64::from(launch.shared),
            next: AtomicU64::new(0),
            spent: AtomicU64::new(0),
            failure: Mutex::new(None),
        })
    }

    /// Runs blocks until there are no more. Several threads may do so at once.
    pub(crate) fn work(&self) {
        let [x, y, z] = self.launch.grid.map(u64::from);
        let blocks = x * y * z;
        let mut executed = 0;
        let mut allowance = Allowance {
            checkpoint: 0,
            counted: 0,
            run: self,
            exhausted: false,
        };
        let mut state = None;
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= blocks || self.has_failed() {
                break;
            }
            let place = [index % x, index / x % y, index / x / y].map(|axis| axis as u32);
            if state.is_none() {
                state = Block::new(self);
            }
            let Some(block) = &mut state else {
                self.fail(LaunchError::Refused {
                    kernel: self.code.name.clone(),
                    reason: "no memory for the registers of a block".into(),
                });
                break;
            };
            let result = block.run(self, place, &mut executed, &mut allowance);
            if let Some(output) = self.launch.output
                && !block.output.is_empty()
            {
                output(&block.output);
            }
            block.output.clear();
            match result {
                Ok(true) => {}
                Ok(false) => {
                    self.fail(LaunchError::Stopped {
                        kernel: self.code.name.clone(),
                    });
                }
                Err(failure) => self.fail(self.error(place, failure)),
            }
        }
        let rest = executed - allowance.counted;
        self.spent.fetch_add(rest, Ordering::Relaxed);
    }

    /// What came of it: warp instructions run.
    pub(crate) fn finish(self) -> Result<u64, LaunchError> {
        match self
            .failure
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
        {
            Some(error) => Err(error),
            None => Ok(self.spent.into_inner()),
        }
    }

    fn has_failed(&self) -> bool {
        let failure = self.failure.lock();
        failure.unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Notes the first failure; that others were stopped by it is none.
    fn fail(&self, error: LaunchError) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert(error);
    }

    fn error(&self, block: [u32; 3], failure: Failure) -> LaunchError {
        let Failure { fault, thread } = failure;
        let [x, y, _] = self.launch.block;
        let source = self.code.sources.get(fault.at as usize);
        let source = source.cloned().unwrap_or_default();
        LaunchError::Failed {
            kernel: self.code.name.clone(),
            trouble: fault.trouble,
            place: Box::new(Place {
                block,
                thread: [thread % x, thread / x % y, thread / x / y],
                line: source.line,
                instruction: source.text.into(),
                active: fault.active,
            }),
        }
    }
}
