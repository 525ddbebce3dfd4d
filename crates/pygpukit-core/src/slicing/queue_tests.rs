//! Slices handed out and finished, in any order.

use super::{Boxes, Finished, Slice, SliceQueue};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn submit(queue: &mut SliceQueue<char>, name: char, slices: u32, priority: i32) {
    assert_eq!(queue.submit(Boxes::even(100, slices), priority, name), None);
}

/// The names of the next slices, which run on two streams in turn.
fn drain(queue: &mut SliceQueue<char>) -> String {
    let mut names = String::new();
    let mut last = None;
    while let Some((slice, &name)) = queue.take() {
        assert!(slice.stream < 2 && last != Some(slice.stream));
        last = Some(slice.stream);
        names.push(name);
        let _ = queue.finish(slice.ticket);
    }
    names
}

#[test]
fn priority_holds_for_every_slice_and_equals_take_turns() {
    let mut queue = SliceQueue::default();
    submit(&mut queue, 'l', 4, 0);
    submit(&mut queue, 'h', 4, 100);
    submit(&mut queue, 'm', 2, 0);
    assert_eq!((queue.pending_kernels(), queue.pending_slices()), (3, 10));
    assert_eq!(drain(&mut queue), "hhhhlmlmll");
    assert_eq!((queue.pending_kernels(), queue.pending_slices()), (0, 0));
}

#[test]
fn a_kernel_without_blocks_blocks_nobody() {
    let mut queue = SliceQueue::default();
    assert_eq!(queue.submit(Boxes::even(0, 4), 9, 'e'), Some('e'));
    submit(&mut queue, 'a', 2, 0);
    assert_eq!(drain(&mut queue), "aa");
}

#[test]
fn an_urgent_kernel_passes_and_what_is_out_finishes_as_itself() {
    let mut queue = SliceQueue::default();
    submit(&mut queue, 'a', 1, 0);
    let (first, _) = queue.take().unwrap();
    submit(&mut queue, 'b', 2, 5);
    assert_eq!(queue.payload(&first.ticket), Some(&'a'));
    assert_eq!(queue.finish(first.ticket), Some(Finished::Kernel('a')));
    let (second, &name) = queue.take().unwrap();
    assert_eq!((name, second.index), ('b', 0));
    assert_eq!(queue.finish(second.ticket), Some(Finished::Slice));
}

#[test]
fn slices_out_when_the_queue_is_cleared_belong_to_nothing() {
    let mut queue = SliceQueue::default();
    submit(&mut queue, 'a', 2, 0);
    let (old, _) = queue.take().unwrap();
    queue.clear();
    submit(&mut queue, 'b', 2, 0);
    assert_eq!(queue.payload(&old.ticket), None);
    assert_eq!(queue.finish(old.ticket), None);
    assert_eq!(queue.pending_slices(), 2);
    assert_eq!(drain(&mut queue), "bb");
}

#[derive(Clone, Debug)]
enum Step {
    Submit(u32, i32),
    Next,
    Finish(usize),
}

proptest! {
    #[test]
    fn every_slice_runs_once(
        steps in prop::collection::vec(
            prop_oneof![
                (1_u32..6, -2_i32..3).prop_map(|(slices, priority)| Step::Submit(slices, priority)),
                Just(Step::Next),
                Just(Step::Next),
                any::<usize>().prop_map(Step::Finish),
            ],
            0..150,
        ),
    ) {
        let mut queue = SliceQueue::default();
        // By kernel: priority, slices, handed out.
        let mut model: BTreeMap<usize, (i32, u64, u64)> = BTreeMap::new();
        let mut out: Vec<(usize, Slice)> = Vec::new();
        let mut finished: BTreeMap<usize, u64> = BTreeMap::new();
        for (step, name) in steps.into_iter().zip(0..) {
            match step {
                Step::Submit(slices, priority) => {
                    queue.submit(Boxes::even(64, slices), priority, name);
                    model.insert(name, (priority, u64::from(slices), 0));
                }
                Step::Next => {
                    let waiting = model.values().filter(|(_, slices, handed)| handed < slices);
                    let highest = waiting.map(|&(priority, ..)| priority).max();
                    let next = queue.take().map(|(slice, &name)| (name, slice));
                    prop_assert_eq!(next.is_some(), highest.is_some());
                    if let Some((name, slice)) = next {
                        let (priority, _, handed) = model.get_mut(&name).unwrap();
                        prop_assert_eq!((Some(*priority), slice.index), (highest, *handed));
                        *handed += 1;
                        out.push((name, slice));
                    }
                }
                Step::Finish(at) if !out.is_empty() => {
                    let (name, slice) = out.swap_remove(at % out.len());
                    let count = finished.entry(name).or_default();
                    *count += 1;
                    let last = *count == model[&name].1;
                    let expected = if last { Finished::Kernel(name) } else { Finished::Slice };
                    prop_assert_eq!(queue.finish(slice.ticket), Some(expected));
                }
                Step::Finish(_) => {}
            }
            let submitted: u64 = model.values().map(|(_, slices, _)| slices).sum();
            let done: u64 = finished.values().sum();
            prop_assert_eq!(queue.pending_slices(), submitted - done);
        }
    }
}
