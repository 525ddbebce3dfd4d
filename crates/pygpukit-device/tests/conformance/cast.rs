//! Every dtype to every other.

use crate::harness::{array, check, on_every_device, same, values};
use crate::model::wrap;
use half::{bf16, f16};
use pygpukit_core::array::{DType, Index, Kind, Scalar};
use pygpukit_device::ops;

/// Numbers that the dtype holds exactly.
fn samples(dtype: DType) -> Vec<Scalar> {
    let bits = 8 * dtype.itemsize() as u32;
    match dtype.kind() {
        Kind::Bool => vec![Scalar::Bool(false), Scalar::Bool(true)],
        Kind::Signed | Kind::Unsigned => {
            let (min, max) = if dtype.kind() == Kind::Signed {
                (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1)
            } else {
                (0, (1_i128 << bits) - 1)
            };
            // 2049 and 257 are ties in float16 and bfloat16, 2^24 + 1 in float32,
            // 2^53 + 1 in float64; the last ones lie just beside a tie.
            let ties = [2049, 2051, 257, 259, (1 << 24) + 1, (1 << 53) + 1];
            let beside = [
                (257 << 50) + 1,
                (257 << 50) - 1,
                (257 << 40) + 1,
                -(257 << 50) - 1,
            ];
            [0, 1, -1, 2, 100, -128, 40_000, min, max, max / 2]
                .into_iter()
                .chain(ties)
                .chain(beside)
                .filter(|value| (min..=max).contains(value))
                .map(Scalar::Int)
                .collect()
        }
        Kind::Float | Kind::Complex => floats(dtype)
            .into_iter()
            .map(|value| match dtype.kind() {
                Kind::Complex => Scalar::Complex(value, -value),
                _ => Scalar::Float(value),
            })
            .collect(),
    }
}

fn floats(dtype: DType) -> Vec<f64> {
    let numbers = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -1.5,
        2.75,
        100.0,
        -100.0,
        65_504.0,
        65_520.0,
        1e-7,
        3e38,
        1.0 / 3.0,
        6e-8,
        1e-40,
        1e300,
        -1e-300,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        // Just above a tie of float16 and of bfloat16; float32 would hit the tie.
        1.0 + 0.000_488_281_25 + 1e-12,
        1.0 + 0.003_906_25 + 1e-12,
    ];
    numbers
        .into_iter()
        .map(|value| match dtype {
            DType::Float16 => f16::from_f32(value as f32).to_f64(),
            DType::BFloat16 => bf16::from_f32(value as f32).to_f64(),
            DType::Float32 | DType::Complex64 => f64::from(value as f32),
            _ => value,
        })
        .collect()
}

/// What C's conversion gives on x86, where C itself leaves it open.
fn expected(value: Scalar, to: DType) -> Scalar {
    let (re, im) = match value {
        Scalar::Bool(value) => return expected(Scalar::Int(value.into()), to),
        Scalar::Int(value) => return from_integer(value, to),
        Scalar::Float(value) => (value, 0.0),
        Scalar::Complex(re, im) => (re, im),
    };
    match to.kind() {
        Kind::Bool => Scalar::Bool(re != 0.0 || im != 0.0),
        Kind::Signed | Kind::Unsigned => Scalar::Int(truncated(re, to)),
        Kind::Float => Scalar::Float(to_float(re, to)),
        Kind::Complex => Scalar::Complex(to_float(re, to), to_float(im, to)),
    }
}

/// By way of 32 or 64 bits, whose smallest integer stands for what does not fit.
fn truncated(value: f64, to: DType) -> i128 {
    let bits = match to {
        DType::Int64 | DType::UInt32 | DType::UInt64 => 64,
        _ => 32,
    };
    let limit = 1_i128 << (bits - 1);
    // Saturates far beyond either width; NaN becomes 0.
    let whole = value.trunc() as i128;
    if to == DType::UInt64 && whole >= limit {
        return if whole < 2 * limit { whole } else { 0 };
    }
    let fits = !value.is_nan() && (-limit..limit).contains(&whole);
    wrap(if fits { whole } else { -limit }, to)
}

fn from_integer(value: i128, to: DType) -> Scalar {
    match to.kind() {
        Kind::Bool => Scalar::Bool(value != 0),
        Kind::Signed | Kind::Unsigned => Scalar::Int(wrap(value, to)),
        Kind::Float => Scalar::Float(integer_to_float(value, to)),
        Kind::Complex => Scalar::Complex(integer_to_float(value, to), 0.0),
    }
}

