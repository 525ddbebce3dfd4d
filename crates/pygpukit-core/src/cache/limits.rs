//! How much is kept, and for how long.

use crate::units::{Bytes, Nanoseconds};

/// How much is kept, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many kernels.
    pub entries: usize,
    /// How many bytes they have together.
    pub bytes: Bytes,
    /// Whether what was not asked for the longest leaves for what is new.
    pub evict: bool,
    /// How long a kernel is kept after it was compiled; `None` for as long as there is room.
    pub lifetime: Option<Nanoseconds>,
}

impl Default for Limits {
    /// 1024 kernels of 256 MiB together, of any age.
    fn default() -> Self {
        Self {
            entries: 1024,
            bytes: Bytes::new(256 << 20),
            evict: true,
            lifetime: None,
        }
    }
}

/// Why a kernel is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Never: it is larger than all that may be kept.
    #[error("a kernel of {} bytes is larger than the cache, which holds {}", asked.get(), limit.get())]
    TooLarge {
        /// Its size.
        asked: Bytes,
        /// The limit.
        limit: Bytes,
    },
    /// Never: nothing may be kept.
    #[error("the cache holds 0 kernels")]
    NoEntries,
    /// Not until as many bytes and kernels are removed as are lacking.
    #[error(
        "the cache is full and evicts nothing: a kernel of {} bytes lacks {} of {} bytes and {} of {} entries",
        asked.get(), bytes.get(), limits.bytes.get(), entries, limits.entries
    )]
    Full {
        /// The size of the kernel.
        asked: Bytes,
        /// How many bytes too few are free.
        bytes: Bytes,
        /// How many kernels too many there are.
        entries: usize,
        /// What may be kept.
        limits: Limits,
    },
}
