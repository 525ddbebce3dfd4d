use super::*;
use crate::ledger::Resource;
use crate::scheduler::{Admission, MemoryAsk, Reason, Rejection, Request, ShareAsk, TaskSpec};
use crate::units::{Bytes, Nanoseconds, Share};

const MEMORY: u64 = 1000;

fn config() -> Config {
    Config {
        memory: Bytes::new(MEMORY),
        bandwidth: Share::ONE,
        max_queued: 100,
        max_ended: 100,
    }
}

fn graph() -> TaskGraph {
    TaskGraph::new(config())
}

fn at(time: u64) -> Nanoseconds {
    Nanoseconds::new(time)
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

fn submit(graph: &mut TaskGraph, name: &str, after: &[&str], memory: u64) -> Answer {
    let after: Vec<_> = after.iter().map(|&each| each.into()).collect();
    let now = at(0);
    graph.submit(now, name, &after, request(memory, 0)).unwrap()
}

/// Submits one that is kept.
fn add(graph: &mut TaskGraph, name: &str, after: &[&str], memory: u64) {
    let answer = submit(graph, name, after, memory);
    assert!(graph.get(name).is_some(), "{answer:?}");
}

fn state<'a>(graph: &'a TaskGraph, name: &str) -> &'a TaskState {
    graph.get(name).unwrap().state()
}

fn granted(graph: &TaskGraph) -> u64 {
    graph.scheduler().ledger().granted().get(Resource::Memory)
}

fn rejected(answer: &Answer) -> Rejection {
    let Answer::Asked(Admission::Rejected(rejection)) = answer else {
        panic!("{answer:?}");
    };
    *rejection
}

#[test]
fn what_does_not_fit_waits_for_those_that_end() {
    let mut graph = graph();
    assert!(matches!(
        submit(&mut graph, "a", &[], 800),
        Answer::Asked(Admission::Admitted { .. })
    ));
    let Answer::Asked(Admission::Queued { position, .. }) = submit(&mut graph, "b", &[], 800)
    else {
        panic!("it cannot fit");
    };
    assert_eq!(position, 0);
    assert_eq!(graph.take_ready(at(1), 10), ["a"]);
    assert!(!graph.start(at(1), "b"));
    assert!(!graph.complete(at(1), "b"), "it has not started");
    assert!(graph.complete(at(5), "a"));
    assert_eq!(*state(&graph, "b"), TaskState::Ready);
    assert_eq!(granted(&graph), 800);
    assert_eq!(graph.get("b").unwrap().held(), Bytes::new(800));
    assert!(graph.complete(at(6), "b"));
    assert_eq!(granted(&graph), 0);
    let task = graph.get("a").unwrap();
    assert_eq!((task.waited(at(9)), task.ran(at(9))), (at(1), Some(at(4))));
    assert_eq!(
        (task.held(), graph.available().bytes()),
        (Bytes::ZERO, Bytes::new(MEMORY))
    );
    let task = graph.get("b").unwrap();
    assert_eq!((task.waited(at(9)), task.ran(at(9))), (at(6), None));
}

#[test]
fn what_can_never_fit_is_rejected_at_once() {
    let mut graph = graph();
    add(&mut graph, "a", &[], 800);
    for after in [&[][..], &["a"]] {
        let rejection = rejected(&submit(&mut graph, "big", after, 1001));
        assert_eq!(rejection.reason, Reason::Resource(Resource::Memory));
        assert_eq!((rejection.asked, rejection.limit), (1001, MEMORY));
        assert_eq!(graph.get("big"), None);
    }
    assert_eq!((graph.stats().rejected, graph.stats().submitted), (2, 1));
    // Exactly all there is can be had, later.
    assert!(matches!(
        submit(&mut graph, "all", &["a"], 1000),
        Answer::Blocked { unfinished: 1 }
    ));
}

