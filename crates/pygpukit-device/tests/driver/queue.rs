//! Queues, memory and kernels over the fake driver.

use crate::fake::{Library, answer, in_child, is_child};
use pygpukit_device::backend::{Function, Launch, Need, Priority, Queue, Work};
use pygpukit_device::{Device, Error};
use std::ffi::{CString, c_char, c_int};
use std::sync::Arc;
use std::time::Duration;

const FOREVER: Duration = Duration::from_secs(3600);

fn device() -> Device {
    Device::open("cuda:1").unwrap()
}

fn kernel(device: &Device, name: &str) -> Arc<dyn Function> {
    device.backend().load(b"image", name).unwrap()
}

fn queue(device: &Device) -> Arc<dyn Queue> {
    device.backend().queue(Priority::Normal).unwrap()
}

fn launch(queue: &Arc<dyn Queue>, function: &Arc<dyn Function>, shared: u32) -> Result<u64, Error> {
    let launch = Launch {
        function: Arc::clone(function),
        grid: [1; 3],
        block: [1; 3],
        shared,
        parameters: vec![0; 8],
    };
    // SAFETY: the fake driver's kernels touch nothing.
    unsafe { queue.push(Work::Launch(launch)) }
}

/// How often the driver function was called.
fn calls(name: &str) -> c_int {
    // SAFETY: the driver is loaded already; the function takes a C string.
    unsafe {
        let library = libloading::Library::new("libcuda.so.1").unwrap();
        let count: libloading::Symbol<'_, unsafe extern "C" fn(*const c_char) -> c_int> =
            library.get(b"fakeCalls\0").unwrap();
        count(CString::new(name).unwrap().as_ptr())
    }
}

#[test]
fn events_are_recorded_only_when_somebody_asks() {
    const TEST: &str = "queue::events_are_recorded_only_when_somebody_asks";
    if !is_child(TEST) {
        in_child(TEST, Library::Whole, &[("FAKE_QUERIES", "3")]);
        return;
    }
    let device = device();
    let (first, second) = (queue(&device), queue(&device));
    let scale = kernel(&device, "scale");
    let tickets: Vec<u64> = (0..10)
        .map(|_| launch(&first, &scale, 0).unwrap())
        .collect();
    assert!(tickets.is_sorted_by(|a, b| a < b));
    assert_eq!((calls("cuLaunchKernel"), calls("cuEventRecord")), (10, 0));
    // The first question records; the event answers for all tickets before it.
    assert!(!first.is_done(tickets[4]).unwrap());
    second.wait_for(&*first, tickets[2], Need::Outcome).unwrap();
    second.wait_for(&*first, tickets[9], Need::Outcome).unwrap();
    assert_eq!((calls("cuEventRecord"), calls("cuStreamWaitEvent")), (1, 2));
    // A queue never waits for itself, and not for what is done.
    first.wait_for(&*first, tickets[9], Need::Outcome).unwrap();
    assert!(first.wait(tickets[9], FOREVER).unwrap());
    second.wait_for(&*first, tickets[9], Need::Outcome).unwrap();
    assert_eq!((calls("cuEventRecord"), calls("cuStreamWaitEvent")), (1, 2));
    assert_eq!(calls("cuEventQuery"), 4);
    assert!(first.is_done(tickets[9]).unwrap());
    assert_eq!(calls("cuEventQuery"), 4, "known to be done");
    assert!(first.is_done(0).unwrap() && first.is_done(first.mark().unwrap()).unwrap());
    // Events are used again.
    for _ in 0..5 {
        let ticket = launch(&first, &scale, 0).unwrap();
        assert!(first.wait(ticket, FOREVER).unwrap());
    }
    assert_eq!((calls("cuEventRecord"), calls("cuEventCreate")), (6, 1));
}

