//! What every device must do. Runs on the CPU, and on the CUDA devices there are.
//!
//! Results are compared with a plain model, element by element: numbers are
//! 128-bit integers and doubles there, and every view is a list of elements.
//! `PYGPUKIT_TEST_DEVICES=cpu,cuda:0` limits the devices.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    clippy::many_single_char_names,
    clippy::match_same_arms,
    clippy::maybe_infinite_iter,
    clippy::similar_names,
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a model reads like the mathematics it stands for, and a test may panic"
)]

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
