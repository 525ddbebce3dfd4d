//! What tests of compilation share.

use pygpukit_device::nvrtc::{SearchPaths, Toolchain};
use std::path::{Path, PathBuf};

/// Where the environment says, and in the virtual environment of this checkout.
pub fn search_paths() -> SearchPaths {
    let mut paths = SearchPaths::from_environment();
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    let library = checkout.expect("crates/ of a checkout").join(".venv/lib");
    for entry in std::fs::read_dir(library).into_iter().flatten().flatten() {
        paths.site_packages.push(entry.path().join("site-packages"));
    }
    paths
}

/// A toolchain that works: tests of compilation need NVRTC.
///
/// # Panics
/// If there is none.
pub fn toolchain() -> Toolchain {
    let toolchain = Toolchain::new(search_paths());
    let version = toolchain.version(None);
    version.unwrap_or_else(|error| panic!("these tests need NVRTC: {error}"));
    toolchain
}

/// The library that [`toolchain`] uses.
#[allow(dead_code, reason = "not every test binary links to it")]
pub fn library() -> PathBuf {
    use pygpukit_device::nvrtc::Verdict;
    let candidates = toolchain().candidates(None);
    let mut chosen = candidates
        .into_iter()
        .filter(|candidate| candidate.verdict == Verdict::Chosen);
    chosen.next().expect("a chosen candidate").path
}

/// An empty folder of its own, removed at the end.
#[derive(Debug)]
pub struct Folder(PathBuf);

#[allow(dead_code, reason = "not every test binary needs folders")]
impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pygpukit-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A file with folders above it.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, text).expect("a file");
        path
    }

    /// A link with folders above it.
    pub fn link(&self, name: &str, target: &Path) -> PathBuf {
        let path = self.file(name, "");
        std::fs::remove_file(&path).expect("a file just made");
        std::os::unix::fs::symlink(target, &path).expect("a link");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
