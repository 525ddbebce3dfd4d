//! `x[...] = v`, `fill` and `reshape`.

use crate::harness::{array, check, on_every_device, positions, values};
use pygpukit_core::array::{DType, Index, Scalar};
use pygpukit_device::ops::{self, Arg};
use pygpukit_device::{Array, Error, Stream};

fn numbers(range: std::ops::Range<i32>) -> Vec<Scalar> {
    range.map(|i| Scalar::Int(i.into())).collect()
}

fn sequence(stream: &Stream, shape: &[usize]) -> Array {
    let count: usize = shape.iter().product();
    array(stream, &numbers(0..count as i32), shape, DType::Int32)
}

const BACKWARDS: Index = Index::Slice(None, None, Some(-1));

#[test]
fn views_that_overlap_are_read_first() {
    on_every_device(|stream| {
        let slice = |start, stop| [Index::Slice(start, stop, None)];
        for count in [10, 3000] {
            let shift = |from: [Index; 1], to: [Index; 1]| {
                let a = sequence(stream, &[count]);
                let (source, target) = (a.index(&from).unwrap(), a.index(&to).unwrap());
                ops::assign(stream, &target, Arg::Array(&source)).unwrap();
                let mut expected = numbers(0..count as i32);
                for (to, from) in positions(target.layout())
                    .into_iter()
                    .zip(positions(source.layout()))
                {
                    expected[to] = Scalar::Int(from as i128);
                }
                check(
                    &values(stream, &a),
                    &expected,
                    0.0,
                    "overlapping assignment",
                );
            };
            shift(slice(None, Some(-1)), slice(Some(1), None));
            shift(slice(Some(1), None), slice(None, Some(-1)));
            shift([BACKWARDS], slice(None, None));
            shift(slice(None, None), slice(None, None));
            let half = (count / 2) as isize;
            let every_second = [Index::Slice(None, None, Some(2))];
            shift(slice(Some(half), None), every_second);
        }
        let a = sequence(stream, &[40, 40]);
        ops::assign(stream, &a, Arg::Array(&a.transposed())).unwrap();
        let expected: Vec<Scalar> = (0..1600)
            .map(|i| Scalar::Int((i % 40 * 40 + i / 40).into()))
            .collect();
        check(&values(stream, &a), &expected, 0.0, "a[...] = a.T");
    });
}

#[test]
fn values_are_broadcast_and_cast() {
    on_every_device(|stream| {
        let a = sequence(stream, &[3, 4]);
        let column = array(
            stream,
            &[1 << 32, (1 << 32) - 2, 3].map(Scalar::Int),
            &[3, 1],
            DType::Int64,
        );
        // Integers of an array wrap.
        ops::assign(stream, &a, Arg::Array(&column)).unwrap();
        let expected: Vec<Scalar> = [0, -2, 3]
            .iter()
            .flat_map(|&x| [Scalar::Int(x); 4])
            .collect();
        assert_eq!(values(stream, &a), expected);
        // Leading dimensions of length 1 do not count.
        let row = array(stream, &numbers(0..4), &[1, 1, 4], DType::Int32);
        let target = a.index(&[Index::At(1)]).unwrap();
        ops::assign(stream, &target, Arg::Array(&row)).unwrap();
        assert_eq!(values(stream, &target), numbers(0..4));
        ops::assign(stream, &target, Arg::Scalar(Scalar::Int(-7))).unwrap();
        assert_eq!(values(stream, &a)[4..8], [Scalar::Int(-7); 4]);
        ops::fill(
            stream,
            &a.transposed().index(&[BACKWARDS]).unwrap(),
            Scalar::Int(9),
        )
        .unwrap();
        assert_eq!(values(stream, &a), [Scalar::Int(9); 12]);
        let nothing = a.index(&[Index::Slice(Some(3), None, None)]).unwrap();
        ops::assign(stream, &nothing, Arg::Scalar(Scalar::Int(1))).unwrap();
        assert_eq!(values(stream, &a), [Scalar::Int(9); 12]);
    });
}

#[test]
fn what_cannot_be_assigned() {
    on_every_device(|stream| {
        let a = ops::zeros(stream, &[2, 3], DType::Int8).unwrap();
        let assign =
            |target: &Array, value: Arg<'_>| ops::assign(stream, target, value).unwrap_err();
        for dtype in [DType::Float16, DType::Complex64] {
            let higher = ops::zeros(stream, &[3], dtype).unwrap();
            assert!(matches!(
                assign(&a, Arg::Array(&higher)),
                Error::Cast { .. }
            ));
        }
        for scalar in [
            Scalar::Float(1.0),
            Scalar::Float(f64::NAN),
            Scalar::Int(128),
            Scalar::Complex(1.0, 0.0),
        ] {
            assert!(
                matches!(assign(&a, Arg::Scalar(scalar)), Error::Scalar(_)),
                "{scalar:?}"
            );
        }
        let wide = ops::zeros(stream, &[2], DType::Int8).unwrap();
        assert!(matches!(assign(&a, Arg::Array(&wide)), Error::Shape(_)));
        let repeated = wide.index(&[Index::Ellipsis, Index::NewAxis]).unwrap();
        let repeated = repeated.broadcast_to(&[2, 3]).unwrap();
        let error = assign(&repeated, Arg::Scalar(Scalar::Int(1)));
        assert!(error.to_string().contains("broadcast view"), "{error}");
        assert_eq!(values(stream, &a), [Scalar::Int(0); 6]);
    });
}

#[test]
fn reshape_is_a_view_where_it_can_be() {
    on_every_device(|stream| {
        let a = sequence(stream, &[4, 6]);
        let view = ops::reshape(stream, &a, &[2, -1, 3]).unwrap();
        assert!(view.shares_buffer(&a));
        assert_eq!(view.shape(), [2, 4, 3]);
        let copied = ops::reshape(stream, &a.transposed(), &[-1]).unwrap();
        assert!(!copied.shares_buffer(&a));
        let expected: Vec<Scalar> = (0..24)
            .map(|i| Scalar::Int((i % 4 * 6 + i / 4).into()))
            .collect();
        assert_eq!(values(stream, &copied), expected);
        assert!(ops::reshape(stream, &a, &[5, 5]).is_err());
    });
}
