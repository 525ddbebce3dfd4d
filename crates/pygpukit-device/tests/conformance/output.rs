//! `out=`: shapes, dtypes, and memory shared with the operands.

use crate::harness::{array, check, on_every_device, positions, values};
use pygpukit_core::array::{BinaryOp, DType, Index, Scalar, UnaryOp};
use pygpukit_device::ops::{self, Arg};
use pygpukit_device::{Array, Error, Foreign, Stream};

const fn slice(start: isize, stop: isize, step: isize) -> Index {
    Index::Slice(Some(start), Some(stop), Some(step))
}

/// Overlapping views of one array of 0, 1, 2, …: left, right, output.
fn check_shared(stream: &Stream, count: usize, views: [Index; 3]) {
    let numbers: Vec<i128> = (0..count as i128).collect();
    let scalars: Vec<Scalar> = numbers.iter().map(|&n| Scalar::Int(n)).collect();
    let a = array(stream, &scalars, &[count], DType::Int64);
    let [left, right, out] = views.map(|view| a.index(&[view]).unwrap());
    let result = ops::binary(
        stream,
        BinaryOp::Subtract,
        Arg::Array(&left),
        Arg::Array(&right),
        Some(&out),
    )
    .unwrap();
    assert!(result.shares_buffer(&a), "the result is `out`");
    let mut expected = scalars;
    let [left, right, out] = [left, right, out].map(|view| positions(view.layout()));
    for ((left, right), out) in left.into_iter().zip(right).zip(out) {
        expected[out] = Scalar::Int(numbers[left] - numbers[right]);
    }
    check(&values(stream, &a), &expected, 0.0, &format!("{views:?}"));
}

#[test]
fn memory_shared_with_the_operands() {
    on_every_device(|stream| {
        for count in [12, 5000] {
            let n = count as isize;
            let whole = slice(0, n, 1);
            let backwards = Index::Slice(None, None, Some(-1));
            let (first, last) = (slice(0, n - 1, 1), slice(1, n, 1));
            check_shared(stream, count, [whole, whole, whole]);
            check_shared(stream, count, [whole, backwards, whole]);
            check_shared(stream, count, [backwards, whole, backwards]);
            check_shared(stream, count, [first, last, last]);
            check_shared(stream, count, [last, first, first]);
            check_shared(stream, count, [first, first, last]);
            let (even, odd) = (slice(0, n, 2), slice(1, n, 2));
            check_shared(stream, count, [even, odd, odd]);
            check_shared(stream, count, [slice(0, n / 2, 1), odd, even]);
        }
    });
}

#[test]
fn two_buffers_over_the_same_foreign_memory() {
    on_every_device(|stream| {
        let numbers: Vec<Scalar> = (0..100).map(|n| Scalar::Int(n.into())).collect();
        let a = array(stream, &numbers, &[100], DType::Int32);
        let adopt = |array: &Array| {
            // SAFETY: the array's memory, which the owner keeps alive.
            let buffer = unsafe {
                pygpukit_device::Buffer::from_foreign(
                    array.device(),
                    array.buffer().address(),
                    array.buffer().len(),
                    Foreign::new(array.clone()),
                    false,
                )
            };
            Array::from_parts(buffer, array.layout().clone(), array.dtype()).unwrap()
        };
        stream.synchronize().unwrap();
        let (left, out) = (adopt(&a), adopt(&a));
        let backwards = left.index(&[Index::Slice(None, None, Some(-1))]).unwrap();
        ops::unary(stream, UnaryOp::Negative, &backwards, Some(&out)).unwrap();
        stream.synchronize().unwrap();
        let expected: Vec<Scalar> = (0..100).map(|n| Scalar::Int(n - 99)).collect();
        assert_eq!(values(stream, &a), expected);
    });
}

#[test]
fn other_dtypes_are_cast_within_their_kind() {
    on_every_device(|stream| {
        let a = array(stream, &[1, 2, 3].map(Scalar::Int), &[3], DType::Int32);
        let add = |out: &Array| {
            ops::binary(
                stream,
                BinaryOp::Add,
                Arg::Array(&a),
                Arg::Array(&a),
                Some(out),
            )
        };
        for (dtype, expected) in [
            (DType::Int8, [2, 4, 6].map(Scalar::Int)),
            (DType::Int64, [2, 4, 6].map(Scalar::Int)),
            (DType::Float16, [2.0, 4.0, 6.0].map(Scalar::Float)),
        ] {
            let out = ops::full(stream, &[6], Scalar::Int(77), dtype).unwrap();
            let out = out.index(&[Index::Slice(None, None, Some(-2))]).unwrap();
            add(&out).unwrap();
            assert_eq!(values(stream, &out), expected);
        }
        for dtype in [DType::Bool, DType::UInt32] {
            let out = ops::zeros(stream, &[3], dtype).unwrap();
            let error = add(&out).unwrap_err();
            assert!(
                matches!(
                    error,
                    Error::Cast {
                        op: "add",
                        from: DType::Int32,
                        ..
                    }
                ),
                "{error}"
            );
        }
        // A comparison into its own operand.
        let flags = ops::ones(stream, &[3], DType::Bool).unwrap();
        let (left, right) = (Arg::Array(&flags), Arg::Scalar(Scalar::Bool(true)));
        ops::binary(stream, BinaryOp::NotEqual, left, right, Some(&flags)).unwrap();
        assert_eq!(values(stream, &flags), [Scalar::Bool(false); 3]);
        let answer = ops::binary(
            stream,
            BinaryOp::Less,
            Arg::Array(&a),
            Arg::Scalar(Scalar::Int(1 << 40)),
            Some(&flags),
        );
        assert_eq!(values(stream, &answer.unwrap()), [Scalar::Bool(true); 3]);
    });
}

#[test]
fn shapes_that_do_not_fit() {
    on_every_device(|stream| {
        let a = ops::ones(stream, &[3], DType::Float32).unwrap();
        let negative =
            |out: &Array| ops::unary(stream, UnaryOp::Negative, &a, Some(out)).unwrap_err();
        for shape in [&[][..], &[1], &[4], &[1, 3], &[2, 3]] {
            let out = ops::zeros(stream, shape, DType::Float32).unwrap();
            assert!(matches!(negative(&out), Error::Shape(_)), "{shape:?}");
        }
        let one = ops::zeros(stream, &[1], DType::Float32).unwrap();
        let error = negative(&one.broadcast_to(&[3]).unwrap()).to_string();
        assert!(error.contains("broadcast view"), "{error}");
    });
}
