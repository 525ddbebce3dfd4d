//! Where bytes go.

use std::ops::{Index, IndexMut};

/// Between which memories a copy goes. Each direction has its own queue, and copies of
/// different directions do not wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the host to the device.
    HostToDevice,
    /// From the device to the host.
    DeviceToHost,
    /// Within the device, or to another.
    DeviceToDevice,
}

impl Direction {
    /// All of them, in the order of their turns.
    pub const ALL: [Self; 3] = [Self::HostToDevice, Self::DeviceToHost, Self::DeviceToDevice];

    /// All of them, from this one on.
    pub(super) fn and_the_others(self) -> impl Iterator<Item = Self> {
        let all = Self::ALL.into_iter().cycle();
        all.skip(self as usize).take(Self::ALL.len())
    }

    /// Whose turn is next.
    pub(super) const fn next(self) -> Self {
        match self {
            Self::HostToDevice => Self::DeviceToHost,
            Self::DeviceToHost => Self::DeviceToDevice,
            Self::DeviceToDevice => Self::HostToDevice,
        }
    }
}

/// One of something for each direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByDirection<T>([T; 3]);

impl<T: Copy> ByDirection<T> {
    /// The same for each.
    pub const fn all(each: T) -> Self {
        Self([each; 3])
    }
}

impl<T> ByDirection<T> {
    /// One for each.
    pub fn new(each: impl FnMut(Direction) -> T) -> Self {
        Self(Direction::ALL.map(each))
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }
}

impl<T> Index<Direction> for ByDirection<T> {
    type Output = T;

    fn index(&self, direction: Direction) -> &T {
        &self.0[direction as usize]
    }
}

impl<T> IndexMut<Direction> for ByDirection<T> {
    fn index_mut(&mut self, direction: Direction) -> &mut T {
        &mut self.0[direction as usize]
    }
}
