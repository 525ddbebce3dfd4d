//! The corners: infinities, NaN, signed zeros, division by zero, exact comparisons.

use crate::harness::{array, check, on_every_device, values};
use pygpukit_core::array::{BinaryOp, DType, Scalar};
use pygpukit_device::ops::{self, Arg};

const FLOATS: [DType; 4] = [
    DType::Float16,
    DType::BFloat16,
    DType::Float32,
    DType::Float64,
];

/// `(a, b, a // b, a % b)`, by NumPy 2.
const FLOOR: [(f64, f64, f64, f64); 18] = [
    (1.0, 0.0, f64::INFINITY, f64::NAN),
    (-1.0, 0.0, f64::NEG_INFINITY, f64::NAN),
    (1.0, -0.0, f64::NEG_INFINITY, f64::NAN),
    (0.0, 0.0, f64::NAN, f64::NAN),
    (0.0, 2.0, 0.0, 0.0),
    (-0.0, 2.0, -0.0, 0.0),
    (0.0, -2.0, -0.0, -0.0),
    (4.0, -2.0, -2.0, -0.0),
    (-4.0, 2.0, -2.0, 0.0),
    (5.0, -2.0, -3.0, -1.0),
    (-5.0, 2.0, -3.0, 1.0),
    (1.0, f64::INFINITY, 0.0, 1.0),
    (-1.0, f64::INFINITY, -1.0, f64::INFINITY),
    (1.0, f64::NEG_INFINITY, -1.0, f64::NEG_INFINITY),
    (-1.0, f64::NEG_INFINITY, 0.0, -1.0),
    (f64::INFINITY, 2.0, f64::NAN, f64::NAN),
    (f64::NAN, 2.0, f64::NAN, f64::NAN),
    (2.0, f64::NAN, f64::NAN, f64::NAN),
];

fn floats(values: impl IntoIterator<Item = f64>) -> Vec<Scalar> {
    values.into_iter().map(Scalar::Float).collect()
}

fn sign_bits(values: &[Scalar]) -> Vec<Option<bool>> {
    values
        .iter()
        .map(|&value| match value {
            Scalar::Float(value) if value.is_nan() => None,
            Scalar::Float(value) => Some(value.is_sign_negative()),
            _ => panic!("not a float: {value:?}"),
        })
        .collect()
}

#[test]
fn floor_division_of_floats() {
    on_every_device(|stream| {
        for dtype in FLOATS {
            let left = array(stream, &floats(FLOOR.map(|row| row.0)), &[18], dtype);
            let right = array(stream, &floats(FLOOR.map(|row| row.1)), &[18], dtype);
            let (left, right) = (Arg::Array(&left), Arg::Array(&right));
            for (op, expected) in [
                (BinaryOp::FloorDivide, floats(FLOOR.map(|row| row.2))),
                (BinaryOp::Remainder, floats(FLOOR.map(|row| row.3))),
            ] {
                let found = ops::binary(stream, op, left, right, None).unwrap();
                let found = values(stream, &found);
                check(&found, &expected, 0.0, &format!("{op} of {dtype}"));
                assert_eq!(sign_bits(&found), sign_bits(&expected), "{op} of {dtype}");
            }
        }
    });
}

#[test]
fn powers_and_quotients_without_a_value() {
    on_every_device(|stream| {
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        let rows = [
            (BinaryOp::Power, 0.0, 0.0, 1.0),
            (BinaryOp::Power, nan, 0.0, 1.0),
            (BinaryOp::Power, 1.0, nan, 1.0),
            (BinaryOp::Power, -8.0, 0.5, nan),
            (BinaryOp::Power, 0.0, -1.0, inf),
            (BinaryOp::Power, 2.0, inf, inf),
            (BinaryOp::Power, inf, -1.0, 0.0),
            (BinaryOp::TrueDivide, 1.0, 0.0, inf),
            (BinaryOp::TrueDivide, -1.0, 0.0, -inf),
            (BinaryOp::TrueDivide, 0.0, 0.0, nan),
            (BinaryOp::TrueDivide, 1.0, inf, 0.0),
            (BinaryOp::Add, inf, -inf, nan),
        ];
        for dtype in FLOATS {
            for (op, a, b, expected) in rows {
                let left = array(stream, &[Scalar::Float(a)], &[], dtype);
                let right = Arg::Scalar(Scalar::Float(b));
                let found = ops::binary(stream, op, Arg::Array(&left), right, None).unwrap();
                let what = format!("{op}({a}, {b}) of {dtype}");
                check(
                    &values(stream, &found),
                    &[Scalar::Float(expected)],
                    0.0,
                    &what,
                );
            }
        }
    });
}

