//! Matrix products: every dtype, shape and layout; every element checked.

use crate::harness::{Random, array, check, close, on_every_device, values};
use crate::model::wrap;
use half::{bf16, f16};
use pygpukit_core::array::{DType, Index, Kind, Scalar};
use pygpukit_device::{Array, Error, Stream, ops};

/// Small whole numbers: sums of products are exact in every float dtype, also in
/// TF32, until the one rounding at the end.
fn small(random: &mut Random, dtype: DType) -> (i64, i64) {
    let number = random.below(7) as i64 - 3;
    match dtype.kind() {
        Kind::Bool => (number & 1, 0),
        Kind::Unsigned => (number.abs(), 0),
        Kind::Signed | Kind::Float => (number, 0),
        Kind::Complex => (number, random.below(5) as i64 - 2),
    }
}

fn scalar((re, im): (i64, i64), dtype: DType) -> Scalar {
    match dtype.kind() {
        Kind::Bool => Scalar::Bool(re != 0),
        Kind::Unsigned | Kind::Signed => Scalar::Int(wrap(re.into(), dtype)),
        Kind::Float => Scalar::Float(match dtype {
            DType::Float16 => f16::from_f32(re as f32).to_f64(),
            DType::BFloat16 => bf16::from_f32(re as f32).to_f64(),
            _ => re as f64,
        }),
        Kind::Complex => Scalar::Complex(re as f64, im as f64),
    }
}

/// A matrix of numbers, row by row.
struct Matrix {
    numbers: Vec<(i64, i64)>,
    rows: usize,
    columns: usize,
}

impl Matrix {
    fn random(random: &mut Random, rows: usize, columns: usize, dtype: DType) -> Self {
        let numbers = (0..rows * columns).map(|_| small(random, dtype)).collect();
        Self {
            numbers,
            rows,
            columns,
        }
    }

    fn product(&self, other: &Self, dtype: DType) -> Vec<Scalar> {
        let mut result = Vec::with_capacity(self.rows * other.columns);
        for row in 0..self.rows {
            for column in 0..other.columns {
                let (mut re, mut im) = (0, 0);
                for inner in 0..self.columns {
                    let (a, ai) = self.numbers[row * self.columns + inner];
                    let (b, bi) = other.numbers[inner * other.columns + column];
                    re += a * b - ai * bi;
                    im += a * bi + ai * b;
                }
                result.push(scalar((re, im), dtype));
            }
        }
        result
    }

    /// The matrix on the device, in one of several layouts.
    fn on_device(&self, stream: &Stream, dtype: DType, layout: usize) -> Array {
        let at =
            |row: usize, column: usize| scalar(self.numbers[row * self.columns + column], dtype);
        let back = Index::Slice(None, None, Some(-1));
        let (m, n) = (self.rows, self.columns);
        let elements =
            |at: &dyn Fn(usize, usize) -> Scalar, rows: usize, columns: usize| -> Vec<Scalar> {
                (0..rows * columns)
                    .map(|i| at(i / columns.max(1), i % columns.max(1)))
                    .collect()
            };
        match layout {
            0 => array(stream, &elements(&at, m, n), &[m, n], dtype),
            1 => array(stream, &elements(&|j, i| at(i, j), n, m), &[n, m], dtype).transposed(),
            2 => {
                let flipped = elements(&|i, j| at(m - 1 - i, n - 1 - j), m, n);
                array(stream, &flipped, &[m, n], dtype)
                    .index(&[back, back])
                    .unwrap()
            }
            3 => {
                // Every second column of a wider array, one row down: odd alignment.
                let wide = elements(
                    &|i, j| {
                        if i > 0 && j % 2 == 1 {
                            at(i - 1, j / 2)
                        } else {
                            scalar((1, 0), dtype)
                        }
                    },
                    m + 1,
                    2 * n + 1,
                );
                let second = [
                    Index::Slice(Some(1), None, None),
                    Index::Slice(Some(1), None, Some(2)),
                ];
                array(stream, &wide, &[m + 1, 2 * n + 1], dtype)
                    .index(&second)
                    .unwrap()
            }
            _ => {
                // A wider array's left part: rows are apart, columns are not.
                let wide = elements(
                    &|i, j| {
                        if j < n {
                            at(i, j)
                        } else {
                            scalar((1, 0), dtype)
                        }
                    },
                    m,
                    n + 3,
                );
                let left = [Index::Ellipsis, Index::Slice(None, Some(n as isize), None)];
                array(stream, &wide, &[m, n + 3], dtype)
                    .index(&left)
                    .unwrap()
            }
        }
    }
}

