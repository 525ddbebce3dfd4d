//! Runs kernels: a warp of 32 lanes at a time, each instruction for all lanes at once.

mod block;
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
pub(crate) use fault::Fault;
pub use fault::{LaunchError, Place, Trouble};
pub(crate) use files::{Files, Value, WIDTH};
pub use launch::Launch;
pub(crate) use launch::{Code, LaneMask, Run, Source, Special};
pub(crate) use level::{Level, dispatched};
pub(crate) use step::{Flow, Handler, NEGATED, NO_SLOT, Step};
