//! A device with memory of the host, whose work completes, waits or fails as told.

use pygpukit_core::scheduler::{MemoryAsk, Request, TaskSpec};
use pygpukit_core::units::{Bytes, Nanoseconds};
use pygpukit_device::backend::{
    Backend, DeviceId, DeviceInfo, Function, Need, Priority, Queue, Ticket, Work,
};
use pygpukit_device::scheduler::{ManualClock, Scheduler, SchedulerOptions};
use pygpukit_device::{Device, Error, Result};
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// What the tests tell all queues of a device.
#[derive(Debug, Default)]
pub(crate) struct Control {
    state: Mutex<Told>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Told {
    holds: bool,
    fails: bool,
}

impl Control {
    /// Work pushed does not complete until `release`.
    pub(crate) fn hold(&self) {
        self.state.lock().unwrap().holds = true;
    }

    pub(crate) fn release(&self) {
        self.state.lock().unwrap().holds = false;
        self.changed.notify_all();
    }

    /// Work fails from now on, or no more.
    pub(crate) fn fail(&self, fails: bool) {
        self.state.lock().unwrap().fails = fails;
        self.changed.notify_all();
    }
}

#[derive(Debug)]
struct FakeBackend {
    info: DeviceInfo,
    control: Arc<Control>,
    memory: Mutex<BTreeMap<u64, Vec<u8>>>,
}

#[derive(Debug)]
struct FakeQueue {
    control: Arc<Control>,
    pushed: Mutex<Ticket>,
}

impl Backend for FakeBackend {
    fn id(&self) -> DeviceId {
        DeviceId::Cpu
    }

    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn allocate(&self, bytes: usize) -> Result<u64> {
        let block = vec![0; bytes];
        let address = block.as_ptr().addr() as u64;
        self.memory.lock().unwrap().insert(address, block);
        Ok(address)
    }

    unsafe fn release(&self, address: u64, bytes: usize) {
        let block = self.memory.lock().unwrap().remove(&address);
        assert_eq!(block.unwrap().len(), bytes);
    }

    unsafe fn write(&self, address: u64, source: &[u8]) -> Result<()> {
        let mut memory = self.memory.lock().unwrap();
        memory.get_mut(&address).unwrap()[..source.len()].copy_from_slice(source);
        Ok(())
    }

    unsafe fn read(&self, address: u64, target: &mut [u8]) -> Result<()> {
        target.copy_from_slice(&self.memory.lock().unwrap()[&address][..target.len()]);
        Ok(())
    }

    fn queue(&self, _: Priority) -> Result<Arc<dyn Queue>> {
        Ok(Arc::new(FakeQueue {
            control: Arc::clone(&self.control),
            pushed: Mutex::new(0),
        }))
    }

    unsafe fn adopt(&self, _: u64) -> Result<Arc<dyn Queue>> {
        Err(Error::Unsupported("no foreign streams here".into()))
    }

    fn load(&self, _: &[u8], _: &str) -> Result<Arc<dyn Function>> {
        Err(Error::Unsupported("no kernels here".into()))
    }
}

impl Queue for FakeQueue {
    fn handle(&self) -> u64 {
        0
    }

    unsafe fn push(&self, _: Work) -> Result<Ticket> {
        let mut pushed = self.pushed.lock().unwrap();
        *pushed += 1;
        Ok(*pushed)
    }

    fn mark(&self) -> Result<Ticket> {
        Ok(*self.pushed.lock().unwrap())
    }

    fn wait_for(&self, _: &dyn Queue, _: Ticket, _: Need) -> Result<()> {
        Ok(())
    }

    fn is_done(&self, ticket: Ticket) -> Result<bool> {
        self.wait(ticket, Duration::ZERO)
    }

    fn wait(&self, ticket: Ticket, timeout: Duration) -> Result<bool> {
        if ticket == 0 {
            return Ok(true);
        }
        let told = self.control.state.lock().unwrap();
        let (told, waited) = self
            .control
            .changed
            .wait_timeout_while(told, timeout, |told| told.holds)
            .unwrap();
        if told.fails {
            return Err(Error::Fault {
                work: "fill".into(),
                stream: 7,
                reason: "told to fail".into(),
            });
        }
        Ok(!waited.timed_out() || !told.holds)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A device of 1000 bytes, a scheduler on it, and what moves them.
pub(crate) struct Bench {
    pub(crate) device: Device,
    pub(crate) scheduler: Scheduler,
    pub(crate) control: Arc<Control>,
    pub(crate) clock: Arc<ManualClock>,
}

pub(crate) fn bench() -> Bench {
    let clock = Arc::new(ManualClock::default());
    let control = Arc::new(Control::default());
    let device = Device::with_clock(backend(&control), clock.clone());
    Bench {
        scheduler: Scheduler::new(&device, SchedulerOptions::default()).unwrap(),
        device,
        control,
        clock,
    }
}

pub(crate) fn backend(control: &Arc<Control>) -> Box<dyn Backend> {
    let info = DeviceInfo {
        name: "fake".into(),
        total_memory: 1000,
        compute_capability: None,
        multiprocessor_count: 1,
        max_threads_per_block: 1,
        max_block: [1; 3],
        max_grid: [1; 3],
        shared_memory_per_block: 0,
        shared_memory_per_block_optin: 0,
        warp_size: 1,
        l2_cache_size: 0,
        driver_version: None,
    };
    Box::new(FakeBackend {
        info,
        control: Arc::clone(control),
        memory: Mutex::default(),
    })
}

/// A gate that a job waits at until a test opens it.
pub(crate) fn gate() -> (Sender<()>, Receiver<()>) {
    channel()
}

pub(crate) fn nothing() -> TaskSpec {
    TaskSpec::default()
}

pub(crate) fn memory(bytes: u64) -> TaskSpec {
    burst(bytes, bytes)
}

pub(crate) fn burst(request: u64, limit: u64) -> TaskSpec {
    TaskSpec {
        memory: Some(MemoryAsk {
            request: Bytes::new(request),
            limit: Some(Bytes::new(limit)),
        }),
        ..nothing()
    }
}

pub(crate) fn patient(nanoseconds: u64, spec: TaskSpec) -> TaskSpec {
    TaskSpec {
        queue_timeout: Some(Nanoseconds::new(nanoseconds)),
        ..spec
    }
}

pub(crate) fn request(spec: TaskSpec) -> Request {
    spec.try_into().unwrap()
}