#[test]
fn a_task_starts_after_all_that_it_depends_on() {
    let mut graph = graph();
    for name in ["a", "b"] {
        add(&mut graph, name, &[], 100);
    }
    let both = submit(&mut graph, "both", &["a", "b", "a"], 100);
    assert_eq!(both, Answer::Blocked { unfinished: 2 });
    assert_eq!(granted(&graph), 200, "what is blocked has nothing");
    assert_eq!(graph.take_ready(at(1), 9), ["a", "b"]);
    graph.complete(at(2), "b");
    assert_eq!(*state(&graph, "both"), TaskState::Blocked { unfinished: 1 });
    assert_eq!(graph.take_ready(at(2), 9), [""; 0]);
    graph.complete(at(3), "a");
    assert_eq!(graph.take_ready(at(3), 9), ["both"]);
    // Nothing is to be waited for any more.
    assert!(matches!(
        submit(&mut graph, "late", &["a", "b"], 100),
        Answer::Asked(Admission::Admitted { .. })
    ));
    assert_eq!(graph.stats().blocked, 0);
    assert_eq!(graph.stats().pending(), 1);
}

#[test]
fn what_depends_on_a_failure_ends_with_it() {
    let mut graph = graph();
    for (name, after) in [("a", &[][..]), ("b", &["a"]), ("c", &["b"]), ("d", &["a"])] {
        add(&mut graph, name, after, 100);
    }
    graph.cancel(at(1), "d");
    graph.take_ready(at(1), 1);
    assert!(graph.fail(at(2), "a", "no luck".into()));
    assert_eq!(state(&graph, "a").error(), Some("no luck"));
    assert_eq!(
        state(&graph, "b").error(),
        Some("depends on `a`, which has failed")
    );
    assert_eq!(
        state(&graph, "c").error(),
        Some("depends on `b`, which was cancelled")
    );
    assert_eq!(state(&graph, "d").error(), None);
    let stats = *graph.stats();
    assert_eq!((stats.failed, stats.cancelled, stats.blocked), (1, 3, 0));
    assert_eq!((stats.running, stats.pending(), granted(&graph)), (0, 0, 0));
    assert!(!graph.fail(at(3), "a", "again".into()));
    assert!(!graph.cancel(at(3), "c"));
    assert_eq!(*graph.stats(), stats);
    for (after, why) in [
        ("a", "has failed"),
        ("c", "was cancelled"),
        ("x", "is not known"),
    ] {
        let answer = submit(&mut graph, "e", &[after], 1);
        let Answer::Unsatisfiable(reason) = answer else {
            panic!("{answer:?}");
        };
        let said = reason.to_string();
        assert!(
            said.starts_with(&format!("task `e` depends on `{after}`, which {why}")),
            "{said}"
        );
        assert_eq!(graph.get("e"), None);
    }
}

#[test]
fn no_task_waits_for_itself() {
    let mut graph = graph();
    for after in ["itself", "later"] {
        let answer = submit(&mut graph, "itself", &[after], 1);
        assert!(matches!(answer, Answer::Unsatisfiable(_)), "{answer:?}");
    }
    assert_eq!(graph.stats().submitted, 0);
}

#[test]
fn a_name_is_used_once_while_it_is_remembered() {
    let mut graph = TaskGraph::new(Config {
        max_ended: 1,
        ..config()
    });
    add(&mut graph, "a", &[], 600);
    let again = graph.submit(at(0), "a", &[], request(600, 0));
    assert_eq!(again, Err(GraphError::Exists("a".into())));
    assert_eq!(graph.foresee("a", &[], &request(1, 0)), again);
    graph.complete(at(1), "a");
    assert!(graph.submit(at(0), "a", &[], request(1, 0)).is_err());
    add(&mut graph, "b", &[], 1);
    graph.cancel(at(2), "b");
    assert_eq!(graph.get("a"), None);
    assert_eq!((granted(&graph), graph.stats().submitted), (0, 2));
    add(&mut graph, "a", &[], 600);
    assert_eq!(granted(&graph), 600);
    assert_eq!(
        graph.release(at(3), "b"),
        Err(GraphError::Unknown("b".into()))
    );
    assert_eq!(
        graph.release(at(3), "x"),
        Err(GraphError::Unknown("x".into()))
    );
    graph.release(at(3), "a").unwrap();
    assert_eq!(granted(&graph), 0);
}

