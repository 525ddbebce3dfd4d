//! What can be granted.

use crate::units::{Bytes, Share};
use std::fmt;

/// What can be granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// Device memory, in bytes.
    Memory,
    /// A share of the multiprocessors: space, in 10^-9.
    Compute,
    /// A share of the device's time, in 10^-9.
    Bandwidth,
    /// Tasks that run at once.
    Workers,
}

impl Resource {
    /// Every resource.
    pub const ALL: [Self; 4] = [Self::Memory, Self::Compute, Self::Bandwidth, Self::Workers];

    /// The name in messages and logs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Compute => "compute",
            Self::Bandwidth => "bandwidth",
            Self::Workers => "workers",
        }
    }

    /// The resource of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|each| each.name() == name)
    }

    /// An amount of this resource, in words.
    pub fn show(self, amount: u64) -> impl fmt::Display {
        struct Shown(Resource, u64);
        impl fmt::Display for Shown {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match (self.0, Share::from_units(self.1)) {
                    (Resource::Memory, _) => Bytes::new(self.1).fmt(f),
                    (Resource::Compute | Resource::Bandwidth, Some(share)) => share.fmt(f),
                    (Resource::Compute | Resource::Bandwidth, None) => {
                        write!(f, "{}e-9", self.1)
                    }
                    (Resource::Workers, _) => self.1.fmt(f),
                }
            }
        }
        Shown(self, amount)
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of resources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceSet(u8);

impl ResourceSet {
    /// No resource.
    pub const EMPTY: Self = Self(0);

    /// True for no resource.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// True if the resource is in the set.
    pub const fn contains(self, resource: Resource) -> bool {
        self.0 & (1 << resource as u8) != 0
    }

    /// With one resource more.
    #[must_use]
    pub const fn with(self, resource: Resource) -> Self {
        Self(self.0 | (1 << resource as u8))
    }

    /// With one resource less.
    #[must_use]
    pub const fn without(self, resource: Resource) -> Self {
        Self(self.0 & !(1 << resource as u8))
    }

    /// Everything in either.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is in both.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The resources in the set.
    pub fn iter(self) -> impl Iterator<Item = Resource> {
        Resource::ALL
            .into_iter()
            .filter(move |&each| self.contains(each))
    }
}

/// `memory+bandwidth`; `-` for none.
impl fmt::Display for ResourceSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("-");
        }
        for (index, resource) in self.iter().enumerate() {
            let separator = if index == 0 { "" } else { "+" };
            write!(f, "{separator}{resource}")?;
        }
        Ok(())
    }
}
