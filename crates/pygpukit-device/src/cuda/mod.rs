//! CUDA devices, through the NVIDIA driver.
//!
//! The driver library is loaded at run time, and only the driver: no toolkit.
//! Where to start reading: [`driver`] for the calls, [`presence()`] for whether
//! there is a device, [`backend`] for the device itself, [`queue`] for the order
//! of work.
//!
//! Locks, each held for bookkeeping only and never while waiting for the device:
//! a queue's progress while work is launched on it, the free events, the compiled
//! units, the register of queues. A thread that holds one takes no other, but
//! that recording a fault goes through all queues, one state at a time.

mod backend;
mod builtin;
mod compiler;
mod context;
mod driver;
mod event;
mod function;
mod poll;
mod presence;
mod progress;
mod queue;
mod transfer;
mod views;

pub(crate) use backend::open;
pub(crate) use presence::presence;
