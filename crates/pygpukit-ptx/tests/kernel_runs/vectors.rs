use crate::support::{Numbers, Parameters, kernel, run};
use pygpukit_ptx::Memory;

const PTX: &str = include_str!("../kernels/vectors.ptx");

#[test]
fn saxpy() {
    let mut numbers = Numbers::new(1);
    // Not a multiple of anything: the last block is not full.
    let (x, y) = (numbers.units(1003), numbers.units(1003));
    let mut result = y.clone();
    let mut memory = Memory::default();
    let parameters = Parameters::default()
        .pointer(memory.share_read_only(&x))
        .pointer(memory.share(&mut result))
        .float(0.75)
        .int(1003);
    run(
        &kernel(PTX, "saxpy"),
        [8, 1],
        [128, 1],
        0,
        &parameters,
        &memory,
    )
    .unwrap();
    for i in 0..1003 {
        assert_eq!(result[i], 0.75_f32.mul_add(x[i], y[i]), "{i}");
    }
}

#[test]
fn values_of_every_width() {
    let mut numbers = Numbers::new(2);
    let a: Vec<i8> = (0..300).map(|_| numbers.bits() as i8).collect();
    let b: Vec<u16> = (0..300).map(|_| numbers.bits() as u16).collect();
    let c: Vec<i64> = (0..300).map(|_| numbers.bits() as i64).collect();
    let mut out = vec![0.0_f64; 300];
    let mut memory = Memory::default();
    let parameters = Parameters::default()
        .pointer(memory.share_read_only(&a))
        .pointer(memory.share_read_only(&b))
        .pointer(memory.share_read_only(&c))
        .pointer(memory.share(&mut out))
        .int(300);
    run(
        &kernel(PTX, "widths"),
        [3, 1],
        [100, 1],
        0,
        &parameters,
        &memory,
    )
    .unwrap();
    for i in 0..300 {
        let sum = f64::from(a[i]).mul_add(2.0, f64::from(b[i]));
        assert_eq!(out[i], sum - c[i] as f64 / 3.0, "{i}");
    }
}

/// What the source says, in Rust's own words.
fn integers(x: i32, y: i32) -> i32 {
    let (u, v) = (x as u32, y as u32);
    let odd = y | 1;
    let mut r = x.wrapping_div(odd).wrapping_add(x.wrapping_rem(odd));
    let bits = (x.min(y) as u32)
        .wrapping_add(u.max(v))
        .wrapping_add(x.unsigned_abs())
        .wrapping_sub(u.count_ones())
        .wrapping_add(v.leading_zeros())
        .wrapping_add(u.reverse_bits())
        .wrapping_add(if v == 0 { 0 } else { v.trailing_zeros() + 1 });
    r ^= bits as i32;
    let bytes: Vec<u8> = [u.to_le_bytes(), v.to_le_bytes()].concat();
    let chosen = u32::from_le_bytes([bytes[5], bytes[1], bytes[7], bytes[3]]);
    let funnel = ((u64::from(v) << 32 | u64::from(u)) << (x & 31) >> 32) as u32;
    let product = i64::from(x) * i64::from(y);
    let unsigned = u64::from(u) * u64::from(v);
    r = r
        .wrapping_add((product >> 32) as i32)
        .wrapping_add((unsigned >> 32) as i32)
        .wrapping_add(chosen as i32)
        .wrapping_add(funnel as i32);
    r = r.wrapping_sub(((product >> 13) as i32).wrapping_add((unsigned % 1_000_003) as i32));
    r.wrapping_add(x << (y & 31))
        .wrapping_add(x >> (v & 31))
        .wrapping_add((u >> (v & 31)) as i32)
        .wrapping_add((i64::from(x).abs_diff(i64::from(y)) as u32).wrapping_add(u) as i32)
}

#[test]
fn whole_numbers() {
    let mut numbers = Numbers::new(3);
    let edges = [
        0,
        1,
        -1,
        2,
        31,
        32,
        33,
        i32::MAX,
        i32::MIN,
        i32::MIN + 1,
        0x5555_5555,
    ];
    let mut pairs: Vec<(i32, i32)> = Vec::new();
    for a in edges {
        pairs.extend(edges.map(|b| (a, b)));
    }
    pairs.extend((0..400).map(|_| (numbers.bits() as i32, numbers.bits() as i32)));
    // The smallest number by -1 is no number; C leaves it open.
    pairs.retain(|&(a, b)| !(a == i32::MIN && b | 1 == -1));
    let n = pairs.len();
    let (a, b): (Vec<i32>, Vec<i32>) = pairs.into_iter().unzip();
    let mut out = vec![0; n];
    let mut memory = Memory::default();
    let parameters = Parameters::default()
        .pointer(memory.share_read_only(&a))
        .pointer(memory.share_read_only(&b))
        .pointer(memory.share(&mut out))
        .int(n as i32);
    run(
        &kernel(PTX, "integers"),
        [10, 1],
        [64, 1],
        0,
        &parameters,
        &memory,
    )
    .unwrap();
    for i in 0..n {
        assert_eq!(out[i], integers(a[i], b[i]), "{} {}", a[i], b[i]);
    }
}

#[test]
fn vectors_of_two_and_four() {
    let mut numbers = Numbers::new(4);
    let x: Vec<[f32; 4]> = (0..77).map(|_| [(); 4].map(|()| numbers.unit())).collect();
    let mut y = vec![[0.0_f32; 2]; 77];
    let mut memory = Memory::default();
    // Vectors must be aligned as a whole.
    let mut aligned = vec![0_u128; 77];
    for (to, from) in aligned.iter_mut().zip(&x) {
        let bits = from.map(f32::to_bits).map(u128::from);
        *to = bits[0] | bits[1] << 32 | bits[2] << 64 | bits[3] << 96;
    }
    let parameters = Parameters::default()
        .pointer(memory.share_read_only(&aligned))
        .pointer(memory.share(&mut y))
        .int(77);
    let result = run(
        &kernel(PTX, "pairs"),
        [1, 1],
        [96, 1],
        0,
        &parameters,
        &memory,
    );
    result.unwrap();
    for i in 0..77 {
        let [a, b, c, d] = x[i];
        assert_eq!(y[i], [a + b, c * d], "{i}");
    }
}

#[test]
fn histogram() {
    let mut numbers = Numbers::new(5);
    let data: Vec<u8> = (0..5000).map(|_| (numbers.bits() % 97) as u8).collect();
    let mut bins = vec![0_u32; 256];
    let mut memory = Memory::default();
    let parameters = Parameters::default()
        .pointer(memory.share_read_only(&data))
        .pointer(memory.share(&mut bins))
        .int(5000);
    run(
        &kernel(PTX, "histogram"),
        [3, 1],
        [192, 1],
        0,
        &parameters,
        &memory,
    )
    .unwrap();
    for (value, count) in bins.iter().enumerate() {
        let expected = data
            .iter()
            .filter(|byte| usize::from(**byte) == value)
            .count();
        assert_eq!(*count as usize, expected, "{value}");
    }
}