#[test]
fn integers_to_negative_powers() {
    on_every_device(|stream| {
        let base = [-3, -1, -1, 0, 1, 2].map(Scalar::Int);
        let exponent = [-1, -2, -3, -1, -5, -1].map(Scalar::Int);
        let base = array(stream, &base, &[6], DType::Int32);
        let exponent = array(stream, &exponent, &[6], DType::Int32);
        let (left, right) = (Arg::Array(&base), Arg::Array(&exponent));
        let found = ops::binary(stream, BinaryOp::Power, left, right, None).unwrap();
        let expected = [0, 1, -1, 0, 1, 0].map(Scalar::Int);
        check(&values(stream, &found), &expected, 0.0, "power");
    });
}

#[test]
fn nothing_compares_with_nan() {
    on_every_device(|stream| {
        let numbers = [1.0, f64::NAN, f64::INFINITY, -0.0];
        for dtype in FLOATS {
            let a = array(stream, &floats(numbers), &[4, 1], dtype);
            let b = array(stream, &floats(numbers), &[4], dtype);
            for op in BinaryOp::ALL.into_iter().filter(|op| op.is_comparison()) {
                let found = ops::binary(stream, op, Arg::Array(&a), Arg::Array(&b), None).unwrap();
                let expected: Vec<Scalar> = numbers
                    .iter()
                    .flat_map(|&a| numbers.map(|b| (a, b)))
                    .map(|(a, b)| {
                        Scalar::Bool(match op {
                            BinaryOp::Equal => a == b,
                            BinaryOp::NotEqual => a != b,
                            BinaryOp::Less => a < b,
                            BinaryOp::LessEqual => a <= b,
                            BinaryOp::Greater => a > b,
                            _ => a >= b,
                        })
                    })
                    .collect();
                check(
                    &values(stream, &found),
                    &expected,
                    0.0,
                    &format!("{op} of {dtype}"),
                );
            }
        }
    });
}

/// `(a, b, a < b, a <= b, a == b)`, by NumPy 2.
#[test]
fn complex_numbers_compare_by_parts() {
    let nan = f64::NAN;
    let rows = [
        ((1.0, 2.0), (1.0, 3.0), true, true, false),
        ((2.0, 1.0), (2.0, 1.0), false, true, true),
        ((1.0, 9.0), (2.0, 0.0), true, true, false),
        ((nan, 1.0), (1.0, 0.0), false, false, false),
        ((1.0, 0.0), (1.0, nan), false, false, false),
        ((0.0, nan), (1.0, 0.0), false, false, false),
    ];
    on_every_device(|stream| {
        for dtype in [DType::Complex64, DType::Complex128] {
            let number = |(re, im)| Scalar::Complex(re, im);
            let a = array(stream, &rows.map(|row| number(row.0)), &[6], dtype);
            let b = array(stream, &rows.map(|row| number(row.1)), &[6], dtype);
            let compare = |op, a, b| {
                let found = ops::binary(stream, op, Arg::Array(a), Arg::Array(b), None).unwrap();
                values(stream, &found)
            };
            let bools = |values: [bool; 6]| values.map(Scalar::Bool);
            assert_eq!(compare(BinaryOp::Less, &a, &b), bools(rows.map(|r| r.2)));
            assert_eq!(compare(BinaryOp::Greater, &b, &a), bools(rows.map(|r| r.2)));
            assert_eq!(
                compare(BinaryOp::LessEqual, &a, &b),
                bools(rows.map(|r| r.3))
            );
            assert_eq!(
                compare(BinaryOp::GreaterEqual, &b, &a),
                bools(rows.map(|r| r.3))
            );
            assert_eq!(compare(BinaryOp::Equal, &a, &b), bools(rows.map(|r| r.4)));
            assert_eq!(
                compare(BinaryOp::NotEqual, &a, &b),
                bools(rows.map(|r| !r.4))
            );
        }
    });
}

