//! How many blocks of how many threads: as asked, or chosen where that is safe.

use crate::backend::{DeviceInfo, Function};
use crate::error::{ArgumentError, Error, Result};
use pygpukit_ptx::Entry;

/// How to launch a kernel, as far as the caller says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchOptions {
    /// Blocks along x, y, z.
    pub grid: Option<[u32; 3]>,
    /// Threads of a block.
    pub block: Option<Block>,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
}

/// Threads of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// That many along x, y, z.
    Threads([u32; 3]),
    /// As many along x as fill a multiprocessor best.
    Occupancy,
}

/// How a kernel is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Blocks along x, y, z; 0 if there is nothing to do.
    pub grid: [u32; 3],
    /// Threads of a block along x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
}

/// One to three lengths as given by a user: `what` is "grid" or "block".
///
/// # Errors
/// [`Error::Value`] for none or more than three, one below 1 or beyond what any
/// device allows, or more threads in a block than any does.
pub fn dimensions(what: &str, lengths: &[i128]) -> Result<[u32; 3]> {
    if lengths.is_empty() || lengths.len() > 3 {
        return Err(Error::Value(format!(
            "{what} has {} axes; it takes 1 to 3",
            lengths.len()
        )));
    }
    let limits = if what == "block" { MAX_BLOCK } else { MAX_GRID };
    let mut axes = [1; 3];
    for (at, &length) in lengths.iter().enumerate() {
        let (name, limit) = (AXES[at], limits[at]);
        let fits = u32::try_from(length).ok();
        let fits = fits.filter(|length| (1..=limit).contains(length));
        axes[at] = fits.ok_or_else(|| {
            Error::Value(format!(
                "{what} {name} is `{length}`; it takes 1 to {limit}"
            ))
        })?;
    }
    let count = threads(axes);
    if what == "block" && count > MAX_THREADS.into() {
        return Err(Error::Value(format!(
            "a block has at most {MAX_THREADS} threads, not {count}"
        )));
    }
    Ok(axes)
}

/// Threads that a block has at most, on every device so far (CUDA C++ Programming
/// Guide, "Technical Specifications per Compute Capability").
const MAX_THREADS: u32 = 1024;
const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
const MAX_GRID: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];

const AXES: [&str; 3] = ["x", "y", "z"];

/// What a launch is decided from.
#[derive(Debug)]
pub(super) struct Decision<'a> {
    /// The kernel's name in the source.
    pub(super) name: &'a str,
    pub(super) entry: &'a Entry,
    pub(super) info: &'a DeviceInfo,
    /// Elements of the largest array argument.
    pub(super) largest: Option<usize>,
    pub(super) options: LaunchOptions,
}

