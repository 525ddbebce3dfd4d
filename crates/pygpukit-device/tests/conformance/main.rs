//! What every device must do. Runs on the CPU, and on the CUDA devices there are.
//!
//! Results are compared with a plain model, element by element: numbers are
//! 128-bit integers and doubles there, and every view is a list of elements.
//! `PYGPUKIT_TEST_DEVICES=cpu,cuda:0` limits the devices.

mod arange;
mod assign;
mod cast;
mod elementwise;
mod faults;
mod harness;
mod matmul;
mod memory;
mod model;
mod order;
mod output;
mod special;
mod views;
