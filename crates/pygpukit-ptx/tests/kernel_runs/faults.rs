//! What threads must not do ends the launch, and says who did it.

use crate::support::{Parameters, kernel, launch};
use pygpukit_ptx::{CompileError, Launch, LaunchError, Memory, Module, Place, Program, Trouble};
use std::sync::atomic::{AtomicBool, Ordering};

const PTX: &str = include_str!("../kernels/faults.ptx");

fn failure(result: Result<pygpukit_ptx::Summary, LaunchError>) -> (Trouble, Place) {
    match result {
        Err(LaunchError::Failed { trouble, place, .. }) => (trouble, *place),
        other => panic!("{other:?}"),
    }
}

#[test]
fn reads_past_the_end() {
    // Not side by side: what is read past the end must be nobody's.
    let (x, mut y) = (vec![0.0_f32; 64], [0.0_f32; 64]);
    let mut memory = Memory::default();
    let start = memory.share_read_only(&x);
    let parameters = Parameters::default()
        .pointer(start)
        .pointer(memory.share(&mut y));
    let kernel = kernel(PTX, "past_the_end");
    // All threads but the last stay inside.
    kernel.launch(&launch(1, 63, &parameters, &memory)).unwrap();
    let error = kernel
        .launch(&launch(1, 64, &parameters, &memory))
        .unwrap_err();
    let text = error.to_string();
    let (trouble, place) = failure(Err(error));
    let Trouble::OutOfBounds {
        address,
        bytes,
        write,
        ..
    } = trouble
    else {
        panic!("{trouble:?}");
    };
    assert_eq!((address, bytes, write), (start + 256, 4, false));
    assert_eq!((place.thread, place.active), ([63, 0, 0], u32::MAX));
    assert!(place.instruction.starts_with("ld.global"), "{place:?}");
    assert_eq!(
        PTX.lines()
            .nth(place.line as usize - 1)
            .unwrap()
            .split_whitespace()
            .next(),
        place.instruction.split_whitespace().next()
    );
    assert!(
        text.contains("out-of-bounds global read of 4 bytes"),
        "{text}"
    );
}

#[test]
fn writes_to_what_is_only_read() {
    let (x, y) = ([0.0_f32; 64], [0.0_f32; 64]);
    let mut memory = Memory::default();
    let parameters = Parameters::default()
        .pointer(memory.share_read_only(&x))
        .pointer(memory.share_read_only(&y));
    let kernel = kernel(PTX, "past_the_end");
    let (trouble, _) = failure(kernel.launch(&launch(1, 32, &parameters, &memory)));
    assert!(
        matches!(trouble, Trouble::ReadOnly { bytes: 4, .. }),
        "{trouble:?}"
    );
}

#[test]
fn misaligned_writes() {
    let mut x = [0_u64; 64];
    let mut memory = Memory::default();
    let start = memory.share(&mut x);
    let parameters = Parameters::default().pointer(start);
    let kernel = kernel(PTX, "misaligned");
    let (trouble, place) = failure(kernel.launch(&launch(1, 32, &parameters, &memory)));
    let expected = Trouble::Misaligned {
        address: start + 1,
        bytes: 4,
    };
    assert_eq!((trouble, place.thread), (expected, [0, 0, 0]));
}

#[test]
fn null_and_freed_memory() {
    let mut x = [0_u32; 32];
    let mut memory = Memory::default();
    let start = memory.share(&mut x);
    let kernel = kernel(PTX, "null");
    let null = Parameters::default().pointer(0);
    let (trouble, _) = failure(kernel.launch(&launch(1, 32, &null, &memory)));
    assert!(matches!(
        trouble,
        Trouble::OutOfBounds {
            address: 0,
            write: true,
            nearest: None,
            ..
        }
    ));
    let parameters = Parameters::default().pointer(start);
    kernel.launch(&launch(1, 32, &parameters, &memory)).unwrap();
    assert!(memory.remove(start) && !memory.remove(start));
    let (trouble, _) = failure(kernel.launch(&launch(1, 32, &parameters, &memory)));
    assert!(
        matches!(trouble, Trouble::OutOfBounds { .. }),
        "{trouble:?}"
    );
    assert_eq!(x, [1; 32]);
}

#[test]
fn shared_memory_past_the_end() {
    let mut x = [0_i32; 32];
    x[1] = 1;
    let mut memory = Memory::default();
    let parameters = Parameters::default().pointer(memory.share(&mut x));
    let kernel = kernel(PTX, "shared_past");
    assert_eq!(kernel.shared_bytes(), 128);
    let (trouble, place) = failure(kernel.launch(&launch(1, 32, &parameters, &memory)));
    let Trouble::OutOfBounds {
        address: 128,
        space: "shared",
        ..
    } = trouble
    else {
        panic!("{trouble:?}");
    };
    assert_eq!(place.thread, [31, 0, 0]);
}

