//! The part of PyGPUkit that decides.
//!
//! Everything here is a function of its inputs: no device, clock, thread or
//! environment. Time comes in as integer nanoseconds, answers go out as values.
//!
//! Where to start reading:
//! - [`array`]: dtypes, promotion, layouts and indexing, by NumPy's rules.

#![forbid(unsafe_code)]

pub mod array;
