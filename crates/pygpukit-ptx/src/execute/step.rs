//! One instruction in executable form.

use super::core::Core;

/// What a handler says about how to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Flow {
    /// With the next step.
    Next,
    /// The active lanes go to the step in `extra`.
    Branch,
    /// Each active lane goes where [`Core::targets`] says.
    Scatter,
    /// The active lanes have ended.
    Exit,
    /// The active lanes wait at a barrier of the block, which [`Core::barrier`] describes.
    Barrier,
    /// The step must wait for other lanes of the warp and is tried again.
    Wait,
    /// The step could not be done: [`Core::trouble`] says why.
    Fault,
}

/// Runs a step for the active lanes of a warp. It may have been compiled for processor
/// features that were found when the program was compiled: hence `unsafe`.
pub(crate) type Handler = unsafe fn(&mut Core<'_>, &Step) -> Flow;

/// A step without a guard.
pub(crate) const NO_GUARD: u16 = u16::MAX;
/// A slot that is not used.
pub(crate) const NO_SLOT: u16 = u16::MAX;
/// Set in a guard that is negated.
pub(crate) const NEGATED: u16 = 1 << 15;

/// One instruction in executable form. What the fields mean, the handler knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) handler: Handler,
    /// An offset or other number.
    pub(crate) immediate: u64,
    /// A target or flags.
    pub(crate) extra: u32,
    /// The predicate slot that decides which lanes run it, and whether negated.
    pub(crate) guard: u16,
    /// The slot that is written.
    pub(crate) to: u16,
    /// Slots that are read (or, for vectors, written).
    pub(crate) a: u16,
    pub(crate) b: u16,
    pub(crate) c: u16,
    pub(crate) d: u16,
}

impl Step {
    pub(crate) fn new(handler: Handler) -> Self {
        Self {
            handler,
            immediate: 0,
            extra: 0,
            guard: NO_GUARD,
            to: NO_SLOT,
            a: NO_SLOT,
            b: NO_SLOT,
            c: NO_SLOT,
            d: NO_SLOT,
        }
    }
}
