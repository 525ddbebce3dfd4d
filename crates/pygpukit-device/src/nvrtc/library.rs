//! The NVRTC library: its functions, and nothing else.

use super::search::builtins_of;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The oldest major version that is supported.
pub(super) const OLDEST_MAJOR: u32 = 12;

/// `nvrtcProgram`.
pub(super) type RawProgram = *mut c_void;
/// `nvrtcResult`.
pub(super) type RawResult = c_int;
/// Asked with the payload and a null pointer; 1 cancels.
type FlowCallback = extern "C" fn(*mut c_void, *mut c_void) -> c_int;
type SetFlowCallback =
    unsafe extern "C" fn(RawProgram, Option<FlowCallback>, *mut c_void) -> RawResult;

macro_rules! symbols {
    ($($field:ident: $name:literal = fn($($argument:ty),*) -> $result:ty;)*) => {
        /// The functions that are called, by the names of NVRTC's header.
        #[derive(Clone, Copy, Debug)]
        pub(super) struct Symbols {
            $(pub(super) $field: unsafe extern "C" fn($($argument),*) -> $result,)*
        }

        impl Symbols {
            /// # Safety
            /// `library` is NVRTC: its functions have the types of its header.
            unsafe fn load(library: &libloading::Library) -> Result<Self, String> {
                Ok(Self {
                    $($field: {
                        let lacks = |_| concat!("it is not NVRTC: it has no function `", $name, "`").to_owned();
                        // SAFETY: the caller's promise.
                        *unsafe { library.get::<unsafe extern "C" fn($($argument),*) -> $result>($name) }
                            .map_err(lacks)?
                    },)*
                })
            }
        }
    };
}

symbols! {
    version: "nvrtcVersion" = fn(*mut c_int, *mut c_int) -> RawResult;
    count_archs: "nvrtcGetNumSupportedArchs" = fn(*mut c_int) -> RawResult;
    archs: "nvrtcGetSupportedArchs" = fn(*mut c_int) -> RawResult;
    error_string: "nvrtcGetErrorString" = fn(RawResult) -> *const c_char;
    create: "nvrtcCreateProgram" = fn(*mut RawProgram, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char) -> RawResult;
    destroy: "nvrtcDestroyProgram" = fn(*mut RawProgram) -> RawResult;
    add_expression: "nvrtcAddNameExpression" = fn(RawProgram, *const c_char) -> RawResult;
    compile: "nvrtcCompileProgram" = fn(RawProgram, c_int, *const *const c_char) -> RawResult;
    lowered_name: "nvrtcGetLoweredName" = fn(RawProgram, *const c_char, *mut *const c_char) -> RawResult;
    log_size: "nvrtcGetProgramLogSize" = fn(RawProgram, *mut usize) -> RawResult;
    log: "nvrtcGetProgramLog" = fn(RawProgram, *mut c_char) -> RawResult;
    ptx_size: "nvrtcGetPTXSize" = fn(RawProgram, *mut usize) -> RawResult;
    ptx: "nvrtcGetPTX" = fn(RawProgram, *mut c_char) -> RawResult;
    cubin_size: "nvrtcGetCUBINSize" = fn(RawProgram, *mut usize) -> RawResult;
    cubin: "nvrtcGetCUBIN" = fn(RawProgram, *mut c_char) -> RawResult;
}

/// NVRTC, loaded.
#[derive(Debug)]
pub(super) struct Library {
    pub(super) path: PathBuf,
    /// (major, minor), as the library says itself.
    pub(super) version: (u32, u32),
    /// Targets it compiles for, as 10 * major + minor, ascending.
    pub(super) archs: Vec<u32>,
    pub(super) symbols: Symbols,
    /// `nvrtcSetFlowCallback`, from 12.8 on.
    pub(super) set_flow_callback: Option<SetFlowCallback>,
}

impl Library {
    /// Loads the library at `path`, once per process.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub(super) fn load(path: &Path, major: Option<u32>) -> Result<Arc<Self>, String> {
        static LOADED: Mutex<BTreeMap<PathBuf, Arc<Library>>> = Mutex::new(BTreeMap::new());
        // Held while loading: the loader serialises that anyway.
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(library) = loaded.get(path) {
            return Ok(Arc::clone(library));
        }
        let library = Arc::new(Self::open(path, major)?);
        loaded.insert(path.to_path_buf(), Arc::clone(&library));
        Ok(library)
    }

    fn open(path: &Path, major: Option<u32>) -> Result<Self, String> {
        // NVRTC opens its builtins by name at the first compilation. Version 13.0
        // does not look beside itself; a library of that name loaded before is found.
        if let Some((_, builtins)) = major.and_then(|major| builtins_of(path, major)) {
            keep_loaded(&builtins)?;
        }
        let library = keep_loaded(path)?;
        // SAFETY: a library of this name has NVRTC's interface; what is not NVRTC
        // lacks the functions and is refused.
        let symbols = unsafe { Symbols::load(library) }?;
        // SAFETY: the function has the type of NVRTC's header.
        let set_flow_callback = unsafe { library.get("nvrtcSetFlowCallback") };
        let set_flow_callback = set_flow_callback.ok().map(|function| *function);
        let (mut major, mut minor, mut count) = (0, 0, 0);
        // SAFETY: writes two integers.
        check(&symbols, unsafe {
            (symbols.version)(&raw mut major, &raw mut minor)
        })?;
        // SAFETY: writes one integer.
        check(&symbols, unsafe { (symbols.count_archs)(&raw mut count) })?;
        let mut archs: Vec<c_int> = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: writes as many integers as it counted.
        check(&symbols, unsafe { (symbols.archs)(archs.as_mut_ptr()) })?;
        archs.sort_unstable();
        let positive = |number: c_int| u32::try_from(number).unwrap_or(0);
        Ok(Self {
            path: path.to_path_buf(),
            version: (positive(major), positive(minor)),
            archs: archs.into_iter().map(positive).collect(),
            symbols,
            set_flow_callback,
        })
    }

    /// NVRTC's own words for a result.
    pub(super) fn message(&self, result: RawResult) -> String {
        message(&self.symbols, result)
    }
}

/// Opens a library that stays loaded until the process ends: NVRTC has threads
/// and exit handlers of its own.
fn keep_loaded(path: &Path) -> Result<&'static libloading::Library, String> {
    // SAFETY: the initialisers of NVRTC and its builtins have no preconditions.
    let library = unsafe { libloading::Library::new(path) };
    let library = library.map_err(|error| {
        let source = std::error::Error::source(&error).map(ToString::to_string);
        source.unwrap_or_else(|| error.to_string())
    })?;
    Ok(Box::leak(Box::new(library)))
}

fn check(symbols: &Symbols, result: RawResult) -> Result<(), String> {
    match result {
        0 => Ok(()),
        failed => Err(message(symbols, failed)),
    }
}

fn message(symbols: &Symbols, result: RawResult) -> String {
    // SAFETY: takes any number.
    let text = unsafe { (symbols.error_string)(result) };
    if text.is_null() {
        return format!("NVRTC error {result}");
    }
    // SAFETY: a constant text of the library, which stays loaded.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().into_owned()
}
