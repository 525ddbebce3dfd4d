//! How fast kernels run: warp instructions a second, and whole kernels.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pygpukit_ptx::{Kernel, Launch, Memory, Module, Program};
use std::hint::black_box;

const RATES: &str = include_str!("../tests/kernels/rates.ptx");
const VECTORS: &str = include_str!("../tests/kernels/vectors.ptx");
const MATRICES: &str = include_str!("../tests/kernels/matrices.ptx");
const WARPS: &str = include_str!("../tests/kernels/warps.ptx");
const DIVERGENCE: &str = include_str!("../tests/kernels/divergence.ptx");

fn kernel(ptx: &str, name: &str) -> Kernel {
    let module = Module::parse(ptx).expect("readable PTX");
    let program = Program::new(module).expect("variables");
    program.kernel(name).expect("a kernel that can be run")
}

/// A kernel with all that a launch of it needs.
struct Case {
    kernel: Kernel,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    parameters: Vec<u8>,
}

impl Case {
    fn run(&self, memory: &Memory<'_>) -> u64 {
        let launch = Launch {
            grid: self.grid,
            block: self.block,
            shared: self.shared,
            parameters: &self.parameters,
            memory,
            budget: None,
            stop: None,
            output: None,
        };
        let summary = self.kernel.launch(black_box(&launch));
        summary.expect("a kernel without faults").instructions
    }

    /// Measures it as instructions of warps.
    fn measure(&self, criterion: &mut Criterion, name: &str, memory: &Memory<'_>) {
        let mut group = criterion.benchmark_group("warp instructions");
        group.sample_size(20);
        group.throughput(Throughput::Elements(self.run(memory)));
        group.bench_function(name, |bencher| bencher.iter(|| self.run(memory)));
        group.finish();
    }
}

fn bytes(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

fn rates(criterion: &mut Criterion) {
    let mut out = vec![0_u32; 32];
    let mut memory = Memory::default();
    let address = memory.share(&mut out).to_le_bytes();
    let count = 20_000_u32.to_le_bytes();
    let (a, b) = (0.999_f32.to_le_bytes(), 0.5_f32.to_le_bytes());
    let case = |name, parameters: &[&[u8]]| Case {
        kernel: kernel(RATES, name),
        grid: [1; 3],
        block: [32, 1, 1],
        shared: 0,
        parameters: bytes(parameters),
    };
    case("fused", &[&address, &a, &b, &count]).measure(criterion, "FMA loop", &memory);
    case("whole", &[&address, &count]).measure(criterion, "integer loop", &memory);
}

fn kernels(criterion: &mut Criterion) {
    const N: usize = 1 << 20;
    let (mut x, mut y, mut z) = (vec![1.0_f32; N], vec![2.0_f32; N], vec![0.0_f32; N]);
    let mut memory = Memory::default();
    let [x, y, z] = [&mut x, &mut y, &mut z].map(|data| memory.share(data).to_le_bytes());
    let int = |value: usize| u32::try_from(value).expect("a small number").to_le_bytes();
    let case = |ptx, name, grid, block, shared, parameters: &[&[u8]]| Case {
        kernel: kernel(ptx, name),
        grid,
        block,
        shared,
        parameters: bytes(parameters),
    };
    let factor = 0.5_f32.to_le_bytes();
    let blocks = 1 << 12;
    case(
        VECTORS,
        "saxpy",
        [blocks, 1, 1],
        [256, 1, 1],
        0,
        &[&x, &y, &factor, &int(N)],
    )
    .measure(criterion, "saxpy of 1M", &memory);
    case(
        MATRICES,
        "product",
        [16, 16, 1],
        [16, 16, 1],
        0,
        &[&x, &y, &z, &int(256)],
    )
    .measure(criterion, "tiled product of 256", &memory);
    case(
        MATRICES,
        "softmax",
        [1024, 1, 1],
        [256, 1, 1],
        1024,
        &[&x, &z, &int(1024)],
    )
    .measure(criterion, "softmax of 1024x1024", &memory);
    case(
        MATRICES,
        "transpose",
        [32, 32, 1],
        [32, 8, 1],
        0,
        &[&x, &z, &int(1024), &int(1024)],
    )
    .measure(criterion, "transpose of 1024x1024", &memory);
    case(
        WARPS,
        "total",
        [256, 1, 1],
        [256, 1, 1],
        0,
        &[&x, &z, &int(N)],
    )
    .measure(criterion, "total of 1M", &memory);
    let size = int(256);
    case(
        DIVERGENCE,
        "mandelbrot",
        [16, 32, 1],
        [16, 8, 1],
        0,
        &[&z, &size, &size, &size],
    )
    .measure(criterion, "Mandelbrot of 256x256", &memory);
    let small = case(
        VECTORS,
        "saxpy",
        [1, 1, 1],
        [64, 1, 1],
        0,
        &[&x, &y, &factor, &int(64)],
    );
    criterion.bench_function("launch of one small block", |bencher| {
        bencher.iter(|| small.run(&memory));
    });
}

fn compiling(criterion: &mut Criterion) {
    criterion.bench_function("read and print", |bencher| {
        bencher.iter(|| {
            Module::parse(black_box(MATRICES))
                .expect("readable PTX")
                .to_string()
        });
    });
    let program = Program::new(Module::parse(MATRICES).expect("readable PTX")).expect("variables");
    criterion.bench_function("compile the tiled product", |bencher| {
        bencher.iter(|| program.kernel(black_box("product")).expect("a kernel"));
    });
}

criterion_group!(benches, rates, kernels, compiling);
criterion_main!(benches);
