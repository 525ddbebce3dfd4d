//! What every device must do. Runs on the CPU, and on the CUDA devices there are.
//!
//! `PYGPUKIT_TEST_DEVICES=cpu,cuda:0` limits the devices.

mod harness;
mod smoke;
