//! Runs kernels: a warp of 32 lanes at a time, each instruction for all lanes at once.

mod block;
mod code;
mod core;
mod fault;
mod files;
mod launch;
mod level;
mod split;
mod step;
mod warp;

pub(crate) use self::core::{
    BarrierCall, Core, Join, LOCAL_BASE, PARAMETER_BASE, Reduction, SHARED_BASE, Space,
};
pub(crate) use code::{Code, LaneMask, Source, Special};
pub(crate) use fault::Fault;
pub use fault::{LaunchError, Place, Trouble};
pub(crate) use files::{Files, Value, WIDTH};
pub(crate) use launch::Run;
pub use launch::{Launch, Output};
pub(crate) use level::{Level, dispatched};
pub(crate) use step::{Flow, Handler, NEGATED, NO_SLOT, Step};
