//! Many tasks, several schedulers, one device.

use crate::fake::{Control, backend, bench, gate, memory, nothing, patient, request};
use pygpukit_core::array::DType;
use pygpukit_core::scheduler::{Admission, Replay};
use pygpukit_core::units::Bytes;
use pygpukit_device::scheduler::{JobError, Outcome, Scheduler, SchedulerOptions, TaskContext};
use pygpukit_device::{Array, Device, Error};
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

fn limited(device: &Device, bytes: u64) -> Result<Scheduler, Error> {
    let options = SchedulerOptions {
        memory: Some(Bytes::new(bytes)),
        ..SchedulerOptions::default()
    };
    Scheduler::new(device, options)
}

#[test]
fn schedulers_of_a_device_share_its_memory() {
    let bench = bench();
    let other = Scheduler::new(&bench.device, SchedulerOptions::default()).unwrap();
    let (open, gate) = gate();
    let first = bench.scheduler.submit(request(memory(800)), move |_| {
        gate.recv()?;
        Ok::<_, JobError>(())
    });
    let second = other
        .submit(request(memory(800)), |_| Ok::<_, Error>(()))
        .unwrap();
    assert!(matches!(
        second.task().admission(),
        Admission::Queued { .. }
    ));
    open.send(()).unwrap();
    assert!(second.wait(None).unwrap().unwrap().is_ok());
    first.unwrap().wait(None).unwrap();
}

#[test]
fn a_scheduler_has_its_own_limit() {
    let bench = bench();
    let small = limited(&bench.device, 300).unwrap();
    let job = |context: &TaskContext| Array::empty(context.stream(), &[301], DType::UInt8);
    let task = small.submit(request(memory(301)), job).unwrap();
    let Some(Outcome::Rejected(rejection)) = task.task().wait(None).unwrap() else {
        panic!("{task:?}");
    };
    assert_eq!(rejection.limit, 300);
    let best_effort = small.submit(request(nothing()), job).unwrap();
    assert!(best_effort.wait(None).unwrap().unwrap().is_err());
    for bytes in [0, 1001] {
        let error = limited(&bench.device, bytes).unwrap_err().to_string();
        assert!(error.contains(&format!("{bytes} bytes")), "{error}");
    }
}

#[test]
fn a_timeout_is_noticed_by_itself() {
    // A clock that runs: the timer thread has to wake up.
    let device = Device::new(backend(&Arc::new(Control::default())));
    let scheduler = Scheduler::new(&device, SchedulerOptions::default()).unwrap();
    let (open, gate) = gate();
    let first = scheduler.submit(request(memory(800)), move |_| {
        gate.recv()?;
        Ok::<_, JobError>(())
    });
    let spec = patient(1_000_000, memory(800));
    let second = scheduler
        .submit(request(spec), |_| Ok::<_, Error>(()))
        .unwrap();
    assert!(matches!(
        second.task().wait(None).unwrap(),
        Some(Outcome::Rejected(_))
    ));
    open.send(()).unwrap();
    first.unwrap().wait(None).unwrap();
}

#[test]
fn many_tasks_from_many_threads_never_hold_more_than_there_is() {
    let bench = bench();
    let held = AtomicU64::new(0);
    let ended = AtomicU64::new(0);
    let (held, ended) = (Arc::new(held), Arc::new(ended));
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            let (scheduler, held, ended) = (&bench.scheduler, &held, &ended);
            scope.spawn(move || {
                for turn in 0..100_u64 {
                    let bytes = 100 + (thread * 37 + turn * 101) % 700;
                    let held = Arc::clone(held);
                    let promise = scheduler
                        .submit(request(memory(bytes)), move |context| {
                            let now = held.fetch_add(bytes, Ordering::SeqCst) + bytes;
                            let count = usize::try_from(bytes).unwrap();
                            let array = Array::empty(context.stream(), &[count], DType::UInt8);
                            held.fetch_sub(bytes, Ordering::SeqCst);
                            assert!(now <= 1000, "{now} bytes at once");
                            array.map(drop)
                        })
                        .unwrap();
                    if turn % 3 == 0 {
                        let _ = promise.task().cancel();
                    }
                    let ended = Arc::clone(ended);
                    promise.task().on_done(move |task| {
                        let state = task.wait(None).unwrap().unwrap();
                        assert!(matches!(state, Outcome::Completed | Outcome::Cancelled));
                        ended.fetch_add(1, Ordering::SeqCst);
                    });
                }
            });
        }
    });
    bench.scheduler.close(true, false).unwrap();
    assert_eq!(ended.load(Ordering::SeqCst), 400);
    let stats = bench.scheduler.stats().unwrap();
    assert_eq!(stats.device.available_memory, Bytes::new(1000));
    assert_eq!((stats.unfinished, stats.device.queued), (0, 0));
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_log_of_a_device_replays() {
    let bench = bench();
    let outside = Array::empty(bench.device.default_stream().unwrap(), &[100], DType::UInt8);
    let log = Shared::default();
    let options = SchedulerOptions {
        log: Some(Box::new(log.clone())),
        ..SchedulerOptions::default()
    };
    let logged = Scheduler::new(&bench.device, options).unwrap();
    let promises: Vec<_> = (0..20)
        .map(|turn| {
            let spec = memory(100 + turn * 45);
            let count = usize::try_from(turn).unwrap();
            logged.submit(request(spec), move |context| {
                Array::empty(context.stream(), &[count], DType::UInt8)
            })
        })
        .collect();
    promises[0].as_ref().unwrap().wait(None).unwrap();
    drop(outside);
    drop(promises);
    logged.close(true, false).unwrap();
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let replay = Replay::run(text.lines()).unwrap();
    assert!(
        replay.events > 40 && replay.actions > 20,
        "{replay:?}\n{text}"
    );
}

#[test]
fn a_log_begins_before_the_tasks() {
    let bench = bench();
    let (open, gate) = gate();
    let first = bench.scheduler.submit(request(memory(800)), move |_| {
        gate.recv()?;
        Ok::<_, JobError>(())
    });
    let options = SchedulerOptions {
        log: Some(Box::new(Shared::default())),
        ..SchedulerOptions::default()
    };
    let error = Scheduler::new(&bench.device, options).unwrap_err();
    assert!(error.to_string().contains("1 run"), "{error}");
    open.send(()).unwrap();
    first.unwrap().wait(None).unwrap();
}
