//! Where NVRTC may be, in the order that it is looked for:
//!
//! 1. `PYGPUKIT_NVRTC`: a library or a folder. If it is set, nothing else is tried.
//! 2. a library that this process has loaded already;
//! 3. wheels in site-packages: `nvidia/cu13/lib`, `nvidia/cu12/lib`, `nvidia/cuda_nvrtc/lib`;
//! 4. the conda environment;
//! 5. the system loader's own search;
//! 6. toolkits that `CUDA_PATH` and `CUDA_HOME` name, each a path or a list;
//! 7. `/usr/local/cuda*`.
//!
//! The first place with a usable library wins; of several in one place, the one
//! with the highest version that the driver accepts.

use super::candidate::{Candidate, Place, Verdict};
use super::library::OLDEST_MAJOR;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Where NVRTC may be. The default is nowhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchPaths {
    /// A library or its folder: the only one tried, if given.
    pub explicit: Option<PathBuf>,
    /// True to use a library that the process has loaded already.
    pub loaded: bool,
    /// site-packages folders.
    pub site_packages: Vec<PathBuf>,
    /// The root of a conda environment.
    pub conda: Option<PathBuf>,
    /// True to ask the system loader.
    pub loader: bool,
    /// Roots of toolkits.
    pub toolkits: Vec<PathBuf>,
    /// A folder that holds toolkits named `cuda*`.
    pub system: Option<PathBuf>,
}

impl SearchPaths {
    /// All places, as the environment names them; site-packages are those of
    /// `VIRTUAL_ENV`.
    pub fn from_environment() -> Self {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let toolkits = ["CUDA_PATH", "CUDA_HOME"];
        let toolkits = toolkits.into_iter().filter_map(variable);
        Self {
            explicit: variable("PYGPUKIT_NVRTC").map(PathBuf::from),
            loaded: true,
            site_packages: variable("VIRTUAL_ENV")
                .map(|root| site_packages_of(Path::new(&root)))
                .unwrap_or_default(),
            conda: variable("CONDA_PREFIX").map(PathBuf::from),
            loader: true,
            toolkits: toolkits
                .flat_map(|value| std::env::split_paths(&value).collect::<Vec<_>>())
                .filter(|path| !path.as_os_str().is_empty())
                .collect(),
            system: Some("/usr/local".into()),
        }
    }

    /// The candidates of all places, best first within a place, none loaded yet:
    /// those still in the running have the verdict `NotNeeded`.
    pub(super) fn candidates(&self, driver: Option<u32>) -> Vec<Candidate> {
        let mut found = Vec::new();
        let mut add = |place, folders: &[PathBuf]| {
            let mut libraries: Vec<Candidate> = folders
                .iter()
                .flat_map(|folder| candidates_at(place, folder))
                .collect();
            libraries.sort_by_key(|candidate| Reverse(candidate.version));
            found.extend(libraries);
        };
        if let Some(path) = &self.explicit {
            add(Place::Explicit, std::slice::from_ref(path));
        }
        if self.loaded {
            add(Place::Loaded, &loaded_libraries());
        }
        let wheels = [
            "nvidia/cu13/lib",
            "nvidia/cu12/lib",
            "nvidia/cuda_nvrtc/lib",
        ];
        add(Place::Wheel, &join(&self.site_packages, &wheels));
        let conda = ["lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"];
        add(Place::Conda, &join(self.conda.as_slice(), &conda));
        if self.loader {
            let newest = driver.unwrap_or(13);
            let names = (OLDEST_MAJOR..=newest).map(|major| format!("libnvrtc.so.{major}").into());
            add(Place::Loader, &names.collect::<Vec<PathBuf>>());
        }
        let toolkit = ["lib64", "lib", "targets/x86_64-linux/lib"];
        add(Place::Toolkit, &join(&self.toolkits, &toolkit));
        let system = self.system.as_deref().map(toolkits_in).unwrap_or_default();
        add(Place::System, &join(&system, &toolkit));

        let mut seen = BTreeSet::new();
        found.retain(|candidate| {
            let real = candidate.path.canonicalize();
            seen.insert(real.unwrap_or_else(|_| candidate.path.clone()))
        });
        for candidate in &mut found {
            if let (Verdict::NotNeeded, (Some(major), _)) = (&candidate.verdict, candidate.version)
            {
                candidate.verdict = judge(major, driver);
            }
        }
        found
    }
}

pub(super) fn judge(major: u32, driver: Option<u32>) -> Verdict {
    match driver {
        Some(driver) if major > driver => Verdict::NewerThanDriver { driver },
        _ if major < OLDEST_MAJOR => Verdict::TooOld,
        _ => Verdict::NotNeeded,
    }
}

