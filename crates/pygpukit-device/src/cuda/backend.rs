//! A CUDA device behind the backend trait.

use super::builtin::Builtin;
use super::compiler;
use super::context::Context;
use super::driver::{self, Driver, DriverResult, code};
use super::function::{CudaFunction, Module};
use super::queue::CudaQueue;
use super::transfer::Transfers;
use crate::backend::{Backend, DeviceId, DeviceInfo, Function, Priority, Queue};
use crate::device::Presence;
use crate::error::{Error, OutOfMemory, Result};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute};
use std::ffi::CStr;
use std::sync::Arc;

/// A CUDA device.
#[derive(Debug)]
struct Cuda {
    context: Arc<Context>,
    builtin: Arc<Builtin>,
    transfers: Transfers,
}

/// Opens a device: retains its primary context.
pub(crate) fn open(ordinal: u32) -> Result<Box<dyn Backend>> {
    let refuse = |reason: String| Error::DeviceNotAvailable {
        device: DeviceId::Cuda(ordinal).to_string(),
        reason,
    };
    let count = match super::presence() {
        Presence::Present { count } => count,
        Presence::Absent { reason } | Presence::Unusable { reason } => return Err(refuse(reason)),
    };
    if ordinal >= count {
        let found = match count {
            1 => "there is one CUDA device, `cuda:0`".into(),
            _ => format!(
                "there are {count} CUDA devices, `cuda:0` to `cuda:{}`",
                count - 1
            ),
        };
        return Err(refuse(found));
    }
    // `presence` has loaded it.
    let driver = driver::load()
        .as_ref()
        .map_err(|error| refuse(format!("{error:?}")))?;
    let opened = || {
        driver.init()?;
        let context = Context::retain(driver, ordinal)?;
        let info = describe(driver, context.device)?;
        let transfers = Transfers::new(&context)?;
        Ok((context, info, transfers))
    };
    let (context, info, transfers) =
        opened().map_err(|failure: driver::Failure| refuse(Error::from(failure).to_string()))?;
    let compiler = compiler::for_device(&info);
    Ok(Box::new(Cuda {
        builtin: Arc::new(Builtin::new(&context, compiler, info)),
        context,
        transfers,
    }))
}

fn describe(driver: &Driver, device: sys::CUdevice) -> DriverResult<DeviceInfo> {
    let ask = |attribute| {
        let mut value = 0;
        // SAFETY: stores into a live integer.
        unsafe { driver.cuDeviceGetAttribute(&raw mut value, attribute, device) }?;
        Ok(value.unsigned_abs())
    };
    let mut name = [0; 128];
    let mut total = 0_usize;
    // SAFETY: stores into live memory of the sizes given.
    unsafe {
        driver.cuDeviceGetName(name.as_mut_ptr(), 128, device)?;
        driver.cuDeviceTotalMem_v2(&raw mut total, device)?;
    }
    // The driver ends the name; if it did not, the last byte does.
    name[127] = 0;
    // SAFETY: terminated, and alive.
    let name = unsafe { CStr::from_ptr(name.as_ptr()) };
    Ok(DeviceInfo {
        name: name.to_string_lossy().into_owned(),
        total_memory: total as u64,
        compute_capability: Some((
            ask(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            ask(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        )),
        multiprocessor_count: ask(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        max_threads_per_block: ask(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        max_block: [
            ask(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
            ask(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
            ask(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
        ],
        max_grid: [
            ask(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
            ask(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
            ask(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
        ],
        shared_memory_per_block: ask(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?,
        shared_memory_per_block_optin: ask(
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
        )?,
        warp_size: ask(Attribute::CU_DEVICE_ATTRIBUTE_WARP_SIZE)?,
        l2_cache_size: ask(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?,
        driver_version: Some(driver.version()?),
    })
}

impl Cuda {
    fn out_of_memory(&self, asked: usize) -> Error {
        let (mut free, mut total) = (0, 0);
        // SAFETY: stores into live integers; a context is current. Without an
        // answer the message says 0.
        let _ = unsafe {
            self.context
                .driver
                .cuMemGetInfo_v2(&raw mut free, &raw mut total)
        };
        Error::OutOfMemory(Box::new(OutOfMemory {
            device: self.context.id,
            owner: "the device".into(),
            asked: asked as u64,
            used: total.saturating_sub(free) as u64,
            limit: total as u64,
            available: free as u64,
        }))
    }
}

impl Backend for Cuda {
    fn id(&self) -> DeviceId {
        self.context.id
    }

    fn info(&self) -> &DeviceInfo {
        self.builtin.info()
    }

    fn allocate(&self, bytes: usize) -> Result<u64> {
        self.context.check_fault()?;
        let mut address = 0;
        let answer = self.context.enter().and_then(|driver| {
            // SAFETY: stores into a live integer; a context is current.
            unsafe { driver.cuMemAlloc_v2(&raw mut address, bytes) }
        });
        match answer {
            Ok(()) => Ok(address),
            Err(failure) if failure.code == code::OUT_OF_MEMORY => Err(self.out_of_memory(bytes)),
            Err(failure) => Err(self.context.error(failure)),
        }
    }

    unsafe fn release(&self, address: u64, _bytes: usize) {
        if let Some(driver) = self.context.enter_to_destroy() {
            // SAFETY: the caller's promise. A failure means that the context is
            // gone, and the memory with it.
            let _ = unsafe { driver.cuMemFree_v2(address) };
        }
    }

    unsafe fn write(&self, address: u64, source: &[u8]) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.transfers.write(address, source) }
    }

    unsafe fn read(&self, address: u64, target: &mut [u8]) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.transfers.read(address, target) }
    }

    fn queue(&self, priority: Priority) -> Result<Arc<dyn Queue>> {
        let queue = CudaQueue::new(&self.context, &self.builtin, priority)?;
        Ok(Arc::new(queue))
    }

    unsafe fn adopt(&self, handle: u64) -> Result<Arc<dyn Queue>> {
        self.context.check_fault()?;
        let queue = CudaQueue::adopt(&self.context, &self.builtin, handle);
        Ok(Arc::new(queue))
    }

    fn load(&self, image: &[u8], entry: &str) -> Result<Arc<dyn Function>> {
        let module = Module::load(&self.context, image)?;
        Ok(CudaFunction::find(&module, entry, entry)?)
    }
}
