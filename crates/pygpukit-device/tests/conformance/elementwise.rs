//! Every operation on every dtype: layouts, scalars, mixed dtypes, sizes.

use crate::harness::{Random, array, check, on_every_device, values};
use crate::model;
use pygpukit_core::array::{BinaryOp, DType, Index, Kind, Scalar, UnaryOp, promote};
use pygpukit_device::ops::{self, Arg};
use pygpukit_device::{Array, Error, Stream};

/// Operands that suit the operation: divisors and exponents that the model takes.
fn operands(
    random: &mut Random,
    op: BinaryOp,
    dtype: DType,
    count: usize,
) -> (Vec<Scalar>, Vec<Scalar>) {
    let left = random.many(count, dtype);
    let right = (0..count)
        .map(|_| match (op, dtype.kind()) {
            (BinaryOp::Power, Kind::Signed | Kind::Unsigned) => {
                Scalar::Int(random.below(12) as i128)
            }
            (BinaryOp::Power | BinaryOp::TrueDivide, Kind::Float | Kind::Complex) => {
                // No overflow, no division by zero: those are in `special`.
                let whole = [1.0, 2.0, 3.0, -1.0, 0.5][random.below(5)];
                if dtype.kind() == Kind::Complex {
                    Scalar::Complex(whole, [0.0, 0.5][random.below(2)])
                } else {
                    Scalar::Float(whole)
                }
            }
            _ => random.any(dtype),
        })
        .collect();
    (left, right)
}

/// What the operation gives for elements of `dtype`, after its own cast.
fn expected(op: BinaryOp, dtype: DType, left: &[Scalar], right: &[Scalar]) -> Vec<Scalar> {
    let compute = op.signature(dtype).unwrap().compute;
    let cast = |value: Scalar| match (value, compute.kind()) {
        (Scalar::Int(value), Kind::Float) => Scalar::Float(value as f64),
        (Scalar::Bool(value), Kind::Float) => Scalar::Float(f64::from(u8::from(value))),
        (Scalar::Bool(value), Kind::Signed) => Scalar::Int(value.into()),
        (value, _) => value,
    };
    left.iter()
        .zip(right)
        .map(|(&a, &b)| model::binary(op, compute, cast(a), cast(b)))
        .collect()
}

fn binary(stream: &Stream, op: BinaryOp, left: Arg<'_>, right: Arg<'_>) -> Array {
    ops::binary(stream, op, left, right, None).unwrap()
}

fn is_defined(op: BinaryOp, dtype: DType) -> bool {
    op.signature(dtype).is_ok()
}

#[test]
fn every_operation_on_every_dtype() {
    on_every_device(|stream| {
        let mut random = Random::new(1);
        for dtype in DType::ALL {
            for op in BinaryOp::ALL
                .into_iter()
                .filter(|&op| is_defined(op, dtype))
            {
                let what = format!("{op} of {dtype}");
                let tolerance = model::tolerance(op, dtype);
                let (left, right) = operands(&mut random, op, dtype, 100);
                let (a, b) = (
                    array(stream, &left, &[100], dtype),
                    array(stream, &right, &[100], dtype),
                );
                let result = binary(stream, op, Arg::Array(&a), Arg::Array(&b));
                assert_eq!(
                    result.dtype(),
                    op.signature(dtype).unwrap().result,
                    "{what}"
                );
                let model = expected(op, dtype, &left, &right);
                check(&values(stream, &result), &model, tolerance, &what);

                // Every third element backwards, against a column, in two dimensions.
                let step = [Index::Slice(None, None, Some(-3))];
                let strided = a.index(&step).unwrap();
                let column = b.index(&[Index::Slice(None, Some(5), None), Index::NewAxis]);
                let column = column.unwrap();
                let result = binary(stream, op, Arg::Array(&strided), Arg::Array(&column));
                assert_eq!(result.shape(), [5, 34]);
                let (mut rows, mut columns) = (Vec::new(), Vec::new());
                for &right in &right[..5] {
                    rows.extend(left.iter().rev().step_by(3));
                    columns.extend([right; 34]);
                }
                let model = expected(op, dtype, &rows, &columns);
                check(&values(stream, &result), &model, tolerance, &what);

                // A Python scalar of the dtype's own kind, on either side.
                let result = binary(stream, op, Arg::Array(&a), Arg::Scalar(right[0]));
                let model = expected(op, dtype, &left, &[right[0]; 100]);
                check(&values(stream, &result), &model, tolerance, &what);
                let result = binary(stream, op, Arg::Scalar(left[0]), Arg::Array(&b));
                let model = expected(op, dtype, &[left[0]; 100], &right);
                check(&values(stream, &result), &model, tolerance, &what);
            }
        }
    });
}

