//! What holds for every graph, whatever its tasks do.

use super::*;
use crate::ledger::Resource;
use crate::scheduler::{Admission, MemoryAsk, Request, TaskSpec};
use crate::units::{Bytes, Nanoseconds, Share};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Submit(Vec<usize>, u64, i32),
    Take(usize),
    Complete(usize),
    Fail(usize),
    Cancel(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let which = any::<usize>;
    let step = prop_oneof![
        6 => (prop::collection::vec(which(), 0..3), 0_u64..700, 0..3)
            .prop_map(|(after, memory, priority)| Step::Submit(after, memory, priority)),
        3 => (0_usize..4).prop_map(Step::Take),
        4 => which().prop_map(Step::Complete),
        1 => which().prop_map(Step::Fail),
        1 => which().prop_map(Step::Cancel),
    ];
    prop::collection::vec(step, 0..150)
}

fn request(memory: u64, priority: i32) -> Request {
    let memory = Some(memory).filter(|memory| *memory > 0);
    let spec = TaskSpec {
        memory: memory.map(|memory| MemoryAsk {
            request: Bytes::new(memory),
            limit: Some(Bytes::new(memory)),
        }),
        priority,
        ..TaskSpec::default()
    };
    spec.try_into().unwrap()
}

/// An answer without what depends on the time since the last event.
fn at_any_time(mut answer: Answer) -> Answer {
    if let Answer::Asked(Admission::Queued { earliest_start, .. }) = &mut answer {
        *earliest_start = None;
    }
    answer
}

fn check(graph: &TaskGraph, names: &[String]) {
    let tasks: Vec<_> = names.iter().filter_map(|name| graph.get(name)).collect();
    let count =
        |wanted: fn(&TaskState) -> bool| tasks.iter().filter(|task| wanted(task.state())).count();
    let ready = count(|state| *state == TaskState::Ready);
    let running = count(|state| matches!(state, TaskState::Running { .. }));
    let queued = count(|state| *state == TaskState::Queued);
    let blocked = count(|state| matches!(state, TaskState::Blocked { .. }));
    let stats = graph.stats();
    assert_eq!((stats.running, stats.blocked), (running, blocked));
    assert_eq!(graph.scheduler().running(), ready + running);
    assert_eq!(graph.scheduler().waiting(), queued);
    assert_eq!(stats.pending(), (ready + queued + blocked) as u64);
    let holds =
        |task: &&&Task| matches!(task.state(), TaskState::Ready | TaskState::Running { .. });
    let held = tasks.iter().filter(holds);
    let memory: u64 = held.map(|task| task.request().memory().get()).sum();
    let ledger = graph.scheduler().ledger();
    assert_eq!(ledger.granted().get(Resource::Memory), memory);
    assert!(memory <= 1000);
    for task in &tasks {
        let dependencies = task
            .after()
            .iter()
            .map(|name| graph.get(name).unwrap().state());
        let unfinished = dependencies.filter(|state| !matches!(state, TaskState::Completed { .. }));
        match task.state() {
            TaskState::Blocked { .. } => assert!(unfinished.count() > 0),
            // These may end before those that they depend on.
            TaskState::Failed { .. } | TaskState::Cancelled { .. } => {}
            TaskState::Queued
            | TaskState::Ready
            | TaskState::Running { .. }
            | TaskState::Completed { .. } => {
                assert_eq!(unfinished.count(), 0, "{}", task.name());
            }
        }
    }
    // What waits for nothing but memory waits since there is too little.
    if ready + running == 0 {
        assert_eq!(queued + blocked, 0, "all wait, and nobody will end");
    }
}

proptest! {
    #[test]
    fn every_task_ends_and_has_what_it_asked_for_until_then(steps in steps()) {
        let mut graph = TaskGraph::new(Config {
            memory: Bytes::new(1000),
            bandwidth: Share::ONE,
            max_queued: 1000,
            max_ended: 1000,
        });
        let mut names: Vec<String> = Vec::new();
        for (time, step) in (0..).zip(steps) {
            let now = Nanoseconds::new(time);
            let name = |at: usize| names.get(at % names.len().max(1)).cloned().unwrap_or_default();
            match step {
                Step::Submit(after, memory, priority) => {
                    let new = format!("task {time}");
                    let after: Vec<_> = after.into_iter().map(name).collect();
                    let request = request(memory, priority);
                    let foreseen = graph.foresee(&new, &after, &request);
                    let answer = graph.submit(now, &new, &after, request);
                    prop_assert_eq!(answer.map(at_any_time), foreseen.map(at_any_time));
                    if graph.get(&new).is_some() {
                        names.push(new);
                    }
                }
                Step::Take(most) => prop_assert!(graph.take_ready(now, most).len() <= most),
                Step::Complete(at) => drop(graph.complete(now, &name(at))),
                Step::Fail(at) => drop(graph.fail(now, &name(at), "failed".into())),
                Step::Cancel(at) => drop(graph.cancel(now, &name(at))),
            }
            check(&graph, &names);
        }
        loop {
            let taken = graph.take_ready(Nanoseconds::ZERO, 1);
            let running = |name: &&String| matches!(graph.get(name).map(Task::state), Some(TaskState::Running { .. }));
            let Some(name) = taken.first().or_else(|| names.iter().find(running)).cloned() else {
                break;
            };
            graph.complete(Nanoseconds::ZERO, &name);
        }
        prop_assert_eq!(graph.stats().pending(), 0);
    }
}
