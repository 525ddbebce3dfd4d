//! Playing a scenario.

use super::arrivals::Arrivals;
use super::gpu::{Running, scaled};
use super::partition::{Granted, Partition, Progress};
use super::random::Random;
use super::report::{Report, TenantReport};
use super::scenario::{Job, Scenario};
use crate::timeshare::{ClientKey, Infeasible, TimeShare, Turn};
use crate::units::{Nanoseconds, Share};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Work that somebody who always has more asks for at a time.
const PLENTY: Nanoseconds = Nanoseconds::new(1 << 40);

/// Plays a scenario for so long.
///
/// # Errors
/// A tenant asks for a promise that could not be kept.
///
/// # Panics
/// For a tenant of a partition that there is not.
pub fn simulate(scenario: &Scenario, span: Nanoseconds) -> Result<Report, Infeasible> {
    let mut run = Run::new(scenario)?;
    for tenant in 0..scenario.tenants.len() {
        run.begin(tenant);
    }
    while let Some(Reverse((at, _, event))) = run.events.pop()
        && at <= span
    {
        run.now = at;
        run.count += 1;
        run.play(event);
    }
    Ok(run.report(span))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A partition's work ends, if it has not changed since that version.
    End { partition: usize, version: u64 },
    /// A tenant's job comes.
    Arrive { tenant: usize },
    /// Somebody on a partition may go now.
    Wake { partition: usize },
}

struct Run<'a> {
    scenario: &'a Scenario,
    now: Nanoseconds,
    events: BinaryHeap<Reverse<(Nanoseconds, u64, Event)>>,
    count: u64,
    next: u64,
    random: Random,
    partitions: Vec<Partition>,
    tenants: Vec<State>,
    /// Partitions on which something runs, what, and how fast.
    running: Vec<usize>,
    seen: Vec<Running>,
    rates: Vec<u64>,
}

/// A tenant's jobs.
struct State {
    key: ClientKey,
    jobs: VecDeque<Waiting>,
    report: TenantReport,
}

/// A job that has not ended.
struct Waiting {
    arrived: Nanoseconds,
    left: Nanoseconds,
}

impl<'a> Run<'a> {
    fn new(scenario: &'a Scenario) -> Result<Self, Infeasible> {
        let start = Nanoseconds::ZERO;
        let partitions = scenario.partitions.iter();
        let mut partitions: Vec<_> = partitions
            .map(|&sms| Partition::new(sms, TimeShare::new(scenario.time, start)))
            .collect();
        let tenants = scenario.tenants.iter().enumerate().map(|(number, tenant)| {
            let partition = &mut partitions[tenant.partition];
            let key = partition.share.join(start, tenant.client)?;
            partition.tenants.insert(key, number);
            Ok(State {
                key,
                jobs: VecDeque::new(),
                report: TenantReport::default(),
            })
        });
        let tenants = tenants.collect::<Result<_, _>>()?;
        Ok(Self {
            scenario,
            now: start,
            events: BinaryHeap::new(),
            count: 0,
            next: 0,
            random: Random::new(scenario.seed),
            partitions,
            tenants,
            running: Vec::new(),
            seen: Vec::new(),
            rates: Vec::new(),
        })
    }

    fn at(&mut self, at: Nanoseconds, event: Event) {
        self.events.push(Reverse((at, self.next, event)));
        self.next += 1;
    }

    fn begin(&mut self, tenant: usize) {
        let scenario = self.scenario;
        if scenario.tenants[tenant].arrivals == Arrivals::Saturating {
            self.want(tenant, PLENTY);
            self.dispatch(scenario.tenants[tenant].partition);
        } else {
            self.schedule(tenant);
        }
    }

    /// Lets a tenant's next job come when it is time.
    fn schedule(&mut self, tenant: usize) {
        let count = self.tenants[tenant].report.arrived;
        let arrivals = &self.scenario.tenants[tenant].arrivals;
        if let Some(at) = arrivals.next(self.now, count, &mut self.random) {
            self.at(at, Event::Arrive { tenant });
        }
    }

    fn want(&mut self, tenant: usize, time: Nanoseconds) {
        let partition = self.scenario.tenants[tenant].partition;
        let share = &mut self.partitions[partition].share;
        share.want(self.now, self.tenants[tenant].key, time);
    }

    fn play(&mut self, event: Event) {
        match event {
            Event::Arrive { tenant } => self.arrive(tenant),
            Event::Wake { partition } => {
                self.partitions[partition].wake = None;
                self.dispatch(partition);
            }
            Event::End { partition, version } => {
                if self.partitions[partition].version == version {
                    self.end(partition);
                }
            }
        }
    }

