use crate::support::{Numbers, Parameters, kernel, run};
use pygpukit_ptx::Memory;

const PTX: &str = include_str!("../kernels/matrices.ptx");

#[test]
fn transpose() {
    let (rows, columns) = (75, 50);
    let x = Numbers::new(1).units(rows * columns);
    let mut y = vec![0.0_f32; rows * columns];
    let mut memory = Memory::default();
    let parameters = Parameters::default()
        .pointer(memory.share_read_only(&x))
        .pointer(memory.share(&mut y))
        .int(rows as i32)
        .int(columns as i32);
    run(
        &kernel(PTX, "transpose"),
        [2, 3],
        [32, 8],
        0,
        &parameters,
        &memory,
    )
    .unwrap();
    for row in 0..rows {
        for column in 0..columns {
            assert_eq!(y[column * rows + row], x[row * columns + column]);
        }
    }
}

#[test]
fn product() {
    let n = 48;
    let mut numbers = Numbers::new(2);
    let (a, b) = (numbers.units(n * n), numbers.units(n * n));
    let mut c = vec![0.0_f32; n * n];
    let mut memory = Memory::default();
    let parameters = Parameters::default()
        .pointer(memory.share_read_only(&a))
        .pointer(memory.share_read_only(&b))
        .pointer(memory.share(&mut c))
        .int(n as i32);
    run(
        &kernel(PTX, "product"),
        [3, 3],
        [16, 16],
        0,
        &parameters,
        &memory,
    )
    .unwrap();
    for row in 0..n {
        for column in 0..n {
            let terms = (0..n).map(|k| (a[row * n + k], b[k * n + column]));
            let expected = terms.fold(0.0_f32, |sum, (x, y)| x.mul_add(y, sum));
            assert_eq!(c[row * n + column], expected, "{row} {column}");
        }
    }
}

#[test]
fn softmax() {
    let (rows, columns) = (5, 300);
    let x: Vec<f32> = Numbers::new(3)
        .units(rows * columns)
        .iter()
        .map(|x| x * 8.0)
        .collect();
    let mut y = vec![0.0_f32; rows * columns];
    let mut memory = Memory::default();
    let parameters = Parameters::default()
        .pointer(memory.share_read_only(&x))
        .pointer(memory.share(&mut y))
        .int(columns as i32);
    run(
        &kernel(PTX, "softmax"),
        [5, 1],
        [128, 1],
        512,
        &parameters,
        &memory,
    )
    .unwrap();
    for row in 0..rows {
        let own = &x[row * columns..][..columns];
        let largest = own.iter().copied().fold(f32::MIN, f32::max);
        let powers: Vec<f64> = own.iter().map(|x| f64::from(x - largest).exp()).collect();
        let sum: f64 = powers.iter().sum();
        for column in 0..columns {
            let (found, expected) = (f64::from(y[row * columns + column]), powers[column] / sum);
            assert!(
                (found - expected).abs() <= 3e-6 * expected,
                "{row} {column} {found} {expected}"
            );
        }
    }
}
