//! The rules that every operation asks before it is queued.

use criterion::{Criterion, criterion_group, criterion_main};
use pygpukit_core::array::{BinaryOp, DType, Layout, broadcast_shapes, promote};
use std::hint::black_box;

fn rules(criterion: &mut Criterion) {
    criterion.bench_function("promote and sign", |bencher| {
        bencher.iter(|| {
            let dtype = promote(black_box(DType::Int32), black_box(DType::Float32));
            BinaryOp::Add.signature(dtype)
        });
    });
    criterion.bench_function("broadcast two shapes", |bencher| {
        bencher.iter(|| broadcast_shapes(black_box(&[8, 1, 512]), black_box(&[64, 1])));
    });
    let layout = Layout::contiguous(&[64, 512], 4).expect("a small shape");
    criterion.bench_function("broadcast a layout", |bencher| {
        bencher.iter(|| black_box(&layout).broadcast_to(&[8, 64, 512]));
    });
}

criterion_group!(benches, rules);
criterion_main!(benches);
