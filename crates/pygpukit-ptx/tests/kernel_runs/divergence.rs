use crate::support::{Parameters, kernel, run};
use pygpukit_ptx::Memory;

const PTX: &str = include_str!("../kernels/divergence.ptx");

#[test]
fn collatz() {
    let start: Vec<u32> = (1..=1000).collect();
    let mut steps = vec![0_u32; 1000];
    let mut memory = Memory::default();
    let parameters = Parameters::default()
        .pointer(memory.share_read_only(&start))
        .pointer(memory.share(&mut steps))
        .int(1000);
    run(
        &kernel(PTX, "collatz"),
        [8, 1],
        [128, 1],
        0,
        &parameters,
        &memory,
    )
    .unwrap();
    for (i, found) in steps.iter().enumerate() {
        let (mut x, mut count) = (i as u64 + 1, 0);
        while x != 1 {
            x = if x % 2 == 1 { 3 * x + 1 } else { x / 2 };
            count += 1;
        }
        assert_eq!(*found, count, "{i}");
    }
}

#[test]
fn mandelbrot() {
    let (width, height, limit) = (50, 40, 100);
    let mut out = vec![0_u32; width * height];
    let mut memory = Memory::default();
    let parameters = Parameters::default()
        .pointer(memory.share(&mut out))
        .int(width as i32)
        .int(height as i32)
        .int(limit);
    run(
        &kernel(PTX, "mandelbrot"),
        [4, 5],
        [16, 8],
        0,
        &parameters,
        &memory,
    )
    .unwrap();
    let mut different = 0;
    for row in 0..height {
        for column in 0..width {
            let x0 = (column as f32 * 3.0) / width as f32 - 2.0;
            let y0 = (row as f32 * 2.0) / height as f32 - 1.0;
            let (mut x, mut y, mut k) = (0.0_f32, 0.0_f32, 0);
            while k < limit && x * x + y * y <= 4.0 {
                (x, y) = (x * x - y * y + x0, (2.0 * x).mul_add(y, y0));
                k += 1;
            }
            different += usize::from(out[row * width + column] != k as u32);
        }
    }
    // The compiler joins other products and sums than Rust does; points at the edge differ.
    assert!(different * 50 <= width * height, "{different}");
}

#[test]
fn cases() {
    let kind: Vec<i32> = (0..64).map(|i| i * 5 % 9).collect();
    let mut out = vec![-1_i32; 64];
    let mut memory = Memory::default();
    let parameters = Parameters::default()
        .pointer(memory.share_read_only(&kind))
        .pointer(memory.share(&mut out));
    run(
        &kernel(PTX, "cases"),
        [1, 1],
        [64, 1],
        0,
        &parameters,
        &memory,
    )
    .unwrap();
    for (index, &found) in out.iter().enumerate() {
        let i = index as i32;
        let expected = match kind[index] {
            0 => i,
            1 => i * i,
            2 => 1000 - i,
            3 => 1000,
            4 => (0..i).map(|k| k ^ i).sum(),
            // The value of the first lane of the warp that does the same.
            5 => (i / 32 * 32..64)
                .find(|other| kind[*other as usize] == 5)
                .unwrap(),
            6 => -1,
            _ => 77,
        };
        assert_eq!(found, expected, "{i}");
    }
}

#[test]
fn loops_in_loops() {
    let mut out = vec![0_i32; 96];
    let mut memory = Memory::default();
    let parameters = Parameters::default().pointer(memory.share(&mut out)).int(9);
    run(
        &kernel(PTX, "nested"),
        [1, 1],
        [96, 1],
        0,
        &parameters,
        &memory,
    )
    .unwrap();
    for i in 0..96 {
        let mut value = 0;
        'outer: for a in 0..i % 5 {
            for b in 0..i % 7 {
                if (a ^ b ^ i) & 1 == 1 {
                    value += a * b + 1;
                    continue;
                }
                if value > 9 {
                    break;
                }
                value += 3;
            }
            if value % 11 == 4 {
                break 'outer;
            }
        }
        assert_eq!(out[i as usize], value, "{i}");
    }
}
