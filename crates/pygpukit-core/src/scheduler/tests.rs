//! The scheduler by example.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test names the case it is about"
)]

use super::*;
use crate::id::{TaskId, TenantId};
use crate::ledger::{Resource, ResourceSet};
use crate::units::{Bytes, Nanoseconds, Share};

/// A scheduler of 1000 bytes with a clock that tests move.
struct World {
    scheduler: Scheduler,
    now: u64,
    actions: Actions,
}

impl World {
    fn new(workers: u32) -> Self {
        Self {
            scheduler: Scheduler::new(Config {
                max_queued: 4,
                ..Config::new(Bytes::new(1000), workers)
            }),
            now: 0,
            actions: Actions::new(),
        }
    }

    fn step(&mut self, event: Event) -> Vec<Action> {
        self.try_step(event).unwrap()
    }

    fn try_step(&mut self, event: Event) -> Result<Vec<Action>, StepError> {
        let now = Nanoseconds::new(self.now);
        let result = self.scheduler.step(now, event, &mut self.actions);
        let actions = self.actions.drain().collect();
        result.map(|()| actions)
    }

    fn submit_for(&mut self, tenant: u64, task: u64, spec: TaskSpec) -> Admission {
        let event = Event::Submit {
            task: TaskId::new(task),
            tenant: TenantId::new(tenant),
            request: Box::new(spec.try_into().unwrap()),
        };
        let now = Nanoseconds::new(self.now);
        self.scheduler.step(now, event, &mut self.actions).unwrap();
        let admission = self.actions.admission_of(TaskId::new(task)).unwrap();
        self.actions.drain().for_each(drop);
        admission
    }

    fn submit(&mut self, task: u64, spec: TaskSpec) -> Admission {
        self.submit_for(0, task, spec)
    }

    fn finish(&mut self, task: u64, held: u64) -> Vec<u64> {
        let actions = self.step(Event::Finish {
            task: TaskId::new(task),
            failed: false,
            held: Bytes::new(held),
        });
        started(&actions)
    }

    fn grow(&mut self, holder: Holder, bytes: u64) -> Result<(), Rejection> {
        let bytes = Bytes::new(bytes);
        match self.step(Event::Grow { holder, bytes }).remove(0) {
            Action::Refuse { rejection, .. } => Err(rejection),
            other => {
                assert_eq!(other, Action::Grow { holder, bytes });
                Ok(())
            }
        }
    }

    fn shrink(&mut self, holder: Holder, bytes: u64) -> Vec<u64> {
        let bytes = Bytes::new(bytes);
        started(&self.step(Event::Shrink { holder, bytes }))
    }
}

fn started(actions: &[Action]) -> Vec<u64> {
    let id = |action: &Action| match action {
        Action::Start { task, .. } => Some(task.get()),
        _ => None,
    };
    actions.iter().filter_map(id).collect()
}

fn memory(bytes: u64) -> TaskSpec {
    TaskSpec {
        memory: Some(MemoryAsk {
            request: Bytes::new(bytes),
            limit: Some(Bytes::new(bytes)),
        }),
        ..TaskSpec::default()
    }
}

fn bandwidth(share: f64) -> TaskSpec {
    TaskSpec {
        bandwidth: Some(ShareAsk {
            floor: share.try_into().unwrap(),
            cap: Share::ONE,
        }),
        ..TaskSpec::default()
    }
}

fn guaranteed(spec: TaskSpec) -> TaskSpec {
    TaskSpec {
        policy: Some(Policy::Guaranteed),
        ..spec
    }
}

fn waits(admission: &Admission) -> ResourceSet {
    match admission {
        Admission::Queued { waits_for, .. } => *waits_for,
        _ => panic!("{admission:?} is not queued"),
    }
}

fn rejected(admission: &Admission) -> Rejection {
    match admission {
        Admission::Rejected(rejection) => *rejection,
        _ => panic!("{admission:?} is not rejected"),
    }
}

fn admitted(admission: &Admission) -> bool {
    matches!(admission, Admission::Admitted { .. })
}

const DEFAULT: Holder = Holder::Tenant(TenantId::DEFAULT);

fn task(id: u64) -> Holder {
    Holder::Task(TaskId::new(id))
}