impl Decision<'_> {
    /// Threads of a block where nobody says otherwise.
    const DEFAULT_BLOCK: u32 = 256;

    /// The launch. Without `function` (a device that loads none), limits that only
    /// the loaded kernel knows are not checked.
    ///
    /// # Errors
    /// [`ArgumentError::Type`] if grid or block must be given; [`Error::Value`] for
    /// what exceeds a limit; [`Error::Unsupported`] for the occupancy of a kernel
    /// that is not loaded.
    pub(super) fn config(&self, function: Option<&dyn Function>) -> Result<LaunchConfig> {
        let block = match self.options.block {
            Some(Block::Threads(block)) => block,
            Some(Block::Occupancy) => {
                let function = function.ok_or_else(|| {
                    Error::Unsupported(format!(
                        "block=\"occupancy\" for kernel `{}` needs a GPU",
                        self.name
                    ))
                })?;
                [function.occupancy_block(self.options.shared)?, 1, 1]
            }
            None => self.default_block(function)?,
        };
        // A grid that follows from a wrong block would be the wrong thing to speak of.
        self.check_block(block, function)?;
        let grid = match self.options.grid {
            Some(grid) => grid,
            None => self.default_grid(block)?,
        };
        self.check_axes("grid", grid, self.limits().grid)?;
        self.check_shared()?;
        Ok(LaunchConfig {
            grid,
            block,
            shared: self.options.shared,
        })
    }

    fn default_block(&self, function: Option<&dyn Function>) -> Result<[u32; 3]> {
        if let Some(required) = self.entry.required_threads {
            return Ok(required);
        }
        self.expect_elementwise()?;
        Ok([self.max_threads(function).min(Self::DEFAULT_BLOCK), 1, 1])
    }

    fn default_grid(&self, block: [u32; 3]) -> Result<[u32; 3]> {
        self.expect_elementwise()?;
        let size = self
            .largest
            .ok_or_else(|| self.ask("it takes no array from whose size a grid could follow"))?;
        let threads = threads(block);
        if !self.entry.facts.conditional && !(size as u64).is_multiple_of(threads) {
            return Err(self.ask(&format!(
                "it never compares its index with a size, and {size} elements are no multiple of \
                 {threads} threads"
            )));
        }
        let blocks = (size as u64).div_ceil(threads);
        let limit = self.limits().grid[0];
        let blocks = u32::try_from(blocks).ok().filter(|&blocks| blocks <= limit);
        let blocks = blocks.ok_or_else(|| {
            Error::Value(format!(
                "kernel `{}` for {size} elements in blocks of {threads} threads needs more than \
                 {limit} blocks; give grid= and a loop in the kernel",
                self.name
            ))
        })?;
        Ok([blocks, 1, 1])
    }

    /// Refuses kernels that a size chosen by us could break.
    fn expect_elementwise(&self) -> Result<()> {
        let facts = &self.entry.facts;
        let reason = if facts.barrier {
            "its threads meet at barriers"
        } else if facts.dynamic_shared || facts.shared_bytes > 0 {
            "it uses shared memory"
        } else if facts.multidimensional {
            "it uses more than one dimension"
        } else if facts.cluster {
            "its blocks form clusters"
        } else {
            return Ok(());
        };
        Err(self.ask(reason))
    }

    fn ask(&self, reason: &str) -> Error {
        let missing = match (self.options.grid, self.options.block) {
            (None, Some(_)) => "grid=",
            (Some(_), None) => "block=",
            (None, None) | (Some(_), Some(_)) => "grid= and block=",
        };
        ArgumentError::Type(format!("kernel `{}` needs {missing}: {reason}", self.name)).into()
    }

    /// Most threads that a block of this kernel may have.
    fn max_threads(&self, function: Option<&dyn Function>) -> u32 {
        let declared = self.entry.max_threads.map_or(u64::MAX, threads);
        let loaded = function.map_or(u32::MAX, Function::max_threads);
        let limit = self.limits().threads.min(loaded);
        u32::try_from(declared).unwrap_or(u32::MAX).min(limit)
    }

    fn check_block(&self, block: [u32; 3], function: Option<&dyn Function>) -> Result<()> {
        const WHAT: &str = "the number of threads in a block";
        let limits = self.limits();
        self.check_axes("block", block, limits.block)?;
        if let Some(required) = self.entry.required_threads
            && required != block
        {
            return Err(Error::Value(format!(
                "block is {block:?} for kernel `{}`, which is compiled for {required:?} alone",
                self.name
            )));
        }
        let count = threads(block);
        self.check_limit(WHAT, count, limits.threads, &self.device())?;
        self.check_limit(WHAT, count, self.max_threads(function), "its code")
    }

    fn check_axes(&self, what: &str, given: [u32; 3], limits: [u32; 3]) -> Result<()> {
        let axes = given.into_iter().zip(limits).zip(AXES);
        for ((given, limit), name) in axes {
            self.check_limit(
                &format!("{what} {name}"),
                given.into(),
                limit,
                &self.device(),
            )?;
        }
        Ok(())
    }

    fn check_shared(&self) -> Result<()> {
        let asked = u64::from(self.options.shared) + self.entry.facts.shared_bytes;
        let limit = self.limits().shared;
        self.check_limit("shared memory of a block", asked, limit, &self.device())
    }

    fn check_limit(&self, what: &str, asked: u64, limit: u32, whose: &str) -> Result<()> {
        if asked <= limit.into() {
            return Ok(());
        }
        Err(Error::Value(format!(
            "{what} is {asked} for kernel `{}`; {whose} allows {limit}",
            self.name
        )))
    }

    fn device(&self) -> String {
        format!("device `{}`", self.info.name)
    }

    fn limits(&self) -> Limits {
        let info = self.info;
        // A device that is no GPU leaves these open: CUDA's own limits hold then.
        let or = |given: u32, otherwise: u32| if given == 0 { otherwise } else { given };
        let axes = |given: [u32; 3], otherwise: [u32; 3]| {
            std::array::from_fn(|axis| or(given[axis], otherwise[axis]))
        };
        Limits {
            threads: or(info.max_threads_per_block, MAX_THREADS),
            block: axes(info.max_block, MAX_BLOCK),
            grid: axes(info.max_grid, MAX_GRID),
            shared: or(info.shared_memory_per_block_optin, 227 * 1024),
        }
    }
}

struct Limits {
    threads: u32,
    block: [u32; 3],
    grid: [u32; 3],
    shared: u32,
}

fn threads(block: [u32; 3]) -> u64 {
    // Two axes of 32 bits cannot overflow, three can.
    let [x, y, z] = block.map(u64::from);
    (x * y).saturating_mul(z)
}
