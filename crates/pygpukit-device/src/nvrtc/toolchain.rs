//! The compiler of this process: found once, and what it made is kept.

use super::arch::Arch;
use super::cache::{Cache, Key};
use super::candidate::{Candidate, Place, Verdict};
use super::library::Library;
use super::program::{Image, compile};
use super::search::SearchPaths;
use super::source::Source;
use crate::error::{Error, Result};
use crate::process::LibraryCall;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Finds NVRTC, compiles with it, and keeps what it compiled. Cloning gives
/// another handle to the same.
#[derive(Clone, Debug)]
pub struct Toolchain(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    paths: Mutex<SearchPaths>,
    /// By the driver's major version.
    chosen: Mutex<BTreeMap<Option<u32>, Arc<Library>>>,
    cache: Cache,
}

/// No usable NVRTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompilerNotFound {
    /// The driver's major version, where there is one.
    pub driver: Option<u32>,
    /// What was looked at.
    pub candidates: Vec<Candidate>,
}

impl Toolchain {
    /// Images that are kept.
    const CAPACITY: usize = 256;

    /// A toolchain that looks in `paths`.
    pub fn new(paths: SearchPaths) -> Self {
        Self(Arc::new(Inner {
            paths: Mutex::new(paths),
            chosen: Mutex::default(),
            cache: Cache::new(Self::CAPACITY),
        }))
    }

    /// The toolchain of this process: looks where the environment says, until
    /// [`set_search_paths`](Self::set_search_paths).
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Toolchain> = OnceLock::new();
        SHARED.get_or_init(|| Self::new(SearchPaths::from_environment()))
    }

    /// Looks in `paths` from now on. What was compiled is kept.
    pub fn set_search_paths(&self, paths: SearchPaths) {
        *lock(&self.0.paths) = paths;
        lock(&self.0.chosen).clear();
    }

    /// What is looked at for a driver of that major version (any, if `None`), with
    /// the verdict on each. Loads the library if it is not loaded yet.
    pub fn candidates(&self, driver: Option<u32>) -> Vec<Candidate> {
        match self.search(driver) {
            Ok((_, candidates)) => candidates,
            Err(missing) => missing.candidates,
        }
    }

    /// The version of NVRTC that serves that driver, as (major, minor).
    ///
    /// # Errors
    /// [`Error::CompilerNotFound`].
    pub fn version(&self, driver: Option<u32>) -> Result<(u32, u32)> {
        Ok(self.library(driver)?.version)
    }

    /// Compiles for `arch` and looks up the kernel that `expression` names, or
    /// returns what an equal call compiled before.
    ///
    /// # Errors
    /// [`Error::CompilerNotFound`], [`Error::Compile`]; [`Error::Value`] for texts
    /// with a zero byte.
    pub fn compile(
        &self,
        source: &Source,
        expression: &str,
        options: &[String],
        arch: Arch,
        driver: Option<u32>,
    ) -> Result<Arc<Image>> {
        let _call = begin_call()?;
        let library = self.library(driver)?;
        let key = Key {
            source: source.clone(),
            expression: expression.to_owned(),
            options: options.to_vec(),
            arch,
            compiler: library.version,
        };
        let compile = |key: &Key| compile(&library, &key.source, &key.expression, options, arch);
        if key.is_complete() {
            self.0.cache.get_or_compile(&key, compile)
        } else {
            compile(&key).map(Arc::new)
        }
    }

    /// The best target for a device: its own if the compiler knows it, else PTX of
    /// the newest older one.
    ///
    /// # Errors
    /// [`Error::CompilerNotFound`]; [`Error::Unsupported`] for a device older than
    /// all that the compiler knows.
    pub fn arch_for(&self, capability: (u32, u32), driver: Option<u32>) -> Result<Arch> {
        let library = self.library(driver)?;
        let exact = Arch::of_device(capability);
        if library.archs.contains(&exact.number()) {
            return Ok(exact);
        }
        let older = library.archs.iter().rev();
        let mut older = older.filter(|&&number| number < exact.number());
        older.next().copied().map(Arch::virtual_of).ok_or_else(|| {
            let (major, minor) = library.version;
            let oldest = library.archs.first().copied().unwrap_or_default();
            Error::Unsupported(format!(
                "NVRTC {major}.{minor} compiles for sm_{oldest} and newer, and the device is \
                 {exact}; install an older one: pip install \"pygpukit[cu12]\""
            ))
        })
    }

    fn library(&self, driver: Option<u32>) -> Result<Arc<Library>> {
        let _call = begin_call()?;
        if let Some(library) = lock(&self.0.chosen).get(&driver) {
            return Ok(Arc::clone(library));
        }
        match self.search(driver) {
            Ok((library, _)) => {
                let mut chosen = lock(&self.0.chosen);
                Ok(Arc::clone(chosen.entry(driver).or_insert(library)))
            }
            Err(missing) => Err(Error::CompilerNotFound(Arc::new(missing))),
        }
    }

    fn search(
        &self,
        driver: Option<u32>,
    ) -> Result<(Arc<Library>, Vec<Candidate>), CompilerNotFound> {
        let paths = lock(&self.0.paths).clone();
        let mut candidates = paths.candidates(driver);
        let mut chosen = None;
        for candidate in &mut candidates {
            let is_allowed = paths.explicit.is_none() || candidate.place == Place::Explicit;
            if chosen.is_some() || !is_allowed || candidate.verdict != Verdict::NotNeeded {
                continue;
            }
            match try_candidate(candidate, driver) {
                Ok(library) => chosen = Some(library),
                Err(verdict) => candidate.verdict = verdict,
            }
        }
        match chosen {
            Some(library) => Ok((library, candidates)),
            None => Err(CompilerNotFound { driver, candidates }),
        }
    }
}