#[test]
fn what_does_not_fit_waits_until_it_does() {
    let mut world = World::new(8);
    assert!(admitted(&world.submit(1, memory(800))));
    let second = world.submit(2, memory(800));
    assert_eq!(waits(&second), ResourceSet::EMPTY.with(Resource::Memory));
    assert_eq!(world.finish(1, 0), [2]);
    assert_eq!(world.finish(2, 0), [0; 0]);
    assert!(admitted(&world.submit(3, memory(1000))));
}

#[test]
fn what_can_never_fit_is_rejected_with_numbers() {
    let mut world = World::new(8);
    let rejection = rejected(&world.submit(1, memory(5000)));
    assert_eq!(rejection.reason, Reason::Resource(Resource::Memory));
    assert_eq!(
        (rejection.asked, rejection.available, rejection.limit),
        (5000, 1000, 1000)
    );
    assert_eq!(
        rejection.to_string(),
        "not enough memory: asked for 5000 bytes, 1000 bytes available, the limit is 1000 bytes"
    );
    assert!(admitted(&world.submit(2, memory(1000))));
}

#[test]
fn exact_fits_of_shares_fit() {
    for parts in [vec![0.8, 0.1, 0.1], vec![1.0 / 6.0; 6], vec![0.2, 0.4, 0.4]] {
        let mut world = World::new(8);
        for (id, &part) in (0..).zip(&parts) {
            assert!(admitted(&world.submit(id, bandwidth(part))), "{parts:?}");
        }
    }
    let mut world = World::new(8);
    assert!(admitted(&world.submit(1, bandwidth(0.9))));
    assert_eq!(
        waits(&world.submit(2, bandwidth(0.9))),
        ResourceSet::EMPTY.with(Resource::Bandwidth)
    );
}

#[test]
fn names_are_used_once() {
    let mut world = World::new(8);
    world.submit(1, memory(600));
    let again = Event::Submit {
        task: TaskId::new(1),
        tenant: TenantId::DEFAULT,
        request: Box::new(memory(100).try_into().unwrap()),
    };
    let one = TaskId::new(1);
    assert_eq!(world.try_step(again), Err(StepError::DuplicateTask(one)));
    world.finish(1, 0);
    assert!(admitted(&world.submit(2, memory(1000))));
    let unknown = Event::Cancel { task: one };
    assert_eq!(world.try_step(unknown), Err(StepError::UnknownTask(one)));
}

#[test]
fn tasks_start_by_policy_priority_deadline_and_arrival() {
    let mut world = World::new(1);
    world.scheduler.config.max_queued = 10;
    world.submit(0, memory(1));
    let urgent = |priority, spec| TaskSpec { priority, ..spec };
    let due = |deadline, spec| TaskSpec {
        deadline: Some(Nanoseconds::new(deadline)),
        ..spec
    };
    world.submit(1, TaskSpec::default());
    world.submit(2, memory(1));
    world.submit(3, memory(1));
    world.submit(4, urgent(100, memory(1)));
    world.submit(5, urgent(50, memory(1)));
    world.submit(6, due(100, memory(1)));
    world.submit(7, due(50, bandwidth(0.1)));
    let last = world.submit(8, guaranteed(bandwidth(0.5)));
    let Admission::Queued { position, .. } = last else {
        panic!("{last:?}");
    };
    assert_eq!(position, 0);
    let mut order = vec![0];
    while let Some(&[next]) = Some(world.finish(*order.last().unwrap(), 0).as_slice()) {
        order.push(next);
    }
    assert_eq!(order, [0, 8, 4, 5, 7, 6, 2, 3, 1]);
}

#[test]
fn only_those_who_ask_for_something_else_overtake() {
    let mut world = World::new(8);
    world.submit(1, memory(800));
    world.submit(2, memory(800));
    // It would fit, and delay task 2.
    assert_eq!(
        waits(&world.submit(3, memory(100))),
        ResourceSet::EMPTY.with(Resource::Memory)
    );
    assert!(admitted(&world.submit(4, bandwidth(0.5))));
    assert!(admitted(&world.submit(5, TaskSpec::default())));
    // More urgent than task 2: nothing stops it.
    let urgent = TaskSpec {
        priority: 1,
        ..memory(100)
    };
    assert!(admitted(&world.submit(6, urgent)));
    assert_eq!(world.finish(1, 0), [2, 3]);
}

