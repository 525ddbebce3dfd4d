//! Every built-in kernel compiles, for every architecture that the compiler knows.

#![cfg(feature = "nvrtc")]

mod support;

use pygpukit_device::nvrtc::{Arch, Severity, Source};
use pygpukit_kernels::Unit;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One of each generation that the kernels must serve.
const ARCHS: [&str; 4] = ["sm_80", "sm_90", "sm_100", "sm_120"];

/// A kernel of each unit's source, by which its image is found.
fn entry(unit: Unit) -> &'static str {
    match unit {
        Unit::Copy { .. } | Unit::Unary(..) | Unit::Binary(..) => "strided",
        Unit::Arange(_) => "arange",
        Unit::Matmul(_) => "matmul",
    }
}

/// Each unit for one architecture, in turn; with `PYGPUKIT_TEST_ARCHS=all`, each
/// for all of them, which takes minutes.
#[test]
fn every_unit_compiles_without_a_word() {
    let toolchain = support::toolchain();
    let is_known = |arch: &Arch| {
        let capability = (arch.number() / 10, arch.number() % 10);
        toolchain
            .arch_for(capability, None)
            .is_ok_and(|best| best.number() == arch.number() && best.is_real())
    };
    let archs: Vec<Arch> = ARCHS
        .iter()
        .map(|name| name.parse().unwrap())
        .filter(is_known)
        .collect();
    assert!(archs.len() >= 2, "a compiler that knows only {archs:?}");
    let all = std::env::var("PYGPUKIT_TEST_ARCHS").is_ok_and(|value| value == "all");
    let units: Vec<Unit> = Unit::all().collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(&unit) = units.get(next.fetch_add(1, Ordering::Relaxed)) {
            let turn = units.iter().position(|&other| other == unit).unwrap() % archs.len();
            let archs = if all { &archs[..] } else { &archs[turn..=turn] };
            for &arch in archs {
                let source = Source::from_text(unit.source(), format!("{unit}.cu"));
                let image = toolchain
                    .compile(&source, entry(unit), &unit.options(), arch, None)
                    .unwrap_or_else(|error| panic!("{unit} for {arch}: {error}"));
                assert!(image.cubin.is_some(), "{unit} for {arch}");
                let said = image.diagnostics.iter();
                let said = said.filter(|said| said.severity != Severity::Remark);
                assert_eq!(said.count(), 0, "{unit} for {arch}: {}", image.log);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
}
