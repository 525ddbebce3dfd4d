//! Events a second, with many tenants and many tasks that wait.

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pygpukit_core::id::{GrantId, TaskId, TenantId};
use pygpukit_core::scheduler::{
    Action, Actions, Config, Event, Holder, MemoryAsk, Policy, Request, Scheduler, TaskSpec,
    TenantSpec,
};
use pygpukit_core::units::{Bytes, Nanoseconds};
use std::collections::VecDeque;

const WORKERS: u32 = 64;

/// Tasks that wait.
const SIZES: [usize; 5] = [100, 1_000, 10_000, 100_000, 1_000_000];

/// A node whose queue stays as long as it is: each task that ends lets another
/// start, and another is submitted.
struct Node {
    scheduler: Scheduler,
    actions: Actions,
    tenants: u64,
    now: u64,
    next: u64,
    running: Vec<TaskId>,
    grants: VecDeque<(GrantId, Nanoseconds)>,
    random: u64,
}

impl Node {
    fn new(tenants: u64, queued: usize) -> Self {
        let config = Config {
            max_queued: usize::MAX,
            ..Config::new(Bytes::new(u64::from(WORKERS) << 20), WORKERS)
        };
        let mut node = Self {
            scheduler: Scheduler::new(config),
            actions: Actions::new(),
            tenants,
            now: 0,
            next: 0,
            running: Vec::new(),
            grants: VecDeque::new(),
            random: 1,
        };
        for tenant in (1..=tenants).map(TenantId::new) {
            let spec = TenantSpec::limited(Bytes::new(8 << 20));
            node.step(Event::Open { tenant, spec });
        }
        // A few more than wait then: some start at once.
        for _ in 0..queued + WORKERS as usize {
            node.submit();
        }
        node
    }

    fn step(&mut self, event: Event) {
        self.now += 1000;
        let now = Nanoseconds::new(self.now);
        let result = self.scheduler.step(now, event, &mut self.actions);
        result.expect("the event can happen");
        for action in self.actions.drain() {
            match action {
                Action::Start { task, .. } => self.running.push(task),
                Action::Run { grant, time, .. } => self.grants.push_back((grant, time)),
                Action::Queue { .. }
                | Action::Reject { .. }
                | Action::Deny { .. }
                | Action::Cancel { .. }
                | Action::Grow { .. }
                | Action::Refuse { .. } => {}
            }
        }
    }

    /// Every running task wants more time than it will ever get.
    fn want_everything(&mut self) {
        for task in self.running.clone() {
            self.step(Event::Want {
                holder: Holder::Task(task),
                time: Nanoseconds::new(1 << 60),
            });
        }
    }

    /// The grant that has been out for longest is handed back, and another comes.
    fn ran(&mut self) {
        if let Some((grant, used)) = self.grants.pop_front() {
            // Predictions are never quite right.
            let used = Nanoseconds::new(used.get() - used.get() / 8);
            self.step(Event::Ran { grant, used });
        }
    }

    /// A running task takes some of the memory that is left over, and gives it back.
    fn borrow(&mut self) {
        let at = usize::try_from(self.random()).unwrap_or(0) % self.running.len();
        let holder = Holder::Task(self.running[at]);
        let bytes = Bytes::ZERO;
        self.step(Event::Grow { holder, bytes });
        self.step(Event::Shrink { holder, bytes });
    }

    /// Xorshift (Marsaglia, 2003).
    fn random(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    fn request(&mut self) -> Request {
        let random = self.random();
        let memory = (1 + random % 4) << 18;
        let spec = TaskSpec {
            memory: Some(MemoryAsk {
                request: Bytes::new(memory),
                limit: Some(Bytes::new(memory)),
            }),
            policy: Some(Policy::Guaranteed).filter(|_| random.is_multiple_of(8)),
            priority: i32::from(u8::try_from(random >> 8 & 3).unwrap_or(0)),
            deadline: Some(Nanoseconds::new(random >> 40))
                .filter(|_| (random >> 16).is_multiple_of(8)),
            ..TaskSpec::default()
        };
        spec.try_into().expect("it makes sense")
    }

    fn submit(&mut self) {
        let request = self.request();
        self.submit_ready(Box::new(request));
    }

    fn submit_ready(&mut self, request: Box<Request>) {
        let task = TaskId::new(self.next);
        self.next += 1;
        let tenant = TenantId::new(1 + self.random() % self.tenants);
        self.step(Event::Submit {
            task,
            tenant,
            request,
        });
    }

    fn finish(&mut self) {
        let at = usize::try_from(self.random()).unwrap_or(0) % self.running.len();
        let task = self.running.swap_remove(at);
        self.step(Event::Finish {
            task,
            failed: false,
            held: Bytes::ZERO,
        });
    }
}

fn tasks(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("finish one, start one, submit one");
    group.throughput(Throughput::Elements(2));
    for queued in SIZES {
        let mut node = Node::new(1000, queued);
        group.bench_function(BenchmarkId::from_parameter(queued), |bencher| {
            let requests: Vec<_> = (0..1024).map(|_| node.request()).collect();
            let mut requests = requests.into_iter().cycle();
            bencher.iter_batched(
                || Box::new(requests.next().expect("they are cycled")),
                |request| {
                    node.finish();
                    node.submit_ready(request);
                },
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

fn grants(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("hand one grant of time back, get another");
    group.throughput(Throughput::Elements(1));
    for queued in SIZES {
        let mut node = Node::new(1000, queued);
        node.want_everything();
        group.bench_function(BenchmarkId::from_parameter(queued), |bencher| {
            bencher.iter(|| node.ran());
        });
    }
    group.finish();
}

fn memory(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("take memory, give it back");
    group.throughput(Throughput::Elements(2));
    for queued in SIZES {
        let mut node = Node::new(1000, queued);
        group.bench_function(BenchmarkId::from_parameter(queued), |bencher| {
            bencher.iter(|| node.borrow());
        });
    }
    group.finish();
}

criterion_group!(benches, tasks, grants, memory);
criterion_main!(benches);
