//! Multiprocessors in groups, and how many groups each gets.

use crate::ledger::{Resource, Shortage};
use crate::units::{Share, UnitError};
use std::cmp::Reverse;
use std::num::NonZeroU32;

/// The multiprocessors of a device, split into groups of equal size.
///
/// All groups are of one split, so that they have no multiprocessor in common. What
/// is left over when they are made is in none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    sms: u32,
    group: NonZeroU32,
    clusters: bool,
}

impl Split {
    const FINE: NonZeroU32 = NonZeroU32::new(2).expect("2 is not 0");

    /// That many multiprocessors, in groups of `group`, each whole enough for kernels
    /// that launch clusters of blocks.
    ///
    /// A driver may make fewer groups than fit: then `sms` is what these have.
    pub const fn new(sms: u32, group: NonZeroU32) -> Self {
        Self {
            sms,
            group,
            clusters: true,
        }
    }

    /// That many multiprocessors in groups of two, in which no clusters run.
    pub const fn fine(sms: u32) -> Self {
        Self {
            sms,
            group: Self::FINE,
            clusters: false,
        }
    }

    /// Multiprocessors in all.
    pub const fn sms(&self) -> u32 {
        self.sms
    }

    /// Multiprocessors of a group.
    pub const fn group(&self) -> u32 {
        self.group.get()
    }

    /// How many groups there are.
    pub const fn groups(&self) -> u32 {
        self.sms / self.group.get()
    }

    /// Multiprocessors in no group.
    pub const fn left_over(&self) -> u32 {
        self.sms % self.group.get()
    }

    /// Whether kernels that launch clusters run in a group.
    pub const fn has_clusters(&self) -> bool {
        self.clusters
    }

    /// The share that so many multiprocessors are.
    ///
    /// # Errors
    /// [`UnitError::OutOfRange`] for more than there are.
    pub fn share_of(&self, sms: u32) -> Result<Share, UnitError> {
        Share::from_ratio(sms.into(), self.sms.into())
    }

    /// How many whole multiprocessors a share is: as many as it was
    /// [made of](Self::share_of), though shares are rounded down.
    pub fn sms_of(&self, share: Share) -> u32 {
        let at_most = (share.units() + 1) * u64::from(self.sms);
        let sms = u32::try_from(at_most / Share::ONE.units()).unwrap_or(u32::MAX);
        sms.min(self.sms)
    }

    /// How many groups each of those gets who ask for these shares: by largest
    /// remainder, so that nobody gets less than they ask for by a whole group. What
    /// nobody asks for takes part as one more who asks, after all others.
    ///
    /// # Errors
    /// The first share with which they are more than the whole.
    pub fn divide(&self, shares: &[Share]) -> Result<Vec<u32>, Shortage> {
        let mut rest = Share::ONE.units();
        for share in shares {
            rest = rest.checked_sub(share.units()).ok_or(Shortage {
                resource: Resource::Compute,
                asked: share.units(),
                available: rest,
                limit: Share::ONE.units(),
            })?;
        }
        // In 10^-9 of a multiprocessor.
        let group = u64::from(self.group.get()) * Share::ONE.units();
        let asks = shares.iter().map(|share| share.units()).chain([rest]);
        let asks = asks.map(|units| units * u64::from(self.sms));
        let mut remainders = Vec::with_capacity(shares.len() + 1);
        let mut divided = Vec::with_capacity(shares.len() + 1);
        let mut spare = self.groups();
        for (index, ask) in asks.enumerate() {
            let whole = u32::try_from(ask / group).unwrap_or(u32::MAX);
            remainders.push((Reverse(ask % group), index));
            divided.push(whole);
            spare -= whole;
        }
        remainders.sort_unstable();
        for &(_, index) in remainders.iter().take(spare as usize) {
            divided[index] += 1;
        }
        divided.pop();
        Ok(divided)
    }
}