#[test]
fn larger_priorities_go_first() {
    let mut graph = graph();
    let priorities = [("low", 0), ("high", 100), ("middle", 50), ("high too", 100)];
    for (name, priority) in priorities {
        let answer = graph.submit(at(0), name, &[], request(300, priority));
        assert!(matches!(answer, Ok(Answer::Asked(_))));
    }
    assert_eq!(graph.take_ready(at(1), 1), ["high"]);
    assert_eq!(graph.take_ready(at(1), 9), ["middle", "low"]);
    graph.complete(at(2), "low");
    assert_eq!(graph.take_ready(at(2), 9), ["high too"]);
    // Those that have ended are in nobody's way.
    add(&mut graph, "ends", &[], 100);
    add(&mut graph, "stays", &[], 100);
    graph.cancel(at(3), "ends");
    assert_eq!(graph.take_ready(at(3), 1), ["stays"]);
    // So do those that become free at once.
    let mut graph = self::graph();
    add(&mut graph, "first", &[], 1000);
    for (name, priority) in [("low", 0), ("high", 1)] {
        let answer = graph.submit(at(0), name, &["first".into()], request(1000, priority));
        assert_eq!(answer, Ok(Answer::Blocked { unfinished: 1 }));
    }
    graph.complete(at(1), "first");
    assert_eq!(graph.take_ready(at(1), 9), ["high"]);
}

#[test]
fn a_full_queue_turns_away() {
    let mut graph = TaskGraph::new(Config {
        max_queued: 1,
        ..config()
    });
    add(&mut graph, "a", &[], 1000);
    add(&mut graph, "after", &["a"], 500);
    add(&mut graph, "after too", &["after"], 500);
    add(&mut graph, "b", &[], 1000);
    let full = rejected(&submit(&mut graph, "c", &[], 1000));
    assert_eq!((full.reason, full.limit), (Reason::QueueFull, 1));
    graph.cancel(at(1), "b");
    add(&mut graph, "b2", &[], 1000);
    let foreseen = graph.foresee("c", &[], &request(1000, 0)).unwrap();
    assert_eq!(rejected(&foreseen), full);
    // Another waits where one that depended on it would: its place is taken.
    add(&mut graph, "d", &["a"], 1000);
    graph.complete(at(2), "a");
    assert_eq!(*state(&graph, "b2"), TaskState::Ready);
    assert_eq!(*state(&graph, "after"), TaskState::Queued);
    let said = state(&graph, "d").error().unwrap();
    assert!(said.contains("the queue is full"), "{said}");
    graph.cancel(at(2), "after");
    assert_eq!(graph.stats().blocked, 0);
    assert_eq!(graph.stats().pending(), 1);
}

#[test]
fn shares_of_the_time_are_counted_up_to_the_limit() {
    let mut graph = TaskGraph::new(Config {
        bandwidth: Share::try_from(0.5).unwrap(),
        ..config()
    });
    let request = |share: f64| {
        let spec = TaskSpec {
            bandwidth: Some(ShareAsk {
                floor: share.try_into().unwrap(),
                cap: Share::ONE,
            }),
            ..TaskSpec::default()
        };
        Request::try_from(spec).unwrap()
    };
    let rejection = rejected(&graph.submit(at(0), "a", &[], request(0.9)).unwrap());
    assert_eq!(rejection.reason, Reason::Resource(Resource::Bandwidth));
    assert_eq!(rejection.limit, 500_000_000);
    let left = |graph: &TaskGraph| graph.available().share(Resource::Bandwidth);
    assert_eq!(left(&graph).units(), 500_000_000);
    for (name, share) in [("b", 0.1), ("c", 0.2), ("d", 0.2)] {
        let answer = graph.submit(at(0), name, &[], request(share)).unwrap();
        assert!(matches!(answer, Answer::Asked(Admission::Admitted { .. })));
    }
    assert_eq!(left(&graph), Share::ZERO);
    let answer = graph.submit(at(0), "e", &[], request(0.1)).unwrap();
    assert!(matches!(answer, Answer::Asked(Admission::Queued { .. })));
    graph.release(at(0), "b").unwrap();
    assert_eq!(*state(&graph, "e"), TaskState::Ready);
}
