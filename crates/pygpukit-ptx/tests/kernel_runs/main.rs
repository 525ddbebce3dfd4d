//! Kernels in CUDA C, compiled by NVRTC (see `kernels/compile.py`), against values that
//! are computed here in another way.

mod divergence;
mod faults;
mod functions;
mod matrices;
mod support;
mod system;
mod vectors;
mod warps;
