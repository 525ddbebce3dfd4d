//! How kernels over items are sliced.

use crate::units::Nanoseconds;

/// How kernels over items are sliced: wrong values cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceConfig {
    max_items: u64,
    max_duration: Nanoseconds,
    min_slices: u32,
    max_slices: u32,
    adaptive: bool,
}

/// A configuration that makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// Slices of nothing never end.
    #[error("`{name}` is 0; it must be at least 1")]
    Zero {
        /// Of what.
        name: &'static str,
    },
    /// No number of slices is both.
    #[error("min_slices is `{min}`, more than max_slices, which is `{max}`")]
    NoSlices {
        /// The fewest.
        min: u32,
        /// The most.
        max: u32,
    },
}

impl SliceConfig {
    /// Slices of at most `max_items` items, between `min_slices` and `max_slices` of them;
    /// if `adaptive`, so many that one takes at most `max_duration`, once it is known how
    /// long the kernel's blocks take. The number of slices goes before their size.
    ///
    /// # Errors
    /// [`ConfigError`] for zeros, and for more slices at least than at most.
    pub const fn new(
        max_items: u64,
        max_duration: Nanoseconds,
        (min_slices, max_slices): (u32, u32),
        adaptive: bool,
    ) -> Result<Self, ConfigError> {
        let name = match (max_items, max_duration, min_slices) {
            (0, ..) => "max_items_per_slice",
            (_, Nanoseconds::ZERO, _) => "max_duration_ms",
            (.., 0) => "min_slices",
            _ if min_slices > max_slices => {
                return Err(ConfigError::NoSlices {
                    min: min_slices,
                    max: max_slices,
                });
            }
            _ => {
                return Ok(Self {
                    max_items,
                    max_duration,
                    min_slices,
                    max_slices,
                    adaptive,
                });
            }
        };
        Err(ConfigError::Zero { name })
    }

    /// The most items of a slice.
    pub const fn max_items(&self) -> u64 {
        self.max_items
    }

    /// How long a slice may take.
    pub const fn max_duration(&self) -> Nanoseconds {
        self.max_duration
    }

    /// The fewest slices of a kernel, if it has as many blocks.
    pub const fn min_slices(&self) -> u32 {
        self.min_slices
    }

    /// The most slices of a kernel.
    pub const fn max_slices(&self) -> u32 {
        self.max_slices
    }

    /// Whether measured durations count.
    pub const fn adaptive(&self) -> bool {
        self.adaptive
    }
}

impl Default for SliceConfig {
    fn default() -> Self {
        Self {
            max_items: 65_536,
            max_duration: Nanoseconds::ONE_MILLISECOND,
            min_slices: 1,
            max_slices: 256,
            adaptive: true,
        }
    }
}
