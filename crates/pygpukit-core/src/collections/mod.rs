//! Containers that allocate only while they grow.
//!
//! All name their items by the slot that a [`Slab`] gave them, so that one
//! item can stand in several of them.

mod heap;
mod ids;
mod list;
mod ranks;
mod slab;

pub(crate) use heap::{Heap, Places};
pub(crate) use ids::IdMap;
pub(crate) use list::List;
pub(crate) use ranks::Ranks;
pub(crate) use slab::{Slab, Slot};