#[test]
fn barriers_that_not_all_reach() {
    let mut x = [0_i32; 64];
    let mut memory = Memory::default();
    let parameters = Parameters::default().pointer(memory.share(&mut x));
    let (trouble, place) =
        failure(kernel(PTX, "diverges").launch(&launch(1, 32, &parameters, &memory)));
    let Trouble::DivergentBarrier { waiting, live } = trouble else {
        panic!("{trouble:?}");
    };
    assert!(waiting == 0xffff || waiting == 0xffff_0000, "{waiting:x}");
    assert_eq!((live, &*place.instruction), (u32::MAX, "bar.sync 0"));
    // Whole warps may part: one that has ended is not waited for.
    let result = kernel(PTX, "waits_for_nobody").launch(&launch(1, 32, &parameters, &memory));
    let (trouble, _) = failure(result);
    assert_eq!(
        trouble,
        Trouble::Deadlock {
            waiting: 0xff,
            live: u32::MAX
        }
    );
}

#[test]
fn endless_loops() {
    let mut x = [0_i32; 2];
    let mut memory = Memory::default();
    let parameters = Parameters::default().pointer(memory.share(&mut x));
    let kernel = kernel(PTX, "endless");
    let limited = Launch {
        budget: Some(100_000),
        ..launch(1, 64, &parameters, &memory)
    };
    let (trouble, place) = failure(kernel.launch(&limited));
    assert_eq!(trouble, Trouble::Budget { limit: 100_000 });
    assert!(place.instruction.contains("bra"), "{place:?}");
    let stop = AtomicBool::new(false);
    let stopped = Launch {
        budget: None,
        stop: Some(&stop),
        ..launch(1, 64, &parameters, &memory)
    };
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| kernel.launch(&stopped));
        stop.store(true, Ordering::Relaxed);
        let error = waiting.join().unwrap().unwrap_err();
        assert_eq!(
            error,
            LaunchError::Stopped {
                kernel: "endless".into()
            }
        );
    });
}

#[test]
fn traps_and_assertions() {
    let mut x = [0_i32; 64];
    x[40] = 7;
    let mut memory = Memory::default();
    let parameters = Parameters::default().pointer(memory.share(&mut x));
    let (trouble, place) =
        failure(kernel(PTX, "traps").launch(&launch(1, 64, &parameters, &memory)));
    assert_eq!((trouble, place.thread), (Trouble::Trap, [40, 0, 0]));
    let (trouble, place) =
        failure(kernel(PTX, "asserts").launch(&launch(1, 64, &parameters, &memory)));
    let expected = Trouble::Assertion("file.cu:12: asserts: `x < 5`".into());
    assert_eq!((trouble, place.thread), (expected, [40, 0, 0]));
}

#[test]
fn launches_that_cannot_be() {
    let memory = Memory::default();
    let parameters = Parameters::default().pointer(0);
    let kernel = kernel(PTX, "null");
    let good = launch(1, 32, &parameters, &memory);
    for (launch, reason) in [
        (
            Launch {
                block: [1025, 1, 1],
                ..good
            },
            "a block of [1025, 1, 1] threads",
        ),
        (
            Launch {
                block: [32, 33, 1],
                ..good
            },
            "1024 in all",
        ),
        (
            Launch {
                grid: [0, 1, 1],
                ..good
            },
            "is empty",
        ),
        (
            Launch {
                grid: [1, 65_536, 1],
                ..good
            },
            "at most 2147483647 along x, 65535",
        ),
        (
            Launch {
                shared: 300_000,
                ..good
            },
            "300000 bytes of shared memory; at most 232448",
        ),
        (
            Launch {
                parameters: &[0; 4],
                ..good
            },
            "4 bytes of parameters; it takes 8",
        ),
    ] {
        let error = kernel.launch(&launch).unwrap_err();
        assert!(matches!(error, LaunchError::Refused { .. }), "{error:?}");
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[test]
fn forms_that_are_not_implemented_are_named() {
    let text = ".version 8.0\n.target sm_90\n.entry k() {\n.reg .b32 %r<4>;\n\
                frobnicate.sync.u32 %r1, %r2;\nret;\n}";
    let program = Program::new(Module::parse(text).unwrap()).unwrap();
    let error = program.kernel("k").unwrap_err();
    let CompileError::Unsupported {
        form, kernel, line, ..
    } = &error
    else {
        panic!("{error:?}");
    };
    assert_eq!((&**form, &**kernel, *line), ("frobnicate.sync.u32", "k", 5));
    let error = program.kernel("j").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the module has no kernel `j`; it has `k`"
    );
    for (body, message) in [
        ("add.s32 %r1, %r2;", "2 operands where 3 belong"),
        ("add.s32 %r1, %r2, %r9;", "`%r9` is not declared"),
        (
            "add.s64 %r1, %r2, %r3;",
            "`%r1` has 32 bits where 64 are wanted",
        ),
        ("bra nowhere;", "there is no label `nowhere`"),
        ("ld.shared.u32 %r1, [k];", "`k` is not declared"),
    ] {
        let text =
            format!(".version 8.0 .target sm_90 .entry k() {{ .reg .b32 %r<4>; {body} ret; }}");
        let program = Program::new(Module::parse(&text).unwrap()).unwrap();
        let error = program.kernel("k").unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}
