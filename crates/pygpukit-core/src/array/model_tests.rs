//! Layouts against a model that lists the address of every element.

#![expect(
    clippy::maybe_infinite_iter,
    clippy::similar_names,
    reason = "a model reads like the mathematics it stands for"
)]

use super::{Dims, Index, IndexError, Layout, ShapeError, Strides, broadcast_shapes};
use proptest::prelude::*;

/// What a view shows: a shape, and the address of each element in C order.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Listed {
    shape: Vec<usize>,
    addresses: Vec<isize>,
}

/// All indices of a shape, in C order.
fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for &length in shape {
        all = all
            .into_iter()
            .flat_map(|index: Vec<usize>| {
                (0..length).map(move |i| index.iter().copied().chain([i]).collect())
            })
            .collect();
    }
    all
}

fn listed(layout: &Layout) -> Listed {
    let address = |index: &Vec<usize>| {
        let steps = index.iter().zip(layout.strides());
        let steps: isize = steps.map(|(&i, &stride)| i.cast_signed() * stride).sum();
        layout.offset().cast_signed() + steps
    };
    Listed {
        shape: layout.shape().to_vec(),
        addresses: indices(layout.shape()).iter().map(address).collect(),
    }
}

const ITEMSIZE: usize = 4;

/// Any layout in a buffer, with gaps, negative and zero strides.
fn layout() -> impl Strategy<Value = Layout> {
    let stride = (-6..=6_isize).prop_map(|step| step * ITEMSIZE.cast_signed());
    let anything = prop::collection::vec((0..5_usize, stride), 0..4).prop_map(|dims| {
        let (shape, strides): (Vec<usize>, Vec<isize>) = dims.into_iter().unzip();
        let back: isize = shape
            .iter()
            .zip(&strides)
            .map(|(&length, &stride)| (length.cast_signed() - 1).max(0) * stride.min(0))
            .sum();
        Layout::strided(&shape, &strides, back.unsigned_abs() + 8, ITEMSIZE)
    });
    // Most layouts are contiguous, or views of contiguous ones.
    let contiguous = prop::collection::vec(0..5_usize, 0..5)
        .prop_map(|shape| Layout::contiguous(&shape, ITEMSIZE).unwrap());
    let view = (
        contiguous.clone(),
        prop::collection::vec(item(), 0..3),
        any::<bool>(),
    )
        .prop_map(|(layout, items, transposed)| {
            let layout = layout.index(&items).unwrap_or(layout);
            if transposed {
                layout.transposed()
            } else {
                layout
            }
        });
    prop_oneof![anything, contiguous, view]
}

/// An item of an index expression, mostly one that exists.
fn item() -> impl Strategy<Value = Index> {
    let bound = || {
        prop_oneof![
            2 => Just(None),
            5 => (-7..8_isize).prop_map(Some),
            1 => prop_oneof![Just(isize::MAX), Just(isize::MIN)].prop_map(Some),
        ]
    };
    prop_oneof![
        3 => (-5..5_isize).prop_map(Index::At),
        5 => (bound(), bound(), bound()).prop_map(|(start, stop, step)| Index::Slice(start, stop, step)),
        1 => Just(Index::Ellipsis),
        1 => Just(Index::NewAxis),
    ]
}

/// The indices that Python's `range(size)[start:stop:step]` gives, found by trying all.
fn sliced(size: usize, start: Option<isize>, stop: Option<isize>, step: isize) -> Vec<usize> {
    let size = i128::try_from(size).unwrap();
    let step = step as i128;
    let from_end = |bound: isize| {
        let bound = bound as i128;
        if bound < 0 { bound + size } else { bound }
    };
    let first = start.map_or(if step > 0 { 0 } else { size - 1 }, from_end);
    // A start beyond the end that the slice walks away from begins at that end.
    let first = if step > 0 {
        first.max(0)
    } else {
        first.min(size - 1)
    };
    let stop = stop.map_or(if step > 0 { size } else { -1 }, |bound| {
        from_end(bound).max(-1)
    });
    (0..)
        .map(|i| first + i * step)
        .take_while(|&at| {
            if step > 0 {
                at < stop.min(size)
            } else {
                at > stop && at >= 0
            }
        })
        .map(|at| usize::try_from(at).unwrap())
        .collect()
}

