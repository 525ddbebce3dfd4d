//! What holds after every event, whatever the events are.

use super::model::{Model, Told};
use super::random_ops::{Op, ops};
use super::*;
use crate::id::TenantId;
use crate::ledger::Amount;
use crate::units::Bytes;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_ledger_balances_and_every_task_ends(ops in ops()) {
        let mut model = Model::new();
        for op in ops {
            model.play(op);
        }
        model.drain();
        prop_assert!(model.told.values().all(|&told| told == Told::Over), "{:?}", model.told);
        prop_assert_eq!(model.scheduler.tasks.len(), 0);
        prop_assert_eq!(model.scheduler.ledger.granted(), &Amount::NOTHING);
        prop_assert!(model.scheduler.time.is_idle());
        prop_assert!(model.grants.is_empty());
        let counters = model.scheduler.stats().counters;
        prop_assert_eq!(
            counters.submitted,
            counters.completed + counters.failed + counters.rejected + counters.cancelled
        );

        let log = model.log.join("\n");
        let replay = Replay::run(log.lines()).unwrap();
        prop_assert_eq!(replay.events + replay.actions + 1, model.log.len());
    }

    #[test]
    fn a_log_can_begin_when_there_are_no_tasks(first in ops(), second in ops(), outside in 0_u64..100) {
        let mut model = Model::new();
        for op in first {
            model.play(op);
        }
        model.drain();
        let holder = Holder::Tenant(TenantId::DEFAULT);
        model.step(Event::Grow { holder, bytes: Bytes::new(outside) });
        model.log = model.scheduler.open_log().unwrap();
        for op in second {
            model.play(op);
        }
        let log = model.log.join("\n");
        let replay = Replay::run(log.lines()).unwrap();
        prop_assert_eq!(replay.events + replay.actions + 1, model.log.len());
        if model.scheduler.queue.len() > 0 {
            prop_assert!(model.scheduler.open_log().is_none());
        }
    }
}

#[test]
fn a_changed_log_does_not_replay() {
    let mut model = Model::new();
    for bytes in [60, 50] {
        let spec = TaskSpec {
            memory: Some(MemoryAsk {
                request: Bytes::new(bytes),
                limit: None,
            }),
            ..TaskSpec::default()
        };
        model.play(Op::Submit(0, spec));
    }
    let log = model.log.clone();
    let run = |log: &[String]| Replay::run(log.iter().map(String::as_str));
    assert!(run(&log).is_ok());
    let diverged = |result| matches!(result, Err(LogError::Diverged { .. }));
    assert!(diverged(run(&log[..log.len() - 1])));
    let mut changed = log.clone();
    let last = changed.last_mut().unwrap();
    *last = last.replace("position=0", "position=1");
    assert!(diverged(run(&changed)), "{changed:?}");
    let mut broken = log.clone();
    broken[1] = "> 0 dance task=1".into();
    assert!(matches!(
        run(&broken),
        Err(LogError::Malformed { line: 2, .. })
    ));
    let other = ["pygpukit-log 999 memory=1 workers=1 max_queued=1"];
    assert!(matches!(Replay::run(other), Err(LogError::Format(_))));
    let twice = [log.as_slice(), &log[1..]].concat();
    assert!(matches!(run(&twice), Err(LogError::Impossible { .. })));
}
