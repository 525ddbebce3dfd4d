//! From submission to the end.

use crate::fake::{bench, gate, memory, nothing, patient, request};
use pygpukit_core::array::DType;
use pygpukit_core::scheduler::{Admission, Reason};
use pygpukit_core::units::Nanoseconds;
use pygpukit_device::scheduler::{Failure, JobError, Outcome, TaskContext, TaskState};
use pygpukit_device::{Array, Error, ops};
use std::sync::mpsc::channel;
use std::time::Duration;

type Done = Result<(), JobError>;

#[test]
fn a_value_comes_back() {
    let bench = bench();
    let promise = bench
        .scheduler
        .submit(request(memory(100)), |context| {
            Ok::<_, Error>(context.id().get() + 40)
        })
        .unwrap();
    let id = promise.task().id().get();
    assert_eq!(promise.wait(None).unwrap().unwrap().unwrap(), id + 40);
    assert!(promise.wait(None).unwrap().is_none());
    assert!(matches!(
        promise.task().admission(),
        Admission::Admitted { .. }
    ));
}

#[test]
fn what_does_not_fit_starts_when_it_does() {
    let bench = bench();
    let (open, gate) = gate();
    let first = bench.scheduler.submit(request(memory(800)), move |_| {
        gate.recv()?;
        Ok::<_, JobError>(())
    });
    let second = bench
        .scheduler
        .submit(request(memory(800)), |_| Ok::<_, Error>(2))
        .unwrap();
    let Admission::Queued { position, .. } = second.task().admission() else {
        panic!("it fits");
    };
    assert_eq!(*position, 0);
    assert!(matches!(second.task().state(), TaskState::Queued));
    assert!(second.wait(Some(Duration::ZERO)).unwrap().is_none());
    open.send(()).unwrap();
    assert_eq!(second.wait(None).unwrap().unwrap().unwrap(), 2);
    first.unwrap().wait(None).unwrap().unwrap().unwrap();
}

#[test]
fn what_never_fits_is_rejected_and_not_run() {
    let bench = bench();
    let job = |_: &TaskContext| -> Done { panic!("it must not run") };
    let task = bench
        .scheduler
        .submit_job(request(memory(1001)), Box::new(job));
    let task = task.unwrap();
    let Some(Outcome::Rejected(rejection)) = task.wait(None).unwrap() else {
        panic!("{task:?}");
    };
    assert_eq!(Admission::Rejected(rejection), *task.admission());
    assert_eq!((rejection.asked, rejection.limit), (1001, 1000));
}

#[test]
fn a_task_is_over_when_its_work_on_the_device_is() {
    let bench = bench();
    let (returning, returned) = channel();
    bench.control.hold();
    let task = bench
        .scheduler
        .submit(request(memory(100)), move |context| {
            let array = ops::zeros(context.stream(), &[50], DType::UInt8)?;
            returning.send(()).unwrap();
            Ok::<_, Error>(array)
        })
        .unwrap();
    returned.recv().unwrap();
    assert!(task.wait(Some(Duration::ZERO)).unwrap().is_none());
    assert!(matches!(task.task().state(), TaskState::Running));
    bench.control.release();
    assert!(task.wait(None).unwrap().unwrap().is_ok());
}

#[test]
fn a_fault_on_the_device_is_the_tasks_failure() {
    let bench = bench();
    bench.control.fail(true);
    let work = |context: &TaskContext| ops::zeros(context.stream(), &[50], DType::UInt8);
    let failed = bench.scheduler.submit(request(memory(600)), work).unwrap();
    let outcome = failed.wait(None).unwrap().unwrap().unwrap_err();
    assert!(
        matches!(
            &outcome,
            Outcome::Failed(Failure::Device(Error::Fault { .. }))
        ),
        "{outcome:?}"
    );
    // The next one has a stream without a past, and the memory of the first.
    bench.control.fail(false);
    drop(failed);
    let next = bench.scheduler.submit(request(memory(1000)), work).unwrap();
    assert!(next.wait(None).unwrap().unwrap().is_ok());
    let counters = bench.scheduler.stats().unwrap().device.counters;
    assert_eq!((counters.failed, counters.completed), (1, 1));
}

#[test]
fn a_panic_is_the_tasks_failure_and_nobody_elses() {
    let bench = bench();
    let job = |_: &TaskContext| -> Done { panic!("on purpose, number {}", 7) };
    let task = bench
        .scheduler
        .submit_job(request(memory(900)), Box::new(job));
    let outcome = task.unwrap().wait(None).unwrap().unwrap();
    assert!(
        matches!(&outcome, Outcome::Failed(Failure::Panic(text)) if text == "on purpose, number 7"),
        "{outcome:?}"
    );
    let next = bench
        .scheduler
        .submit(request(memory(900)), |_| Ok::<_, Error>(1));
    assert_eq!(next.unwrap().wait(None).unwrap().unwrap().unwrap(), 1);
}

#[test]
fn cancelling_keeps_a_task_from_starting() {
    let bench = bench();
    let (open, gate) = gate();
    let (dropping, dropped) = channel::<()>();
    let first = bench.scheduler.submit(request(memory(800)), move |_| {
        gate.recv()?;
        Ok::<_, JobError>(())
    });
    let job = move |_: &TaskContext| -> Done {
        let _ = &dropping;
        panic!("it must not run")
    };
    let task = bench
        .scheduler
        .submit_job(request(memory(800)), Box::new(job));
    let task = task.unwrap();
    assert!(task.cancel().unwrap());
    assert!(task.cancel().unwrap());
    assert!(matches!(task.wait(None).unwrap(), Some(Outcome::Cancelled)));
    // What the job held is free at once.
    assert!(dropped.recv().is_err());
    open.send(()).unwrap();
    first.unwrap().wait(None).unwrap();
}

