//! What a pool refuses.

use super::account::AccountId;
use super::lane::{LaneId, Use};
use crate::id::{BlockId, RegionId, TenantId};
use crate::ledger::Shortage;
use crate::units::Bytes;

/// What a pool refuses. Nothing has changed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoolError {
    /// More than the pool can free as things stand, whatever its owner does.
    #[error(
        "the pool has no room for a block of {asked} ({rounded} rounded up): \
         {available} available of {limit}"
    )]
    OutOfMemory {
        /// Bytes asked for.
        asked: Bytes,
        /// Bytes of the block that would have served.
        rounded: Bytes,
        /// Bytes of the largest block that could be had.
        available: Bytes,
        /// Bytes that the pool may take.
        limit: Bytes,
    },
    /// More than an account's quota leaves.
    #[error(
        "tenant {tenant}'s quota does not allow a block of {asked}: \
         {available} available of {limit}"
    )]
    OverQuota {
        /// Whose quota.
        tenant: TenantId,
        /// Bytes asked for.
        asked: Bytes,
        /// Bytes that would have been allowed.
        available: Bytes,
        /// The quota.
        limit: Bytes,
    },
    /// A quota that promises more than the pool may.
    #[error("the pool cannot promise a quota: {0}")]
    OverPromised(Shortage),
    /// A region that is larger than what the pool may still take.
    #[error("the pool cannot take a region: {0}")]
    OverCapacity(Shortage),
    /// A region of no use: blocks are of 256 bytes at least.
    #[error("a region of {0} holds no block: the smallest has 256 bytes")]
    RegionTooSmall(Bytes),
    /// A block that never was, or was freed.
    #[error("there is no block {0} in this pool")]
    UnknownBlock(BlockId),
    /// An account that never was, or was closed.
    #[error("there is no account {0} in this pool")]
    UnknownAccount(AccountId),
    /// A lane that was not opened, or was closed.
    #[error("there is no lane {0} in this pool")]
    UnknownLane(LaneId),
    /// A lane whose work on blocks is not done.
    #[error("a lane cannot be closed before {until} is done")]
    LaneInUse {
        /// The last of that work.
        until: Use,
    },
    /// A region that never was, or was removed.
    #[error("there is no region {0} in this pool")]
    UnknownRegion(RegionId),
    /// A region with blocks, or with work that is not done.
    #[error("region {0} is in use")]
    RegionInUse(RegionId),
    /// An account with blocks.
    #[error("account {account} cannot be closed: it has {used} in blocks")]
    AccountInUse {
        /// The account.
        account: AccountId,
        /// What is in blocks of its.
        used: Bytes,
    },
    /// A block that is somewhere else.
    #[error("block {block} is {is}, not {wanted}")]
    Misplaced {
        /// The block.
        block: BlockId,
        /// Where it is.
        is: &'static str,
        /// Where it would have to be.
        wanted: &'static str,
    },
    /// A block that someone wants to stay.
    #[error("block {block} stays where it is: it has {pins} pins")]
    Pinned {
        /// The block.
        block: BlockId,
        /// How many want it to stay.
        pins: u32,
    },
    /// A block that work touches which is not done.
    #[error("block {block} is in use until {until} is done")]
    Busy {
        /// The block.
        block: BlockId,
        /// The work.
        until: Use,
    },
    /// Contents that are larger than their block.
    #[error("{size} do not fit into block {block} of {limit}")]
    ContentsTooLarge {
        /// The block.
        block: BlockId,
        /// Of the contents.
        size: Bytes,
        /// Of the block.
        limit: Bytes,
    },
}
