//! How NVRTC is found: by place, version and driver, with a verdict on each.

use crate::compiler::toolchain;
use crate::folder::Folder;
use crate::paths::search_paths;
use pygpukit_device::Error;
use pygpukit_device::nvrtc::{Candidate, Place, SearchPaths, Toolchain, Verdict};
use std::path::{Path, PathBuf};

/// The library that other tests use.
fn library() -> PathBuf {
    let candidates = toolchain().candidates(None);
    let mut chosen = candidates
        .into_iter()
        .filter(|candidate| candidate.verdict == Verdict::Chosen);
    chosen.next().expect("a chosen candidate").path
}

/// A tree with the real library and its builtins in a folder, under any names.
fn real_library(tree: &Folder, folder: &str, major: u32) -> PathBuf {
    let library = library();
    let beside = library.parent().expect("a folder");
    for entry in std::fs::read_dir(beside).expect("a folder").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("libnvrtc-builtins.so") {
            tree.link(&format!("{folder}/{name}"), &entry.path());
        }
    }
    tree.link(&format!("{folder}/libnvrtc.so.{major}"), &library)
}

fn verdicts(toolchain: &Toolchain, driver: Option<u32>) -> Vec<(Place, Verdict)> {
    let found = toolchain.candidates(driver).into_iter();
    found
        .filter(|candidate| candidate.verdict != Verdict::Missing)
        .map(|candidate| (candidate.place, candidate.verdict))
        .collect()
}

fn real_major() -> u32 {
    toolchain().version(None).expect("NVRTC").0
}

#[test]
fn none_at_all_says_how_to_install() {
    let empty = Toolchain::new(SearchPaths {
        site_packages: vec!["/nonexistent/site-packages".into()],
        ..SearchPaths::default()
    });
    let error = empty.version(None).unwrap_err();
    assert!(matches!(error, Error::CompilerNotFound(_)));
    let text = error.to_string();
    assert!(text.contains("pip install \"pygpukit[nvrtc]\""), "{text}");
    assert!(
        text.contains("/nonexistent/site-packages/nvidia/cu13/lib: not found"),
        "{text}"
    );
    let text = empty.version(Some(12)).unwrap_err().to_string();
    assert!(text.contains("pip install \"pygpukit[cu12]\""), "{text}");
}

#[test]
fn a_driver_older_than_the_compiler() {
    let (tree, major) = (Folder::new("old-driver"), real_major());
    real_library(&tree, "nvidia/cu13/lib", major);
    let toolchain = Toolchain::new(SearchPaths {
        site_packages: vec![tree.path().into()],
        ..SearchPaths::default()
    });
    let driver = major - 1;
    let refused = Verdict::NewerThanDriver { driver };
    assert_eq!(
        verdicts(&toolchain, Some(driver)),
        [(Place::Wheel, refused)]
    );
    let text = toolchain.version(Some(driver)).unwrap_err().to_string();
    assert!(
        text.contains(&format!("The driver is for CUDA {driver}")),
        "{text}"
    );
    assert!(text.contains(&format!("pygpukit[cu{driver}]")), "{text}");
    // The same toolchain serves a newer driver, and no driver.
    assert_eq!(
        verdicts(&toolchain, Some(major)),
        [(Place::Wheel, Verdict::Chosen)]
    );
    assert_eq!(
        verdicts(&toolchain, None),
        [(Place::Wheel, Verdict::Chosen)]
    );
}

#[test]
fn wheels_side_by_side() {
    let (tree, major) = (Folder::new("side-by-side"), real_major());
    let real = real_library(&tree, "nvidia/cu13/lib", major);
    let older = tree.file(
        &format!("nvidia/cuda_nvrtc/lib/libnvrtc.so.{}", major - 1),
        "no ELF",
    );
    tree.file(
        &format!("nvidia/cuda_nvrtc/lib/libnvrtc-builtins.so.{}.9", major - 1),
        "",
    );
    let toolchain = Toolchain::new(SearchPaths {
        site_packages: vec![tree.path().into()],
        ..SearchPaths::default()
    });
    let find = |candidates: &[Candidate], path: &Path| {
        let mut found = candidates.iter().filter(|candidate| candidate.path == path);
        found.next().expect("a candidate").clone()
    };
    // Without a driver and with a new one the newest wins, and the other is not tried.
    for driver in [None, Some(major)] {
        let candidates = toolchain.candidates(driver);
        assert_eq!(find(&candidates, &real).verdict, Verdict::Chosen);
        let other = find(&candidates, &older);
        assert_eq!(other.verdict, Verdict::NotNeeded);
        assert_eq!(other.version, (Some(major - 1), Some(9)));
    }
    // An older driver leaves only the older one, whose damage is then named.
    let candidates = toolchain.candidates(Some(major - 1));
    let driver = major - 1;
    assert_eq!(
        find(&candidates, &real).verdict,
        Verdict::NewerThanDriver { driver }
    );
    assert!(matches!(
        find(&candidates, &older).verdict,
        Verdict::Unusable { .. }
    ));
}

