//! Work on several streams, from several threads, gives what it gives in sequence.

use crate::harness::{on_every_device, values};
use proptest::prelude::*;
use pygpukit_core::array::{BinaryOp, DType, Index, Scalar};
use pygpukit_device::backend::Priority;
use pygpukit_device::ops::{self, Arg};
use pygpukit_device::{Array, Stream};

/// One step of a program over a few arrays.
#[derive(Clone, Debug)]
enum Step {
    /// `x[target] = x[left] op x[right]`, a new array; the old one is freed.
    New {
        op: BinaryOp,
        target: usize,
        left: usize,
        right: usize,
    },
    /// `x[target][...] = x[left] op x[right]`.
    Into {
        op: BinaryOp,
        target: usize,
        left: usize,
        right: usize,
    },
    /// `x[target][::-1] = x[source]`
    Reverse { target: usize, source: usize },
    /// `x[target][::2] = value`
    Fill { target: usize, value: i64 },
}

const ARRAYS: usize = 4;
const STREAMS: usize = 3;

fn step() -> impl Strategy<Value = Step> {
    let op = prop_oneof![
        Just(BinaryOp::Add),
        Just(BinaryOp::Multiply),
        Just(BinaryOp::Subtract)
    ];
    let at = 0..ARRAYS;
    prop_oneof![
        (op.clone(), at.clone(), at.clone(), at.clone()).prop_map(|(op, target, left, right)| {
            Step::New {
                op,
                target,
                left,
                right,
            }
        }),
        (op, at.clone(), at.clone(), at.clone()).prop_map(|(op, target, left, right)| Step::Into {
            op,
            target,
            left,
            right
        }),
        (at.clone(), at.clone()).prop_map(|(target, source)| Step::Reverse { target, source }),
        (at, -5..5_i64).prop_map(|(target, value)| Step::Fill { target, value }),
    ]
}

fn run(stream: &Stream, step: &Step, arrays: &mut [Array]) {
    let view = |array: &Array, step| {
        array
            .index(&[Index::Slice(None, None, Some(step))])
            .unwrap()
    };
    match *step {
        Step::New {
            op,
            target,
            left,
            right,
        } => {
            let (left, right) = (Arg::Array(&arrays[left]), Arg::Array(&arrays[right]));
            arrays[target] = ops::binary(stream, op, left, right, None).unwrap();
        }
        Step::Into {
            op,
            target,
            left,
            right,
        } => {
            let (left, right) = (Arg::Array(&arrays[left]), Arg::Array(&arrays[right]));
            ops::binary(stream, op, left, right, Some(&arrays[target])).unwrap();
        }
        Step::Reverse { target, source } => {
            let target = view(&arrays[target], -1);
            ops::assign(stream, &target, Arg::Array(&arrays[source])).unwrap();
        }
        Step::Fill { target, value } => {
            ops::fill(stream, &view(&arrays[target], 2), Scalar::Int(value.into())).unwrap();
        }
    }
}

fn model(step: &Step, arrays: &mut [Vec<i64>]) {
    match *step {
        Step::New {
            op,
            target,
            left,
            right,
        }
        | Step::Into {
            op,
            target,
            left,
            right,
        } => {
            let pairs = arrays[left].iter().zip(&arrays[right]);
            arrays[target] = pairs
                .map(|(&a, &b)| match op {
                    BinaryOp::Add => a.wrapping_add(b),
                    BinaryOp::Multiply => a.wrapping_mul(b),
                    _ => a.wrapping_sub(b),
                })
                .collect();
        }
        Step::Reverse { target, source } => {
            arrays[target] = arrays[source].iter().rev().copied().collect();
        }
        Step::Fill { target, value } => {
            arrays[target]
                .iter_mut()
                .step_by(2)
                .for_each(|x| *x = value);
        }
    }
}

/// Runs steps, each on a stream and (if `threads`) submitted by a thread of its own.
fn check(stream: &Stream, program: &[(usize, Step)], count: usize, threads: bool) {
    let streams: Vec<Stream> = (0..STREAMS)
        .map(|_| Stream::new(stream.device(), Priority::Normal).unwrap())
        .collect();
    let mut expected: Vec<Vec<i64>> = (0..ARRAYS as i64)
        .map(|k| (0..count as i64).map(|i| i * (k + 1)).collect())
        .collect();
    let mut arrays: Vec<Array> = (0..ARRAYS as i128)
        .map(|k| {
            let [start, stop, step] = [0, count as i128 * (k + 1), k + 1].map(Scalar::Int);
            ops::arange(stream, start, stop, step, DType::Int64).unwrap()
        })
        .collect();
    for (on, step) in program {
        let (stream, arrays) = (&streams[*on], &mut arrays);
        if threads {
            std::thread::scope(|scope| scope.spawn(|| run(stream, step, arrays)).join().unwrap());
        } else {
            run(stream, step, arrays);
        }
        model(step, &mut expected);
    }
    for (array, expected) in arrays.iter().zip(expected) {
        let expected: Vec<Scalar> = expected.iter().map(|&x| Scalar::Int(x.into())).collect();
        assert!(values(stream, array) == expected, "{program:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn programs_on_several_streams(
        program in prop::collection::vec((0..STREAMS, step()), 1..24),
        large: bool,
    ) {
        // Small work runs on the caller's thread of the CPU device, large elsewhere.
        let count = if large { 20_011 } else { 257 };
        on_every_device(|stream| check(stream, &program, count, false));
    }

    #[test]
    fn programs_from_several_threads(program in prop::collection::vec((0..STREAMS, step()), 1..12)) {
        on_every_device(|stream| check(stream, &program, 18_000, true));
    }
}

/// Threads that share streams and an operand, but no array that is written.
#[test]
fn threads_do_not_disturb_each_other() {
    on_every_device(|stream| {
        let count = 30_000;
        let shared = ops::ones(stream, &[count], DType::Int64).unwrap();
        let streams: Vec<Stream> = (0..2)
            .map(|_| Stream::new(stream.device(), Priority::Normal).unwrap())
            .collect();
        std::thread::scope(|scope| {
            for thread in 0..4_usize {
                let (shared, streams) = (&shared, &streams);
                scope.spawn(move || {
                    let start = Scalar::Int(thread as i128);
                    let mine = ops::full(&streams[0], &[count], start, DType::Int64).unwrap();
                    for round in 0..20 {
                        let stream = &streams[(thread + round) % 2];
                        let (left, right) = (Arg::Array(&mine), Arg::Array(shared));
                        ops::binary(stream, BinaryOp::Add, left, right, Some(&mine)).unwrap();
                    }
                    let expected = Scalar::Int(thread as i128 + 20);
                    let found = values(&streams[thread % 2], &mine);
                    assert!(found.iter().all(|&x| x == expected), "thread {thread}");
                });
            }
        });
    });
}

#[test]
fn waiting_for_streams() {
    on_every_device(|stream| {
        let other = Stream::new(stream.device(), Priority::High).unwrap();
        let a = ops::ones(&other, &[1_000_000], DType::Float32).unwrap();
        stream.wait_stream(&other).unwrap();
        stream.wait_stream(stream).unwrap();
        stream.synchronize().unwrap();
        assert!(stream.is_idle().unwrap() && other.is_idle().unwrap());
        assert!(a.wait(std::time::Duration::ZERO).unwrap());
    });
}
