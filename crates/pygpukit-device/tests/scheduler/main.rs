//! Tasks on a device that does what the tests tell it.

mod fake;
mod lifecycle;
mod memory;
mod sharing;
