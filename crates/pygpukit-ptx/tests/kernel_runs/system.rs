use crate::support::{Numbers, Parameters, kernel, launch, run};
use pygpukit_ptx::{Launch, Memory, Module, Program};
use std::sync::Mutex;

const PTX: &str = include_str!("../kernels/system.ptx");

#[test]
fn functions_and_variables_of_the_module() {
    let program = Program::new(Module::parse(PTX).unwrap()).unwrap();
    let mut out = [0.0_f32; 40];
    let mut memory = Memory::default();
    let parameters = Parameters::default().pointer(memory.share(&mut out));
    let kernel = program.kernel("calls").unwrap();
    for _ in 0..2 {
        kernel.launch(&launch(1, 40, &parameters, &memory)).unwrap();
    }
    for (i, found) in (0_i32..).zip(out) {
        let (mut a, mut b) = (i as f32 * 0.5, i);
        let n = i % 7;
        a *= n as f32;
        b += n;
        if n > 3 {
            b = -b;
        }
        let weight = [1.0, 2.0, 3.0, 4.0][(b & 3) as usize];
        let expected = a.mul_add(weight, b as f32) + [7.0, 8.0, 9.0][(i % 3) as usize];
        assert_eq!(found, expected, "{i}");
    }
    // The counter began at 5 and lives as long as the program; it is read by a kernel of
    // the test's own, which only knows its address.
    let (address, bytes) = program.variable("counter").unwrap();
    assert_eq!(bytes, 4);
    let reader = "
        .version 8.0 .target sm_80 .address_size 64
        .entry read(.param .u64 from, .param .u64 to) {
            .reg .b32 %r<2>; .reg .b64 %rd<3>;
            ld.param.u64 %rd1, [from]; ld.param.u64 %rd2, [to];
            ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd2], %r1; ret;
        }";
    let reader = crate::support::kernel(reader, "read");
    let mut counter = [0_u32];
    let mut memory = Memory::default();
    // SAFETY: the variable lives as long as `program`, and only kernels touch it.
    unsafe { memory.insert(address, bytes, false) };
    let parameters = Parameters::default()
        .pointer(address)
        .pointer(memory.share(&mut counter));
    reader.launch(&launch(1, 1, &parameters, &memory)).unwrap();
    assert_eq!(counter, [5 + 80]);
}

#[test]
fn printf() {
    let text = Mutex::new(Vec::new());
    let output = |bytes: &[u8]| text.lock().unwrap().extend_from_slice(bytes);
    let memory = Memory::default();
    let parameters = Parameters::default().int(2);
    let launch = Launch {
        output: Some(&output),
        ..launch(2, 32, &parameters, &memory)
    };
    kernel(PTX, "prints").launch(&launch).unwrap();
    let line = |thread, letter| format!("thread {thread} of  1.00: text {letter} 1234567890 %\n");
    let block = line(0, 'A') + &line(1, 'B');
    assert_eq!(
        String::from_utf8(text.into_inner().unwrap()).unwrap(),
        block.clone() + &block
    );
}

#[test]
fn arrays_of_a_thread() {
    let mut numbers = Numbers::new(1);
    let x: Vec<i32> = (0..64).map(|_| numbers.bits() as i32).collect();
    let mut out = vec![0_i32; 64];
    let mut memory = Memory::default();
    let parameters = Parameters::default()
        .pointer(memory.share_read_only(&x))
        .pointer(memory.share(&mut out));
    let kernel = kernel(PTX, "local_array");
    assert_eq!(kernel.local_bytes(), 64);
    kernel.launch(&launch(1, 64, &parameters, &memory)).unwrap();
    for i in 0..64 {
        let values: Vec<i32> = (0..16).map(|k| x[(i + k) % 64]).collect();
        let expected = values.iter().fold(0_i32, |sum, value| {
            sum.wrapping_mul(3)
                .wrapping_add(values[(value & 15) as usize])
        });
        assert_eq!(out[i], expected, "{i}");
    }
}

#[test]
fn barriers_that_join_predicates() {
    for threads in [64, 100, 128] {
        let mut out = vec![-7_i32; 384];
        let mut memory = Memory::default();
        let parameters = Parameters::default().pointer(memory.share(&mut out));
        let kernel = kernel(PTX, "reductions");
        run(
            &kernel,
            [1, 1],
            [threads as u32, 1],
            0,
            &parameters,
            &memory,
        )
        .unwrap();
        for (i, found) in out.chunks(3).enumerate() {
            let count = (threads + 2) / 3;
            let expected = [count, i32::from(threads <= 100), i32::from(threads > 77)];
            let expected = if i < threads as usize {
                expected
            } else {
                [-7; 3]
            };
            let truth = [found[0], i32::from(found[1] != 0), i32::from(found[2] != 0)];
            let found = if i < threads as usize {
                truth
            } else {
                [found[0], found[1], found[2]]
            };
            assert_eq!(found, expected, "{threads} {i}");
        }
    }
}

#[test]
fn blocks_run_on_as_many_threads_as_the_caller_has() {
    let x: Vec<f32> = (0..100_000).map(|i| (i % 17) as f32).collect();
    let ptx = include_str!("../kernels/warps.ptx");
    let kernel = kernel(ptx, "total");
    let mut out = [0.0_f32];
    let mut memory = Memory::default();
    let parameters = Parameters::default()
        .pointer(memory.share_read_only(&x))
        .pointer(memory.share(&mut out))
        .int(100_000);
    let launch = launch(50, 256, &parameters, &memory);
    let alone = kernel.launch(&launch).unwrap();
    let running = kernel.start(&launch).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| running.work());
        }
    });
    assert_eq!(running.finish().unwrap(), alone);
    // Whole numbers below 2^24: sums are exact in any order.
    assert_eq!(out[0], 2.0 * x.iter().sum::<f32>());
}