#[test]
fn cancelling_a_running_task_stops_its_launches() {
    let bench = bench();
    let (open, gate) = gate();
    let (starting, started) = channel();
    let task = bench
        .scheduler
        .submit(request(memory(100)), move |context| {
            let array = ops::zeros(context.stream(), &[10], DType::UInt8)?;
            starting.send(())?;
            gate.recv()?;
            assert!(context.is_cancelled());
            ops::copy(context.stream(), &array)?;
            Ok::<_, JobError>(())
        })
        .unwrap();
    started.recv().unwrap();
    assert!(!task.task().cancel().unwrap());
    open.send(()).unwrap();
    let outcome = task.wait(None).unwrap().unwrap().unwrap_err();
    let Outcome::Failed(Failure::Job(error)) = outcome else {
        panic!("{outcome:?}");
    };
    assert!(matches!(
        error.downcast_ref::<Error>(),
        Some(Error::Cancelled(_))
    ));
}

#[test]
fn waiting_ends_at_the_timeout() {
    let bench = bench();
    let (open, gate) = gate();
    let first = bench.scheduler.submit(request(memory(800)), move |_| {
        gate.recv()?;
        Ok::<_, JobError>(())
    });
    let never = |_: &TaskContext| -> Done { panic!("it must not run") };
    let spec = patient(1_000_000_000_000, memory(800));
    let task = bench.scheduler.submit_job(request(spec), Box::new(never));
    let task = task.unwrap();
    bench.clock.advance(Nanoseconds::new(999_999_999_999));
    bench.scheduler.tick().unwrap();
    assert!(matches!(task.state(), TaskState::Queued));
    bench.clock.advance(Nanoseconds::new(1));
    bench.scheduler.tick().unwrap();
    let Some(Outcome::Rejected(rejection)) = task.wait(None).unwrap() else {
        panic!("{task:?}");
    };
    assert!(matches!(rejection.reason, Reason::QueueTimeout(_)));
    open.send(()).unwrap();
    first.unwrap().wait(None).unwrap();
}

#[test]
fn callbacks_are_called_once_and_may_panic() {
    let bench = bench();
    let (open, gate) = gate();
    let task = bench
        .scheduler
        .submit(request(nothing()), move |_| {
            gate.recv()?;
            Ok::<_, JobError>(())
        })
        .unwrap();
    let (calling, called) = channel();
    let late = calling.clone();
    task.task().on_done(|_| panic!("on purpose"));
    task.task().on_done(move |task| {
        let ended = matches!(task.state(), TaskState::Ended(Outcome::Completed));
        calling.send(ended).unwrap();
    });
    open.send(()).unwrap();
    assert!(called.recv().unwrap());
    task.task().on_done(move |_| late.send(true).unwrap());
    assert_eq!(called.try_recv(), Ok(true));
    assert!(called.recv().is_err());
}

#[test]
fn a_closed_scheduler_takes_no_tasks_and_can_be_closed_again() {
    let bench = bench();
    let (open, gate) = gate();
    let running = bench.scheduler.submit(request(memory(800)), move |_| {
        gate.recv()?;
        Ok::<_, JobError>(())
    });
    let queued = bench
        .scheduler
        .submit(request(memory(800)), |_| Ok::<_, Error>(()))
        .unwrap();
    bench.scheduler.shut_down(false).unwrap();
    assert!(!bench.scheduler.wait_idle(Duration::ZERO).unwrap());
    let late = bench
        .scheduler
        .submit(request(nothing()), |_| Ok::<_, Error>(()));
    assert!(matches!(late, Err(Error::Closed(_))));
    bench.scheduler.shut_down(true).unwrap();
    let outcome = queued.wait(None).unwrap().unwrap().unwrap_err();
    assert!(matches!(outcome, Outcome::Cancelled));
    open.send(()).unwrap();
    bench.scheduler.close(true, false).unwrap();
    bench.scheduler.close(true, true).unwrap();
    assert!(running.unwrap().wait(None).unwrap().unwrap().is_ok());
}

#[test]
fn a_task_cannot_wait_for_itself() {
    let bench = bench();
    let scheduler = std::sync::Arc::new(bench.scheduler);
    let own = std::sync::Arc::clone(&scheduler);
    let promise = scheduler
        .submit(request(nothing()), move |_| {
            Ok::<_, Error>(own.wait_idle(Duration::ZERO).is_err())
        })
        .unwrap();
    assert!(promise.wait(None).unwrap().unwrap().unwrap());
    scheduler.close(true, false).unwrap();
}

#[test]
fn a_dropped_scheduler_lets_its_tasks_run() {
    let bench = bench();
    let (open, gate) = gate();
    let first = bench.scheduler.submit(request(memory(800)), move |_| {
        gate.recv()?;
        Ok::<_, JobError>(())
    });
    let second = bench
        .scheduler
        .submit(request(memory(800)), |context| {
            Array::empty(context.stream(), &[800], DType::UInt8)
        })
        .unwrap();
    drop(bench.scheduler);
    open.send(()).unwrap();
    assert!(second.wait(None).unwrap().unwrap().is_ok());
    first.unwrap().wait(None).unwrap();
}
