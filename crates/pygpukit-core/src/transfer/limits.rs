//! How much may be under way.

use super::direction::{ByDirection, Direction};
use crate::units::{Bytes, Nanoseconds};
use std::num::{NonZeroU64, NonZeroUsize};

/// How much may be under way in each direction. What is under way cannot be overtaken, so
/// this is how long an urgent copy waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Chunks under way at once.
    pub chunks: NonZeroUsize,
    /// Bytes of a chunk, at most: longer copies are cut into chunks of that size.
    pub chunk: ByDirection<NonZeroU64>,
}

impl Limits {
    /// Chunks start on pages, so that no page is copied in two parts.
    const PAGE: u64 = 4096;

    /// That many chunks at once; copies stay in one chunk.
    pub const fn new(chunks: NonZeroUsize) -> Self {
        Self {
            chunks,
            chunk: ByDirection::all(NonZeroU64::MAX),
        }
    }

    /// With copies of a direction cut so that all chunks under way together take no longer
    /// than `latency`, where so many bytes are copied in a second. A chunk is a page at
    /// least, however short that is.
    #[must_use]
    pub fn within(mut self, direction: Direction, latency: Nanoseconds, a_second: Bytes) -> Self {
        let in_time = u128::from(a_second.get()) * u128::from(latency.get())
            / u128::from(Nanoseconds::ONE_SECOND.get());
        let each = in_time / self.chunks.get() as u128;
        let each = u64::try_from(each).unwrap_or(u64::MAX);
        let pages = each / Self::PAGE * Self::PAGE;
        self.chunk[direction] =
            NonZeroU64::new(pages).unwrap_or(const { NonZeroU64::new(Self::PAGE).unwrap() });
        self
    }
}

impl Default for Limits {
    /// Four chunks at once; copies stay in one chunk.
    fn default() -> Self {
        Self::new(NonZeroUsize::MIN.saturating_add(3))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Direction::{DeviceToHost, HostToDevice};

    #[test]
    fn all_that_is_under_way_fits_into_the_latency() {
        let limits = Limits::new(NonZeroUsize::new(2).unwrap());
        // 100 us at 55 GB/s are 5.5 MB, so two chunks of 2.75 MB, in whole pages.
        let microseconds = |number: u64| Nanoseconds::new(number * 1000);
        let cut = limits.within(HostToDevice, microseconds(100), Bytes::new(55_000_000_000));
        assert_eq!(cut.chunk[HostToDevice].get(), 2_750_000 / 4096 * 4096);
        assert_eq!(cut.chunk[DeviceToHost], NonZeroU64::MAX);
        let slow = limits.within(DeviceToHost, microseconds(1), Bytes::new(1));
        assert_eq!(slow.chunk[DeviceToHost].get(), 4096);
        let forever = limits.within(
            DeviceToHost,
            Nanoseconds::new(u64::MAX),
            Bytes::new(u64::MAX),
        );
        assert_eq!(forever.chunk[DeviceToHost].get(), u64::MAX / 4096 * 4096);
    }
}
