//! Compiled kernels that are kept, within limits of number, bytes and age.
//!
//! What is kept is found by all that decides the result, and compared whole: two kernels
//! whose keys hash alike are two kernels. Whatever leaves is reported, so that the caller
//! can unload it.

mod entry;
mod kernel_cache;
mod key;
mod limits;
mod options;
mod stats;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

pub use entry::{Entry, Gone, Why};
pub use kernel_cache::KernelCache;
pub use key::{KernelKey, KernelName, Key, hash_source};
pub use limits::{Limits, Refusal};
pub use options::CompileOptions;
pub use stats::CacheStats;