#[test]
fn integers_compare_exactly() {
    let signed = [
        i128::from(i64::MIN),
        -1,
        0,
        1,
        (1 << 53) + 1,
        i128::from(i64::MAX),
    ];
    let unsigned = [0, 1, 1 << 53, (1 << 53) + 1, 1 << 63, i128::from(u64::MAX)];
    let compare = |op, a: i128, b: i128| match op {
        BinaryOp::Equal => a == b,
        BinaryOp::NotEqual => a != b,
        BinaryOp::Less => a < b,
        BinaryOp::LessEqual => a <= b,
        BinaryOp::Greater => a > b,
        _ => a >= b,
    };
    on_every_device(|stream| {
        let a = array(stream, &signed.map(Scalar::Int), &[6, 1], DType::Int64);
        let b = array(stream, &unsigned.map(Scalar::Int), &[6], DType::UInt64);
        for op in BinaryOp::ALL.into_iter().filter(|op| op.is_comparison()) {
            let pairs = || signed.iter().flat_map(|&a| unsigned.map(|b| (a, b)));
            let found = ops::binary(stream, op, Arg::Array(&a), Arg::Array(&b), None).unwrap();
            let expected: Vec<_> = pairs()
                .map(|(a, b)| Scalar::Bool(compare(op, a, b)))
                .collect();
            check(
                &values(stream, &found),
                &expected,
                0.0,
                &format!("int64 {op} uint64"),
            );

            let mirrored = ops::binary(stream, op, Arg::Array(&b), Arg::Array(&a), None).unwrap();
            let expected: Vec<_> = pairs()
                .map(|(a, b)| Scalar::Bool(compare(op, b, a)))
                .collect();
            check(
                &values(stream, &mirrored),
                &expected,
                0.0,
                &format!("uint64 {op} int64"),
            );

            // Python integers beyond the dtype's range, on either side.
            for number in [-(1_i128 << 70), -1, 1 << 40, i128::from(u64::MAX), 1 << 70] {
                let scalar = Arg::Scalar(Scalar::Int(number));
                for (array, numbers) in [(&a, signed), (&b, unsigned)] {
                    let what = format!("{} {op} {number}", array.dtype());
                    let found = ops::binary(stream, op, Arg::Array(array), scalar, None).unwrap();
                    let expected = numbers.map(|n| Scalar::Bool(compare(op, n, number)));
                    check(&values(stream, &found), &expected, 0.0, &what);
                    let found = ops::binary(stream, op, scalar, Arg::Array(array), None).unwrap();
                    let expected = numbers.map(|n| Scalar::Bool(compare(op, number, n)));
                    check(&values(stream, &found), &expected, 0.0, &what);
                }
            }
        }
    });
}

#[test]
fn squares() {
    on_every_device(|stream| {
        for (dtype, numbers) in [
            (DType::Int8, [-3, 0, 11].map(Scalar::Int)),
            (
                DType::Float32,
                [-1.5, f64::INFINITY, f64::NAN].map(Scalar::Float),
            ),
            (
                DType::Complex64,
                [0.0, -2.0, 1.0].map(|im| Scalar::Complex(2.0, im)),
            ),
        ] {
            let a = array(stream, &numbers, &[3], dtype);
            let expected: Vec<Scalar> = numbers
                .iter()
                .map(|&x| crate::model::binary(BinaryOp::Multiply, dtype, x, x))
                .collect();
            for two in [Scalar::Int(2), Scalar::Float(2.0)] {
                if dtype == DType::Int8 && two != Scalar::Int(2) {
                    continue; // that promotes to float64
                }
                let (left, right) = (Arg::Array(&a), Arg::Scalar(two));
                let found = ops::binary(stream, BinaryOp::Power, left, right, None).unwrap();
                assert_eq!(found.dtype(), dtype);
                check(&values(stream, &found), &expected, 0.0, dtype.name());
            }
            // In place, the operand is read before it is overwritten.
            let (left, right) = (Arg::Array(&a), Arg::Scalar(Scalar::Int(2)));
            ops::binary(stream, BinaryOp::Power, left, right, Some(&a)).unwrap();
            check(&values(stream, &a), &expected, 0.0, dtype.name());
        }
    });
}
