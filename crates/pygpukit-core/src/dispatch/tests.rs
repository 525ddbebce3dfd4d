//! Launches, one step at a time.

use super::{Dispatcher, Limits, Request, Stage};
use crate::id::{LaneId, LaunchId};
use crate::units::Nanoseconds;
use std::num::NonZeroUsize;

const LANE: LaneId = LaneId::new(0);
const OTHER: LaneId = LaneId::new(1);

fn ns(time: u64) -> Nanoseconds {
    Nanoseconds::new(time)
}

fn dispatcher(launches: usize, time: u64) -> Dispatcher<()> {
    Dispatcher::new(Limits {
        launches: NonZeroUsize::new(launches).unwrap(),
        time: ns(time),
    })
}

fn queue(dispatcher: &mut Dispatcher<()>, lane: LaneId, priority: i32, predicted: u64) -> u64 {
    let request = Request {
        lane,
        priority,
        predicted: ns(predicted),
        payload: (),
    };
    dispatcher.queue(ns(0), request).get()
}

fn next(dispatcher: &mut Dispatcher<()>, most: usize) -> Vec<u64> {
    dispatcher
        .next(most)
        .into_iter()
        .map(LaunchId::get)
        .collect()
}

#[test]
fn the_most_urgent_goes_first_and_nothing_twice() {
    let mut dispatcher = dispatcher(9, u64::MAX);
    for (lane, priority) in [(LANE, 0), (LANE, 10), (OTHER, 5), (LANE, 10)] {
        queue(&mut dispatcher, lane, priority, 1);
    }
    assert_eq!(next(&mut dispatcher, 3), [2, 4, 3]);
    assert_eq!(next(&mut dispatcher, 9), [1]);
    assert!(next(&mut dispatcher, 9).is_empty());
}

#[test]
fn a_lane_has_only_so_many_places() {
    let mut dispatcher = dispatcher(2, u64::MAX);
    for _ in 0..3 {
        queue(&mut dispatcher, LANE, 0, 1);
    }
    let last = LaunchId::new(3);
    assert_eq!(next(&mut dispatcher, 9), [1, 2]);
    // Neither does one that was not handed out.
    assert!(!dispatcher.launched(ns(1), last));
    assert!(dispatcher.launched(ns(1), LaunchId::new(1)));
    assert!(!dispatcher.launched(ns(1), LaunchId::new(1)));
    assert!(dispatcher.cancel(ns(2), LaunchId::new(2)));
    assert!(dispatcher.launched(ns(3), last));
    assert!(next(&mut dispatcher, 9).is_empty());
    assert_eq!(
        dispatcher.launched_by_lane().collect::<Vec<_>>(),
        [(LANE, 2)]
    );
}

#[test]
fn a_lane_has_only_so_much_time() {
    let mut dispatcher = dispatcher(9, 100);
    for predicted in [60, 41, 40, 500] {
        queue(&mut dispatcher, LANE, 0, predicted);
    }
    // The third would fit, and does not overtake.
    assert_eq!(next(&mut dispatcher, 9), [1]);
    assert_eq!(dispatcher.under_way(LANE), ns(60));
    dispatcher.launched(ns(0), LaunchId::new(1));
    dispatcher.completed(ns(9), LaunchId::new(1));
    assert_eq!(next(&mut dispatcher, 9), [2, 3]);
    for id in [2, 3] {
        assert!(dispatcher.failed(ns(9), LaunchId::new(id), "lost".into()));
    }
    // What is longer than all of it has the lane alone.
    assert_eq!(dispatcher.next_of(LANE).unwrap().id(), LaunchId::new(4));
    assert_eq!(dispatcher.under_way(LANE), ns(500));
    queue(&mut dispatcher, LANE, 9, 0);
    assert!(dispatcher.next_of(LANE).is_none());
}

#[test]
fn predictions_that_do_not_add_up_to_64_bits_are_still_taken_off_again() {
    let mut dispatcher = dispatcher(9, u64::MAX);
    for predicted in [5, u64::MAX] {
        queue(&mut dispatcher, LANE, 0, predicted);
    }
    assert_eq!(next(&mut dispatcher, 9), [1]);
    assert!(dispatcher.cancel(ns(0), LaunchId::new(1)));
    assert_eq!(next(&mut dispatcher, 9), [2]);
    assert!(dispatcher.cancel(ns(0), LaunchId::new(2)));
    assert_eq!(dispatcher.under_way(LANE), ns(0));
}

#[test]
fn an_end_is_final() {
    let mut dispatcher = dispatcher(9, 100);
    let id = LaunchId::new(queue(&mut dispatcher, LANE, 0, 1));
    assert!(!dispatcher.completed(ns(1), id));
    assert!(dispatcher.launched(ns(2), id));
    assert!(!dispatcher.cancel(ns(3), id));
    assert!(dispatcher.completed(ns(5), id));
    assert!(!dispatcher.failed(ns(6), id, "late".into()));
    assert!(!dispatcher.completed(ns(6), id));
    let stage = dispatcher.get(id).unwrap().stage().clone();
    let (launched, at) = (ns(2), ns(5));
    assert_eq!(stage, Stage::Completed { launched, at });
    let stats = dispatcher.stats();
    assert_eq!(
        (stats.completed, stats.failed, stats.average_run_time()),
        (1, 0, ns(3))
    );
}

#[test]
fn forgetting_keeps_the_counters() {
    let mut dispatcher = dispatcher(9, 100);
    let first = LaunchId::new(queue(&mut dispatcher, LANE, 0, 1));
    let second = LaunchId::new(queue(&mut dispatcher, LANE, 0, 1));
    dispatcher.cancel(ns(1), first);
    let before = dispatcher.stats();
    assert_eq!(dispatcher.forget_ended(), 1);
    assert_eq!(dispatcher.stats(), before);
    assert!(dispatcher.get(first).is_none());
    assert!(!dispatcher.failed(ns(1), first, "gone".into()));
    let left = dispatcher.select(|launch| launch.lane() == LANE);
    assert_eq!(left.len(), 1);
    assert_eq!(dispatcher.next_of(LANE).unwrap().id(), second);
    dispatcher.clear();
    assert_eq!(dispatcher.stats().pending(), 0);
    assert_eq!(dispatcher.under_way(LANE), ns(0));
    assert_eq!(queue(&mut dispatcher, LANE, 0, 1), 3);
}
