//! Which groups of multiprocessors are whose.

use super::split::Split;
use crate::id::TenantId;

/// A moment at which groups changed hands; later ones are larger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Change(u64);

/// Which groups are whose. What nobody has is [`TenantId::DEFAULT`]'s.
#[derive(Debug)]
pub(super) struct Groups {
    size: u32,
    each: Vec<Group>,
    latest: Change,
}

/// One group.
#[derive(Debug)]
struct Group {
    owner: TenantId,
    /// Who had it before, whose work may still run on it; and when they lost it.
    left: Vec<(TenantId, Change)>,
}

impl Groups {
    pub(super) fn new(split: &Split) -> Self {
        let group = || Group {
            owner: TenantId::DEFAULT,
            left: Vec::new(),
        };
        Self {
            size: split.group(),
            each: (0..split.groups()).map(|_| group()).collect(),
            latest: Change::default(),
        }
    }

    pub(super) fn latest(&self) -> Change {
        self.latest
    }

    /// The groups of a tenant, in order.
    pub(super) fn of(&self, tenant: TenantId) -> impl Iterator<Item = u32> {
        (0..)
            .zip(&self.each)
            .filter(move |(_, group)| group.owner == tenant)
            .map(|(index, _)| index)
    }

    /// How many multiprocessors a tenant has.
    pub(super) fn sms_of(&self, tenant: TenantId) -> u32 {
        self.count(tenant) * self.size
    }

    fn count(&self, tenant: TenantId) -> u32 {
        u32::try_from(self.of(tenant).count()).unwrap_or(u32::MAX)
    }

    /// Whether nobody else's work runs on the groups of a tenant any more.
    pub(super) fn is_alone(&self, tenant: TenantId) -> bool {
        let mut own = self.each.iter().filter(|group| group.owner == tenant);
        own.all(|group| group.left.iter().all(|&(before, _)| before == tenant))
    }

    /// Gives each tenant that many groups, and the default tenant those that nobody
    /// is given. Whoever has some keeps as many of them as possible.
    pub(super) fn arrange(&mut self, wanted: &[(TenantId, u32)]) -> Change {
        let now = Change(self.latest.0 + 1);
        let wanted_by = |tenant| {
            let found = wanted.iter().find(|(each, _)| *each == tenant);
            found.map_or(0, |&(_, groups)| groups)
        };
        let mut kept: Vec<_> = wanted.iter().map(|&(tenant, _)| (tenant, 0)).collect();
        let mut spare = Vec::new();
        for (index, group) in self.each.iter().enumerate() {
            let keeps = kept.iter_mut().find(|(each, _)| *each == group.owner);
            match keeps {
                Some((tenant, count)) if *count < wanted_by(*tenant) => *count += 1,
                Some(_) | None => spare.push(index),
            }
        }
        let lacking = kept.into_iter().flat_map(|(tenant, count)| {
            let lacks = wanted_by(tenant) - count;
            std::iter::repeat_n(tenant, lacks as usize)
        });
        let owners = lacking.chain(std::iter::repeat(TenantId::DEFAULT));
        let mut changed = false;
        for (index, owner) in spare.into_iter().zip(owners) {
            let group = &mut self.each[index];
            if group.owner != owner {
                group.left.push((group.owner, now));
                group.owner = owner;
                changed = true;
            }
        }
        if changed {
            self.latest = now;
        }
        self.latest
    }

    /// Notes that the work of a tenant has ended on what it lost up to `change`.
    pub(super) fn drained(&mut self, tenant: TenantId, change: Change) {
        for group in &mut self.each {
            group
                .left
                .retain(|&(before, lost)| before != tenant || lost > change);
        }
    }
}
