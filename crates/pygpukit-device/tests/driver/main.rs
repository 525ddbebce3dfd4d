//! The code that calls the driver, against a driver library of our own.
//!
//! Each case runs in a process of its own: this binary again, with the fake
//! driver ahead of any real one. The child must print nothing but its answer.

#![cfg(all(feature = "cuda", target_os = "linux"))]
#![expect(clippy::unwrap_used, reason = "a test fails so")]

mod fake;
mod presence;
mod queue;
