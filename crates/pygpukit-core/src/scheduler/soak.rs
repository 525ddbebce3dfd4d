//! Very many random events, each checked.

use super::oracle::{Pair, Phase};
use super::*;
use crate::id::{TaskId, TenantId};
use crate::soak::{IS_LONG, seed};
use crate::units::{Bytes, Nanoseconds, Share};

/// Events before all that is left is drained and a new scheduler begins.
const ROUND: u64 = 100_000;

/// Xorshift (Marsaglia, 2003).
pub(super) struct Random(u64);

impl Random {
    fn below(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % below
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// A scheduler to which things happen at random.
pub(super) struct Soak {
    pub(super) pair: Pair,
    random: Random,
    next: u64,
}

impl Soak {
    pub(super) fn new(seed: u64) -> Self {
        let config = Config {
            max_queued: 8,
            longest_wait: Nanoseconds::new(60),
            ..Config::new(Bytes::new(100), 4)
        };
        Self {
            pair: Pair::new(config),
            random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
            next: 0,
        }
    }

    fn bytes(&mut self, below: u64) -> Bytes {
        Bytes::new(self.random.below(below))
    }

    pub(super) fn tenant(&mut self) -> TenantId {
        TenantId::new(self.random.below(5))
    }

    /// One that is there, or one that is not.
    fn task(&mut self) -> TaskId {
        let first = self.pair.oracle.tasks.keys().next();
        let first = first.map_or(0, |id| id.get());
        let from = TaskId::new(first + self.random.below(self.next - first + 1));
        let found = self.pair.oracle.tasks.range(from..).next();
        found.map_or(from, |(&id, _)| id)
    }

    fn memory(&mut self, most: u64) -> Option<MemoryAsk> {
        let request = self.bytes(most);
        let more = self.random.below(40);
        self.random.chance(60).then_some(MemoryAsk {
            request,
            limit: (more > 10).then_some(Bytes::new(request.get() + more)),
        })
    }

    fn share(&mut self) -> Option<ShareAsk> {
        let cap = 1 + self.random.below(10);
        let floor = self.random.below(cap + 1);
        self.random.chance(40).then_some(ShareAsk {
            floor: Share::from_ratio(floor, 10).unwrap(),
            cap: Share::from_ratio(cap, 10).unwrap(),
        })
    }

    pub(super) fn request(&mut self) -> Request {
        let some = |random: &mut Random, percent| {
            let time = Nanoseconds::new(1 + random.below(50));
            random.chance(percent).then_some(time)
        };
        let spec = TaskSpec {
            memory: self.memory(60),
            bandwidth: self.share(),
            priority: i32::try_from(self.random.below(3)).unwrap(),
            deadline: some(&mut self.random, 20),
            queue_timeout: some(&mut self.random, 20),
            on_full: if self.random.chance(15) {
                OnFull::Reject
            } else {
                OnFull::Queue
            },
            ..TaskSpec::default()
        };
        let promised = TaskSpec {
            policy: Some(Policy::Guaranteed),
            memory: spec.memory.map(|ask| MemoryAsk {
                limit: Some(ask.request),
                ..ask
            }),
            ..spec.clone()
        };
        let promised = Request::try_from(promised).ok();
        let promised = promised.filter(|_| self.random.chance(50));
        promised.unwrap_or_else(|| spec.try_into().unwrap())
    }

    pub(super) fn tenant_spec(&mut self) -> TenantSpec {
        TenantSpec {
            memory: self.memory(40),
            compute: Share::from_ratio(self.random.below(4), 10).unwrap(),
            bandwidth: self.share(),
            workers: Some(1 + u32::try_from(self.random.below(4)).unwrap())
                .filter(|_| self.random.chance(30)),
            ..TenantSpec::default()
        }
    }

    fn holder(&mut self) -> Holder {
        if self.random.chance(25) {
            Holder::Tenant(self.tenant())
        } else {
            Holder::Task(self.task())
        }
    }

    fn event(&mut self) -> Event {
        match self.random.below(100) {
            0..30 => Event::Submit {
                task: self.name(),
                tenant: self.tenant(),
                request: Box::new(self.request()),
            },
            30..55 => {
                let task = self.task();
                let failed = self.random.chance(20);
                let held = if self.random.chance(70) {
                    Bytes::ZERO
                } else {
                    self.bytes(30)
                };
                Event::Finish { task, failed, held }
            }
            55..58 => Event::Cancel { task: self.task() },
            58..68 => Event::Grow {
                holder: self.holder(),
                bytes: self.bytes(40),
            },
            68..82 => {
                let holder = self.holder();
                let all = match holder {
                    Holder::Task(id) => match self.pair.oracle.tasks.get(&id) {
                        Some(job) => match job.phase {
                            Phase::Ended(all) => all,
                            Phase::Queued | Phase::Running(_) => Bytes::ZERO,
                        },
                        None => Bytes::ZERO,
                    },
                    Holder::Tenant(_) => self.pair.scheduler.held(holder),
                };
                let bytes = if self.random.chance(70) {
                    all
                } else {
                    self.bytes(20)
                };
                Event::Shrink { holder, bytes }
            }
            82..86 => Event::Resize {
                tenant: self.tenant(),
                spec: self.tenant_spec(),
            },
            86..88 => Event::Close {
                tenant: TenantId::new(1 + self.random.below(4)),
                cancel_pending: self.random.chance(50),
            },
            88..92 => Event::Open {
                tenant: self.tenant(),
                spec: self.tenant_spec(),
            },
            _ => Event::Tick,
        }
    }

    pub(super) fn play(&mut self, events: u64) {
        for _ in 0..events {
            let event = self.event();
            let time = if event == Event::Tick {
                self.random.below(20)
            } else {
                0
            };
            self.pair.step(time, &event);
        }
    }

    /// The name of a new task.
    pub(super) fn name(&mut self) -> TaskId {
        self.next += 1;
        TaskId::new(self.next)
    }
}

#[test]
fn random_events_keep_every_promise() {
    for seed in 0..4 {
        let mut soak = Soak::new(seed);
        soak.play(5_000);
        soak.pair.drain();
        let counters = soak.pair.scheduler.stats().counters;
        // It was not all turned away.
        assert!(
            counters.completed > 100 && counters.queued > 100,
            "{counters:?}"
        );
        assert!(
            counters.rejected > 100 && counters.refused > 100,
            "{counters:?}"
        );
    }
}

/// A hundred million, by `make soak-core`.
#[test]
fn random_events_go_on_and_on() {
    let rounds = if IS_LONG { 1000 } else { 0 };
    for round in 0..rounds {
        let seed = seed() + round;
        if round % 50 == 0 {
            println!("{} events; the next round's seed is {seed}", round * ROUND);
        }
        let played = std::panic::catch_unwind(|| {
            let mut soak = Soak::new(seed);
            soak.play(ROUND);
            soak.pair.drain();
        });
        assert!(played.is_ok(), "SOAK_SEED={seed} fails in its first round");
    }
}