/// An output in which an element that is not written would be seen.
fn poisoned(stream: &Stream, shape: &[usize], dtype: DType) -> Array {
    let poison = match dtype.kind() {
        Kind::Float | Kind::Complex => Scalar::Float(f64::NAN),
        Kind::Bool => Scalar::Bool(true),
        Kind::Signed | Kind::Unsigned => Scalar::Int(0x7f),
    };
    ops::full(stream, shape, poison, dtype).unwrap()
}

fn check_shape(
    stream: &Stream,
    random: &mut Random,
    dtype: DType,
    (m, n, k): (usize, usize, usize),
) {
    let left = Matrix::random(random, m, k, dtype);
    let right = Matrix::random(random, k, n, dtype);
    let layouts = (random.below(5), random.below(5));
    let a = left.on_device(stream, dtype, layouts.0);
    let b = right.on_device(stream, dtype, layouts.1);
    let expected = left.product(&right, dtype);
    let what = format!("{dtype} {m} x {k} @ {k} x {n}, layouts {layouts:?}");
    let out = poisoned(stream, &[m, n], dtype);
    let tf32 = random.below(2) == 1;
    ops::matmul(stream, &a, &b, Some(&out), tf32).unwrap();
    check(&values(stream, &out), &expected, 0.0, &what);
    // Memory that comes back from the cache is poisoned too.
    drop(out);
    let result = ops::matmul(stream, &a, &b, None, tf32).unwrap();
    assert_eq!((result.shape(), result.dtype()), (&[m, n][..], dtype));
    check(&values(stream, &result), &expected, 0.0, &what);
}

#[test]
fn every_remainder_of_the_inner_length() {
    on_every_device(|stream| {
        let mut random = Random::new(10);
        for dtype in DType::ALL {
            for k in 0..=40 {
                let (m, n) = (1 + random.below(40), 1 + random.below(40));
                check_shape(stream, &mut random, dtype, (m, n, k));
            }
        }
    });
}

#[test]
fn every_number_of_rows_and_columns() {
    on_every_device(|stream| {
        let mut random = Random::new(11);
        for dtype in DType::ALL {
            for side in 1..=40 {
                let other = 1 + random.below(40);
                let k = 1 + random.below(20);
                let shape = if side % 2 == 0 {
                    (side, other, k)
                } else {
                    (other, side, k)
                };
                check_shape(stream, &mut random, dtype, shape);
            }
        }
    });
}

#[test]
fn primes_and_tile_edges() {
    on_every_device(|stream| {
        let mut random = Random::new(12);
        let shapes = [
            (67, 101, 53),
            (1, 131, 97),
            (127, 1, 129),
            (64, 64, 64),
            (65, 63, 33),
            (1, 1, 257),
            (128, 129, 15),
        ];
        for dtype in DType::ALL {
            for shape in shapes {
                check_shape(stream, &mut random, dtype, shape);
            }
        }
        // Large enough to be split over threads and blocks.
        for dtype in [DType::Float32, DType::BFloat16, DType::Int32] {
            check_shape(stream, &mut random, dtype, (131, 523, 37));
        }
        check_shape(stream, &mut random, DType::Float16, (5, 7, 1031));
    });
}

#[test]
fn no_elements() {
    on_every_device(|stream| {
        let mut random = Random::new(13);
        for dtype in DType::ALL {
            for shape in [(0, 3, 2), (3, 0, 2), (3, 2, 0), (0, 0, 0), (1, 1, 0)] {
                check_shape(stream, &mut random, dtype, shape);
            }
        }
    });
}

