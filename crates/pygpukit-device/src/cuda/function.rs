//! Kernels: loading compiled images, and launching.

use super::context::Context;
use super::driver::{DriverResult, Failure};
use crate::backend::Function;
use crate::error::{Error, Result};
use cudarc::driver::sys::{self, CUfunction_attribute, CUjit_option};
use std::any::Any;
use std::ffi::{CString, c_void};
use std::sync::{Arc, OnceLock};

/// A loaded image.
#[derive(Debug)]
pub(super) struct Module {
    context: Arc<Context>,
    module: sys::CUmodule,
}

// SAFETY: a module's handle may be used from any thread.
unsafe impl Send for Module {}
// SAFETY: as above; nothing of ours changes.
unsafe impl Sync for Module {}

impl Module {
    /// Loads a CUBIN, or PTX, which the driver compiles.
    pub(super) fn load(context: &Arc<Context>, image: &[u8]) -> Result<Arc<Self>> {
        context.check_fault()?;
        context.enter().map_err(|failure| context.error(failure))?;
        // Loading may wait for the device anyway, so this is the place for it.
        context.reap();
        let is_ptx = !image.starts_with(b"\x7fELF");
        // PTX is a C string to the driver; a CUBIN carries its own length.
        let mut image = image.to_vec();
        image.push(0);
        let mut log = vec![0_u8; if is_ptx { 8192 } else { 0 }];
        let mut options = [
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        // The size is passed in the place of a pointer.
        let mut values = [
            log.as_mut_ptr().cast::<c_void>(),
            std::ptr::without_provenance_mut(log.len()),
        ];
        let count = if is_ptx { 2 } else { 0 };
        let mut module = std::ptr::null_mut();
        // SAFETY: the image is terminated and lives through the call, as do
        // `count` options with their values; a context is current.
        let answer = unsafe {
            context.driver.cuModuleLoadDataEx(
                &raw mut module,
                image.as_ptr().cast(),
                count,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        answer.map_err(|failure| describe_load(context, failure, &log))?;
        Ok(Arc::new(Self {
            context: Arc::clone(context),
            module,
        }))
    }
}

/// An error of loading, with what the driver's PTX compiler had to say.
fn describe_load(context: &Context, failure: Failure, log: &[u8]) -> Error {
    let end = log.iter().position(|&byte| byte == 0).unwrap_or(log.len());
    let log = String::from_utf8_lossy(&log[..end]);
    let mut error = context.error(failure);
    if let Error::Driver { text, .. } = &mut error
        && !log.trim().is_empty()
    {
        text.push_str(": ");
        text.push_str(log.trim());
    }
    error
}

impl Drop for Module {
    fn drop(&mut self) {
        if let Some(driver) = self.context.enter_to_destroy() {
            // SAFETY: queues keep the functions of unfinished launches, and with
            // them this module, so nothing runs in it. What the driver answers
            // is of no use here.
            let _ = unsafe { driver.cuModuleUnload(self.module) };
        }
    }
}

/// A kernel of a loaded image.
#[derive(Debug)]
pub(super) struct CudaFunction {
    module: Arc<Module>,
    function: sys::CUfunction,
    name: String,
    max_threads: u32,
    static_shared: u32,
    /// Done once a launch asked for more dynamic shared memory than is free to all.
    opted_in: OnceLock<DriverResult>,
}

// SAFETY: a function's handle may be used from any thread.
unsafe impl Send for CudaFunction {}
// SAFETY: as above; nothing of ours changes but the `OnceLock`.
unsafe impl Sync for CudaFunction {}

impl CudaFunction {
    /// Finds the kernel `entry`; `name` is what messages call it.
    pub(super) fn find(module: &Arc<Module>, entry: &str, name: &str) -> Result<Arc<Self>> {
        let context = &module.context;
        let symbol = CString::new(entry)
            .map_err(|_| Error::Value(format!("`{entry}` is not the name of a kernel")))?;
        let find = || {
            let driver = context.enter()?;
            let mut function = std::ptr::null_mut();
            // SAFETY: the module is loaded, the name terminated, a context current.
            unsafe {
                driver.cuModuleGetFunction(&raw mut function, module.module, symbol.as_ptr())
            }?;
            let attribute = |attribute| {
                let mut value = 0;
                // SAFETY: stores into a live integer.
                unsafe { driver.cuFuncGetAttribute(&raw mut value, attribute, function) }?;
                Ok(value.unsigned_abs())
            };
            Ok(Self {
                module: Arc::clone(module),
                function,
                name: name.to_owned(),
                max_threads: attribute(
                    CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                )?,
                static_shared: attribute(
                    CUfunction_attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                )?,
                opted_in: OnceLock::new(),
            })
        };
        find()
            .map(Arc::new)
            .map_err(|failure| context.error(failure))
    }

    /// Launches in `stream`.
    ///
    /// # Safety
    /// `stream` is a live stream of the context, which is current; the
    /// parameters are laid out as the kernel's image says, and the kernel touches
    /// only memory that stays allocated until it is done.
    pub(super) unsafe fn launch(
        &self,
        stream: sys::CUstream,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        parameters: &[u8],
        limits: SharedLimits,
    ) -> DriverResult {
        // From the driver's header: marks in the list of extra arguments.
        const END: *mut c_void = std::ptr::null_mut();
        const BUFFER: *mut c_void = std::ptr::without_provenance_mut(1);
        const BUFFER_SIZE: *mut c_void = std::ptr::without_provenance_mut(2);
        if shared.saturating_add(self.static_shared) > limits.free {
            self.opt_in(limits)?;
        }
        let mut size = parameters.len();
        let mut extra = [
            BUFFER,
            parameters.as_ptr().cast_mut().cast(),
            BUFFER_SIZE,
            (&raw mut size).cast(),
            END,
        ];
        let extra = if parameters.is_empty() {
            std::ptr::null_mut()
        } else {
            extra.as_mut_ptr()
        };
        // SAFETY: the caller's promise; the driver copies the parameters.
        unsafe {
            self.module.context.driver.cuLaunchKernel(
                self.function,
                grid[0],
                grid[1],
                grid[2],
                block[0],
                block[1],
                block[2],
                shared,
                stream,
                std::ptr::null_mut(),
                extra,
            )
        }
    }

    /// Lets launches have all the shared memory that the device can give a block.
    fn opt_in(&self, limits: SharedLimits) -> DriverResult {
        let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let most = limits.opt_in.saturating_sub(self.static_shared);
        *self.opted_in.get_or_init(|| {
            // SAFETY: a live function; a context is current.
            unsafe {
                self.module.context.driver.cuFuncSetAttribute(
                    self.function,
                    attribute,
                    most.cast_signed(),
                )
            }
        })
    }
}

/// Bytes of shared memory a block may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SharedLimits {
    /// Without asking.
    pub(super) free: u32,
    /// After opting in.
    pub(super) opt_in: u32,
}

impl Function for CudaFunction {
    fn name(&self) -> &str {
        &self.name
    }

    fn max_threads(&self) -> u32 {
        self.max_threads
    }

    fn occupancy_block(&self, shared: u32) -> Result<u32> {
        let context = &self.module.context;
        let (mut grid, mut block) = (0, 0);
        let mut ask = || {
            let driver = context.enter()?;
            // SAFETY: stores into live integers; without a callback the amount of
            // shared memory is the one given; a limit of 0 is none.
            unsafe {
                driver.cuOccupancyMaxPotentialBlockSize(
                    &raw mut grid,
                    &raw mut block,
                    self.function,
                    None,
                    shared as usize,
                    0,
                )
            }
        };
        ask().map_err(|failure| context.error(failure))?;
        Ok(block.unsigned_abs())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The kernel of a launch, if this backend loaded it on this device.
pub(super) fn downcast<'a>(
    function: &'a Arc<dyn Function>,
    context: &Arc<Context>,
) -> Result<&'a CudaFunction> {
    function
        .as_any()
        .downcast_ref::<CudaFunction>()
        .filter(|function| Arc::ptr_eq(&function.module.context, context))
        .ok_or_else(|| {
            Error::Value(format!(
                "the kernel `{}` was not loaded on `{}`",
                function.name(),
                context.id
            ))
        })
}