#[test]
fn operands_of_two_dtypes_are_promoted() {
    on_every_device(|stream| {
        let mut random = Random::new(2);
        for left_dtype in DType::ALL {
            for right_dtype in DType::ALL {
                let a = random.small(left_dtype);
                let b = random.small(right_dtype);
                let (left, right) = (
                    array(stream, &[a], &[], left_dtype),
                    array(stream, &[b], &[1], right_dtype),
                );
                let result = binary(stream, BinaryOp::Add, Arg::Array(&left), Arg::Array(&right));
                let dtype = promote(left_dtype, right_dtype);
                assert_eq!((result.dtype(), result.shape()), (dtype, &[1][..]));
                let number = |value| match value {
                    Scalar::Bool(value) => (f64::from(u8::from(value)), 0.0),
                    Scalar::Int(value) => (value as f64, 0.0),
                    Scalar::Float(value) => (value, 0.0),
                    Scalar::Complex(re, im) => (re, im),
                };
                let sum = (number(a).0 + number(b).0, number(a).1 + number(b).1);
                let found = number(values(stream, &result)[0]);
                let sum = if dtype == DType::Bool {
                    (sum.0.min(1.0), 0.0)
                } else {
                    sum
                };
                assert_eq!(found, sum, "{left_dtype} + {right_dtype}");
            }
        }
    });
}

#[test]
fn negation() {
    on_every_device(|stream| {
        let mut random = Random::new(3);
        for dtype in DType::ALL.into_iter().filter(|&d| d != DType::Bool) {
            let numbers = random.many(70, dtype);
            let a = array(stream, &numbers, &[7, 10], dtype).transposed();
            let result = ops::unary(stream, UnaryOp::Negative, &a, None).unwrap();
            assert_eq!(result.dtype(), dtype);
            let expected: Vec<Scalar> = (0..70)
                .map(|i| match numbers[i % 7 * 10 + i / 7] {
                    Scalar::Int(value) => Scalar::Int(model::wrap(-value, dtype)),
                    Scalar::Float(value) => Scalar::Float(-value),
                    Scalar::Complex(re, im) => Scalar::Complex(-re, -im),
                    Scalar::Bool(_) => unreachable!("not bool"),
                })
                .collect();
            check(
                &values(stream, &result),
                &expected,
                0.0,
                &format!("-{dtype}"),
            );
        }
    });
}

#[test]
fn large_arrays_of_odd_length() {
    on_every_device(|stream| {
        let count = 300_007;
        let mut random = Random::new(4);
        for dtype in [
            DType::Float32,
            DType::Int8,
            DType::Float16,
            DType::Complex128,
        ] {
            let left: Vec<Scalar> = (0..count).map(|_| random.small(dtype)).collect();
            let right: Vec<Scalar> = (0..count).map(|_| random.small(dtype)).collect();
            let a = array(stream, &left, &[count], dtype);
            let b = array(stream, &right, &[count], dtype);
            let result = binary(stream, BinaryOp::Subtract, Arg::Array(&a), Arg::Array(&b));
            let model = expected(BinaryOp::Subtract, dtype, &left, &right);
            check(&values(stream, &result), &model, 0.0, dtype.name());
        }
    });
}

#[test]
fn no_elements() {
    on_every_device(|stream| {
        for dtype in DType::ALL {
            let empty = ops::zeros(stream, &[3, 0, 2], dtype).unwrap();
            let row = ops::ones(stream, &[2], dtype).unwrap();
            for op in BinaryOp::ALL
                .into_iter()
                .filter(|&op| is_defined(op, dtype))
            {
                let result = binary(stream, op, Arg::Array(&row), Arg::Array(&empty));
                assert_eq!(result.shape(), [3, 0, 2]);
                assert_eq!(values(stream, &result), []);
            }
        }
    });
}

#[test]
fn what_is_refused() {
    on_every_device(|stream| {
        let int8 = ops::ones(stream, &[3], DType::Int8).unwrap();
        let uint8 = ops::ones(stream, &[3], DType::UInt8).unwrap();
        let bool8 = ops::ones(stream, &[3], DType::Bool).unwrap();
        let complex = ops::ones(stream, &[3], DType::Complex64).unwrap();
        let wide = ops::ones(stream, &[4], DType::Int8).unwrap();
        let try_binary = |op, a: &Array, b| ops::binary(stream, op, Arg::Array(a), b, None);
        let int = |value| Arg::Scalar(Scalar::Int(value));
        for (result, message) in [
            (
                try_binary(BinaryOp::Add, &int8, Arg::Array(&wide)),
                "(3,) and (4,)",
            ),
            (
                try_binary(BinaryOp::Add, &int8, int(1000)),
                "`1000` is out of bounds for `int8`",
            ),
            (
                try_binary(BinaryOp::Power, &int8, int(-1)),
                "negative integer powers",
            ),
            (
                try_binary(BinaryOp::Power, &uint8, int(-1)),
                "`-1` is out of bounds for `uint8`",
            ),
            (
                try_binary(BinaryOp::Subtract, &bool8, Arg::Array(&bool8)),
                "`subtract` is not defined",
            ),
            (
                try_binary(BinaryOp::Remainder, &complex, int(2)),
                "`remainder` is not defined",
            ),
        ] {
            let error = result.unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
        let error = ops::unary(stream, UnaryOp::Negative, &bool8, None).unwrap_err();
        assert!(matches!(error, Error::Op(_)), "{error}");
    });
}