#[test]
fn batches_and_vectors() {
    on_every_device(|stream| {
        for dtype in [
            DType::Float32,
            DType::Int64,
            DType::Float16,
            DType::Complex64,
        ] {
            let ones = |shape: &[usize]| ops::ones(stream, shape, dtype).unwrap();
            let five = [scalar((5, 0), dtype)];
            for (left, right, result) in [
                (&[5][..], &[5][..], &[][..]),
                (&[5], &[5, 3], &[3]),
                (&[2, 5], &[5], &[2]),
                (&[4, 2, 5], &[5], &[4, 2]),
                (&[4, 2, 5], &[5, 3], &[4, 2, 3]),
                (&[4, 1, 2, 5], &[7, 5, 3], &[4, 7, 2, 3]),
                (&[5], &[4, 5, 3], &[4, 3]),
                (&[0, 2, 5], &[5, 3], &[0, 2, 3]),
            ] {
                let found = ops::matmul(stream, &ones(left), &ones(right), None, false).unwrap();
                assert_eq!(found.shape(), result);
                let expected = five.repeat(found.size());
                check(
                    &values(stream, &found),
                    &expected,
                    0.0,
                    &format!("{left:?} @ {right:?}"),
                );
            }
        }
        // Batches that differ, one operand of them broadcast and backwards.
        let mut random = Random::new(14);
        let dtype = DType::Int32;
        let lefts: Vec<Matrix> = (0..3)
            .map(|_| Matrix::random(&mut random, 4, 6, dtype))
            .collect();
        let right = Matrix::random(&mut random, 6, 5, dtype);
        let numbers: Vec<Scalar> = lefts
            .iter()
            .flat_map(|m| &m.numbers)
            .map(|&n| scalar(n, dtype))
            .collect();
        let a = array(stream, &numbers, &[3, 4, 6], dtype);
        let a = a.index(&[Index::Slice(None, None, Some(-1))]).unwrap();
        let found =
            ops::matmul(stream, &a, &right.on_device(stream, dtype, 1), None, false).unwrap();
        let expected: Vec<Scalar> = lefts
            .iter()
            .rev()
            .flat_map(|left| left.product(&right, dtype))
            .collect();
        check(&values(stream, &found), &expected, 0.0, "batch");
    });
}

#[test]
fn broadcast_operands() {
    on_every_device(|stream| {
        for dtype in DType::ALL {
            // One number, one row, one column, repeated by zero strides.
            let two = ops::full(stream, &[1, 1], Scalar::Int(2), dtype).unwrap();
            let square = two.broadcast_to(&[6, 6]).unwrap();
            let row = ops::ones(stream, &[6], dtype)
                .unwrap()
                .broadcast_to(&[6, 6])
                .unwrap();
            for (a, b) in [
                (&square, &row),
                (&row, &square),
                (&square, &row.transposed()),
            ] {
                let found = ops::matmul(stream, a, b, None, false).unwrap();
                let expected = if dtype == DType::Bool {
                    scalar((1, 0), dtype)
                } else {
                    scalar((12, 0), dtype)
                };
                check(&values(stream, &found), &[expected; 36], 0.0, dtype.name());
            }
        }
    });
}

#[test]
fn outputs_that_share_memory_or_differ_in_dtype() {
    on_every_device(|stream| {
        let numbers = [1, 2, 3, 4].map(Scalar::Int);
        let a = array(stream, &numbers, &[2, 2], DType::Int32);
        ops::matmul(stream, &a, &a, Some(&a), false).unwrap();
        assert_eq!(values(stream, &a), [7, 10, 15, 22].map(Scalar::Int));
        let strided = ops::zeros(stream, &[2, 2], DType::Int64)
            .unwrap()
            .transposed();
        ops::matmul(stream, &a, &a, Some(&strided), false).unwrap();
        assert_eq!(
            values(stream, &strided),
            [199, 290, 435, 634].map(Scalar::Int)
        );
        let wrong = ops::zeros(stream, &[2, 2], DType::UInt32).unwrap();
        assert!(matches!(
            ops::matmul(stream, &a, &a, Some(&wrong), false),
            Err(Error::Cast { .. })
        ));
        let wrong = ops::zeros(stream, &[2, 3], DType::Int32).unwrap();
        assert!(matches!(
            ops::matmul(stream, &a, &a, Some(&wrong), false),
            Err(Error::Shape(_))
        ));
        for shape in [&[3][..], &[3, 2], &[]] {
            let other = ops::zeros(stream, shape, DType::Int32).unwrap();
            assert!(matches!(
                ops::matmul(stream, &a, &other, None, false),
                Err(Error::Value(_))
            ));
        }
    });
}

/// Long sums of numbers that are not exact: float32 accumulates for the 16-bit floats.
#[test]
fn accuracy_of_long_sums() {
    on_every_device(|stream| {
        let k = 4099;
        for (dtype, tolerance) in [
            (DType::Float16, 1e-3),
            (DType::BFloat16, 8e-3),
            (DType::Float32, 1e-5),
            (DType::Float64, 1e-13),
        ] {
            let tenth = ops::full(stream, &[2, k], Scalar::Float(0.1), dtype).unwrap();
            let Scalar::Float(stored) = values(stream, &tenth)[0] else {
                panic!("not a float");
            };
            let found = ops::matmul(stream, &tenth, &tenth.transposed(), None, false).unwrap();
            let expected = Scalar::Float(stored * stored * k as f64);
            for found in values(stream, &found) {
                assert!(
                    close(found, expected, tolerance),
                    "{dtype}: {found:?}, not {expected:?}"
                );
            }
        }
    });
}