#[test]
fn two_kinds_of_tasks_cannot_starve_a_third_in_turns() {
    let mut world = World::new(8);
    world.scheduler.config.max_queued = 100;
    let both = TaskSpec {
        memory: memory(600).memory,
        ..bandwidth(0.6)
    };
    world.submit(0, memory(600));
    waits(&world.submit(1, both));
    for id in (2..40).step_by(2) {
        // In each round one of them would leave no room for task 1 again.
        world.submit(id, bandwidth(0.6));
        world.submit(id + 1, memory(600));
        let oldest = world.scheduler.running.iter().next().unwrap();
        let oldest = world.scheduler.tasks.get(oldest).unwrap().id;
        if world.finish(oldest.get(), 0).contains(&1) {
            return;
        }
    }
    panic!("task 1 waits for ever");
}

#[test]
fn a_worker_is_a_resource() {
    let mut world = World::new(1);
    world.submit(1, TaskSpec::default());
    let second = world.submit(2, TaskSpec::default());
    assert_eq!(waits(&second), ResourceSet::EMPTY.with(Resource::Workers));
    let rejecting = TaskSpec {
        on_full: OnFull::Reject,
        ..TaskSpec::default()
    };
    let rejection = rejected(&world.submit(3, rejecting));
    assert_eq!(rejection.reason, Reason::Resource(Resource::Workers));
    assert_eq!((rejection.asked, rejection.limit), (1, 1));
    assert_eq!(world.finish(1, 0), [2]);
}

#[test]
fn a_task_that_does_not_queue_is_told_what_would_fit() {
    let mut world = World::new(8);
    world.submit(1, memory(700));
    let rejecting = |bytes| TaskSpec {
        on_full: OnFull::Reject,
        ..memory(bytes)
    };
    let rejection = rejected(&world.submit(2, rejecting(301)));
    assert_eq!((rejection.asked, rejection.available), (301, 300));
    assert!(admitted(&world.submit(3, rejecting(300))));
    // Behind one that waits there is nothing to have.
    world.finish(3, 0);
    world.submit(4, memory(800));
    assert_eq!(rejected(&world.submit(5, rejecting(10))).available, 0);
}

#[test]
fn the_queue_is_bounded() {
    let mut world = World::new(1);
    for id in 0..5 {
        world.submit(id, TaskSpec::default());
    }
    let rejection = rejected(&world.submit(5, TaskSpec::default()));
    assert_eq!((rejection.reason, rejection.limit), (Reason::QueueFull, 4));
    assert_eq!(world.finish(0, 0), [1]);
    waits(&world.submit(6, TaskSpec::default()));
}

#[test]
fn waiting_ends_at_the_timeout() {
    let mut world = World::new(8);
    let patient = |timeout, bytes| TaskSpec {
        queue_timeout: Some(Nanoseconds::new(timeout)),
        ..memory(bytes)
    };
    world.submit(1, memory(800));
    world.submit(2, patient(100, 900));
    world.submit(3, patient(200, 200));
    assert_eq!(world.scheduler.next_timeout(), Some(Nanoseconds::new(100)));
    world.now = 99;
    assert_eq!(world.step(Event::Tick), []);
    world.now = 100;
    // Task 3 waited only for its turn.
    let actions = world.step(Event::Tick);
    assert_eq!(started(&actions), [3]);
    let Action::Reject { task, rejection } = &actions[0] else {
        panic!("{actions:?}");
    };
    assert_eq!(task.get(), 2);
    assert_eq!(rejection.reason, Reason::QueueTimeout(Resource::Memory));
    assert_eq!((rejection.asked, rejection.available), (900, 200));
    assert_eq!(world.scheduler.next_timeout(), None);
}

#[test]
fn cancelling_frees_the_place_in_line() {
    let mut world = World::new(8);
    world.submit(1, memory(800));
    world.submit(2, memory(900));
    world.submit(3, memory(100));
    let cancel = |task| Event::Cancel {
        task: TaskId::new(task),
    };
    assert_eq!(started(&world.step(cancel(2))), [3]);
    // Too late.
    assert_eq!(world.step(cancel(1)), []);
    assert_eq!(world.scheduler.stats().counters.cancelled, 1);
}