#[test]
fn a_name_that_lies_about_the_version() {
    let (tree, major) = (Folder::new("lying-name"), real_major());
    real_library(&tree, "nvidia/cuda_nvrtc/lib", major - 1);
    let toolchain = Toolchain::new(SearchPaths {
        site_packages: vec![tree.path().into()],
        ..SearchPaths::default()
    });
    let refused = Verdict::NewerThanDriver { driver: major - 1 };
    assert_eq!(
        verdicts(&toolchain, Some(major - 1)),
        [(Place::Wheel, refused)]
    );
}

#[test]
fn places_in_order() {
    let (tree, major) = (Folder::new("places"), real_major());
    let site = |name: &str| tree.path().join(name);
    // Broken ones in front, as half-removed installations leave them.
    tree.file(
        &format!("venv/nvidia/cu13/lib/libnvrtc.so.{major}"),
        "no ELF",
    );
    tree.link(&format!("conda/lib/libnvrtc.so.{major}"), &libc());
    real_library(&tree, "toolkit/lib64", major);
    real_library(&tree, "local/cuda-13.1/lib64", major);
    let toolchain = Toolchain::new(SearchPaths {
        site_packages: vec![site("venv")],
        conda: Some(site("conda")),
        toolkits: vec![site("wrong"), site("toolkit")],
        system: Some(site("local")),
        ..SearchPaths::default()
    });
    let found = verdicts(&toolchain, None);
    let places: Vec<Place> = found.iter().map(|(place, _)| *place).collect();
    // The link under `local` leads to a library that is listed already.
    assert_eq!(places, [Place::Wheel, Place::Conda, Place::Toolkit]);
    assert!(matches!(&found[0].1, Verdict::Unusable { .. }));
    let Verdict::Unusable { reason } = &found[1].1 else {
        panic!("{found:?}");
    };
    assert!(reason.contains("nvrtcVersion"), "{reason}");
    assert_eq!(found[2].1, Verdict::Chosen);
}

#[test]
fn the_explicit_path_is_the_only_one() {
    let (tree, major) = (Folder::new("explicit"), real_major());
    let real = real_library(&tree, "lib", major);
    for explicit in [real.clone(), real.parent().expect("a folder").into()] {
        let toolchain = Toolchain::new(SearchPaths {
            explicit: Some(explicit),
            ..search_paths()
        });
        assert_eq!(
            verdicts(&toolchain, None)[0],
            (Place::Explicit, Verdict::Chosen)
        );
    }
    let wrong = Toolchain::new(SearchPaths {
        explicit: Some(tree.path().join("nowhere")),
        ..search_paths()
    });
    let text = wrong.version(None).unwrap_err().to_string();
    assert!(text.starts_with("PYGPUKIT_NVRTC names `"), "{text}");
    assert!(
        text.ends_with("nowhere`, which cannot be used: not found"),
        "{text}"
    );
}

#[test]
fn a_library_that_is_loaded_already() {
    let library = library();
    let toolchain = Toolchain::new(SearchPaths {
        loaded: true,
        ..SearchPaths::default()
    });
    let candidates = toolchain.candidates(None);
    let chosen: Vec<&Candidate> = candidates
        .iter()
        .filter(|candidate| candidate.verdict == Verdict::Chosen)
        .collect();
    assert_eq!(chosen.len(), 1);
    assert_eq!(chosen[0].place, Place::Loaded);
    assert_eq!(
        chosen[0].path.canonicalize().ok(),
        library.canonicalize().ok()
    );
}

#[test]
fn new_paths_are_looked_at() {
    let toolchain = Toolchain::new(SearchPaths::default());
    assert!(toolchain.version(None).is_err());
    toolchain.set_search_paths(search_paths());
    assert!(toolchain.version(None).is_ok());
    toolchain.set_search_paths(SearchPaths::default());
    assert!(toolchain.version(None).is_err());
}

/// The C library of this process: a good library that is not NVRTC.
fn libc() -> PathBuf {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("a Linux system");
    let line = maps
        .lines()
        .find(|line| line.contains("libc.so") || line.contains("ld-musl"));
    let line = line.expect("a C library");
    line[line.find('/').expect("a path")..].into()
}
