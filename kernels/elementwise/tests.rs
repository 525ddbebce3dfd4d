use super::*;
use crate::unit::BinaryOp;

const LIMITS: Limits = Limits { multiprocessors: 4 };
const ZERO: Operand<'_> = Operand::Scalar([0; 16]);
const ADD: Unit = Unit::Binary(BinaryOp::Add, Type::Float32);

fn array(address: u64, strides: &[isize]) -> Operand<'_> {
    Operand::Array { address, strides }
}

fn plan(shape: &[usize], strides: [&[isize]; 3]) -> Launch {
    let [target, left, right] = strides.map(|strides| array(1 << 20, strides));
    elementwise(ADD, shape, target, left, right, LIMITS).unwrap()
}

fn word(launch: &Launch, at: usize) -> i64 {
    i64::from_ne_bytes(launch.parameters[8 * at..8 * at + 8].try_into().unwrap())
}

#[test]
fn every_unit_has_a_plan() {
    for unit in Unit::all() {
        let launch = match unit {
            Unit::Arange(of) => arange(of, 64, 3, [0; 16], [0; 16], LIMITS),
            Unit::Matmul(_) => continue,
            Unit::Copy { .. } | Unit::Unary(..) | Unit::Binary(..) => {
                elementwise(unit, &[], array(64, &[]), array(128, &[]), ZERO, LIMITS)
            }
        };
        let launch = launch.unwrap();
        let entry = format!("{}(const __grid_constant__", launch.entry);
        assert!(unit.source().contains(&entry), "{unit}: {entry}");
    }
}

#[test]
fn no_elements_no_launch() {
    let operand = array(0, &[4, 4]);
    assert_eq!(
        elementwise(ADD, &[3, 0], operand, operand, operand, LIMITS),
        None
    );
    assert_eq!(arange(Type::Int8, 0, 0, [0; 16], [0; 16], LIMITS), None);
}

#[test]
fn arrays_in_any_common_order_without_gaps_are_contiguous() {
    for strides in [[48, 16, 4], [4, 8, 24], [48, -16, 4], [-48, -16, -4]] {
        let launch = plan(&[2, 3, 4], [&strides; 3]);
        assert_eq!(launch.entry, "contiguous", "{strides:?}");
        assert_eq!((word(&launch, 0), launch.parameters.len()), (24, 112));
    }
}

#[test]
fn a_reversed_target_is_walked_from_its_other_end() {
    let launch = plan(&[10], [&[-4], &[4], &[-4]]);
    assert_eq!(launch.entry, "strided");
    let addresses = [4, 8, 12].map(|at| word(&launch, at) - (1 << 20));
    assert_eq!(addresses, [-36, 36, -36]);
    let strides = [14 + 8, 14 + 16, 14 + 24].map(|at| word(&launch, at));
    assert_eq!(strides, [4, -4, 4]);
}

#[test]
fn gaps_broadcasts_and_other_orders_are_strided() {
    for strides in [
        [[16, 4], [16, 4], [0, 4]],
        [[16, 4], [4, 12], [16, 4]],
        [[32, 8], [16, 4], [16, 4]],
        [[16, 4], [0, 0], [16, 4]],
    ] {
        let [target, left, right] = &strides;
        let launch = plan(&[3, 4], [target, left, right]);
        assert_eq!(launch.entry, "strided", "{strides:?}");
        assert_eq!(launch.parameters.len(), 112 + 32 * 8);
    }
}

#[test]
fn scalars_do_not_hinder_the_contiguous_path() {
    let mut value = [0; 16];
    value[..4].copy_from_slice(&2.5_f32.to_ne_bytes());
    let strides = [16, 4];
    let target = array(256, &strides);
    let launch = elementwise(ADD, &[3, 4], target, target, Operand::Scalar(value), LIMITS).unwrap();
    assert_eq!(launch.entry, "contiguous");
    assert_eq!(launch.parameters[80..96], value);
    assert_eq!(word(&launch, 12), 0, "a scalar has no address");
}

#[test]
fn many_dimensions_and_many_elements_take_the_large_path() {
    let deep: Vec<isize> = (0..9).rev().map(|i| 4 << (2 * i)).collect();
    assert_eq!(plan(&[2; 9], [&deep; 3]).entry, "strided_large");
    assert_eq!(plan(&[2; 8], [&deep[1..]; 3]).entry, "strided");
    let wide = [8_isize];
    assert_eq!(plan(&[(1 << 31) - 1], [&wide; 3]).entry, "strided");
    let large = plan(&[1 << 31], [&wide; 3]);
    assert_eq!(large.entry, "strided_large");
    assert_eq!(large.parameters.len(), 112 + 32 * 40);
    assert_eq!(word(&large, 0), 1 << 31);
}

#[test]
fn grids_stay_within_what_fills_the_device() {
    assert_eq!(plan(&[1], [&[4]; 3]).grid, [1, 1, 1]);
    assert_eq!(plan(&[1024], [&[4]; 3]).grid, [1, 1, 1]);
    assert_eq!(plan(&[1025], [&[4]; 3]).grid, [2, 1, 1]);
    assert_eq!(plan(&[1 << 40], [&[4]; 3]).grid, [4 * 32, 1, 1]);
}
