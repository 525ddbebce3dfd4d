//! A toolchain for tests.

use crate::paths::search_paths;
use pygpukit_device::nvrtc::Toolchain;

/// A toolchain that works: tests of compilation need NVRTC.
///
/// # Panics
/// If there is none.
pub(crate) fn toolchain() -> Toolchain {
    let toolchain = Toolchain::new(search_paths());
    let version = toolchain.version(None);
    version.unwrap_or_else(|error| panic!("these tests need NVRTC: {error}"));
    toolchain
}
