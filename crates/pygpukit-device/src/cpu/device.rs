//! The CPU backend: allocating, copying, making queues.

use super::block::pointer;
use super::host;
use super::pool::Pool;
use super::queue::CpuQueue;
use crate::backend::{Backend, DeviceId, DeviceInfo, Function, Priority, Queue};
use crate::error::{Error, OutOfMemory, Result};
use std::alloc::Layout;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Opens the CPU device.
///
/// # Errors
/// [`Error::Value`] for an environment variable that makes no sense.
pub(crate) fn open() -> Result<Box<dyn Backend>> {
    Ok(Box::new(Cpu::new(
        host::capacity()?,
        Pool::from_environment()?,
    )))
}

#[derive(Debug)]
struct Cpu {
    info: DeviceInfo,
    /// Bytes allocated and not yet released.
    allocated: AtomicU64,
    pool: Arc<Pool>,
}

impl Cpu {
    fn new(total_memory: u64, pool: Pool) -> Self {
        Self {
            info: DeviceInfo {
                name: host::name(),
                total_memory,
                compute_capability: None,
                multiprocessor_count: u32::try_from(pool.threads()).unwrap_or(u32::MAX),
                max_threads_per_block: 0,
                max_block: [0; 3],
                max_grid: [0; 3],
                shared_memory_per_block: 0,
                shared_memory_per_block_optin: 0,
                warp_size: 0,
                l2_cache_size: host::last_level_cache(),
                driver_version: None,
            },
            allocated: AtomicU64::new(0),
            pool: Arc::new(pool),
        }
    }

    fn out_of_memory(&self, asked: usize, used: u64) -> Error {
        let limit = self.info.total_memory;
        Error::OutOfMemory(Box::new(OutOfMemory {
            device: DeviceId::Cpu,
            owner: "the device".into(),
            asked: asked as u64,
            used,
            limit,
            available: limit.saturating_sub(used),
        }))
    }

    /// Whole pages for large blocks, so that they can be huge ones.
    fn memory_layout(bytes: usize) -> Option<Layout> {
        let align = if bytes >= HUGE_PAGE { HUGE_PAGE } else { 256 };
        Layout::from_size_align(bytes, align).ok()
    }
}

const HUGE_PAGE: usize = 2 << 20;

impl Backend for Cpu {
    fn id(&self) -> DeviceId {
        DeviceId::Cpu
    }

    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn allocate(&self, bytes: usize) -> Result<u64> {
        let limit = self.info.total_memory;
        self.allocated
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
                used.checked_add(bytes as u64).filter(|&sum| sum <= limit)
            })
            .map_err(|used| self.out_of_memory(bytes, used))?;
        let memory = Self::memory_layout(bytes).map_or(std::ptr::null_mut(), |layout| {
            // SAFETY: the backend is asked for more than 0 bytes.
            unsafe { std::alloc::alloc(layout) }
        });
        if memory.is_null() {
            let before = self.allocated.fetch_sub(bytes as u64, Ordering::Relaxed);
            return Err(self.out_of_memory(bytes, before - bytes as u64));
        }
        #[cfg(target_os = "linux")]
        if bytes >= HUGE_PAGE {
            // SAFETY: the range is ours. This is advice: nothing depends on it.
            unsafe { libc::madvise(memory.cast(), bytes, libc::MADV_HUGEPAGE) };
        }
        Ok(memory.expose_provenance() as u64)
    }

    unsafe fn release(&self, address: u64, bytes: usize) {
        if let Some(layout) = Self::memory_layout(bytes) {
            // SAFETY: the caller's promise: it came from `allocate`, with this layout.
            unsafe { std::alloc::dealloc(pointer(address), layout) };
        }
        self.allocated.fetch_sub(bytes as u64, Ordering::Relaxed);
    }

    unsafe fn write(&self, address: u64, source: &[u8]) -> Result<()> {
        // SAFETY: the caller's promise; the source is the caller's own memory.
        unsafe { pointer::<u8>(address).copy_from(source.as_ptr(), source.len()) };
        Ok(())
    }

    unsafe fn read(&self, address: u64, target: &mut [u8]) -> Result<()> {
        // SAFETY: the caller's promise; the target is the caller's own memory.
        unsafe { pointer::<u8>(address).copy_to(target.as_mut_ptr(), target.len()) };
        Ok(())
    }

    fn queue(&self, _priority: Priority) -> Result<Arc<dyn Queue>> {
        Ok(Arc::new(CpuQueue::new(Arc::clone(&self.pool))))
    }

    unsafe fn adopt(&self, handle: u64) -> Result<Arc<dyn Queue>> {
        Err(Error::Unsupported(format!(
            "device `cpu` has no streams of other libraries to adopt (handle `{handle:#x}`)"
        )))
    }

    fn load(&self, _image: &[u8], entry: &str) -> Result<Arc<dyn Function>> {
        Err(Error::Unsupported(format!(
            "device `cpu` cannot run kernel `{entry}`: custom kernels need a CUDA device"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_limited_and_aligned() {
        let cpu = Cpu::new(10_000_000, Pool::new(1));
        let small = cpu.allocate(100).unwrap();
        let large = cpu.allocate(9_000_000).unwrap();
        assert_eq!((small % 256, large % 256), (0, 0));
        let error = cpu.allocate(2_000_000).unwrap_err();
        assert!(
            error.to_string().contains("999900 are available"),
            "{error}"
        );
        // SAFETY: allocated above, in use by nobody.
        unsafe {
            cpu.release(large, 9_000_000);
            cpu.release(small, 100);
        }
        let exact = cpu.allocate(10_000_000).unwrap();
        // SAFETY: as above.
        unsafe { cpu.release(exact, 10_000_000) };
    }
}
