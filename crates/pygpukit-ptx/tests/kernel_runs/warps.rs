use crate::support::{Numbers, Parameters, kernel, run};
use pygpukit_ptx::Memory;

const PTX: &str = include_str!("../kernels/warps.ptx");

#[test]
fn total_by_shuffles_and_atomics() {
    // Whole numbers: the order of the sum does not matter.
    let x: Vec<f32> = (0..1000).map(|i| (i * 7 % 31) as f32).collect();
    let mut out = [0.0_f32];
    let mut memory = Memory::default();
    let parameters = Parameters::default()
        .pointer(memory.share_read_only(&x))
        .pointer(memory.share(&mut out))
        .int(1000);
    run(
        &kernel(PTX, "total"),
        [3, 1],
        [96, 1],
        0,
        &parameters,
        &memory,
    )
    .unwrap();
    assert_eq!(out[0], x.iter().sum());
}

#[test]
fn shuffles() {
    let mut out = vec![0_i32; 128];
    let mut memory = Memory::default();
    let parameters = Parameters::default().pointer(memory.share(&mut out));
    run(
        &kernel(PTX, "shuffles"),
        [1, 1],
        [32, 1],
        0,
        &parameters,
        &memory,
    )
    .unwrap();
    for lane in 0..32 {
        let value = |lane: i32| lane * 10 + 1;
        let found = &out[lane as usize * 4..][..4];
        let up = if lane >= 3 { lane - 3 } else { lane };
        // Lanes of the own segment only.
        let crossed = (lane & !7) | ((lane ^ 5) & 7);
        let indexed = (lane & !15) | ((lane * 7) & 15);
        let down = if lane % 4 + 2 < 4 { lane + 2 } else { lane };
        assert_eq!(found, [up, crossed, indexed, down].map(value), "{lane}");
    }
}

#[test]
fn votes() {
    let mut out = vec![0_u32; 128];
    let mut memory = Memory::default();
    let parameters = Parameters::default().pointer(memory.share(&mut out));
    run(
        &kernel(PTX, "votes"),
        [1, 1],
        [32, 1],
        0,
        &parameters,
        &memory,
    )
    .unwrap();
    let ballot = (0..32)
        .filter(|lane| lane % 3 == 0)
        .fold(0, |mask, lane| mask | 1 << lane);
    for lane in 0..32_u32 {
        let alike = (0..32).filter(|other| other / 5 == lane / 5);
        let alike = alike.fold(0, |mask, other| mask | 1 << other);
        let expected = [ballot, 2, alike, (0..32).sum::<u32>() + 31];
        assert_eq!(out[lane as usize * 4..][..4], expected, "{lane}");
    }
}

#[test]
fn scan() {
    let mut numbers = Numbers::new(4);
    let x: Vec<i32> = (0..500).map(|_| numbers.bits() as i32 % 1000).collect();
    let mut y = vec![0; 500];
    let mut memory = Memory::default();
    let parameters = Parameters::default()
        .pointer(memory.share_read_only(&x))
        .pointer(memory.share(&mut y))
        .int(500);
    run(
        &kernel(PTX, "scan"),
        [1, 1],
        [512, 1],
        0,
        &parameters,
        &memory,
    )
    .unwrap();
    let mut sum = 0;
    for i in 0..500 {
        sum += x[i];
        assert_eq!(y[i], sum, "{i}");
    }
}

#[test]
fn lanes_of_a_warp_take_a_lock_in_turn() {
    let (mut lock, mut count) = ([0_i32], [0_i32]);
    let mut memory = Memory::default();
    let parameters = Parameters::default()
        .pointer(memory.share(&mut lock))
        .pointer(memory.share(&mut count));
    run(
        &kernel(PTX, "lock_in_turn"),
        [2, 1],
        [64, 1],
        0,
        &parameters,
        &memory,
    )
    .unwrap();
    assert_eq!((lock, count), ([0], [128]));
}