/// The libraries at a path: a folder, a library, or a name for the loader.
fn candidates_at(place: Place, path: &Path) -> Vec<Candidate> {
    let candidate = |path: PathBuf, verdict| Candidate {
        place,
        version: version_of(&path),
        path,
        verdict,
    };
    if place == Place::Loader || path.is_file() {
        return vec![candidate(path.to_path_buf(), Verdict::NotNeeded)];
    }
    let names = names_in(path);
    let mut libraries: Vec<PathBuf> = names
        .iter()
        .filter(|name| is_nvrtc(name))
        .map(|name| path.join(name))
        .collect();
    // `libnvrtc.so.13` rather than what it links to, or what links to it.
    libraries.sort_by_key(|path| path.extension().is_some_and(|end| end == "so"));
    if libraries.is_empty() {
        return vec![candidate(path.to_path_buf(), Verdict::Missing)];
    }
    let found = libraries.into_iter();
    found
        .map(|path| candidate(path, Verdict::NotNeeded))
        .collect()
}

/// (major, minor) from the names of the library and its builtins.
fn version_of(path: &Path) -> (Option<u32>, Option<u32>) {
    // `libnvrtc.so` links to a file with a version in its name.
    let real = path.canonicalize();
    let real = real.as_deref().unwrap_or(path);
    let numbers = |path: &Path| {
        // The number of another library means nothing here.
        let name = path.file_name()?.to_string_lossy();
        version_in(&name).filter(|_| is_nvrtc(&name))
    };
    let Some((major, minor)) = numbers(path).or_else(|| numbers(real)) else {
        return (None, None);
    };
    let minor = minor.or_else(|| builtins_of(path, major).map(|(minor, _)| minor));
    (Some(major), minor)
}

/// The newest builtins library of that major version beside a library, or beside
/// what it links to, with its minor version.
pub(super) fn builtins_of(library: &Path, major: u32) -> Option<(u32, PathBuf)> {
    let real = library.canonicalize().ok();
    let folders = [Some(library), real.as_deref()].into_iter().flatten();
    let builtins = folders
        .filter(|path| path.is_absolute())
        .filter_map(Path::parent)
        .flat_map(|folder| {
            names_in(folder)
                .into_iter()
                .map(|name| (folder.join(&name), name))
        });
    builtins
        .filter(|(_, name)| name.starts_with("libnvrtc-builtins.so."))
        .filter_map(|(path, name)| match version_in(&name) {
            Some((found, Some(minor))) if found == major => Some((minor, path)),
            _ => None,
        })
        .max()
}

/// `libnvrtc.so.12.9.86` gives (12, 9), `libnvrtc.so.13` (13, none).
fn version_in(name: &str) -> Option<(u32, Option<u32>)> {
    let (_, version) = name.split_once(".so.")?;
    let mut numbers = version.split('.').map(str::parse);
    let major = numbers.next()?.ok()?;
    Some((major, numbers.next().and_then(Result::ok)))
}

/// `libnvrtc.so*`, also with a hash in the name, as repaired wheels have it.
fn is_nvrtc(name: &str) -> bool {
    let is_named = name.starts_with("libnvrtc.so") || name.starts_with("libnvrtc-");
    is_named && name.contains(".so") && !name.starts_with("libnvrtc-builtins")
}

/// Names in a folder, sorted; none if it cannot be read.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

fn toolkits_in(folder: &Path) -> Vec<PathBuf> {
    let names = names_in(folder).into_iter();
    names
        .filter(|name| name.starts_with("cuda"))
        .map(|name| folder.join(name))
        .collect()
}

/// `lib/python3.*/site-packages` of a virtual environment.
fn site_packages_of(root: &Path) -> Vec<PathBuf> {
    let library = root.join("lib");
    let names = names_in(&library).into_iter();
    names
        .filter(|name| name.starts_with("python3"))
        .map(|name| library.join(name).join("site-packages"))
        .collect()
}

/// NVRTC libraries mapped into this process, where the system tells.
fn loaded_libraries() -> Vec<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    maps.lines()
        .filter_map(|line| line.find('/').map(|start| &line[start..]))
        .filter(|path| path.rsplit('/').next().is_some_and(is_nvrtc))
        .map(PathBuf::from)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}

fn join(roots: &[PathBuf], folders: &[&str]) -> Vec<PathBuf> {
    roots
        .iter()
        .flat_map(|root| folders.iter().map(move |folder| root.join(folder)))
        .collect()
}