/// NVRTC and the loader have locks of their own.
fn begin_call() -> Result<LibraryCall> {
    LibraryCall::begin().ok_or_else(|| {
        Error::Unsupported(
            "this process was forked while another thread of its parent compiled a kernel, so \
             that nothing can be compiled here; start processes by `spawn`"
                .into(),
        )
    })
}

fn try_candidate(candidate: &mut Candidate, driver: Option<u32>) -> Result<Arc<Library>, Verdict> {
    let library = Library::load(&candidate.path, candidate.version.0).map_err(|reason| {
        if candidate.place == Place::Loader {
            Verdict::Missing
        } else {
            Verdict::Unusable { reason }
        }
    })?;
    // The library knows better than its name.
    let (major, minor) = library.version;
    candidate.version = (Some(major), Some(minor));
    candidate.verdict = super::search::judge(major, driver);
    if candidate.verdict == Verdict::NotNeeded {
        candidate.verdict = Verdict::Chosen;
        Ok(library)
    } else {
        Err(candidate.verdict.clone())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl std::error::Error for CompilerNotFound {}

impl fmt::Display for CompilerNotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let explicit = |candidate: &&Candidate| candidate.place == Place::Explicit;
        if let Some(candidate) = self.candidates.iter().find(explicit) {
            let path = candidate.path.display();
            let reason: &dyn fmt::Display = if let Verdict::Unusable { reason } = &candidate.verdict
            {
                reason
            } else {
                &candidate.verdict
            };
            return write!(
                f,
                "PYGPUKIT_NVRTC names `{path}`, which cannot be used: {reason}"
            );
        }
        f.write_str("NVRTC, the compiler for CUDA C, was not found; install it:\n")?;
        match self.driver {
            Some(major) => write!(f, "    pip install \"pygpukit[cu{major}]\"")?,
            None => f.write_str("    pip install \"pygpukit[nvrtc]\"")?,
        }
        if let Some(major) = self.driver {
            write!(
                f,
                "\nThe driver is for CUDA {major}, and NVRTC may not be newer."
            )?;
        }
        f.write_str("\nLooked at:")?;
        self.candidates
            .iter()
            .try_for_each(|candidate| write!(f, "\n    {candidate}"))
    }
}
