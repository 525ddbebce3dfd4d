//! What a handler works on: the registers and the memory of one warp.

use super::Trouble;
use super::files::Files;
use super::step::Step;
use crate::memory::{Memory, Plain, Window};

/// Generic addresses of shared memory begin here; no host has memory there.
pub(crate) const SHARED_BASE: u64 = 0x4000_0000_0000_0000;
/// Generic addresses of a thread's local memory begin here.
pub(crate) const LOCAL_BASE: u64 = 0x5000_0000_0000_0000;
/// Generic addresses of the kernel's parameters begin here.
pub(crate) const PARAMETER_BASE: u64 = 0x6000_0000_0000_0000;

/// Where an access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Space {
    /// Any memory, by its generic address; global addresses are generic.
    Generic,
    Shared,
    Local,
    Parameter,
}

impl Space {
    /// Of the lowest bits of [`Step::extra`].
    #[inline(always)]
    pub(crate) fn of(step: &Step) -> Self {
        match step.extra & 3 {
            0 => Self::Generic,
            1 => Self::Shared,
            2 => Self::Local,
            _ => Self::Parameter,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Generic => "global",
            Self::Shared => "shared",
            Self::Local => "local",
            Self::Parameter => "parameter",
        }
    }
}

/// A wait at a barrier of the block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BarrierCall {
    pub(crate) number: u32,
    /// Threads that take part; 0 for all of the block.
    pub(crate) threads: u32,
    /// True if all lanes of the warp must be at the same instruction.
    pub(crate) aligned: bool,
    /// True if nobody waits: `bar.arrive`.
    pub(crate) arrive: bool,
    /// For `bar.red`: how the predicates are joined, and where they are and go.
    pub(crate) reduction: Option<Reduction>,
}

/// `bar.red`: the predicates of all threads, joined.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reduction {
    pub(crate) join: Join,
    pub(crate) from: u32,
    pub(crate) to: u16,
}

/// How predicates are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Join {
    And,
    Or,
    Count,
}

/// What a handler works on.
#[derive(Debug)]
pub(crate) struct Core<'l> {
    pub(crate) files: Files<'l>,
    /// The lanes that run the step.
    pub(crate) active: u32,
    /// The lanes that are at the step, whatever its guard says.
    pub(crate) mask: u32,
    /// The lanes that have not ended.
    pub(crate) live: u32,
    /// Warp instructions run so far.
    pub(crate) executed: u64,
    /// Where lanes go after [`Flow::Scatter`](super::Flow::Scatter).
    pub(crate) targets: [u32; 32],
    pub(crate) barrier: BarrierCall,
    /// After [`Flow::Fault`](super::Flow::Fault): what happened, and to which lane.
    pub(crate) trouble: Option<(Trouble, usize)>,
    /// Allocations met lately, by the register that held the address.
    pub(crate) recent: [Window; 8],
    pub(crate) shared: Window,
    /// Local memory of all lanes, one after another.
    pub(crate) local: Window,
    /// Bytes of local memory of a lane.
    pub(crate) frame: u64,
    pub(crate) parameters: Window,
    /// Variables of the module, constants among them.
    pub(crate) variables: &'l [Window],
    pub(crate) memory: &'l Memory<'l>,
    /// Targets of indexed branches.
    pub(crate) tables: &'l [Vec<u32>],
    /// Where the arguments of system calls lie in local memory.
    pub(crate) arguments: &'l [Vec<u32>],
    /// What `printf` writes.
    pub(crate) output: &'l mut Vec<u8>,
}

impl Core<'_> {
    /// The window in which an access of that step probably lies.
    #[inline(always)]
    pub(crate) fn likely(&self, step: &Step) -> Window {
        match Space::of(step) {
            Space::Generic => self.recent[usize::from(step.a & 7)],
            Space::Shared => self.shared,
            Space::Parameter => self.parameters,
            // Each lane has its own.
            Space::Local => Window::default(),
        }
    }

    /// Reads for one lane.
    #[inline(always)]
    pub(crate) fn read<T: Plain>(&mut self, step: &Step, address: u64, lane: usize) -> Option<T> {
        if address & (size_of::<T>() as u64 - 1) == 0
            && let Some(value) = self.likely(step).read(address)
        {
            return Some(value);
        }
        let (window, address) = self.seek(step, address, size_of::<T>() as u64, lane, false)?;
        window.read(address)
    }

    /// Writes for one lane.
    #[inline(always)]
    pub(crate) fn write<T: Plain>(
        &mut self,
        step: &Step,
        address: u64,
        value: T,
        lane: usize,
    ) -> Option<()> {
        if address & (size_of::<T>() as u64 - 1) == 0 && self.likely(step).write(address, value) {
            return Some(());
        }
        let (window, address) = self.seek(step, address, size_of::<T>() as u64, lane, true)?;
        window.write(address, value).then_some(())
    }

    /// Finds where an access lies, or notes why it must not be.
    #[inline(never)]
    pub(crate) fn seek(
        &mut self,
        step: &Step,
        address: u64,
        bytes: u64,
        lane: usize,
        write: bool,
    ) -> Option<(Window, u64)> {
        let space = Space::of(step);
        if address & (bytes - 1) != 0 {
            return self.fail(Trouble::Misaligned { address, bytes }, lane);
        }
        let found = match space {
            Space::Generic => self.generic(address, lane),
            Space::Shared => Some(self.shared),
            Space::Parameter => Some(self.parameters),
            Space::Local => Some(self.local_of(lane).at(0)),
        };
        match found {
            Some(window) if window.holds(address, bytes) => {
                if write && !window.is_writable() {
                    return self.fail(Trouble::ReadOnly { address, bytes }, lane);
                }
                if space == Space::Generic && address >> 60 != LOCAL_BASE >> 60 {
                    self.recent[usize::from(step.a & 7)] = window;
                }
                Some((window, address))
            }
            _ => {
                let nearest = found.map(|window| (window.start(), window.bytes()));
                let trouble = Trouble::OutOfBounds {
                    address,
                    bytes,
                    write,
                    nearest,
                    space: space.name(),
                };
                self.fail(trouble, lane)
            }
        }
    }

    /// The window of a generic address, as far as one begins before it.
    pub(crate) fn generic(&self, address: u64, lane: usize) -> Option<Window> {
        match address >> 60 {
            4 => Some(self.shared.at(SHARED_BASE)),
            5 => Some(self.local_of(lane)),
            6 => Some(self.parameters.at(PARAMETER_BASE)),
            _ => {
                let variable = self
                    .variables
                    .iter()
                    .find(|window| window.holds(address, 1));
                variable.copied().or_else(|| self.memory.find(address))
            }
        }
    }

    /// Local memory of a lane at generic addresses.
    fn local_of(&self, lane: usize) -> Window {
        self.local
            .part(lane as u64 * self.frame, self.frame)
            .at(LOCAL_BASE)
    }

    /// Notes what happened to a lane.
    #[cold]
    pub(crate) fn fail<T>(&mut self, trouble: Trouble, lane: usize) -> Option<T> {
        self.trouble = Some((trouble, lane));
        None
    }
}
