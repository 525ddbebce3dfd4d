use crate::support::{Numbers, Parameters, kernel, launch};
use pygpukit_ptx::Memory;

const PTX: &str = include_str!("../kernels/functions.ptx");

/// Runs a kernel of `count` results for each of the inputs.
fn results<T: pygpukit_ptx::Plain + Default>(name: &str, inputs: &[&[T]], count: usize) -> Vec<T> {
    let n = inputs[0].len();
    let mut out = vec![T::default(); n * count];
    let mut memory = Memory::default();
    let mut parameters = Parameters::default();
    for input in inputs {
        parameters = parameters.pointer(memory.share_read_only(input));
    }
    parameters = parameters.pointer(memory.share(&mut out)).int(n as i32);
    let blocks = n.div_ceil(64) as u32;
    kernel(PTX, name)
        .launch(&launch(blocks, 64, &parameters, &memory))
        .expect("a launch without faults");
    out
}

fn check(name: &str, x: f64, found: f64, expected: f64, relative: f64, absolute: f64) {
    let error = (found - expected).abs();
    let close = error <= relative * expected.abs() + absolute;
    assert!(
        close || (found.is_nan() && expected.is_nan()),
        "{name}({x}): {found}, not {expected}"
    );
}

#[test]
fn single_precision() {
    let mut numbers = Numbers::new(1);
    let mut x: Vec<f32> = (0..500).map(|_| numbers.unit() * 20.0).collect();
    x.extend([0.0, -0.0, 1.0, -1.0, 0.5, 1e-5, 1e5, -1e5, 100.0]);
    let out = results("single", &[&x], 24);
    for (x, found) in x.iter().zip(out.chunks(24)) {
        let v = f64::from(*x);
        let a = f64::from(x.abs() + 1e-3_f32);
        let tenth = f64::from(*x * 0.1_f32);
        let slope = f64::from(*x / (x.abs() + 1e-3_f32 + 1.0));
        #[rustfmt::skip]
        let expected = [
            ("sin", v.sin(), 1e-6, 1e-7), ("cos", v.cos(), 1e-6, 1e-7), ("tan", v.tan(), 1e-6, 1e-7),
            ("exp", v.exp(), 1e-6, 0.0), ("log", a.ln(), 1e-6, 1e-7), ("sqrt", a.sqrt(), 1e-7, 0.0),
            ("rsqrt", a.sqrt().recip(), 3e-7, 0.0), ("pow", a.powf(tenth), 2e-6, 0.0),
            ("tanh", v.tanh(), 1e-6, 1e-12), ("atan2", v.atan2(a), 1e-6, 1e-12),
            ("erf", f64::NAN, 0.0, 0.0), ("floor", v.floor(), 0.0, 0.0), ("ceil", v.ceil(), 0.0, 0.0),
            ("rint", v.round_ties_even(), 0.0, 0.0), ("trunc", v.trunc(), 0.0, 0.0),
            ("fmod", v % 1.5, 0.0, 0.0), ("cbrt", v.cbrt(), 1e-6, 0.0), ("log1p", a.ln_1p(), 1e-6, 0.0),
            ("expm1", tenth.exp_m1(), 1e-6, 0.0), ("hypot", v.hypot(a), 1e-6, 0.0),
            ("quotient", v / a, 1e-7, 0.0), ("asin", slope.asin(), 1e-6, 0.0),
            ("sinh", tenth.sinh(), 1e-6, 0.0),
        ];
        for ((name, expected, relative, absolute), found) in expected.into_iter().zip(found) {
            let found = f64::from(*found);
            if expected.is_finite() && expected.abs() < 3.4e38 && expected.abs() > 1e-37
                || expected == 0.0
            {
                check(name, v, found, expected, relative, absolute);
            }
        }
        // The error function is odd, grows, and ends at one.
        assert_eq!(found[10].is_sign_negative(), x.is_sign_negative());
        assert!(found[10].abs() <= 1.0);
    }
}

#[test]
fn fast_functions() {
    let x = Numbers::new(2)
        .units(500)
        .iter()
        .map(|x| x * 3.0)
        .collect::<Vec<_>>();
    let out = results("fast", &[&x], 8);
    for (x, found) in x.iter().zip(out.chunks(8)) {
        let v = f64::from(*x);
        let a = f64::from(x.abs() + 1e-3_f32);
        let expected = [
            ("sin", v.sin(), 1e-6),
            ("cos", v.cos(), 1e-6),
            ("exp", (v * 0.1).exp(), 1e-6),
            ("log", a.ln(), 1e-6),
            ("quotient", v / a, 1e-6),
            ("pow", a.powf(1.7), 3e-6),
            ("reciprocal", a.recip(), 6e-8 * a.recip()),
            ("saturated", v.clamp(0.0, 1.0), 0.0),
        ];
        for ((name, expected, absolute), found) in expected.into_iter().zip(found) {
            check(name, v, f64::from(*found), expected, 0.0, absolute);
        }
    }
}

