//! Time, by example.

use super::*;
use crate::id::{GrantId, TaskId, TenantId};
use crate::ledger::Resource;
use crate::units::{Bytes, Nanoseconds, Share};

const MILLISECOND: u64 = 1_000_000;

fn percent(part: u64) -> Share {
    Share::from_ratio(part, 100).unwrap()
}

/// `floor` percent of every `period` milliseconds, or on average.
fn promised(floor: u64, period: Option<u64>) -> TaskSpec {
    TaskSpec {
        policy: Some(Policy::Guaranteed),
        bandwidth: Some(ShareAsk {
            floor: percent(floor),
            cap: Share::ONE,
        }),
        period: period.map(|period| Nanoseconds::new(period * MILLISECOND)),
        ..TaskSpec::default()
    }
}

struct Device {
    scheduler: Scheduler,
    actions: Actions,
    now: u64,
    next: u64,
}

impl Device {
    fn new() -> Self {
        Self {
            scheduler: Scheduler::new(Config::new(Bytes::new(1000), 8)),
            actions: Actions::new(),
            now: 0,
            next: 0,
        }
    }

    fn step(&mut self, event: Event) -> Vec<Action> {
        let now = Nanoseconds::new(self.now);
        self.scheduler
            .step(now, event, &mut self.actions)
            .expect("it can happen");
        self.actions.drain().collect()
    }

    fn submit(&mut self, tenant: u64, spec: TaskSpec) -> (TaskId, Admission) {
        let task = TaskId::new(self.next);
        self.next += 1;
        let event = Event::Submit {
            task,
            tenant: TenantId::new(tenant),
            request: Box::new(spec.try_into().unwrap()),
        };
        let now = Nanoseconds::new(self.now);
        self.scheduler.step(now, event, &mut self.actions).unwrap();
        let admission = self.actions.admission_of(task).unwrap();
        drop(self.actions.drain());
        (task, admission)
    }

    fn start(&mut self, tenant: u64, spec: TaskSpec) -> TaskId {
        let (task, admission) = self.submit(tenant, spec);
        let started = matches!(admission, Admission::Admitted { .. });
        assert!(started, "{admission:?}");
        task
    }

    fn want(&mut self, holder: Holder, time: u64) -> Vec<Action> {
        let time = Nanoseconds::new(time);
        self.step(Event::Want { holder, time })
    }

    /// Works for `span` nanoseconds; how long each task worked.
    fn work(&mut self, first: Vec<Action>, span: u64) -> Vec<u64> {
        let mut worked = vec![0; usize::try_from(self.next).unwrap()];
        let mut ahead = first;
        let end = self.now + span;
        while self.now < end && !ahead.is_empty() {
            let Action::Run {
                holder: Holder::Task(task),
                grant,
                time,
            } = ahead.remove(0)
            else {
                panic!("only tasks work");
            };
            self.now += time.get();
            worked[usize::try_from(task.get()).unwrap()] += time.get();
            ahead.extend(self.step(Event::Ran { grant, used: time }));
        }
        worked
    }
}

#[test]
fn tasks_get_their_floors_and_share_the_rest_by_weight() {
    let mut device = Device::new();
    let quarter = device.start(0, promised(25, None));
    let light = device.start(0, TaskSpec::default());
    let heavy = device.start(
        0,
        TaskSpec {
            weight: Some(3),
            ..TaskSpec::default()
        },
    );
    let mut actions = Vec::new();
    for task in [light, heavy, quarter] {
        actions.extend(device.want(Holder::Task(task), u64::MAX / 4));
    }
    let worked = device.work(actions, 100 * MILLISECOND);
    // Burstable and guaranteed tasks go before best effort in what is left over too.
    assert!(worked[0] > 99 * MILLISECOND, "{worked:?}");
    device.step(Event::Withdraw {
        holder: Holder::Task(quarter),
    });
    let out: Vec<_> = device
        .want(Holder::Task(light), 1)
        .into_iter()
        .chain(device.want(Holder::Task(heavy), 1))
        .collect();
    let worked = device.work(out, 100 * MILLISECOND);
    assert_eq!(worked[0], 0, "it wants nothing: {worked:?}");
}

#[test]
fn what_a_promise_cannot_have_within_its_period_it_can_have_less_of() {
    let mut device = Device::new();
    // Of 2 ms, 1 ms may be held by others, and 100 us are an overrun.
    let (_, admission) = device.submit(0, promised(50, Some(2)));
    let Admission::Rejected(rejection) = admission else {
        panic!("{admission:?}");
    };
    assert_eq!(rejection.reason, Reason::Resource(Resource::Bandwidth));
    assert_eq!(rejection.limit, percent(45).units());
    let available = Share::from_units(rejection.available).unwrap();
    let less = TaskSpec {
        bandwidth: Some(ShareAsk {
            floor: available,
            cap: Share::ONE,
        }),
        ..promised(1, Some(2))
    };
    device.start(0, less);
    // The same on average fits beside it, and what is more does not.
    let (_, admission) = device.submit(0, promised(56, None));
    let waits = matches!(admission, Admission::Queued { waits_for, .. } if waits_for.contains(Resource::Bandwidth));
    assert!(waits, "{admission:?}");
}