#[test]
fn waiting_keeps_to_its_time() {
    const TEST: &str = "queue::waiting_keeps_to_its_time";
    if !is_child(TEST) {
        in_child(TEST, Library::Whole, &[("FAKE_QUERIES", "1000000")]);
        return;
    }
    let device = device();
    let queue = queue(&device);
    let ticket = launch(&queue, &kernel(&device, "scale"), 0).unwrap();
    assert!(!queue.wait(ticket, Duration::ZERO).unwrap());
    assert!(!queue.wait(ticket, Duration::from_millis(2)).unwrap());
    assert!(calls("cuEventQuery") > 2);
}

#[test]
fn kernels_stay_loaded_while_they_run() {
    const TEST: &str = "queue::kernels_stay_loaded_while_they_run";
    if !is_child(TEST) {
        in_child(TEST, Library::Whole, &[("FAKE_QUERIES", "2")]);
        return;
    }
    let device = device();
    let first = queue(&device);
    let ticket = launch(&first, &kernel(&device, "a"), 0).unwrap();
    assert_eq!(calls("cuModuleUnload"), 0, "still running");
    assert!(first.wait(ticket, FOREVER).unwrap());
    assert_eq!(calls("cuModuleUnload"), 1);
    // A queue that is dropped leaves its work running.
    launch(&first, &kernel(&device, "b"), 0).unwrap();
    drop(first);
    assert_eq!(
        (calls("cuStreamDestroy_v2"), calls("cuModuleUnload")),
        (1, 1)
    );
    for _ in 0..3 {
        kernel(&device, "c");
    }
    assert!(
        calls("cuModuleUnload") >= 4,
        "the dropped queue's kernel is done"
    );
}

#[test]
fn many_kernels_are_forgotten_when_they_are_done() {
    const TEST: &str = "queue::many_kernels_are_forgotten_when_they_are_done";
    if !is_child(TEST) {
        in_child(TEST, Library::Whole, &[]);
        return;
    }
    let device = device();
    let queue = queue(&device);
    for i in 0..200 {
        launch(&queue, &kernel(&device, &format!("k{i}")), 0).unwrap();
    }
    assert!(calls("cuModuleUnload") > 100, "{}", calls("cuModuleUnload"));
}

