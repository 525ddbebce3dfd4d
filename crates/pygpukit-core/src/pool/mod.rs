//! Memory by the block: size classes, and freed blocks kept to be used again.

mod memory_pool;
mod size_class;

pub use memory_pool::{Block, MemoryPool, PoolError, PoolStats};
pub use size_class::size_class;
