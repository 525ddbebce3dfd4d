//! New arrays: `full`, `zeros`, `ones`, `arange`.

use crate::harness::{check, on_every_device, values};
use crate::model::wrap;
use pygpukit_core::array::{DType, Kind, Scalar};
use pygpukit_device::{Error, ops};

#[test]
fn constants() {
    on_every_device(|stream| {
        for dtype in DType::ALL {
            for shape in [&[][..], &[0], &[7], &[3, 5], &[2, 0, 3], &[1, 33, 1]] {
                let count: usize = shape.iter().product();
                let number = |value: u8| match dtype.kind() {
                    Kind::Bool => Scalar::Bool(value != 0),
                    Kind::Signed | Kind::Unsigned => Scalar::Int(value.into()),
                    Kind::Float => Scalar::Float(value.into()),
                    Kind::Complex => Scalar::Complex(value.into(), 0.0),
                };
                let zeros = ops::zeros(stream, shape, dtype).unwrap();
                assert_eq!((zeros.shape(), zeros.dtype()), (shape, dtype));
                assert_eq!(values(stream, &zeros), vec![number(0); count]);
                let ones = ops::ones(stream, shape, dtype).unwrap();
                assert_eq!(values(stream, &ones), vec![number(1); count]);
                let full = ops::full(stream, shape, Scalar::Int(100), dtype).unwrap();
                let expected = if dtype == DType::Bool {
                    number(1)
                } else {
                    number(100)
                };
                assert_eq!(values(stream, &full), vec![expected; count]);
            }
        }
    });
}

#[test]
fn whole_numbers_in_every_dtype() {
    on_every_device(|stream| {
        for dtype in DType::ALL.into_iter().filter(|&d| d != DType::Bool) {
            for (start, stop, step) in [(0, 10, 1), (5, -7, -3), (3, 100, 7), (1, 2, 5), (4, 4, 1)]
            {
                if dtype.kind() == Kind::Unsigned && step < 0 {
                    continue;
                }
                let [a, b, c] = [start, stop, step].map(Scalar::Int);
                let found = ops::arange(stream, a, b, c, dtype).unwrap();
                let expected: Vec<Scalar> = (0..)
                    .map(|i| start + i * step)
                    .take_while(|&x| if step > 0 { x < stop } else { x > stop })
                    .map(|x| match dtype.kind() {
                        Kind::Float => Scalar::Float(x as f64),
                        Kind::Complex => Scalar::Complex(x as f64, 0.0),
                        _ => Scalar::Int(wrap(x, dtype)),
                    })
                    .collect();
                check(&values(stream, &found), &expected, 0.0, dtype.name());
            }
        }
        let large = ops::arange(
            stream,
            Scalar::Int(0),
            Scalar::Int(200_001),
            Scalar::Int(1),
            DType::Int32,
        );
        let expected: Vec<Scalar> = (0..200_001).map(Scalar::Int).collect();
        assert_eq!(values(stream, &large.unwrap()), expected);
    });
}

/// Lengths and values as NumPy 2 has them.
#[test]
fn fractions() {
    on_every_device(|stream| {
        let float = Scalar::Float;
        let tenths =
            ops::arange(stream, float(0.0), float(1.0), float(0.1), DType::Float64).unwrap();
        let expected: Vec<Scalar> = (0..10).map(|i| float(f64::from(i) * 0.1)).collect();
        check(&values(stream, &tenths), &expected, 1e-15, "tenths");
        // ceil((1.3 - 1) / 0.1) is 4, though 1 + 3 * 0.1 is not below 1.3.
        let four = ops::arange(stream, float(1.0), float(1.3), float(0.1), DType::Float64).unwrap();
        assert_eq!(four.shape(), [4]);
        // The difference of the first two elements counts, after rounding.
        let halves = ops::arange(stream, float(0.0), float(5.0), float(0.5), DType::Int64).unwrap();
        assert_eq!(values(stream, &halves), [Scalar::Int(0); 10]);
        let wrapped = [0, 100, 300].map(Scalar::Int);
        let wrapped = ops::arange(stream, wrapped[0], wrapped[2], wrapped[1], DType::Int8).unwrap();
        assert_eq!(values(stream, &wrapped), [0, 100, -56].map(Scalar::Int));
        let bools = ops::arange(
            stream,
            Scalar::Int(0),
            Scalar::Int(2),
            Scalar::Int(1),
            DType::Bool,
        );
        assert_eq!(
            values(stream, &bools.unwrap()),
            [false, true].map(Scalar::Bool)
        );
    });
}

#[test]
fn ranges_that_cannot_be() {
    on_every_device(|stream| {
        let arange = |start, stop, step, dtype| {
            ops::arange(stream, start, stop, step, dtype)
                .unwrap_err()
                .to_string()
        };
        let (int, float) = (Scalar::Int, Scalar::Float);
        assert!(arange(int(0), int(5), int(0), DType::Int64).contains("step cannot be zero"));
        assert!(arange(float(0.0), float(1.0), float(0.0), DType::Float32).contains("zero"));
        assert!(arange(int(0), float(f64::INFINITY), int(1), DType::Float32).contains("finite"));
        assert!(arange(int(0), float(f64::NAN), int(1), DType::Float32).contains("finite"));
        assert!(
            arange(int(0), int(1 << 62), int(1), DType::Float64).contains("larger than memory")
        );
        assert!(
            arange(float(0.0), float(1e300), int(1), DType::Int8).contains("larger than memory")
        );
        assert!(arange(int(0), int(3), int(1), DType::Bool).contains("at most 2"));
        assert!(arange(int(300), int(400), int(1), DType::Int8).contains("out of bounds"));
        let complex = ops::arange(
            stream,
            int(0),
            Scalar::Complex(1.0, 1.0),
            int(1),
            DType::Complex64,
        );
        assert!(matches!(complex.unwrap_err(), Error::Value(_)));
    });
}
