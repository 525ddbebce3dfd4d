//! Runs the blocks of a launch.

use super::block::{Block, Failure};
use super::core::Core;
use super::fault::{LaunchError, Place, Trouble};
use super::files::LANES;
use super::step::Step;
use super::warp::{Outcome, Warp};
use crate::memory::{Memory, Storage, Window};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// A kernel in executable form.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub(crate) name: String,
    pub(crate) steps: Vec<Step>,
    /// Where each step comes from.
    pub(crate) sources: Vec<Source>,
    /// Registers of each width.
    pub(crate) words: usize,
    pub(crate) wides: usize,
    pub(crate) predicates: usize,
    /// Registers that hold a number.
    pub(crate) word_constants: Vec<(u16, u32)>,
    pub(crate) wide_constants: Vec<(u16, u64)>,
    /// Registers that hold a special register.
    pub(crate) specials: Vec<(u16, Special)>,
    /// Registers of each width that may be read before they are written: zero at first.
    pub(crate) undefined: [Vec<u16>; 3],
    /// Targets of indexed branches.
    pub(crate) tables: Vec<Vec<u32>>,
    /// Where the arguments of system calls lie in local memory, and the answers.
    pub(crate) arguments: Vec<Vec<u32>>,
    /// Bytes of local memory of a thread.
    pub(crate) frame: usize,
    /// Bytes of shared memory that the kernel itself declares, and where more begins.
    pub(crate) shared_bytes: u64,
    pub(crate) parameter_bytes: usize,
    pub(crate) max_threads: Option<[u32; 3]>,
    pub(crate) required_threads: Option<[u32; 3]>,
}

/// Where a step comes from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source {
    pub(crate) line: u32,
    pub(crate) text: Box<str>,
}

/// A special register that does not change while a block runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    Thread(usize),
    Threads(usize),
    Block(usize),
    Blocks(usize),
    Lane,
    Warp,
    Warps,
    /// `%lanemask_lt` and the like: the lanes that compare so with the own.
    LaneMask(LaneMask),
    SharedBytes,
    DynamicSharedBytes,
    /// One that is the same everywhere.
    Fixed(u32),
}

/// Which lanes a `%lanemask` has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LaneMask {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

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
    pub output: Option<&'l (dyn Fn(&[u8]) + Sync)>,
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

impl Code {
    fn check(&self, launch: &Launch<'_>) -> Result<(), String> {
        let threads: u64 = launch.block.iter().map(|&axis| u64::from(axis)).product();
        let [x, y, z] = launch.block;
        let [_, grid_y, grid_z] = launch.grid;
        let total = self.shared_bytes + u64::from(launch.shared);
        let given = launch.parameters.len();
        if launch.grid.contains(&0) || launch.block.contains(&0) {
            return Err(format!(
                "a grid of {:?} blocks of {:?} threads is empty",
                launch.grid, launch.block
            ));
        }
        if threads > 1024 || x > 1024 || y > 1024 || z > 64 {
            return Err(format!(
                "a block of {:?} threads; at most 1024 along x and y, 64 along z, 1024 in all",
                launch.block
            ));
        }
        if launch.grid[0] > i32::MAX.cast_unsigned() || grid_y > 65_535 || grid_z > 65_535 {
            return Err(format!(
                "a grid of {:?} blocks; at most 2147483647 along x, 65535 along y and z",
                launch.grid
            ));
        }
        if total > 232_448 {
            return Err(format!("{total} bytes of shared memory; at most 232448"));
        }
        if given != self.parameter_bytes {
            return Err(format!(
                "{given} bytes of parameters; it takes {}",
                self.parameter_bytes
            ));
        }
        if let Some(required) = self.required_threads
            && required != launch.block
        {
            return Err(format!(
                "a block of {:?} threads; it is compiled for exactly {required:?}",
                launch.block
            ));
        }
        if let Some(most) = self.max_threads {
            let most: u64 = most.iter().map(|&axis| u64::from(axis)).product();
            if threads > most {
                return Err(format!(
                    "a block of {threads} threads; it is compiled for at most {most}"
                ));
            }
        }
        Ok(())
    }

    /// Sets the registers of a warp that stay the same for all blocks.
    pub(super) fn prepare(&self, warp: &mut Warp, index: u32, run: &Run<'_>) {
        for &(slot, value) in &self.word_constants {
            warp.words[usize::from(slot)].0 = [value; LANES];
        }
        for &(slot, value) in &self.wide_constants {
            warp.wides[usize::from(slot)].0 = [value; LANES];
        }
        for &(slot, special) in &self.specials {
            let lanes = &mut warp.words[usize::from(slot)].0;
            for (lane, value) in lanes.iter_mut().enumerate() {
                *value = special.value(index, lane as u32, run);
            }
        }
    }

    /// Sets the registers that say which block it is, and forgets the block before.
    pub(super) fn place(&self, warp: &mut Warp, place: [u32; 3]) {
        let [words, wides, predicates] = &self.undefined;
        for slot in words {
            warp.words[usize::from(*slot)].0 = [0; LANES];
        }
        for slot in wides {
            warp.wides[usize::from(*slot)].0 = [0; LANES];
        }
        for slot in predicates {
            warp.predicates[usize::from(*slot)] = 0;
        }
        for &(slot, special) in &self.specials {
            if let Special::Block(axis) = special {
                warp.words[usize::from(slot)].0 = [place[axis]; LANES];
            }
        }
    }
}

impl Special {
    fn value(self, warp: u32, lane: u32, run: &Run<'_>) -> u32 {
        let [x, y, z] = run.launch.block;
        let thread = warp * LANES as u32 + lane;
        let bit = 1_u32 << lane;
        match self {
            Self::Thread(axis) => [thread % x, thread / x % y, thread / x / y % z][axis],
            Self::Threads(axis) => run.launch.block[axis],
            Self::Block(_) => 0,
            Self::Blocks(axis) => run.launch.grid[axis],
            Self::Lane => lane,
            Self::Warp => warp,
            Self::Warps => (x * y * z).div_ceil(LANES as u32),
            Self::LaneMask(LaneMask::Equal) => bit,
            Self::LaneMask(LaneMask::Less) => bit - 1,
            Self::LaneMask(LaneMask::LessOrEqual) => bit | (bit - 1),
            Self::LaneMask(LaneMask::Greater) => !(bit | (bit - 1)),
            Self::LaneMask(LaneMask::GreaterOrEqual) => !(bit - 1),
            Self::SharedBytes => run.shared_bytes as u32,
            Self::DynamicSharedBytes => run.launch.shared,
            Self::Fixed(value) => value,
        }
    }
}