#[test]
fn a_strict_promise_waits_for_others_to_end() {
    let mut device = Device::new();
    let first = device.start(0, promised(60, Some(10)));
    let (second, admission) = device.submit(0, promised(30, Some(10)));
    assert!(
        matches!(admission, Admission::Queued { .. }),
        "the ledger has 40 %, but 10 ms have not, with what may be in the way: {admission:?}"
    );
    let (_, admission) = device.submit(0, TaskSpec::default());
    assert!(matches!(admission, Admission::Admitted { .. }));
    let actions = device.step(Event::Finish {
        task: first,
        failed: false,
        held: Bytes::ZERO,
    });
    let started = matches!(actions[..], [Action::Start { task, .. }] if task == second);
    assert!(started, "{actions:?}");
}

#[test]
fn a_tenant_with_multiprocessors_has_all_of_their_time() {
    let mut device = Device::new();
    let tenant = TenantId::new(1);
    let spec = TenantSpec {
        compute: percent(50),
        ..TenantSpec::default()
    };
    device.step(Event::Open { tenant, spec });
    // Both promise more than half of the time: of different multiprocessors.
    let own = device.start(1, promised(80, None));
    let common = device.start(0, promised(80, None));
    let mut grants = Vec::new();
    for task in [own, common] {
        for action in device.want(Holder::Task(task), 10_000_000) {
            if let Action::Run { holder, .. } = action {
                grants.push(holder);
            }
        }
    }
    // Both work at once: neither window is full for the other.
    let of = |task| {
        grants
            .iter()
            .filter(|&&each| each == Holder::Task(task))
            .count()
    };
    assert_eq!((of(own), of(common)), (2, 2));
    // Without them, it would share the others, and 160 % were promised.
    let spec = TenantSpec::default();
    let actions = device.step(Event::Resize { tenant, spec });
    let Some(Action::Deny { rejection, .. }) = actions.first() else {
        panic!("{actions:?}");
    };
    assert_eq!(rejection.reason, Reason::Resource(Resource::Bandwidth));
    device.step(Event::Finish {
        task: common,
        failed: false,
        held: Bytes::ZERO,
    });
    let actions = device.step(Event::Resize { tenant, spec });
    let denied = |action: &Action| matches!(action, Action::Deny { .. });
    assert!(!actions.iter().any(denied), "{actions:?}");
    let back = TenantSpec {
        compute: percent(50),
        ..spec
    };
    device.step(Event::Resize { tenant, spec: back });
}

#[test]
fn a_closed_tenant_keeps_its_multiprocessors_while_its_tasks_run() {
    let mut device = Device::new();
    let spec = TenantSpec {
        compute: percent(60),
        ..TenantSpec::default()
    };
    let [first, second] = [1, 2].map(TenantId::new);
    device.step(Event::Open {
        tenant: first,
        spec,
    });
    let task = device.start(1, TaskSpec::default());
    device.step(Event::Close {
        tenant: first,
        cancel_pending: false,
    });
    let open = Event::Open {
        tenant: second,
        spec,
    };
    let actions = device.step(open.clone());
    assert!(matches!(actions[..], [Action::Deny { .. }]), "{actions:?}");
    device.step(Event::Finish {
        task,
        failed: false,
        held: Bytes::ZERO,
    });
    assert_eq!(device.step(open), []);
}

#[test]
fn grants_of_who_has_ended_are_handed_back() {
    let mut device = Device::new();
    let task = device.start(0, TaskSpec::default());
    let actions = device.want(Holder::Task(task), 250_000);
    assert_eq!(actions.len(), 2, "{actions:?}");
    device.step(Event::Finish {
        task,
        failed: true,
        held: Bytes::ZERO,
    });
    for grant in [0, 1] {
        let grant = GrantId::new(grant);
        let used = Nanoseconds::ZERO;
        assert_eq!(device.step(Event::Ran { grant, used }), []);
    }
    let now = Nanoseconds::ZERO;
    let again = device.scheduler.step(
        now,
        Event::Ran {
            grant: GrantId::new(1),
            used: now,
        },
        &mut device.actions,
    );
    assert_eq!(again, Err(StepError::UnknownGrant(GrantId::new(1))));
    let holder = Holder::Task(task);
    let gone = device
        .scheduler
        .step(now, Event::Withdraw { holder }, &mut device.actions);
    assert_eq!(gone, Err(StepError::UnknownTask(task)));
}

#[test]
fn a_cap_lets_work_go_on_when_its_moment_has_come() {
    let mut device = Device::new();
    let capped = TaskSpec {
        bandwidth: Some(ShareAsk {
            floor: Share::ZERO,
            cap: percent(10),
        }),
        ..TaskSpec::default()
    };
    let task = device.start(0, capped);
    let actions = device.want(Holder::Task(task), 100 * MILLISECOND);
    let worked = device.work(actions, 50 * MILLISECOND);
    // A tenth of the usual period of 10 ms at once, and then no more.
    assert_eq!(worked, [MILLISECOND + 100_000]);
    let moment = device.scheduler.next_timeout().unwrap();
    device.now = moment.get() - 1;
    assert_eq!(device.step(Event::Tick), []);
    device.now += 1;
    let actions = device.step(Event::Tick);
    assert!(matches!(actions[..], [Action::Run { .. }]), "{actions:?}");
}