/// Indexing, one dimension after the other, on lists of addresses.
fn index_listed(source: &Listed, items: &[Index]) -> Result<Listed, ()> {
    let is_taking = |item: &&Index| matches!(item, Index::At(_) | Index::Slice(..));
    let taken = items.iter().filter(is_taking).count();
    let ellipses = items
        .iter()
        .filter(|&&item| item == Index::Ellipsis)
        .count();
    if ellipses > 1 || taken > source.shape.len() {
        return Err(());
    }
    let rest = source.shape.len() - taken;
    // For each dimension of the source the indices kept; for the result its shape.
    let (mut kept, mut shape) = (Vec::new(), Vec::new());
    let whole = |kept: &mut Vec<Vec<usize>>, shape: &mut Vec<usize>, count: usize| {
        for _ in 0..count {
            let length = source.shape[kept.len()];
            kept.push((0..length).collect());
            shape.push(length);
        }
    };
    for item in items {
        match *item {
            Index::NewAxis => shape.push(1),
            Index::Ellipsis => whole(&mut kept, &mut shape, rest),
            Index::At(at) => {
                let size = source.shape[kept.len()].cast_signed();
                if !(-size..size).contains(&at) {
                    return Err(());
                }
                kept.push(vec![at.rem_euclid(size).cast_unsigned()]);
            }
            Index::Slice(start, stop, step) => {
                let step = step.unwrap_or(1);
                if step == 0 {
                    return Err(());
                }
                let indices = sliced(source.shape[kept.len()], start, stop, step);
                shape.push(indices.len());
                kept.push(indices);
            }
        }
    }
    let missing = source.shape.len() - kept.len();
    whole(&mut kept, &mut shape, missing);
    let addresses = indices(&source.shape)
        .into_iter()
        .zip(&source.addresses)
        .filter(|(index, _)| index.iter().zip(&kept).all(|(i, kept)| kept.contains(i)))
        .map(|(index, &address)| {
            // Backward slices show the elements in another order than the source.
            let place: Vec<usize> = index
                .iter()
                .zip(&kept)
                .map(|(i, kept)| kept.iter().position(|k| k == i).unwrap())
                .collect();
            (place, address)
        });
    let mut addresses: Vec<(Vec<usize>, isize)> = addresses.collect();
    addresses.sort();
    Ok(Listed {
        shape,
        addresses: addresses.into_iter().map(|(_, address)| address).collect(),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn facts(layout in layout()) {
        let listed = listed(&layout);
        prop_assert_eq!(layout.size(), listed.addresses.len());
        prop_assert_eq!(layout.nbytes(), listed.addresses.len() * ITEMSIZE);
        let extent = listed.addresses.iter().min().zip(listed.addresses.iter().max());
        let extent = extent.map(|(low, high)| (low.cast_unsigned(), high.cast_unsigned() + ITEMSIZE));
        prop_assert_eq!(layout.extent(), extent);
        let is_contiguous = listed
            .addresses
            .windows(2)
            .all(|pair| pair[1] - pair[0] == ITEMSIZE.cast_signed());
        prop_assert_eq!(layout.is_contiguous(), is_contiguous);
        for (index, address) in indices(layout.shape()).iter().zip(&listed.addresses) {
            let index = index.iter().copied().collect();
            prop_assert_eq!(layout.offset_of(&index), address.cast_unsigned());
        }
        // A zero stride is a repeated address, if there are elements.
        if layout.has_zero_stride() && layout.size() > 0 {
            let mut unique = listed.addresses.clone();
            unique.sort_unstable();
            unique.dedup();
            prop_assert!(unique.len() < listed.addresses.len());
        }
    }

    #[test]
    fn transposition(layout in layout()) {
        let (before, after) = (listed(&layout), listed(&layout.transposed()));
        let reversed: Vec<usize> = before.shape.iter().rev().copied().collect();
        prop_assert_eq!(&after.shape, &reversed);
        for (index, &address) in indices(&before.shape).iter().zip(&before.addresses) {
            let place = index.iter().zip(&before.shape).rfold(0, |at, (&i, &length)| at * length + i);
            prop_assert_eq!(after.addresses[place], address);
        }
        prop_assert_eq!(layout.transposed().transposed(), layout);
    }

    #[test]
    fn indexing(layout in layout(), items in prop::collection::vec(item(), 0..5)) {
        let model = index_listed(&listed(&layout), &items);
        match layout.index(&items) {
            Ok(view) => prop_assert_eq!(Ok(listed(&view)), model),
            Err(error) => prop_assert!(model.is_err(), "{}", error),
        }
    }

    #[test]
    fn reshaping(layout in layout(), raw in prop::collection::vec(-1..7_isize, 0..5), fit: bool) {
        // Half of the time a shape that fits: the lengths, merged and split anew.
        let shape = if fit { refit(layout.shape(), &raw) } else { raw };
        let unknown = shape.iter().filter(|&&length| length == -1).count();
        let known: isize = shape.iter().filter(|&&length| length != -1).product();
        let (known, size) = (known.cast_unsigned(), layout.size());
        let fits = match unknown {
            0 => known == size,
            1 => known != 0 && size.is_multiple_of(known),
            _ => false,
        };
        let Ok((dims, view)) = layout.reshape(&shape) else {
            prop_assert!(!fits);
            return Ok(());
        };
        prop_assert!(fits);
        let filled: Dims = shape
            .iter()
            .map(|&length| if length == -1 { size / known } else { length.cast_unsigned() })
            .collect();
        prop_assert_eq!(&dims, &filled);
        let addresses = listed(&layout).addresses;
        if let Some(view) = view {
            prop_assert_eq!(listed(&view), Listed { shape: dims.to_vec(), addresses });
        } else {
            // Then there really are no strides with which it would be a view.
            prop_assert!(!has_strides(&dims, &addresses), "{:?}", dims);
        }
    }

    #[test]
    fn broadcasting(layout in layout(), shape in prop::collection::vec(0..5_usize, 0..5), fit: bool) {
        let shape: Vec<usize> = if fit {
            // The layout's own shape with lengths 1 replaced, behind other dimensions.
            let tail = layout.shape().iter().map(|&length| if length == 1 { 3 } else { length });
            shape.into_iter().take(2).chain(tail).collect()
        } else {
            shape
        };
        let before = listed(&layout);
        let Some(added) = shape.len().checked_sub(before.shape.len()) else {
            prop_assert!(layout.broadcast_to(&shape).is_err());
            return Ok(());
        };
        let fits = before.shape.iter().zip(&shape[added..]).all(|(&a, &b)| a == b || a == 1);
        let Ok(view) = layout.broadcast_to(&shape) else {
            prop_assert!(!fits);
            return Ok(());
        };
        prop_assert!(fits);
        let addresses = indices(&shape).into_iter().map(|index| {
            let place = index[added..].iter().zip(&before.shape);
            let place = place.fold(0, |at, (&i, &length)| at * length + if length == 1 { 0 } else { i });
            before.addresses[place]
        });
        prop_assert_eq!(listed(&view), Listed { addresses: addresses.collect(), shape: shape.clone() });
        prop_assert_eq!(broadcast_shapes(&shape, layout.shape()).unwrap().to_vec(), shape);
    }

    #[test]
    fn broadcast_of_two_shapes(
        left in prop::collection::vec(0..4_usize, 0..5),
        right in prop::collection::vec(0..4_usize, 0..5),
    ) {
        let pad = |shape: &[usize]| -> Vec<usize> {
            let ndim = left.len().max(right.len());
            std::iter::repeat_n(1, ndim - shape.len()).chain(shape.iter().copied()).collect()
        };
        let pairs: Vec<_> = pad(&left).into_iter().zip(pad(&right)).collect();
        let fits = pairs.iter().all(|&(a, b)| a == b || a == 1 || b == 1);
        match broadcast_shapes(&left, &right) {
            Ok(shape) => {
                prop_assert!(fits);
                let expected: Vec<usize> = pairs.iter().map(|&(a, b)| if a == 1 { b } else { a }).collect();
                prop_assert_eq!(shape.to_vec(), expected);
            }
            Err(error) => prop_assert!(!fits, "{}", error),
        }
    }

    #[test]
    fn overlap(a in layout(), b in layout()) {
        let (left, right) = (listed(&a), listed(&b));
        let shared = left.addresses.iter().any(|address| right.addresses.contains(address));
        prop_assert!(!shared || (a.may_overlap(&b) && b.may_overlap(&a)));
    }
}

/// A shape of as many elements as `shape`, chosen by `raw`.
fn refit(shape: &[usize], raw: &[isize]) -> Vec<isize> {
    let mut rest: usize = shape.iter().product();
    let mut fitted = Vec::new();
    for length in raw.iter().map(|length| length.unsigned_abs().max(1)) {
        if rest > 0 && rest.is_multiple_of(length) {
            fitted.push(length.cast_signed());
            rest /= length;
        }
    }
    fitted.push(if raw.contains(&-1) && rest > 0 {
        -1
    } else {
        rest.cast_signed()
    });
    fitted
}

/// True if one stride a dimension leads to these addresses.
fn has_strides(shape: &[usize], addresses: &[isize]) -> bool {
    let mut strides = Strides::new();
    let mut step = 1;
    for &length in shape.iter().rev() {
        strides.insert(
            0,
            if length > 1 {
                addresses[step] - addresses[0]
            } else {
                0
            },
        );
        step *= length;
    }
    indices(shape)
        .iter()
        .zip(addresses)
        .all(|(index, address)| {
            let steps = index.iter().zip(&strides);
            let steps: isize = steps.map(|(&i, &stride)| i.cast_signed() * stride).sum();
            addresses[0] + steps == *address
        })
}

#[test]
fn shapes_that_no_array_has() {
    let huge = usize::MAX / 2;
    for shape in [
        &[huge, 3][..],
        &[huge, huge, 0],
        &[usize::MAX],
        &[1 << 62, 2],
    ] {
        let error = Layout::contiguous(shape, 4).unwrap_err();
        assert!(matches!(error, ShapeError::TooLarge { .. }), "{shape:?}");
    }
    let layout = Layout::contiguous(&[2, 3], 4).unwrap();
    for shape in [&[-2][..], &[-1, -1], &[isize::MAX, isize::MAX], &[0, -1]] {
        assert!(layout.reshape(shape).is_err(), "{shape:?}");
    }
    let error = layout.index(&[Index::At(0), Index::At(3)]).unwrap_err();
    let expected = IndexError::OutOfBounds {
        index: 3,
        axis: 1,
        size: 3,
    };
    assert_eq!(error, expected);
}
