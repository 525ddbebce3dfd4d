//! Kernels in executable form.

use super::files::LANES;
use super::launch::{Launch, Run};
use super::step::Step;
use super::warp::Warp;

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

impl Code {
    /// Why a launch cannot be.
    pub(super) fn check(&self, launch: &Launch<'_>) -> Result<(), String> {
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
