//! NVRTC 13.0 does not look for its builtins beside itself. A process of its own:
//! a library that is loaded once is found for ever.
#![cfg(all(feature = "nvrtc", unix))]

#[path = "support/folder.rs"]
mod folder;
#[path = "support/paths.rs"]
mod paths;

use folder::Folder;
use pygpukit_device::nvrtc::{Arch, SearchPaths, Source, Toolchain, Verdict};

/// Through a link in another folder no NVRTC finds its builtins by itself.
#[test]
fn builtins_are_loaded_before_the_library() {
    let tree = Folder::new("builtins");
    // Every version is newer than that driver, so nothing is loaded.
    let candidates = Toolchain::new(paths::search_paths()).candidates(Some(1));
    let refused = Verdict::NewerThanDriver { driver: 1 };
    let library = candidates.iter().find(|it| it.verdict == refused);
    let library = &library.expect("these tests need NVRTC").path;
    let name = library
        .file_name()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    tree.link(&name, library);
    let toolchain = Toolchain::new(SearchPaths {
        explicit: Some(tree.path().into()),
        ..SearchPaths::default()
    });
    let source = Source::from_text("extern \"C\" __global__ void k() {}", "k.cu");
    let image = toolchain.compile(&source, "k", &[], Arch::DEFAULT, None);
    assert_eq!(image.expect("a compilation").entry, "k");
}
