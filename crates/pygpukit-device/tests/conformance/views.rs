//! Random views: every stride, offset and broadcast that indexing can make.

use crate::harness::{array, check, on_every_device, positions, values};
use proptest::prelude::*;
use pygpukit_core::array::{BinaryOp, DType, Index, Scalar};
use pygpukit_device::Array;
use pygpukit_device::ops::{self, Arg};

/// How to make a view of a given shape from a larger array.
#[derive(Clone, Debug)]
struct Recipe {
    /// A dimension: elements skipped before, step (0 is broadcast).
    dims: Vec<(usize, isize)>,
    /// The order of the dimensions in memory.
    order: Vec<usize>,
}

fn recipe(ndim: usize, may_broadcast: bool) -> impl Strategy<Value = Recipe> {
    let lowest = isize::from(!may_broadcast);
    let step =
        (lowest..=3_isize, any::<bool>()).prop_map(|(step, back)| if back { -step } else { step });
    let dims = prop::collection::vec((0..3_usize, step), ndim);
    let order = Just((0..ndim).collect::<Vec<_>>()).prop_shuffle();
    (dims, order).prop_map(|(dims, order)| Recipe { dims, order })
}

/// A view of `shape` into an array of numbers 0, 1, 2, … times `factor`.
fn view(
    stream: &pygpukit_device::Stream,
    shape: &[usize],
    recipe: &Recipe,
    factor: i128,
) -> (Array, Vec<i128>) {
    let lengths: Vec<usize> = shape
        .iter()
        .zip(&recipe.dims)
        .map(|(&length, &(skip, step))| match step {
            0 => 1,
            _ => skip + length.max(1) * step.unsigned_abs(),
        })
        .collect();
    let stored: Vec<usize> = recipe.order.iter().map(|&dim| lengths[dim]).collect();
    let count: usize = stored.iter().product();
    let numbers: Vec<i128> = (0..count as i128).map(|i| i * factor).collect();
    let scalars: Vec<Scalar> = numbers.iter().map(|&n| Scalar::Int(n)).collect();
    let base = array(stream, &scalars, &stored, DType::Int32);
    // Back to the order of `shape`: strides of the stored array, permuted.
    let mut strides = vec![0; shape.len()];
    for (position, &dim) in recipe.order.iter().enumerate() {
        strides[dim] = base.layout().strides()[position];
    }
    let permuted = pygpukit_core::array::Layout::strided(&lengths, &strides, 0, 4);
    let permuted =
        Array::from_parts(std::sync::Arc::clone(base.buffer()), permuted, DType::Int32).unwrap();
    let items: Vec<Index> = recipe
        .dims
        .iter()
        .zip(shape)
        .map(|(&(skip, step), &length)| {
            if step == 0 {
                Index::Slice(None, None, None)
            } else {
                let (skip, size) = (skip as isize, length as isize * step.abs());
                if step > 0 {
                    Index::Slice(Some(skip), Some(skip + size), Some(step))
                } else if length == 0 {
                    Index::Slice(Some(0), Some(0), Some(1))
                } else {
                    let last = (skip - 1).max(-1);
                    let stop = (last >= 0).then_some(last);
                    Index::Slice(Some(skip + size - 1), stop, Some(step))
                }
            }
        })
        .collect();
    let view = permuted.index(&items).unwrap().broadcast_to(shape).unwrap();
    let elements = positions(view.layout())
        .iter()
        .map(|&at| numbers[at])
        .collect();
    (view, elements)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn binary_operations(
        (shape, left, right, out) in prop::collection::vec(0..7_usize, 0..5).prop_flat_map(|shape| {
            let n = shape.len();
            (Just(shape), recipe(n, true), recipe(n, true), recipe(n, false))
        })
    ) {
        on_every_device(|stream| {
            let (a, left) = view(stream, &shape, &left, 3);
            let (b, right) = view(stream, &shape, &right, 5);
            let (target, _) = view(stream, &shape, &out, 0);
            let whole_target = Array::from_parts(
                std::sync::Arc::clone(target.buffer()),
                pygpukit_core::array::Layout::contiguous(&[target.buffer().len() / 4], 4).unwrap(),
                DType::Int32,
            ).unwrap();
            ops::fill(stream, &whole_target, Scalar::Int(-1)).unwrap();
            let sums: Vec<Scalar> = left.iter().zip(&right).map(|(a, b)| Scalar::Int(a + b)).collect();
            ops::binary(stream, BinaryOp::Add, Arg::Array(&a), Arg::Array(&b), Some(&target)).unwrap();
            check(&values(stream, &target), &sums, 0.0, "out");
            // Nothing beside the view was touched.
            let mut expected = vec![Scalar::Int(-1); whole_target.size()];
            for (at, &sum) in positions(target.layout()).into_iter().zip(&sums) {
                expected[at] = sum;
            }
            check(&values(stream, &whole_target), &expected, 0.0, "memory of out");
            let fresh = ops::binary(stream, BinaryOp::Add, Arg::Array(&a), Arg::Array(&b), None).unwrap();
            check(&values(stream, &fresh), &sums, 0.0, "result");
            let widened = ops::cast(stream, &a, DType::Int64).unwrap();
            let left: Vec<Scalar> = left.into_iter().map(Scalar::Int).collect();
            check(&values(stream, &widened), &left, 0.0, "cast");
            check(&values(stream, &a), &left, 0.0, "copy");
        });
    }
}
