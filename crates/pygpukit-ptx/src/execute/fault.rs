//! What can go wrong in a kernel.

use std::fmt::{Display, Formatter};

/// A launch that failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// The launch asks for what cannot be run.
    #[error("kernel `{kernel}` cannot be launched: {reason}")]
    Refused {
        /// The kernel.
        kernel: String,
        /// What is asked, and what the limit is.
        reason: String,
    },
    /// A thread did what it must not.
    #[error("{trouble} in kernel `{kernel}`, {place}")]
    Failed {
        /// The kernel.
        kernel: String,
        /// What happened.
        trouble: Trouble,
        /// Who did it, and where.
        place: Box<Place>,
    },
    /// The caller wanted it to end.
    #[error("kernel `{kernel}` was stopped by its caller")]
    Stopped {
        /// The kernel.
        kernel: String,
    },
}

/// A thread, and an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The block in the grid: x, y, z.
    pub block: [u32; 3],
    /// The thread in the block: x, y, z.
    pub thread: [u32; 3],
    /// The line of the PTX text.
    pub line: u32,
    /// The instruction on that line.
    pub instruction: String,
    /// Lanes of the warp that ran the instruction together.
    pub active: u32,
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let ([bx, by, bz], [tx, ty, tz]) = (self.block, self.thread);
        write!(
            f,
            "block ({bx}, {by}, {bz}) thread ({tx}, {ty}, {tz}), PTX line {}: `{}`",
            self.line, self.instruction
        )
    }
}

/// What a thread did that it must not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trouble {
    /// It touched memory that is no allocation, or across the end of one.
    OutOfBounds {
        /// The first byte.
        address: u64,
        /// How many.
        bytes: u64,
        /// True if it wrote.
        write: bool,
        /// The nearest allocation that begins before: its start and size.
        nearest: Option<(u64, u64)>,
        /// The state space of the instruction.
        space: &'static str,
    },
    /// An address that is no multiple of the size of what is there.
    Misaligned {
        /// The address.
        address: u64,
        /// What it must be a multiple of.
        bytes: u64,
    },
    /// A write to memory that is only to be read.
    ReadOnly {
        /// The address.
        address: u64,
        /// How many bytes.
        bytes: u64,
    },
    /// Lanes of a warp wait at different barriers, or not all wait.
    DivergentBarrier {
        /// The lanes that wait here.
        waiting: u32,
        /// The lanes of the warp that have not ended.
        live: u32,
    },
    /// Everybody waits for somebody.
    Deadlock {
        /// The lanes that wait here.
        waiting: u32,
        /// The lanes that they wait for do not come.
        live: u32,
    },
    /// More instructions than the launch allows.
    Budget {
        /// The limit.
        limit: u64,
    },
    /// The kernel's own `trap`, or `__trap()`.
    Trap,
    /// `assert(..)` does not hold: file, line, function, expression.
    Assertion(String),
    /// Something that only shows when it runs and is not implemented.
    Unsupported(String),
}

impl Display for Trouble {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::OutOfBounds {
                address,
                bytes,
                write,
                nearest,
                space,
            } => {
                let access = if *write { "write" } else { "read" };
                write!(
                    f,
                    "out-of-bounds {space} {access} of {bytes} bytes at {address:#x}"
                )?;
                if let Some((start, size)) = nearest {
                    let past = address.wrapping_sub(start.wrapping_add(*size));
                    if past < u64::MAX / 2 {
                        write!(
                            f,
                            ", {past} bytes past the end of the {size} bytes at {start:#x}"
                        )?;
                    } else {
                        write!(f, ", across the end of the {size} bytes at {start:#x}")?;
                    }
                }
                Ok(())
            }
            Self::Misaligned { address, bytes } => {
                write!(f, "misaligned access of {bytes} bytes at {address:#x}")
            }
            Self::ReadOnly { address, bytes } => {
                write!(
                    f,
                    "write of {bytes} bytes to read-only memory at {address:#x}"
                )
            }
            Self::DivergentBarrier { waiting, live } => write!(
                f,
                "divergent barrier: lanes {waiting:#010x} of {live:#010x} of the warp wait here, \
                 the others elsewhere"
            ),
            Self::Deadlock { waiting, live } => write!(
                f,
                "deadlock: lanes {waiting:#010x} of {live:#010x} of the warp wait for others \
                 that do not come"
            ),
            Self::Budget { limit } => write!(
                f,
                "more than the {limit} warp instructions that the launch may run, at a loop"
            ),
            Self::Trap => f.write_str("trap"),
            Self::Assertion(what) => write!(f, "assertion failed: {what}"),
            Self::Unsupported(what) => write!(f, "{what} is not implemented"),
        }
    }
}

/// What happened to one lane.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) trouble: Trouble,
    pub(crate) lane: usize,
    pub(crate) at: u32,
    pub(crate) active: u32,
}