/// The nearest float, ties to even, in integer arithmetic.
fn integer_to_float(value: i128, to: DType) -> f64 {
    let (fraction, largest) = match to {
        DType::Float16 => (11, 65_504.0),
        DType::BFloat16 => (8, f64::MAX),
        DType::Float32 | DType::Complex64 => (24, f64::MAX),
        _ => (53, f64::MAX),
    };
    let magnitude = value.unsigned_abs();
    let excess = (128 - magnitude.leading_zeros()).saturating_sub(fraction);
    let (kept, rest) = (
        magnitude >> excess,
        magnitude - (magnitude >> excess << excess),
    );
    let half = (1_u128 << excess) / 2;
    let up = excess > 0 && (rest > half || (rest == half && kept & 1 == 1));
    let rounded = ((kept + u128::from(up)) << excess) as f64;
    let rounded = if rounded > largest {
        f64::INFINITY
    } else {
        rounded
    };
    if value < 0 { -rounded } else { rounded }
}

/// The nearest float, ties to even, by trying the neighbours.
fn to_float(value: f64, to: DType) -> f64 {
    let nearest = |from_bits: &dyn Fn(u16) -> f64, first: u16| {
        // One of these three patterns is the nearest; an even one wins a tie.
        let candidates =
            [first.saturating_sub(1), first, first + 1].map(|bits| (bits, from_bits(bits)));
        candidates
            .into_iter()
            .filter(|(_, candidate)| candidate.is_finite())
            .min_by(|a, b| {
                let distance = |x: f64| (value.abs() - x.abs()).abs();
                distance(a.1)
                    .total_cmp(&distance(b.1))
                    .then((a.0 & 1).cmp(&(b.0 & 1)))
            })
            .map_or(value, |(_, nearest)| nearest.abs().copysign(value))
    };
    match to {
        DType::Float32 | DType::Complex64 => f64::from(value as f32),
        DType::Float16 if value.abs() < 65_520.0 => nearest(
            &|bits| f16::from_bits(bits).to_f64(),
            f16::from_f32(value.abs() as f32).to_bits(),
        ),
        DType::BFloat16 if value.abs() < 3.39e38 => nearest(
            &|bits| bf16::from_bits(bits).to_f64(),
            bf16::from_f32(value.abs() as f32).to_bits(),
        ),
        DType::Float16 | DType::BFloat16 if !value.is_nan() => f64::INFINITY.copysign(value),
        _ => value,
    }
}

#[test]
fn every_dtype_to_every_other() {
    on_every_device(|stream| {
        for from in DType::ALL {
            let numbers = samples(from);
            let source = array(stream, &numbers, &[numbers.len()], from);
            for to in DType::ALL {
                let found = ops::cast(stream, &source, to).unwrap();
                assert_eq!(found.dtype(), to);
                assert!(!found.shares_buffer(&source));
                for (&number, found) in numbers.iter().zip(values(stream, &found)) {
                    let expected = expected(number, to);
                    assert!(
                        same(found, expected),
                        "{number:?} from {from} to {to}: {found:?}, not {expected:?}"
                    );
                }
            }
        }
    });
}

#[test]
fn strided_and_long_sources() {
    on_every_device(|stream| {
        let count = 2 * 1111;
        for (from, to) in [
            (DType::Int16, DType::Float64),
            (DType::Float16, DType::Float32),
            (DType::Float32, DType::BFloat16),
            (DType::Int32, DType::Int8),
            (DType::UInt8, DType::Complex64),
        ] {
            let numbers: Vec<Scalar> = (0..count)
                .map(|i| match from.kind() {
                    Kind::Float => Scalar::Float(f64::from(i % 100)),
                    _ => Scalar::Int((i % 100).into()),
                })
                .collect();
            let source = array(stream, &numbers, &[1111, 2], from);
            let backwards = [Index::Slice(None, None, Some(-1)), Index::At(1)];
            let found = ops::cast(stream, &source.index(&backwards).unwrap(), to).unwrap();
            let expected: Vec<Scalar> = numbers
                .chunks(2)
                .rev()
                .map(|pair| expected(pair[1], to))
                .collect();
            check(
                &values(stream, &found),
                &expected,
                0.0,
                &format!("{from} to {to}"),
            );
        }
    });
}

#[test]
fn a_copy_is_new_and_contiguous() {
    on_every_device(|stream| {
        for dtype in DType::ALL {
            let a = ops::ones(stream, &[3, 4], dtype).unwrap();
            let same_array = ops::contiguous(stream, &a).unwrap();
            assert!(same_array.shares_buffer(&a));
            let transposed = ops::contiguous(stream, &a.transposed()).unwrap();
            let copied = ops::copy(stream, &a).unwrap();
            for new in [&transposed, &copied] {
                assert!(!new.shares_buffer(&a) && new.layout().is_contiguous());
            }
            ops::fill(stream, &a, Scalar::Int(0)).unwrap();
            let ones = values(stream, &ops::ones(stream, &[12], dtype).unwrap());
            assert_eq!(values(stream, &copied), ones);
        }
    });
}
