//! Every built-in kernel compiles, for every architecture that the compiler knows,
//! and takes parameters of the size that its plan writes.

#![cfg(feature = "nvrtc")]
#![expect(clippy::unwrap_used, reason = "a test fails so")]

#[path = "support/compiler.rs"]
mod compiler;
#[path = "support/paths.rs"]
mod paths;

use pygpukit_device::nvrtc::{Arch, Source, Toolchain};
use pygpukit_kernels::{
    Launch, Limits, Matrix, Operand, Product, Unit, arange, elementwise, matmul,
};
use pygpukit_ptx::Module;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One of each generation that the kernels must serve.
const ARCHS: [&str; 4] = ["sm_80", "sm_90", "sm_100", "sm_120"];

/// One unit in so many becomes machine code.
const SAMPLE: usize = 40;

/// A launch of every kernel that the unit has.
fn launches(unit: Unit) -> Vec<Launch> {
    let limits = Limits {
        multiprocessors: 100,
    };
    let launch = match unit {
        Unit::Copy { .. } | Unit::Unary(..) | Unit::Binary(..) => {
            let shapes: [&[usize]; 3] = [&[], &[2], &[1 << 33]];
            let launch = |shape: &[usize]| {
                let operand = Operand::Array {
                    address: 1 << 20,
                    strides: &[64][..shape.len()],
                };
                elementwise(unit, shape, operand, operand, operand, limits)
            };
            return shapes.map(launch).into_iter().flatten().collect();
        }
        Unit::Arange(of) => arange(of, 1 << 20, 1, [0; 16], [0; 16], limits),
        Unit::Matmul(of) => {
            let (batch, m, n, k) = (&[][..], 1, 1, 1);
            let product = Product { batch, m, n, k };
            let matrix = Matrix {
                address: 1 << 20,
                batch: &[],
                row: 0,
                column: 0,
            };
            matmul(of, product, 1 << 20, matrix, matrix, limits)
        }
    };
    launch.into_iter().collect()
}

/// Each unit in PTX, and a sample as machine code of each architecture; with
/// `PYGPUKIT_TEST_ARCHS=all`, each unit for each architecture, which takes minutes.
#[test]
fn every_unit_compiles_without_a_word() {
    let toolchain = compiler::toolchain();
    let is_known = |arch: &Arch| {
        let capability = (arch.number() / 10, arch.number() % 10);
        toolchain
            .arch_for(capability, None)
            .is_ok_and(|best| best.number() == arch.number() && best.is_real())
    };
    let parse = |name: &&str| name.parse::<Arch>().unwrap();
    let archs: Vec<Arch> = ARCHS.iter().map(parse).filter(is_known).collect();
    assert!(archs.len() >= 2, "a compiler that knows only {archs:?}");
    let all = std::env::var("PYGPUKIT_TEST_ARCHS").is_ok_and(|value| value == "all");
    let each = if all { 1 } else { SAMPLE };
    let mut work: Vec<(Unit, Arch)> = Vec::new();
    for (at, unit) in Unit::all().enumerate() {
        work.push((unit, Arch::virtual_of(archs[0].number())));
        let turns = archs.iter().enumerate();
        let sampled =
            turns.filter(|(turn, _)| (at + SAMPLE / ARCHS.len() * turn).is_multiple_of(each));
        work.extend(sampled.map(|(_, &arch)| (unit, arch)));
    }
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(&(unit, arch)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(&toolchain, unit, arch);
                }
            });
        }
    });
}

fn check(toolchain: &Toolchain, unit: Unit, arch: Arch) {
    let launches = launches(unit);
    let source = Source::from_text(unit.source(), format!("{unit}.cu"));
    let image = toolchain
        .compile(&source, launches[0].entry, &unit.options(), arch, None)
        .unwrap_or_else(|error| panic!("{unit} for {arch}: {error}"));
    assert_eq!(image.cubin.is_some(), arch.is_real(), "{unit} for {arch}");
    assert_eq!(image.diagnostics, [], "{unit} for {arch}: {}", image.log);
    let module = Module::parse(&image.ptx).unwrap();
    assert_eq!(module.entries.len(), launches.len(), "{unit}");
    for launch in &launches {
        let kernel = module.entry(launch.entry).unwrap();
        let planned = launch.parameters.len();
        assert_eq!(kernel.parameter_bytes, planned, "{unit}: {}", launch.entry);
    }
}