    fn arrive(&mut self, tenant: usize) {
        let Job { time, .. } = self.scenario.tenants[tenant].job;
        let state = &mut self.tenants[tenant];
        state.report.arrived += 1;
        state.jobs.push_back(Waiting {
            arrived: self.now,
            left: time,
        });
        self.want(tenant, time);
        self.schedule(tenant);
        self.dispatch(self.scenario.tenants[tenant].partition);
    }

    /// Grants what can be granted on a partition, and starts it.
    fn dispatch(&mut self, at: usize) {
        let partition = &mut self.partitions[at];
        loop {
            match partition.share.next(self.now) {
                Turn::Run {
                    client,
                    grant,
                    time,
                } => {
                    if let Some(&tenant) = partition.tenants.get(&client) {
                        partition.ahead.push_back(Granted {
                            tenant,
                            grant,
                            time,
                        });
                    }
                }
                Turn::NotUntil(moment) => {
                    if partition.wake.is_none_or(|wake| moment < wake) {
                        partition.wake = Some(moment);
                        self.at(moment, Event::Wake { partition: at });
                    }
                    break;
                }
                Turn::Full | Turn::Idle => break,
            }
        }
        self.start_next(at);
    }

    /// Starts what was granted first, if nothing runs.
    fn start_next(&mut self, at: usize) {
        if self.partitions[at].running.is_some() {
            return;
        }
        let Some(granted) = self.partitions[at].ahead.pop_front() else {
            return;
        };
        let spread = self.scenario.tenants[granted.tenant].job.spread;
        let time = self.actual(granted.time, spread);
        self.partitions[at].running = Some(Progress::new(granted, self.now, time));
        self.recompute();
    }

    /// How long it takes that was expected to take `time`.
    fn actual(&mut self, time: Nanoseconds, spread: Share) -> u64 {
        let time = time.get();
        let off = scaled(time, spread.units()).min(time);
        time - off + self.random.below(2 * off + 1)
    }

    /// What runs has changed on one partition: work on others may go faster or slower.
    fn recompute(&mut self) {
        self.running.clear();
        self.seen.clear();
        for (at, partition) in self.partitions.iter().enumerate() {
            if let Some(seen) = partition.seen(self.scenario) {
                self.running.push(at);
                self.seen.push(seen);
            }
        }
        self.scenario.gpu.rates_into(&self.seen, &mut self.rates);
        for number in 0..self.running.len() {
            let (at, rate) = (self.running[number], self.rates[number]);
            let partition = &mut self.partitions[at];
            partition.version += 1;
            let version = partition.version;
            if let Some(progress) = &mut partition.running {
                let end = progress.go_on(self.now, rate);
                let partition = at;
                self.at(end, Event::End { partition, version });
            }
        }
    }

    /// What ran on a partition has ended.
    fn end(&mut self, at: usize) {
        let Some(progress) = self.partitions[at].running.take() else {
            return;
        };
        let Granted {
            tenant,
            grant,
            time,
        } = progress.granted;
        let used = self.now.saturating_sub(progress.since);
        self.partitions[at].share.done(self.now, grant, used);
        let job = self.scenario.tenants[tenant].job;
        let state = &mut self.tenants[tenant];
        state.report.served = state.report.served.saturating_add(used);
        let mut left = time;
        while let Some(first) = state.jobs.front_mut() {
            let done = left.min(first.left);
            first.left = first.left.saturating_sub(done);
            left = left.saturating_sub(done);
            if first.left > Nanoseconds::ZERO {
                break;
            }
            let latency = self.now.saturating_sub(first.arrived);
            state.report.missed += u64::from(job.deadline.is_some_and(|most| latency > most));
            state.report.latencies.push(latency);
            state.jobs.pop_front();
        }
        if self.scenario.tenants[tenant].arrivals == Arrivals::Saturating {
            self.want(tenant, time);
        }
        self.start_next(at);
        self.dispatch(at);
        if self.partitions[at].running.is_none() && self.partitions.len() > 1 {
            self.recompute();
        }
    }

    fn report(self, span: Nanoseconds) -> Report {
        let tenants = self.tenants.into_iter().zip(&self.scenario.tenants);
        let tenants = tenants.map(|(state, tenant)| {
            let mut report = state.report;
            let overdue = |job: &&Waiting| {
                let latency = span.saturating_sub(job.arrived);
                tenant.job.deadline.is_some_and(|most| latency > most)
            };
            report.missed += state.jobs.iter().filter(overdue).count() as u64;
            report
        });
        Report {
            span,
            events: self.count,
            tenants: tenants.collect(),
        }
    }
}
