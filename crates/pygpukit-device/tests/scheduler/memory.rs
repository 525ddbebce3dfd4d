//! Who pays for memory.

use crate::fake::{bench, burst, gate, memory, nothing, request};
use pygpukit_core::array::DType;
use pygpukit_core::scheduler::{Policy, TaskSpec};
use pygpukit_core::units::Bytes;
use pygpukit_device::backend::Priority;
use pygpukit_device::scheduler::{Failure, JobError, Outcome, TaskContext, TaskState};
use pygpukit_device::{Array, Error, Stream};
use std::sync::mpsc::channel;

fn bytes(stream: &Stream, count: usize) -> Result<Array, Error> {
    Array::empty(stream, &[count], DType::UInt8)
}

#[test]
fn a_task_gets_what_it_reserved_and_no_more() {
    let bench = bench();
    let spec = TaskSpec {
        name: Some("train".into()),
        ..memory(600)
    };
    let task = bench
        .scheduler
        .submit(request(spec), |context| {
            let _first = bytes(context.stream(), 400)?;
            let error = bytes(context.stream(), 201).unwrap_err();
            bytes(context.stream(), 200)?;
            Ok::<_, Error>(error)
        })
        .unwrap();
    let error = task.wait(None).unwrap().unwrap().unwrap();
    let Error::OutOfMemory(details) = &error else {
        panic!("{error}");
    };
    assert_eq!(
        (
            details.asked,
            details.used,
            details.limit,
            details.available
        ),
        (201, 400, 600, 200)
    );
    let text = error.to_string();
    assert!(
        text.contains("`train`") && text.contains("reserved 600"),
        "{text}"
    );
}

#[test]
fn a_burst_uses_what_is_left_and_gives_it_back() {
    let bench = bench();
    let available = |context: &TaskContext| context.task().stats().unwrap().core.unwrap();
    let task = bench
        .scheduler
        .submit(request(burst(200, 700)), move |context| {
            let array = bytes(context.stream(), 500)?;
            assert_eq!(available(context).borrowed_memory, Bytes::new(300));
            let error = bytes(context.stream(), 201).unwrap_err();
            drop(array);
            assert_eq!(available(context).borrowed_memory, Bytes::ZERO);
            Ok::<_, Error>(error)
        })
        .unwrap();
    let error = task.wait(None).unwrap().unwrap().unwrap();
    assert!(
        error.to_string().contains("it uses 500 of 700 bytes"),
        "{error}"
    );
}

#[test]
fn what_is_returned_stays_reserved_until_it_is_dropped() {
    let bench = bench();
    let first = bench
        .scheduler
        .submit(request(memory(800)), |context| bytes(context.stream(), 300))
        .unwrap();
    let kept = first.wait(None).unwrap().unwrap().unwrap();
    let stats = bench.scheduler.stats().unwrap().device;
    assert_eq!(stats.returned_memory, Bytes::new(300));
    assert_eq!(stats.reserved_memory, Bytes::ZERO);
    let second = bench
        .scheduler
        .submit(request(memory(701)), |_| Ok::<_, Error>(()))
        .unwrap();
    assert!(matches!(second.task().state(), TaskState::Queued));
    drop(kept);
    assert!(second.wait(None).unwrap().unwrap().is_ok());
    assert_eq!(
        bench.scheduler.stats().unwrap().device.available_memory,
        Bytes::new(1000)
    );
}

#[test]
fn work_outside_tasks_cannot_take_what_is_promised() {
    let bench = bench();
    let outside = bench.device.default_stream().unwrap();
    let (open, gate) = gate();
    let spec = TaskSpec {
        policy: Some(Policy::Guaranteed),
        ..memory(600)
    };
    let task = bench
        .scheduler
        .submit(request(spec), move |context| {
            gate.recv()?;
            bytes(context.stream(), 600).map_err(JobError::from)
        })
        .unwrap();
    let mine = bytes(outside, 400).unwrap();
    let error = bytes(outside, 1).unwrap_err().to_string();
    assert!(
        error.contains("it uses 400 of 1000 bytes, 0 are available"),
        "{error}"
    );
    open.send(()).unwrap();
    let theirs = task.wait(None).unwrap().unwrap().unwrap();
    drop(mine);
    bytes(outside, 400).unwrap();
    drop(theirs);
    bytes(outside, 1000).unwrap();
}

#[test]
fn a_task_starts_when_work_outside_makes_room() {
    let bench = bench();
    let mine = bytes(bench.device.default_stream().unwrap(), 500).unwrap();
    let task = bench
        .scheduler
        .submit(request(memory(501)), |_| Ok::<_, Error>(()))
        .unwrap();
    assert!(matches!(task.task().state(), TaskState::Queued));
    drop(mine);
    assert!(task.wait(None).unwrap().unwrap().is_ok());
}

#[test]
fn a_best_effort_task_has_what_is_left() {
    let bench = bench();
    let task = bench
        .scheduler
        .submit(request(nothing()), |context| {
            let array = bytes(context.stream(), 1000)?;
            Ok::<_, Error>((bytes(context.stream(), 1).is_err(), array))
        })
        .unwrap();
    let (refused, array) = task.wait(None).unwrap().unwrap().unwrap();
    assert!(refused);
    assert_eq!(task.task().stats().unwrap().used_memory, Bytes::new(1000));
    drop(array);
    assert_eq!(task.task().stats().unwrap().used_memory, Bytes::ZERO);
    // An ended task gets nothing more.
    bytes(bench.device.default_stream().unwrap(), 1000).unwrap();
}

#[test]
fn every_stream_of_a_task_is_waited_for() {
    let bench = bench();
    bench.control.hold();
    let (returning, returned) = channel();
    let task = bench
        .scheduler
        .submit(request(memory(100)), move |context| {
            let own = context.stream();
            let second = Stream::with_account(own.device(), Priority::High, own.account().clone())?;
            pygpukit_device::ops::zeros(&second, &[10], DType::UInt8)?;
            returning.send(()).unwrap();
            Ok::<_, Error>(())
        })
        .unwrap();
    returned.recv().unwrap();
    assert!(matches!(task.task().state(), TaskState::Running));
    bench.control.fail(true);
    bench.control.release();
    let outcome = task.wait(None).unwrap().unwrap().unwrap_err();
    assert!(matches!(outcome, Outcome::Failed(Failure::Device(_))));
}