#[test]
fn what_a_task_returned_stays_its_own_until_released() {
    let mut world = World::new(8);
    world.submit(1, memory(800));
    world.submit(2, memory(700));
    assert_eq!(world.finish(1, 400), [0; 0]);
    assert_eq!(world.scheduler.stats().returned_memory, Bytes::new(400));
    assert_eq!(world.shrink(task(1), 50), [0; 0]);
    assert_eq!(world.shrink(task(1), 50), [2]);
    world.shrink(task(1), 300);
    assert_eq!(world.scheduler.task_stats(TaskId::new(1)), None);
    let more = Event::Finish {
        task: TaskId::new(2),
        failed: false,
        held: Bytes::new(701),
    };
    assert!(matches!(world.try_step(more), Err(StepError::Overdrawn(_))));
}

#[test]
fn work_outside_tasks_takes_what_is_left_and_no_more() {
    let mut world = World::new(8);
    world.submit(1, guaranteed(memory(600)));
    assert_eq!(world.grow(DEFAULT, 400), Ok(()));
    let refusal = world.grow(DEFAULT, 1).unwrap_err();
    assert_eq!(
        (refusal.asked, refusal.available, refusal.limit),
        (1, 0, 1000)
    );
    waits(&world.submit(2, memory(300)));
    assert_eq!(world.shrink(DEFAULT, 299), [0; 0]);
    assert_eq!(world.shrink(DEFAULT, 1), [2]);
}

#[test]
fn bursts_end_at_the_limit_and_are_given_back() {
    let mut world = World::new(8);
    let burst = TaskSpec {
        memory: Some(MemoryAsk {
            request: Bytes::new(200),
            limit: Some(Bytes::new(500)),
        }),
        ..TaskSpec::default()
    };
    world.submit(1, burst);
    assert_eq!(world.grow(task(1), 300), Ok(()));
    assert_eq!(world.grow(task(1), 1).unwrap_err().limit, 500);
    // What was promised cannot be given back before the end.
    let shrink = Event::Shrink {
        holder: task(1),
        bytes: Bytes::new(301),
    };
    assert!(matches!(
        world.try_step(shrink),
        Err(StepError::Overdrawn(_))
    ));
    world.shrink(task(1), 300);
    world.submit(2, guaranteed(memory(700)));
    assert_eq!(world.grow(task(1), 101).unwrap_err().available, 100);
    // Best effort gets what is left.
    world.submit(3, TaskSpec::default());
    assert_eq!(world.grow(task(3), 100), Ok(()));
    assert_eq!(world.grow(task(3), 1).unwrap_err().available, 0);
    world.finish(3, 100);
    assert_eq!(world.grow(task(3), 1).unwrap_err().limit, 100);
}

#[test]
fn a_tenant_has_its_own_limit() {
    let mut world = World::new(8);
    let tenant = TenantId::new(7);
    world.step(Event::Open {
        tenant,
        spec: TenantSpec::limited(Bytes::new(300)),
    });
    assert_eq!(rejected(&world.submit_for(7, 1, memory(400))).limit, 300);
    assert!(admitted(&world.submit_for(7, 2, memory(200))));
    waits(&world.submit_for(7, 3, memory(200)));
    // The line is of the tenant's, not of the device's.
    assert!(admitted(&world.submit(4, memory(200))));
    let close = |cancel_pending| Event::Close {
        tenant,
        cancel_pending,
    };
    world.step(close(false));
    let refused = rejected(&world.submit_for(7, 5, memory(1)));
    assert_eq!(refused.reason, Reason::Closed);
    assert_eq!(
        world.step(close(true)),
        [Action::Cancel {
            task: TaskId::new(3)
        }]
    );
    world.finish(2, 100);
    world.shrink(task(2), 100);
    let gone = world.try_step(close(true));
    assert_eq!(gone, Err(StepError::UnknownTenant(tenant)));
}

#[test]
fn the_earliest_start_is_when_running_tasks_usually_end() {
    let mut world = World::new(8);
    world.submit(1, memory(800));
    let Admission::Queued { earliest_start, .. } = world.submit(2, memory(800)) else {
        panic!("it fits");
    };
    assert_eq!(earliest_start, None);
    world.now = 1000;
    world.finish(1, 0);
    let Admission::Queued { earliest_start, .. } = world.submit(3, memory(800)) else {
        panic!("it fits");
    };
    assert_eq!(earliest_start, Some(Nanoseconds::new(2000)));
}
