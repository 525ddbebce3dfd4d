//! Kernels in CUDA C, compiled by NVRTC (see `kernels/compile.py`), against values that
//! are computed here in another way.

mod divergence;
mod matrices;
mod support;
mod vectors;
mod warps;
