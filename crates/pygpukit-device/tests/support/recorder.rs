//! A device that runs nothing and records what it is asked to launch.

use pygpukit_device::backend::{
    Backend, DeviceId, DeviceInfo, Function, Launch, Need, Priority, Queue, Ticket, Work,
};
use pygpukit_device::{Device, Error, Result};
use std::any::Any;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a [`Recorder`] was asked to do.
#[derive(Debug, Default)]
pub(crate) struct Record {
    pub(crate) launches: Mutex<Vec<Launch>>,
    pub(crate) loads: Mutex<Vec<(Vec<u8>, String)>>,
}

impl Record {
    /// The launches since the last call.
    pub(crate) fn take(&self) -> Vec<Launch> {
        std::mem::take(&mut *self.launches.lock().expect("no panic"))
    }
}

/// A device and what it records.
pub(crate) fn recorder() -> (Device, Arc<Record>) {
    with_info(info(), 1024)
}

/// The same, with kernels that allow `max_threads` threads in a block.
pub(crate) fn with_info(info: DeviceInfo, max_threads: u32) -> (Device, Arc<Record>) {
    let record = Arc::new(Record::default());
    let backend = Recorder {
        record: Arc::clone(&record),
        info,
        max_threads,
    };
    (Device::new(Box::new(backend)), record)
}

pub(crate) fn info() -> DeviceInfo {
    DeviceInfo {
        name: "recorder".into(),
        total_memory: 1 << 30,
        compute_capability: Some((9, 0)),
        multiprocessor_count: 132,
        max_threads_per_block: 1024,
        max_block: [1024, 1024, 64],
        max_grid: [2_147_483_647, 65_535, 65_535],
        shared_memory_per_block: 48 << 10,
        shared_memory_per_block_optin: 227 << 10,
        warp_size: 32,
        l2_cache_size: 0,
        driver_version: None,
    }
}

#[derive(Debug)]
struct Recorder {
    record: Arc<Record>,
    info: DeviceInfo,
    max_threads: u32,
}

#[derive(Debug)]
struct Recording(Arc<Record>);

#[derive(Debug)]
struct Loaded {
    name: String,
    max_threads: u32,
}

impl Backend for Recorder {
    fn id(&self) -> DeviceId {
        DeviceId::Cuda(0)
    }

    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn allocate(&self, bytes: usize) -> Result<u64> {
        // Addresses of their own that lead nowhere: nothing here touches memory.
        static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1 << 20);
        let bytes = (bytes as u64).next_multiple_of(256);
        Ok(NEXT.fetch_add(bytes, std::sync::atomic::Ordering::Relaxed))
    }

    unsafe fn release(&self, _address: u64, _bytes: usize) {}

    unsafe fn write(&self, _address: u64, _source: &[u8]) -> Result<()> {
        Ok(())
    }

    unsafe fn read(&self, _address: u64, _target: &mut [u8]) -> Result<()> {
        Ok(())
    }

    fn queue(&self, _priority: Priority) -> Result<Arc<dyn Queue>> {
        Ok(Arc::new(Recording(Arc::clone(&self.record))))
    }

    unsafe fn adopt(&self, _handle: u64) -> Result<Arc<dyn Queue>> {
        Err(Error::Unsupported("nothing to adopt".into()))
    }

    fn load(&self, image: &[u8], entry: &str) -> Result<Arc<dyn Function>> {
        let load = (image.to_vec(), entry.to_owned());
        self.record.loads.lock().expect("no panic").push(load);
        Ok(Arc::new(Loaded {
            name: entry.into(),
            max_threads: self.max_threads,
        }))
    }
}

impl Queue for Recording {
    fn handle(&self) -> u64 {
        1
    }

    unsafe fn push(&self, work: Work) -> Result<Ticket> {
        if let Work::Launch(launch) = work {
            self.0.launches.lock().expect("no panic").push(launch);
        }
        Ok(0)
    }

    fn mark(&self) -> Result<Ticket> {
        Ok(0)
    }

    fn wait_for(&self, _other: &dyn Queue, _ticket: Ticket, _need: Need) -> Result<()> {
        Ok(())
    }

    fn is_done(&self, _ticket: Ticket) -> Result<bool> {
        Ok(true)
    }

    fn wait(&self, _ticket: Ticket, _timeout: Duration) -> Result<bool> {
        Ok(true)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Function for Loaded {
    fn name(&self) -> &str {
        &self.name
    }

    fn max_threads(&self) -> u32 {
        self.max_threads
    }

    fn occupancy_block(&self, shared: u32) -> Result<u32> {
        Ok(if shared == 0 { 768 } else { 384 })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
