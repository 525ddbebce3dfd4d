//! The libraries that were looked at, and what was found.

use std::fmt;
use std::path::PathBuf;

/// Where a candidate was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Named by `PYGPUKIT_NVRTC`.
    Explicit,
    /// Loaded in this process by another library.
    Loaded,
    /// A wheel in the running Python's site-packages.
    Wheel,
    /// A conda environment.
    Conda,
    /// The system loader's own search.
    Loader,
    /// A toolkit named by `CUDA_PATH` or `CUDA_HOME`.
    Toolkit,
    /// A toolkit under `/usr/local`.
    System,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Explicit => "PYGPUKIT_NVRTC",
            Self::Loaded => "loaded already",
            Self::Wheel => "site-packages",
            Self::Conda => "conda",
            Self::Loader => "system loader",
            Self::Toolkit => "CUDA_PATH",
            Self::System => "/usr/local",
        })
    }
}

/// What became of a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is used.
    Chosen,
    /// Nothing is there.
    Missing,
    /// Its major version is above the driver's: the driver would refuse its code.
    NewerThanDriver {
        /// The driver's major version.
        driver: u32,
    },
    /// Older than any version that is supported.
    TooOld,
    /// It could not be loaded, or lacks a function.
    Unusable {
        /// What failed.
        reason: String,
    },
    /// An earlier one was good.
    NotNeeded,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chosen => f.write_str("used"),
            Self::Missing => f.write_str("not found"),
            Self::NewerThanDriver { driver } => {
                write!(f, "newer than the driver, which is for CUDA {driver}")
            }
            Self::TooOld => write!(f, "older than {}.0", super::library::OLDEST_MAJOR),
            Self::Unusable { reason } => write!(f, "unusable: {reason}"),
            Self::NotNeeded => f.write_str("not needed"),
        }
    }
}

/// A library, or a place without one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Why it was looked at.
    pub place: Place,
    /// The library; for a missing one, the folder or name looked for.
    pub path: PathBuf,
    /// (major, minor) as far as file names tell before loading.
    pub version: (Option<u32>, Option<u32>),
    /// What became of it.
    pub verdict: Verdict,
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.path.display())?;
        match self.version {
            (Some(major), Some(minor)) => write!(f, " ({major}.{minor})")?,
            (Some(major), None) => write!(f, " ({major})")?,
            (None, _) => {}
        }
        write!(f, ": {}", self.verdict)
    }
}
