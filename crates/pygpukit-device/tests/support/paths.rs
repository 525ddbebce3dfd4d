//! Where tests look for NVRTC.

use pygpukit_device::nvrtc::SearchPaths;
use std::path::Path;

/// Where the environment says, and in the virtual environment of this checkout.
pub(crate) fn search_paths() -> SearchPaths {
    let mut paths = SearchPaths::from_environment();
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    let library = checkout.expect("crates/ of a checkout").join(".venv/lib");
    for entry in std::fs::read_dir(library).into_iter().flatten().flatten() {
        paths.site_packages.push(entry.path().join("site-packages"));
    }
    paths
}
