//! Memory by the block: regions cut into pieces, whose they are and whose next.
//!
//! Start with [`MemoryPool`]. Below it, from the bottom: size classes, regions and
//! pieces (`region`), free pieces by size (`free_list`), lanes and what they still
//! touch (`lane`), and all three together (`arena`).

mod account;
mod arena;
#[cfg(test)]
mod audit;
mod block;
mod error;
mod eviction;
mod free_list;
mod lane;
mod list;
mod memory_pool;
#[cfg(test)]
mod owner;
mod policy;
#[cfg(test)]
mod properties;
mod quota_pool;
mod region;
mod residency;
mod room;
mod size_class;
mod slab;
mod stats;
mod supply;
mod survey;
#[cfg(test)]
mod tests;
mod view;

pub use account::AccountId;
pub use block::{Allocation, Block, Need};
pub use error::PoolError;
pub use lane::{LaneId, Use};
pub use memory_pool::{MemoryPool, PoolConfig};
pub use policy::{Growth, Overcommit, Reclaim};
pub use quota_pool::{Contents, QuotaPool};
pub use residency::{Place, Residency};
pub use size_class::size_class;
pub use stats::{PoolEvents, PoolStats};