#[test]
fn double_precision() {
    let mut numbers = Numbers::new(3);
    let x: Vec<f64> = (0..300).map(|_| f64::from(numbers.unit()) * 30.0).collect();
    let out = results("wide", &[&x], 12);
    for (v, found) in x.iter().zip(out.chunks(12)) {
        let a = v.abs() + 1e-3;
        let whole = v.floor() + (v * 3.0).round_ties_even();
        let expected = [
            ("sin", v.sin()),
            ("cos", v.cos()),
            ("exp", v.exp()),
            ("log", a.ln()),
            ("sqrt", a.sqrt()),
            ("pow", a.powf(v * 0.1)),
            ("tanh", v.tanh()),
            ("whole", whole),
            ("quotient", v / a),
            ("rsqrt", a.sqrt().recip()),
            ("cbrt", v.cbrt()),
            ("atan", v.atan()),
        ];
        for ((name, expected), found) in expected.into_iter().zip(found) {
            check(name, *v, *found, expected, 4e-15, 1e-16);
        }
    }
}

/// The float next to a double from one side: found by stepping, not by rounding bits.
fn toward(exact: f64, up: bool) -> f32 {
    let mut near = exact as f32;
    while up && f64::from(near) < exact {
        near = near.next_up();
    }
    while !up && f64::from(near) > exact {
        near = near.next_down();
    }
    near
}

#[test]
fn directed_rounding() {
    let mut numbers = Numbers::new(4);
    // Short enough that sums and products are exact in double precision.
    let x: Vec<f32> = (0..400).map(|_| numbers.unit() * 50.0).collect();
    let y: Vec<f32> = (0..400).map(|_| numbers.unit() * 3.0 + 0.001).collect();
    let out = results("rounded", &[&x, &y], 12);
    for i in 0..400 {
        let (a, b) = (f64::from(x[i]), f64::from(y[i]));
        let zero = |exact: f64| toward(exact, exact < 0.0);
        let bits = f64::from(x[i].to_bits() as i32);
        let expected = [
            zero(a + b),
            toward(a + b, true),
            toward(a + b, false),
            zero(a * b),
            toward(a * b, true),
            toward(a * b + a, false),
            zero(a / b),
            toward(a.abs().sqrt(), true),
            zero(bits),
            toward(a * b, false),
            f64::from(x[i] * 100.0).ceil() as f32,
            toward(b.recip(), false),
        ];
        for (k, (found, expected)) in out[i * 12..].iter().zip(expected).enumerate() {
            assert_eq!(
                found.to_bits(),
                expected.to_bits(),
                "{k}: {a} {b}: {found} {expected}"
            );
        }
    }
}

/// A half-precision number, by its definition.
fn half(bits: u16, fraction: i32) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent_bits = 15 - fraction;
    let bias = (1 << (exponent_bits - 1)) - 1;
    let exponent = i32::from(bits >> fraction) & ((1 << exponent_bits) - 1);
    let rest = f64::from(bits & ((1 << fraction) - 1)) / f64::from(1 << fraction);
    match exponent {
        0 => sign * rest * 2.0_f64.powi(1 - bias),
        _ => sign * (1.0 + rest) * 2.0_f64.powi(exponent - bias),
    }
}

/// The half nearest to a number, by search; even between two.
fn nearest(exact: f64, fraction: i32) -> u16 {
    let infinity = 0x7fff & !((1 << fraction) - 1) as u16;
    let (mut low, mut high) = (0_u16, infinity);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if half(middle, fraction) <= exact.abs() {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    let (below, above) = (half(low, fraction), half(low + 1, fraction));
    let (down, up) = (exact.abs() - below, above - exact.abs());
    let next = up < down || (up == down && low & 1 == 1);
    let bits = low + u16::from(next && low < infinity);
    bits | if exact.is_sign_negative() { 0x8000 } else { 0 }
}

#[test]
fn halves() {
    let mut numbers = Numbers::new(5);
    let finite = |bits: u64| (bits as u16 & 0xfbff) | if bits & 1 << 20 == 0 { 0 } else { 0x8000 };
    let x: Vec<u16> = (0..600).map(|_| finite(numbers.bits())).collect();
    let y: Vec<u16> = (0..600).map(|_| finite(numbers.bits())).collect();
    let mut out = vec![0_u16; 600 * 8];
    let mut memory = Memory::default();
    let parameters = Parameters::default()
        .pointer(memory.share_read_only(&x))
        .pointer(memory.share_read_only(&y))
        .pointer(memory.share(&mut out))
        .int(600);
    let ptx = include_str!("../kernels/halves.ptx");
    kernel(ptx, "halves")
        .launch(&launch(10, 64, &parameters, &memory))
        .unwrap();
    for i in 0..600 {
        let (a, b) = (half(x[i], 10), half(y[i], 10));
        let wide = f64::from(a as f32 * 1.1_f32);
        let expected = [
            nearest(a + b, 10),
            nearest(a * b, 10),
            nearest(a.mul_add(b, a), 10),
            nearest(wide, 10),
            nearest(wide, 7),
            if a < b { 1 } else { 2 },
            if a < b { x[i] } else { y[i] },
            nearest(a + a, 10),
        ];
        assert_eq!(out[i * 8..][..8], expected, "{i}: {a} {b}");
    }
}
