//! What holds for every dispatcher, whatever happens to its launches.

use super::{Dispatcher, Launch, Limits, Request, Stage};
use crate::id::{LaneId, LaunchId};
use crate::units::Nanoseconds;
use proptest::prelude::*;
use std::num::NonZeroUsize;

#[derive(Clone, Debug)]
enum Step {
    Queue(u64, i32, u64),
    Next(usize),
    Launched(u64),
    Completed(u64),
    Failed(u64),
    Cancel(u64),
    Forget,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let id = || 0_u64..30;
    let step = prop_oneof![
        4 => (0_u64..3, -1_i32..2, 0_u64..60).prop_map(|(lane, priority, time)| {
            Step::Queue(lane, priority, time)
        }),
        2 => (0_usize..4).prop_map(Step::Next),
        4 => id().prop_map(Step::Launched),
        4 => id().prop_map(Step::Completed),
        1 => id().prop_map(Step::Failed),
        1 => id().prop_map(Step::Cancel),
        1 => Just(Step::Forget),
    ];
    prop::collection::vec(step, 0..150)
}

/// Launches on a lane that have a place.
fn placed(launch: &Launch<()>) -> bool {
    matches!(launch.stage(), Stage::HandedOut | Stage::Launched { .. })
}

proptest! {
    #[test]
    fn places_are_limited_and_every_launch_is_counted_once(steps in steps()) {
        let limits = Limits { launches: NonZeroUsize::new(3).unwrap(), time: Nanoseconds::new(100) };
        let mut dispatcher: Dispatcher<()> = Dispatcher::new(limits);
        let mut handed_out = std::collections::BTreeSet::new();
        let mut ended = 0;
        for (step, now) in steps.into_iter().zip(0..) {
            let now = Nanoseconds::new(now);
            let before = dispatcher.stats();
            let mut changed = None;
            match step {
                Step::Queue(lane, priority, time) => {
                    let request = Request {
                        lane: LaneId::new(lane),
                        priority,
                        predicted: Nanoseconds::new(time),
                        payload: (),
                    };
                    dispatcher.queue(now, request);
                }
                Step::Next(most) => {
                    let next = dispatcher.next(most);
                    prop_assert!(next.len() <= most);
                    for id in next {
                        prop_assert!(handed_out.insert(id), "{id} handed out twice");
                    }
                }
                Step::Launched(id) => {
                    if dispatcher.launched(now, LaunchId::new(id)) {
                        handed_out.insert(LaunchId::new(id));
                    }
                }
                Step::Completed(id) => changed = Some(dispatcher.completed(now, LaunchId::new(id))),
                Step::Failed(id) => {
                    changed = Some(dispatcher.failed(now, LaunchId::new(id), "lost".into()));
                }
                Step::Cancel(id) => changed = Some(dispatcher.cancel(now, LaunchId::new(id))),
                Step::Forget => {
                    dispatcher.forget_ended();
                    prop_assert_eq!(dispatcher.stats(), before);
                }
            }
            ended += u64::from(changed == Some(true));
            let stats = dispatcher.stats();
            prop_assert_eq!(stats.completed + stats.failed + stats.cancelled, ended);
            let running = dispatcher.select(|launch| matches!(launch.stage(), Stage::Launched { .. }));
            prop_assert_eq!(running.len(), stats.running);
            let open = dispatcher.select(|launch| !launch.stage().is_terminal());
            prop_assert_eq!(open.len() as u64, stats.pending() + stats.running as u64);
            for lane in (0..3).map(LaneId::new) {
                let placed = dispatcher.select(|launch| launch.lane() == lane && placed(launch));
                let time = placed.iter().map(|launch| launch.predicted().get()).sum();
                prop_assert_eq!(dispatcher.under_way(lane), Nanoseconds::new(time));
                prop_assert!(placed.len() <= limits.launches.get());
                prop_assert!(placed.len() <= 1 || Nanoseconds::new(time) <= limits.time);
            }
        }
    }
}
