//! Everything that can happen to three tenants and four tasks, up to a depth.
//!
//! States that differ in nothing that matters later are visited once: so all orders
//! of events up to the depth are covered, though few of them are played.

use super::oracle::{Oracle, Pair};
use super::task::Stage;
use super::*;
use crate::collections::Slot;
use crate::id::{TaskId, TenantId};
use crate::ledger::Resource;
use crate::soak::IS_LONG;
use crate::units::{Bytes, Nanoseconds, Share};
use std::collections::HashSet;
use std::fmt::Write;

const TASKS: u64 = 4;

fn memory(request: u64, limit: u64) -> MemoryAsk {
    MemoryAsk {
        request: Bytes::new(request),
        limit: Some(Bytes::new(limit)),
    }
}

fn half() -> ShareAsk {
    ShareAsk {
        floor: Share::from_ratio(1, 2).unwrap(),
        cap: Share::ONE,
    }
}

fn config() -> Config {
    Config {
        max_queued: 3,
        longest_wait: Nanoseconds::new(3),
        ..Config::new(Bytes::new(4), 2)
    }
}

/// Limited, and with something of its own.
fn tenants() -> [TenantSpec; 2] {
    let owner = TenantSpec {
        memory: Some(memory(2, 3)),
        bandwidth: Some(half()),
        ..TenantSpec::default()
    };
    let limited = TenantSpec {
        workers: Some(1),
        ..TenantSpec::limited(Bytes::new(3))
    };
    [limited, owner]
}

fn submit(task: u64) -> Event {
    let spec = match task {
        0 => TaskSpec {
            memory: Some(memory(2, 4)),
            queue_timeout: Some(Nanoseconds::new(2)),
            ..TaskSpec::default()
        },
        1 => TaskSpec {
            policy: Some(Policy::Guaranteed),
            memory: Some(memory(2, 2)),
            bandwidth: Some(half()),
            ..TaskSpec::default()
        },
        2 => TaskSpec {
            policy: Some(Policy::Guaranteed),
            memory: Some(memory(3, 3)),
            priority: 1,
            ..TaskSpec::default()
        },
        _ => TaskSpec {
            deadline: Some(Nanoseconds::new(2)),
            bandwidth: Some(half()),
            ..TaskSpec::default()
        },
    };
    Event::Submit {
        task: TaskId::new(task),
        tenant: TenantId::new([0, 1, 2, 1][usize::try_from(task).unwrap()]),
        request: Box::new(spec.try_into().unwrap()),
    }
}

/// What may happen, with the time that passes before.
fn alphabet() -> Vec<(u64, Event)> {
    let mut events = vec![(1, Event::Tick)];
    let one = Bytes::new(1);
    for id in 0..TASKS {
        let task = TaskId::new(id);
        let holder = Holder::Task(task);
        events.extend([
            (0, submit(id)),
            (0, Event::Cancel { task }),
            (0, Event::Shrink { holder, bytes: one }),
        ]);
        for held in [0, 1] {
            let (failed, held) = (held == 0, Bytes::new(held));
            events.push((0, Event::Finish { task, failed, held }));
        }
    }
    let outside = Holder::Tenant(TenantId::DEFAULT);
    for holder in [outside, Holder::Task(TaskId::new(0))] {
        events.push((0, Event::Grow { holder, bytes: one }));
    }
    events.push((
        0,
        Event::Shrink {
            holder: outside,
            bytes: one,
        },
    ));
    for (tenant, spec) in (1..).map(TenantId::new).zip(tenants()) {
        events.push((0, Event::Open { tenant, spec }));
        let cancel_pending = tenant.get() == 2;
        events.push((
            0,
            Event::Close {
                tenant,
                cancel_pending,
            },
        ));
        let larger = TenantSpec {
            memory: Some(memory(3, 4)),
            ..spec
        };
        for spec in [larger, TenantSpec::default()] {
            events.push((0, Event::Resize { tenant, spec }));
        }
    }
    events
}

fn opening() -> Vec<(u64, Event)> {
    let tenants = (1..).map(TenantId::new).zip(tenants());
    tenants
        .map(|(tenant, spec)| (0, Event::Open { tenant, spec }))
        .collect()
}

/// Plays events again that were checked before.
struct Play {
    scheduler: Scheduler,
    actions: Actions,
}

impl Play {
    fn new() -> Self {
        let mut play = Self {
            scheduler: Scheduler::new(config()),
            actions: Actions::new(),
        };
        for (time, event) in opening() {
            play.step(time, &event);
        }
        play
    }

