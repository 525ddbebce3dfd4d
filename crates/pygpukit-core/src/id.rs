//! Names of things in the core: numbers that their maker chose.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u64);

        impl $name {
            /// The id of that number.
            pub const fn new(number: u64) -> Self {
                Self(number)
            }

            /// The number.
            pub const fn get(self) -> u64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id! {
    /// A task of a scheduler.
    TaskId
}
id! {
    /// Someone who has work done: who submits tasks, and whose quota they share.
    TenantId
}
id! {
    /// A block of a [`MemoryPool`](crate::pool::MemoryPool).
    BlockId
}
id! {
    /// A kernel: what is launched again and again.
    KernelId
}
id! {
    /// A lane: a stream, and the multiprocessors it is confined to.
    LaneId
}
id! {
    /// One launch of a kernel.
    LaunchId
}
id! {
    /// A region of a [`MemoryPool`](crate::pool::MemoryPool).
    RegionId
}
id! {
    /// Time of a device that was granted to somebody.
    GrantId
}
id! {
    /// A copy that a [`TransferEngine`](crate::transfer::TransferEngine) has a say in.
    TransferId
}
id! {
    /// A block of a [`PinnedPool`](crate::pinned::PinnedPool).
    PinnedId
}

impl TenantId {
    /// Whoever works on the device outside tasks.
    pub const DEFAULT: Self = Self(0);
}