#[test]
fn a_fault_names_its_suspects() {
    const TEST: &str = "queue::a_fault_names_its_suspects";
    if !is_child(TEST) {
        in_child(TEST, Library::Whole, &[("FAKE_FAULT", "bad")]);
        return;
    }
    let device = device();
    let (first, second) = (queue(&device), queue(&device));
    let (good, bad) = (kernel(&device, "good"), kernel(&device, "bad"));
    let ticket = launch(&first, &good, 0).unwrap();
    assert!(first.wait(ticket, FOREVER).unwrap());
    let ticket = launch(&second, &bad, 0).unwrap();
    let error = second.wait(ticket, FOREVER).unwrap_err();
    let Error::Fault {
        work,
        stream,
        reason,
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!(work, "`bad`", "the other launch is known to be done");
    assert_eq!(*stream, second.handle());
    assert!(reason.contains("CUDA_ERROR_ILLEGAL_ADDRESS (700): as the test asked"));
    // Everything later says the same.
    let text = error.to_string();
    assert_eq!(launch(&first, &good, 0).unwrap_err().to_string(), text);
    assert_eq!(device.backend().allocate(1).unwrap_err().to_string(), text);
    assert_eq!(first.mark().unwrap_err().to_string(), text);
    // SAFETY: nothing is read, the device has failed.
    let error = unsafe { device.backend().read(4096, &mut [0]) }.unwrap_err();
    assert_eq!(error.to_string(), text);
}

#[test]
fn several_suspects_are_all_named() {
    const TEST: &str = "queue::several_suspects_are_all_named";
    if !is_child(TEST) {
        in_child(TEST, Library::Whole, &[("FAKE_FAULT", "bad")]);
        return;
    }
    let device = device();
    let (first, second) = (queue(&device), queue(&device));
    let (good, bad) = (kernel(&device, "good"), kernel(&device, "bad"));
    launch(&first, &good, 0).unwrap();
    launch(&second, &good, 0).unwrap();
    launch(&second, &bad, 0).unwrap();
    let error = first.is_done(1).unwrap_err();
    let Error::Fault { work, .. } = &error else {
        panic!("{error}")
    };
    let other = second.handle();
    assert_eq!(
        work,
        &format!("one of `good`; `good`, `bad` on stream {other}")
    );
}

#[test]
fn blocking_launches_find_the_fault_at_once() {
    const TEST: &str = "queue::blocking_launches_find_the_fault_at_once";
    if !is_child(TEST) {
        let settings = [("FAKE_FAULT", "bad"), ("PYGPUKIT_LAUNCH_BLOCKING", "1")];
        in_child(TEST, Library::Whole, &settings);
        return;
    }
    let device = device();
    let queue = queue(&device);
    launch(&queue, &kernel(&device, "good"), 0).unwrap();
    let error = launch(&queue, &kernel(&device, "bad"), 0).unwrap_err();
    assert!(
        matches!(&error, Error::Fault { work, .. } if work == "`bad`"),
        "{error}"
    );
}

#[test]
fn shared_memory_is_opted_into_once() {
    const TEST: &str = "queue::shared_memory_is_opted_into_once";
    if !is_child(TEST) {
        in_child(TEST, Library::Whole, &[]);
        return;
    }
    let device = device();
    let (queue, scale) = (queue(&device), kernel(&device, "scale"));
    launch(&queue, &scale, 48 << 10).unwrap();
    assert_eq!(calls("cuFuncSetAttribute"), 0);
    for _ in 0..2 {
        launch(&queue, &scale, (48 << 10) + 1).unwrap();
    }
    assert_eq!(calls("cuFuncSetAttribute"), 1);
}

#[test]
fn memory_runs_out_in_numbers() {
    const TEST: &str = "queue::memory_runs_out_in_numbers";
    if !is_child(TEST) {
        in_child(TEST, Library::Whole, &[]);
        return;
    }
    let device = device();
    let error = device.backend().allocate((1 << 30) + 1).unwrap_err();
    let Error::OutOfMemory(why) = &error else {
        panic!("{error}")
    };
    assert_eq!(
        (why.asked, why.limit, why.available),
        ((1 << 30) + 1, 1 << 30, 1000)
    );
    let address = device.backend().allocate(1000).unwrap();
    let mut bytes = [0; 3];
    // SAFETY: 1000 bytes are there, and nothing uses them.
    unsafe {
        device.backend().write(address + 7, &[1, 2, 3]).unwrap();
        device.backend().read(address + 7, &mut bytes).unwrap();
        device.backend().release(address, 1000);
    }
    assert_eq!((bytes, calls("cuMemFree_v2")), ([1, 2, 3], 1));
}

#[test]
fn kernels_of_another_device_are_refused() {
    const TEST: &str = "queue::kernels_of_another_device_are_refused";
    if !is_child(TEST) {
        in_child(TEST, Library::Whole, &[]);
        return;
    }
    let (device, other) = (device(), Device::open("cuda:0").unwrap());
    let error = launch(&queue(&device), &kernel(&other, "scale"), 0).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("`scale` was not loaded on `cuda:1`"),
        "{error}"
    );
    assert_eq!(calls("cuLaunchKernel"), 0);
}

#[test]
fn streams_that_others_use_are_asked() {
    const TEST: &str = "queue::streams_that_others_use_are_asked";
    if !is_child(TEST) {
        in_child(TEST, Library::Whole, &[]);
        return;
    }
    let device = device();
    let own = queue(&device);
    own.mark().unwrap();
    assert_eq!(calls("cuStreamQuery"), 0, "nobody else can have pushed");
    // SAFETY: a live stream of the device.
    let adopted = unsafe { device.backend().adopt(own.handle()) }.unwrap();
    assert_eq!(adopted.handle(), own.handle());
    for queue in [&own, &adopted] {
        let marked = queue.mark().unwrap();
        assert!(queue.is_done(marked).unwrap());
    }
    assert_eq!(calls("cuStreamQuery"), 2);
    drop(adopted);
    assert_eq!(calls("cuStreamDestroy_v2"), 0, "it belongs to another");
    drop(own);
    answer("done");
    assert_eq!(calls("cuStreamDestroy_v2"), 1);
}
