//! Kernels in CUDA C, compiled by NVRTC (see `kernels/compile.py`), against values that
//! are computed here in another way.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    clippy::many_single_char_names,
    clippy::similar_names,
    reason = "the same bits are what is asked for; names are those of the kernels"
)]

mod copies;
mod divergence;
mod faults;
mod functions;
mod matrices;
mod support;
mod system;
mod vectors;
mod warps;