    fn step(&mut self, time: u64, event: &Event) {
        let now = self.scheduler.now.saturating_add(Nanoseconds::new(time));
        let result = self.scheduler.step(now, event.clone(), &mut self.actions);
        assert_eq!(result, Ok(()));
        self.actions.drain().for_each(drop);
    }
}

/// All that matters of a state: what will be decided depends on nothing else.
fn key(scheduler: &Scheduler) -> String {
    let mut key = String::new();
    let id = |slot: Slot| scheduler.tasks.get(slot).unwrap().id.get();
    let mut queued: Vec<_> = Vec::new();
    for task in (0..TASKS).map(TaskId::new) {
        let Ok(slot) = scheduler.task_slot(task) else {
            key.push('.');
            continue;
        };
        let state = scheduler.tasks.get(slot).unwrap();
        match &state.stage {
            Stage::Queued { lane, rank, lacked } => {
                queued.push((*rank, task.get()));
                let age = scheduler.now.saturating_sub(state.submitted);
                let listed = scheduler.queue.listed(*lane);
                let listed = listed.map(|(class, first)| (class, first == *rank));
                let is_fresh = scheduler.fresh.contains(slot);
                write!(key, "Q{}{is_fresh}{lacked:?}{listed:?}", age.get().min(3))
            }
            Stage::Running { held, .. } => write!(key, "R{}", held.amount().bytes()),
            Stage::Ended { held } => write!(key, "E{}", held.amount().bytes()),
        }
        .unwrap();
    }
    queued.sort_unstable();
    let line: Vec<_> = queued.iter().map(|&(_, task)| task).collect();
    let fresh: Vec<_> = scheduler.fresh.iter().map(id).collect();
    let claims = Resource::ALL.map(|each| {
        let claim = scheduler.claims.by(each)?;
        Some(queued.iter().filter(|&&(rank, _)| rank < claim).count())
    });
    write!(key, "{line:?}{fresh:?}{claims:?}").unwrap();
    for id in 0..3 {
        let slot = scheduler.tenant_slot(TenantId::new(id));
        let tenant = slot.ok().and_then(|slot| scheduler.tenants.get(slot));
        let tenant = tenant.map(|tenant| {
            let outside = tenant.outside.amount().bytes();
            (tenant.spec, outside, tenant.closed)
        });
        write!(key, "{tenant:?}").unwrap();
    }
    key
}

/// What led to a state: the state before, and the event.
type Cause = (u32, u8);

/// Visits every state up to a depth; says how many there are at each.
fn explore(depth: usize) -> Vec<usize> {
    let alphabet = alphabet();
    let mut causes: Vec<Cause> = vec![(0, 0)];
    let mut known = HashSet::from([key(&Play::new().scheduler)]);
    let mut layer = 0..1;
    let mut sizes = vec![1];
    while sizes.len() <= depth && !layer.is_empty() {
        for state in layer.clone() {
            let path = path(&causes, state, &alphabet);
            let before = told(&path);
            for ((time, event), number) in alphabet.iter().zip(0..) {
                let mut play = Play::new();
                for (time, earlier) in &path {
                    play.step(*time, earlier);
                }
                let mut pair = Pair::of(play.scheduler, before.clone());
                let happened = pair.step(*time, event);
                let is_new = known.insert(key(&pair.scheduler));
                assert!(happened || !is_new, "{event} has changed something");
                if is_new {
                    causes.push((u32::try_from(state).unwrap(), number));
                    pair.drain();
                }
            }
        }
        layer = layer.end..causes.len();
        sizes.push(layer.len());
    }
    sizes
}

fn path<'a>(causes: &[Cause], state: usize, alphabet: &'a [(u64, Event)]) -> Vec<&'a (u64, Event)> {
    let mut events = Vec::new();
    let mut state = state;
    while state > 0 {
        let (before, event) = causes[state];
        events.push(&alphabet[usize::from(event)]);
        state = before as usize;
    }
    events.reverse();
    events
}

/// What is known after events.
fn told(path: &[&(u64, Event)]) -> Oracle {
    let mut pair = Pair::new(config());
    let opening = opening();
    for (time, event) in opening.iter().chain(path.iter().copied()) {
        assert!(pair.step(*time, event));
    }
    pair.oracle
}

/// A few events; all that can ever happen by `make soak-core`, until there are no more
/// states.
#[test]
fn every_interleaving_of_events_is_sound() {
    let sizes = explore(if IS_LONG { usize::MAX } else { 5 });
    let all: usize = sizes.iter().sum();
    println!("{all} states, by depth: {sizes:?}");
    if IS_LONG {
        assert!(sizes.len() > 12 && sizes.last() == Some(&0));
    } else {
        assert!(sizes.iter().all(|&size| size > 0));
    }
}
