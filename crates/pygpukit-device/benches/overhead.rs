//! What one call costs on each device of this machine, apart from the arithmetic.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pygpukit_core::array::{BinaryOp, DType, Scalar};
use pygpukit_device::ops::{self, Arg};
use pygpukit_device::{Array, Device, devices};
use std::hint::black_box;

fn overhead(criterion: &mut Criterion) {
    for id in devices() {
        let device = Device::by_id(id).expect("listed devices open");
        let stream = device.default_stream().expect("an open device has streams");
        let mut group = criterion.benchmark_group(id.to_string());

        group.bench_function("allocate and free 1 MiB", |bencher| {
            bencher.iter(|| Array::empty(stream, black_box(&[1 << 18]), DType::Float32));
        });

        let small = ops::zeros(stream, &[256], DType::Float32).expect("memory");
        let add_one = |array: &Array| {
            let (left, right) = (Arg::Array(array), Arg::Scalar(Scalar::Int(1)));
            ops::binary(stream, BinaryOp::Add, left, right, Some(array))
        };
        group.bench_function("launch and finish x += 1", |bencher| {
            bencher.iter(|| {
                add_one(&small).expect("shapes fit");
                stream.synchronize()
            });
        });

        let large = ops::zeros(stream, &[1 << 22], DType::Float32).expect("memory");
        group.throughput(Throughput::Bytes(2 * large.nbytes() as u64));
        group.bench_function("x += 1, 16 MiB", |bencher| {
            bencher.iter(|| {
                add_one(&large).expect("shapes fit");
                stream.synchronize()
            });
        });
        group.finish();
    }
}

criterion_group!(benches, overhead);
criterion_main!(benches);
