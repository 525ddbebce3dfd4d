//! The functions of the NVIDIA driver, loaded at run time.
//!
//! Types and constants are cudarc's. Its own loader is not used: it looks a
//! symbol up at the first call and panics where there is none, and it returns
//! results as an enum, which a newer driver's unknown code would make undefined
//! behaviour. Here every function is found before the first call, and results
//! are numbers.

use crate::error::Error;
use cudarc::driver::sys;
use libloading::Library;
use std::error::Error as _;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

/// A `CUresult`.
pub(super) type Code = u32;

/// The codes that mean something to us.
pub(super) mod code {
    use super::{Code, sys::CUresult};

    pub(in crate::cuda) const SUCCESS: Code = CUresult::CUDA_SUCCESS as Code;
    pub(in crate::cuda) const OUT_OF_MEMORY: Code = CUresult::CUDA_ERROR_OUT_OF_MEMORY as Code;
    pub(in crate::cuda) const NOT_INITIALIZED: Code = CUresult::CUDA_ERROR_NOT_INITIALIZED as Code;
    pub(in crate::cuda) const NO_DEVICE: Code = CUresult::CUDA_ERROR_NO_DEVICE as Code;
    pub(in crate::cuda) const NOT_READY: Code = CUresult::CUDA_ERROR_NOT_READY as Code;
}

/// A call that the driver refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) call: &'static str,
    pub(super) code: Code,
}

impl Failure {
    /// True if the work itself failed, after it was queued: from then on the
    /// driver answers every call in the context with the same code.
    pub(super) fn is_fault(self) -> bool {
        // ECC, launch faults and timeouts, hardware exceptions, and "unknown".
        matches!(self.code, 214 | 220..=222 | 700 | 702 | 709 | 710 | 713..=719 | 721 | 999)
    }

    /// The driver's name for the code and its description.
    pub(super) fn describe(self) -> (String, String) {
        let text = |ask: Describe| {
            let mut text = std::ptr::null();
            // SAFETY: stores a pointer to a constant string, or null.
            unsafe {
                ask(self.code, &raw mut text);
                (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
            }
        };
        let driver = load().as_ref().ok();
        let name = driver.and_then(|driver| text(driver.name));
        let description = driver.and_then(|driver| text(driver.text));
        (
            name.unwrap_or_else(|| "unknown error".into()),
            description.unwrap_or_else(|| "the driver has no description".into()),
        )
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let (name, text) = failure.describe();
        Self::Driver {
            call: failure.call,
            code: failure.code,
            name,
            text,
        }
    }
}

pub(super) type DriverResult<T = ()> = std::result::Result<T, Failure>;

/// Declares the functions: a table of pointers, and a checked call for each.
macro_rules! functions {
    ($(fn $name:ident($($argument:ident: $type:ty),*);)*) => {
        #[expect(non_snake_case, reason = "the names are the driver's")]
        #[derive(Clone, Copy, Debug)]
        struct Functions {
            $($name: unsafe extern "C" fn($($type),*) -> Code,)*
        }

        // The signatures are those of cudarc's bindings.
        $(const _: unsafe fn($($type),*) -> sys::CUresult = sys::$name;)*

        impl Functions {
            fn find(library: &Library) -> Result<Self, &'static str> {
                Ok(Self {
                    // SAFETY: the driver's function of that name has this type.
                    $($name: *unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) }
                        .map_err(|_| stringify!($name))?,)*
                })
            }
        }

        #[expect(non_snake_case, reason = "the names are the driver's")]
        #[expect(clippy::too_many_arguments, reason = "the signatures are the driver's")]
        impl Driver {
            $(pub(super) unsafe fn $name(&self, $($argument: $type),*) -> DriverResult {
                // SAFETY: the caller keeps to the contract of the driver's function.
                let code = unsafe { (self.functions.$name)($($argument),*) };
                match code {
                    code::SUCCESS => Ok(()),
                    code => Err(Failure { call: stringify!($name), code }),
                }
            })*
        }
    };
}

