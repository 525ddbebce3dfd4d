//! Tasks on a device that does what the tests tell it.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod fake;
mod lifecycle;
mod memory;
mod sharing;
