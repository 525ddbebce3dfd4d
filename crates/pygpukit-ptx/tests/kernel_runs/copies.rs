use crate::support::{Numbers, Parameters, kernel, launch};
use pygpukit_ptx::Memory;

const PTX: &str = include_str!("../kernels/copies.ptx");

#[test]
fn copies_beside_the_kernel() {
    let mut numbers = Numbers::new(1);
    let x: Vec<u128> = (0..100).map(|_| u128::from(numbers.bits()) << 60).collect();
    let mut y = vec![1_u128; 128];
    let mut memory = Memory::default();
    let parameters = Parameters::default()
        .pointer(memory.share_read_only(&x))
        .pointer(memory.share(&mut y))
        .int(100);
    kernel(PTX, "reversed")
        .launch(&launch(2, 64, &parameters, &memory))
        .unwrap();
    for (i, found) in y.iter().enumerate() {
        let from = i / 64 * 64 + 63 - i % 64;
        assert_eq!(*found, x.get(from).copied().unwrap_or(0), "{i}");
    }
}

#[test]
fn comparisons_of_halves() {
    // One, two, NaN and the zeros.
    let values = [0x3c00_u32, 0x4000, 0x7e00, 0, 0x8000];
    let pairs: Vec<(u32, u32)> = (0..25).map(|i| (values[i % 5], values[i / 5])).collect();
    let x: Vec<u32> = pairs.iter().map(|(a, b)| a | b << 16).collect();
    let y: Vec<u32> = pairs.iter().map(|(a, b)| b | a << 16).collect();
    let mut out = vec![7_u32; 75];
    let mut memory = Memory::default();
    let parameters = Parameters::default()
        .pointer(memory.share_read_only(&x))
        .pointer(memory.share_read_only(&y))
        .pointer(memory.share(&mut out));
    kernel(PTX, "compared")
        .launch(&launch(1, 25, &parameters, &memory))
        .unwrap();
    let number = |half: u32| match half {
        0x3c00 => 1.0,
        0x4000 => 2.0,
        0x7e00 => f64::NAN,
        _ => 0.0,
    };
    for (i, (a, b)) in pairs.into_iter().enumerate() {
        let less = |a, b| if number(a) < number(b) { 0x3c00 } else { 0 };
        let not_less = |a, b| if number(a) < number(b) { 0 } else { 0xffff };
        let equal = f32::from_bits(x[i]) == f32::from_bits(y[i]);
        let expected = [
            less(a, b) | less(b, a) << 16,
            not_less(a, b) | not_less(b, a) << 16,
            if equal { u32::MAX } else { 0 },
        ];
        assert_eq!(out[i * 3..][..3], expected, "{a:x} {b:x}");
    }
}