functions! {
    fn cuInit(flags: c_uint);
    fn cuDriverGetVersion(version: *mut c_int);
    fn cuDeviceGetCount(count: *mut c_int);
    fn cuDeviceGet(device: *mut sys::CUdevice, ordinal: c_int);
    fn cuDeviceGetName(name: *mut c_char, room: c_int, device: sys::CUdevice);
    fn cuDeviceGetAttribute(value: *mut c_int, attribute: sys::CUdevice_attribute, device: sys::CUdevice);
    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: sys::CUdevice);
    fn cuDevicePrimaryCtxRetain(context: *mut sys::CUcontext, device: sys::CUdevice);
    fn cuDevicePrimaryCtxRelease_v2(device: sys::CUdevice);
    fn cuCtxSetCurrent(context: sys::CUcontext);
    fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int);
    fn cuMemAlloc_v2(address: *mut sys::CUdeviceptr, bytes: usize);
    fn cuMemFree_v2(address: sys::CUdeviceptr);
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    fn cuMemcpyHtoDAsync_v2(target: sys::CUdeviceptr, source: *const c_void, bytes: usize, stream: sys::CUstream);
    fn cuMemcpyDtoHAsync_v2(target: *mut c_void, source: sys::CUdeviceptr, bytes: usize, stream: sys::CUstream);
    fn cuStreamCreateWithPriority(stream: *mut sys::CUstream, flags: c_uint, priority: c_int);
    fn cuStreamDestroy_v2(stream: sys::CUstream);
    fn cuStreamQuery(stream: sys::CUstream);
    fn cuStreamWaitEvent(stream: sys::CUstream, event: sys::CUevent, flags: c_uint);
    fn cuEventCreate(event: *mut sys::CUevent, flags: c_uint);
    fn cuEventDestroy_v2(event: sys::CUevent);
    fn cuEventRecord(event: sys::CUevent, stream: sys::CUstream);
    fn cuEventQuery(event: sys::CUevent);
    fn cuModuleLoadDataEx(module: *mut sys::CUmodule, image: *const c_void, count: c_uint, options: *mut sys::CUjit_option, values: *mut *mut c_void);
    fn cuModuleUnload(module: sys::CUmodule);
    fn cuModuleGetFunction(function: *mut sys::CUfunction, module: sys::CUmodule, name: *const c_char);
    fn cuFuncGetAttribute(value: *mut c_int, attribute: sys::CUfunction_attribute, function: sys::CUfunction);
    fn cuFuncSetAttribute(function: sys::CUfunction, attribute: sys::CUfunction_attribute, value: c_int);
    fn cuOccupancyMaxPotentialBlockSize(grid: *mut c_int, block: *mut c_int, function: sys::CUfunction, shared_of_block: sys::CUoccupancyB2DSize, shared: usize, limit: c_int);
    fn cuLaunchKernel(function: sys::CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint, block_z: c_uint, shared: c_uint, stream: sys::CUstream, parameters: *mut *mut c_void, extra: *mut *mut c_void);
}

/// `cuGetErrorName` or `cuGetErrorString`: unlike in the bindings, any number is
/// a code.
type Describe = unsafe extern "C" fn(Code, *mut *const c_char) -> Code;

/// The loaded driver.
#[derive(Debug)]
pub(super) struct Driver {
    functions: Functions,
    name: Describe,
    text: Describe,
    /// Never closed: the functions live in it, and the driver has threads.
    _library: Library,
}

/// Why there is no driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LoadError {
    /// No library of that name; the loader's words.
    NotFound(String),
    /// A library without one of the functions.
    Incomplete {
        /// The library.
        library: &'static str,
        /// The first function that is missing.
        missing: &'static str,
    },
}

#[cfg(windows)]
const LIBRARIES: &[&str] = &["nvcuda.dll"];
/// The second is where WSL keeps the driver, outside the loader's usual paths.
#[cfg(not(windows))]
const LIBRARIES: &[&str] = &["libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"];

/// The driver, loaded once a process. Initializes nothing.
pub(super) fn load() -> &'static Result<Driver, LoadError> {
    static DRIVER: OnceLock<Result<Driver, LoadError>> = OnceLock::new();
    DRIVER.get_or_init(|| {
        let mut first = None;
        for &name in LIBRARIES {
            // SAFETY: loading the driver runs its initializers, as every CUDA
            // program does.
            match unsafe { Library::new(name) } {
                Ok(library) => {
                    return Driver::find(library).map_err(|missing| LoadError::Incomplete {
                        library: name,
                        missing,
                    });
                }
                // The loader's own words are one level down.
                Err(error) => {
                    let why = error
                        .source()
                        .map_or_else(|| error.to_string(), ToString::to_string);
                    first = first.or(Some(why));
                }
            }
        }
        Err(LoadError::NotFound(first.unwrap_or_default()))
    })
}

impl Driver {
    /// Finds every function, or names the first that is missing.
    fn find(library: Library) -> Result<Self, &'static str> {
        let describe = |name: &'static str| {
            // SAFETY: both functions have this type, but that the code is an enum
            // in the driver's header.
            unsafe { library.get::<Describe>(name.as_bytes()) }
                .map(|symbol| *symbol)
                .map_err(|_| name)
        };
        Ok(Self {
            functions: Functions::find(&library)?,
            name: describe("cuGetErrorName")?,
            text: describe("cuGetErrorString")?,
            _library: library,
        })
    }

    /// Initializes the driver; the first call decides how it is set up.
    pub(super) fn init(&self) -> DriverResult {
        const CONNECTIONS: &str = "CUDA_DEVICE_MAX_CONNECTIONS";
        // With the default of 8 hardware queues, streams that have nothing to do
        // with each other wait behind each other. Only read by `cuInit`.
        static ONCE: OnceLock<()> = OnceLock::new();
        ONCE.get_or_init(|| {
            if std::env::var_os(CONNECTIONS).is_none() {
                // SAFETY: Rust's own reads and writes of the environment are
                // serialized. C code that reads it in another thread at this very
                // moment could race, as with any `setenv` in a process; there is
                // no other way to tell the driver.
                unsafe { std::env::set_var(CONNECTIONS, "32") };
            }
        });
        // SAFETY: the flags must be 0.
        unsafe { self.cuInit(0) }
    }

    /// The driver's CUDA version as (major, minor).
    pub(super) fn version(&self) -> DriverResult<(u32, u32)> {
        let mut version = 0;
        // SAFETY: stores into a live integer.
        unsafe { self.cuDriverGetVersion(&raw mut version) }?;
        let version = version.unsigned_abs();
        Ok((version / 1000, version % 1000 / 10))
    }

    /// Number of devices.
    pub(super) fn device_count(&self) -> DriverResult<u32> {
        let mut count = 0;
        // SAFETY: stores into a live integer.
        unsafe { self.cuDeviceGetCount(&raw mut count) }?;
        Ok(count.unsigned_abs())
    }
}
