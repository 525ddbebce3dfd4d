//! Kernels over items, played through.

use super::{ConfigError, SliceConfig, SliceError, SliceScheduler, Submission};
use crate::dispatch::GridError;
use crate::id::KernelId;
use crate::units::Nanoseconds;
use proptest::prelude::*;

fn config(max_items: u64, slices: (u32, u32)) -> SliceConfig {
    SliceConfig::new(max_items, Nanoseconds::ONE_MILLISECOND, slices, true).unwrap()
}

fn kernel(number: u64, items: u64, block: u32) -> Submission {
    Submission {
        kernel: KernelId::new(number),
        items,
        block: [block, 1, 1],
        shared: 0,
        task: None,
        priority: 0,
    }
}

/// Runs all slices: (offset, items, blocks) of each.
fn run(scheduler: &mut SliceScheduler, took: u64) -> Vec<(u64, u64, u32)> {
    let mut slices = Vec::new();
    while let Some(slice) = scheduler.running() {
        slices.push((slice.offset, slice.count, slice.blocks));
        scheduler.complete(Nanoseconds::new(took)).unwrap();
    }
    slices
}

#[test]
fn no_slice_has_more_items_than_allowed() {
    let mut scheduler = SliceScheduler::new(config(1000, (1, 256)));
    assert_eq!(scheduler.submit(kernel(1, 1999, 1)), Ok(2));
    assert_eq!(run(&mut scheduler, 1), [(0, 999, 999), (999, 1000, 1000)]);
}

#[test]
fn the_same_slice_runs_until_it_is_completed() {
    let mut scheduler = SliceScheduler::new(config(100, (1, 256)));
    scheduler.submit(kernel(1, 200, 1)).unwrap();
    let first = scheduler.running().cloned().unwrap();
    let urgent = Submission {
        priority: 9,
        ..kernel(2, 200, 1)
    };
    scheduler.submit(urgent).unwrap();
    assert_eq!(scheduler.running(), Some(&first));
    let completed = scheduler.complete(Nanoseconds::new(1)).unwrap();
    assert_eq!(completed, first);
    let order: Vec<_> = std::iter::from_fn(|| {
        let slice = scheduler.running()?;
        let name = (slice.of.kernel.get(), slice.index);
        scheduler.complete(Nanoseconds::new(1)).unwrap();
        Some(name)
    })
    .collect();
    assert_eq!(order, [(2, 0), (2, 1), (1, 1)]);
    assert_eq!(
        scheduler.complete(Nanoseconds::ZERO),
        Err(SliceError::NotRunning)
    );
}

#[test]
fn kernels_that_take_long_are_cut_smaller_the_next_time() {
    let mut scheduler = SliceScheduler::new(config(1000, (1, 256)));
    assert_eq!(scheduler.submit(kernel(1, 1000, 10)), Ok(1));
    // 100 blocks in 2.5 ms: 40 in the millisecond that a slice may take.
    run(&mut scheduler, 2_500_000);
    assert_eq!(scheduler.submit(kernel(1, 1000, 10)), Ok(3));
    assert_eq!(scheduler.submit(kernel(2, 1000, 10)), Ok(1));
    let fixed = SliceConfig::new(1000, Nanoseconds::ONE_MILLISECOND, (1, 256), false);
    let mut fixed = SliceScheduler::new(fixed.unwrap());
    for _ in 0..2 {
        assert_eq!(fixed.submit(kernel(1, 1000, 10)), Ok(1));
        run(&mut fixed, 2_500_000);
    }
}

#[test]
fn nothing_is_completed_at_once_and_blocks_nobody() {
    let mut scheduler = SliceScheduler::new(SliceConfig::default());
    assert_eq!(scheduler.submit(kernel(1, 0, 256)), Ok(0));
    scheduler.submit(kernel(2, 10, 256)).unwrap();
    let stats = scheduler.stats();
    assert_eq!((stats.completed_kernels, stats.pending_kernels), (1, 1));
    assert_eq!(run(&mut scheduler, 1), [(0, 10, 1)]);
    scheduler.submit(kernel(2, 10, 256)).unwrap();
    scheduler.running();
    scheduler.clear();
    assert_eq!(scheduler.running(), None);
    assert_eq!(scheduler.stats().pending_slices, 0);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let new = |items, duration, slices| {
        SliceConfig::new(items, Nanoseconds::new(duration), slices, true).unwrap_err()
    };
    assert_eq!(
        new(1, 1, (10, 5)),
        ConfigError::NoSlices { min: 10, max: 5 }
    );
    for (error, name) in [
        (new(0, 1, (1, 1)), "max_items_per_slice"),
        (new(1, 0, (1, 1)), "max_duration_ms"),
        (new(1, 1, (0, 1)), "min_slices"),
    ] {
        assert_eq!(error, ConfigError::Zero { name });
    }
    let mut scheduler = SliceScheduler::new(SliceConfig::default());
    let empty = scheduler.submit(kernel(1, 10, 0)).unwrap_err();
    assert_eq!(empty, SliceError::Grid(GridError::EmptyBlock([0, 1, 1])));
    let many = scheduler.submit(kernel(1, u64::MAX, 1)).unwrap_err();
    assert!(many.to_string().contains("at most 2147483647"), "{many}");
    assert_eq!(scheduler.stats().pending_kernels, 0);
}

proptest! {
    #[test]
    fn every_item_is_in_one_slice_of_whole_blocks(
        items in 0_u64..100_000,
        block in 1_u32..600,
        max_items in 1_u64..50_000,
        min_slices in 1_u32..20,
        more in 0_u32..50,
    ) {
        let max_slices = min_slices + more;
        let mut scheduler = SliceScheduler::new(config(max_items, (min_slices, max_slices)));
        let slice_count = scheduler.submit(kernel(1, items, block)).unwrap();
        let slices = run(&mut scheduler, 1);
        prop_assert_eq!(slices.len() as u64, slice_count);
        prop_assert!(slice_count <= u64::from(max_slices));
        let blocks = items.div_ceil(u64::from(block));
        prop_assert!(slice_count >= u64::from(min_slices).min(blocks));
        let mut next = 0;
        for (offset, count, blocks) in slices {
            prop_assert_eq!((offset, offset % u64::from(block)), (next, 0));
            prop_assert_eq!(count.div_ceil(u64::from(block)), u64::from(blocks));
            next += count;
            let fits = count <= max_items.max(u64::from(block));
            prop_assert!(fits || slice_count == u64::from(max_slices));
        }
        prop_assert_eq!(next, items);
    }
}
