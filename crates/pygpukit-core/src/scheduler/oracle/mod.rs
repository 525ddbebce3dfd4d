//! What must become of events, worked out anew from nothing but what was said.
//!
//! It keeps the books of a [`Scheduler`](super::Scheduler) a second time, in the simplest way: who asked
//! for what, and who holds what. Sums are added up where they are needed. So a fault
//! in the ledger, or in what is kept up to date for speed, shows after the event that
//! it happens in. Time is to pass with [`Event::Tick`](super::Event::Tick) only.

mod books;
mod check;
mod pair;

pub(super) use books::{Oracle, Phase};
pub(super) use pair::Pair;
