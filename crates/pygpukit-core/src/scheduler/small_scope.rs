//! Everything that can happen to three tenants and four tasks, up to a depth.
//!
//! States that differ in nothing that matters later are visited once: so all orders
//! of events up to the depth are covered, though few of them are played.

use super::oracle::{Oracle, Phase};
use super::task::Stage;
use super::*;
use crate::collections::Slot;
use crate::id::{TaskId, TenantId};
use crate::ledger::Resource;
use crate::units::{Bytes, Nanoseconds, Share};
use std::collections::HashSet;
use std::fmt::Write;

const TASKS: u64 = 4;

fn memory(request: u64, limit: u64) -> Option<MemoryAsk> {
    Some(MemoryAsk {
        request: Bytes::new(request),
        limit: Some(Bytes::new(limit)),
    })
}

fn half() -> Option<ShareAsk> {
    Some(ShareAsk {
        floor: Share::from_ratio(1, 2).unwrap(),
        cap: Share::ONE,
    })
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
        memory: memory(2, 3),
        bandwidth: half(),
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
            memory: memory(2, 4),
            queue_timeout: Some(Nanoseconds::new(2)),
            ..TaskSpec::default()
        },
        1 => TaskSpec {
            policy: Some(Policy::Guaranteed),
            memory: memory(2, 2),
            bandwidth: half(),
            ..TaskSpec::default()
        },
        2 => TaskSpec {
            policy: Some(Policy::Guaranteed),
            memory: memory(3, 3),
            priority: 1,
            ..TaskSpec::default()
        },
        _ => TaskSpec {
            deadline: Some(Nanoseconds::new(2)),
            bandwidth: half(),
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
            memory: memory(3, 4),
            ..spec
        };
        for spec in [larger, TenantSpec::default()] {
            events.push((0, Event::Resize { tenant, spec }));
        }
    }
    events
}

/// Plays events from the start.
struct Play {
    scheduler: Scheduler,
    actions: Actions,
    now: u64,
}

impl Play {
    fn new() -> Self {
        let mut play = Self {
            scheduler: Scheduler::new(config()),
            actions: Actions::new(),
            now: 0,
        };
        for event in Self::opening() {
            play.step(&(0, event)).unwrap();
        }
        play
    }

    fn opening() -> impl Iterator<Item = Event> {
        let tenants = (1..).map(TenantId::new).zip(tenants());
        tenants.map(|(tenant, spec)| Event::Open { tenant, spec })
    }

    fn step(&mut self, (time, event): &(u64, Event)) -> Result<(), StepError> {
        self.now += time;
        self.actions.drain().for_each(drop);
        let now = Nanoseconds::new(self.now);
        self.scheduler.step(now, event.clone(), &mut self.actions)
    }

    /// The same, with all that must hold after it.
    fn checked(&mut self, event: &(u64, Event), oracle: &mut Oracle) -> bool {
        let result = self.step(event);
        let now = Nanoseconds::new(self.now);
        oracle.hear(now, &event.1, result, self.actions.as_slice());
        oracle.compare(&self.scheduler);
        result.is_ok()
    }

    /// All that matters of a state: what will be decided depends on nothing else.
    fn key(&self) -> String {
        let scheduler = &self.scheduler;
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
                    let age = self.now - state.submitted.get();
                    let listed = scheduler.queue.listed(*lane);
                    let listed = listed.map(|(class, first)| (class, first == *rank));
                    let is_fresh = scheduler.fresh.contains(slot);
                    write!(key, "Q{}{is_fresh}{lacked:?}{listed:?}", age.min(3))
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

    /// Everybody gives back what they hold and needs nothing of their own any more:
    /// then every task ends.
    fn drain(&mut self, oracle: &mut Oracle) {
        let outside = Holder::Tenant(TenantId::DEFAULT);
        let bytes = self.scheduler.held(outside);
        let give = Event::Shrink {
            holder: outside,
            bytes,
        };
        assert!(self.checked(&(0, give), oracle));
        for tenant in (1..3).map(TenantId::new) {
            let spec = TenantSpec::default();
            self.checked(&(0, Event::Resize { tenant, spec }), oracle);
        }
        loop {
            let next = oracle
                .tasks
                .iter()
                .find_map(|(&task, job)| match job.phase {
                    Phase::Queued => None,
                    Phase::Running(_) => Some(Event::Finish {
                        task,
                        failed: false,
                        held: Bytes::ZERO,
                    }),
                    Phase::Ended(bytes) => {
                        let holder = Holder::Task(task);
                        Some(Event::Shrink { holder, bytes })
                    }
                });
            let Some(event) = next else {
                break;
            };
            assert!(self.checked(&(0, event), oracle));
        }
        assert!(oracle.tasks.is_empty(), "somebody waits for ever");
    }
}

/// What led to a state: the state before, and the event.
type Cause = (u32, u8);

/// Visits every state up to a depth; says how many there are at each.
fn explore(depth: usize) -> Vec<usize> {
    let alphabet = alphabet();
    let mut causes: Vec<Cause> = vec![(0, 0)];
    let mut known = HashSet::from([Play::new().key()]);
    let mut layer = 0..1;
    let mut sizes = vec![1];
    for _ in 0..depth {
        for state in layer.clone() {
            let path = path(&causes, state, &alphabet);
            let before = told(&path);
            for (event, number) in alphabet.iter().zip(0..) {
                let mut play = Play::new();
                for earlier in &path {
                    let _ = play.step(earlier);
                }
                let mut oracle = before.clone();
                if !play.checked(event, &mut oracle) {
                    // Nothing was changed.
                    assert!(!known.insert(play.key()), "{:?}", event.1);
                } else if known.insert(play.key()) {
                    causes.push((u32::try_from(state).unwrap(), number));
                    play.drain(&mut oracle);
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
    let mut oracle = Oracle::new(config());
    for event in Play::opening() {
        oracle.hear(Nanoseconds::ZERO, &event, Ok(()), &[]);
    }
    let mut play = Play::new();
    for event in path {
        play.checked(event, &mut oracle);
    }
    oracle
}

#[test]
#[expect(clippy::print_stdout, reason = "how much was covered is the result")]
fn every_interleaving_of_a_few_events_is_sound() {
    let sizes = explore(4);
    println!("states by depth: {sizes:?}");
    assert!(sizes.iter().all(|&size| size > 0));
}

#[test]
#[ignore = "long: make soak-core"]
#[expect(clippy::print_stdout, reason = "how much was covered is the result")]
fn every_interleaving_of_twelve_events_is_sound() {
    let sizes = explore(12);
    println!("states by depth: {sizes:?}");
}
