//! The core alone, scheduling a device that PyGPUkit knows nothing of: a video encoder
//! with 64 MB of memory and four sessions, in a time that this program makes up.
//!
//! Run it with `cargo run -p pygpukit-core --example core_only`.

#![expect(clippy::print_stdout, reason = "an example shows its results")]

use pygpukit_core::id::{GrantId, TaskId, TenantId};
use pygpukit_core::ledger::Resource;
use pygpukit_core::scheduler::{
    Action, Actions, Admission, Config, Event, Holder, MemoryAsk, Policy, Replay, Scheduler,
    ShareAsk, TaskSpec, action_line, event_line,
};
use pygpukit_core::units::{Bytes, Nanoseconds, Share};
use std::collections::{BTreeMap, VecDeque};
use std::error::Error;

const MEGABYTE: u64 = 1_000_000;
const MILLISECOND: u64 = 1_000_000;

/// The encoder: what it is to do next, and how much it has done for whom.
struct Encoder {
    scheduler: Scheduler,
    now: Nanoseconds,
    granted: VecDeque<(TaskId, GrantId, Nanoseconds)>,
    done: BTreeMap<TaskId, u64>,
    log: Vec<String>,
}

impl Encoder {
    fn new() -> Self {
        let mut scheduler = Scheduler::new(Config::new(Bytes::new(64 * MEGABYTE), 4));
        Self {
            log: scheduler.open_log().unwrap_or_default(),
            scheduler,
            now: Nanoseconds::ZERO,
            granted: VecDeque::new(),
            done: BTreeMap::new(),
        }
    }

    /// Tells the scheduler what happened, and carries out what it decides.
    fn tell(&mut self, event: Event) -> Result<Actions, Box<dyn Error>> {
        self.log.push(event_line(self.now, &event).to_string());
        let mut actions = Actions::new();
        self.scheduler.step(self.now, event, &mut actions)?;
        for action in actions.as_slice() {
            self.log.push(action_line(action).to_string());
            if let Action::Run {
                holder: Holder::Task(task),
                grant,
                time,
            } = *action
            {
                self.granted.push_back((task, grant, time));
            }
        }
        Ok(actions)
    }

    fn submit(&mut self, task: u64, spec: TaskSpec) -> Result<Admission, Box<dyn Error>> {
        let task = TaskId::new(task);
        let actions = self.tell(Event::Submit {
            task,
            tenant: TenantId::DEFAULT,
            request: Box::new(spec.try_into()?),
        })?;
        actions.admission_of(task).ok_or_else(|| "no answer".into())
    }

    /// Encodes what was granted, one slice after another, until `end`.
    fn run_until(&mut self, end: Nanoseconds) -> Result<(), Box<dyn Error>> {
        while self.now < end
            && let Some((task, grant, used)) = self.granted.pop_front()
        {
            self.now = self.now.saturating_add(used);
            *self.done.entry(task).or_default() += used.get();
            self.tell(Event::Ran { grant, used })?;
        }
        Ok(())
    }
}

fn stream(megabytes: u64, percent: u64) -> Result<TaskSpec, Box<dyn Error>> {
    let memory = Bytes::new(megabytes * MEGABYTE);
    Ok(TaskSpec {
        policy: Some(Policy::Guaranteed),
        memory: Some(MemoryAsk {
            request: memory,
            limit: Some(memory),
        }),
        bandwidth: Some(ShareAsk {
            floor: Share::from_ratio(percent, 100)?,
            cap: Share::ONE,
        }),
        ..TaskSpec::default()
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut encoder = Encoder::new();
    // A live stream that needs half of the encoder, and one that needs a fifth.
    let live = encoder.submit(0, stream(30, 50)?)?;
    let preview = encoder.submit(1, stream(20, 20)?)?;
    // Whatever is left over goes to a film that has no hurry.
    let film = encoder.submit(2, TaskSpec::default())?;
    // A third stream finds too little memory now, a fourth never can.
    let third = encoder.submit(3, stream(20, 20)?)?;
    let fourth = encoder.submit(4, stream(80, 10)?)?;
    for (name, admission) in [("live", live), ("preview", preview), ("film", film)] {
        let runs = matches!(admission, Admission::Admitted { .. });
        println!("{name} {}", if runs { "runs" } else { "waits" });
    }
    let Admission::Queued { waits_for, .. } = third else {
        return Err("the memory for it is not there yet".into());
    };
    println!("third waits for {waits_for}");
    let Admission::Rejected(rejection) = fourth else {
        return Err("it fits no encoder of 64 MB".into());
    };
    println!("fourth is rejected: {rejection}");

    for task in 0..3 {
        let holder = Holder::Task(TaskId::new(task));
        let time = Nanoseconds::new(if task == 2 { 3_600_000 } else { 50 } * MILLISECOND);
        encoder.tell(Event::Want { holder, time })?;
    }
    encoder.run_until(Nanoseconds::new(200 * MILLISECOND))?;
    for (task, done) in &encoder.done {
        println!(
            "in 200 ms, task {task} encoded for {} ms",
            done / MILLISECOND
        );
    }

    // The preview ends, and the third stream starts in its place.
    let actions = encoder.tell(Event::Finish {
        task: TaskId::new(1),
        failed: false,
        held: Bytes::ZERO,
    })?;
    let third = TaskId::new(3);
    let starts_third =
        |action: &Action| matches!(action, Action::Start { task, .. } if *task == third);
    assert!(actions.as_slice().iter().any(starts_third));

    let stats = encoder.scheduler.stats();
    println!(
        "running {}, reserved {}, {} of the time left",
        stats.running, stats.reserved_memory, stats.available_bandwidth
    );
    assert_eq!(rejection.limit, 64 * MEGABYTE);
    assert_eq!(rejection.reason.name(), Resource::Memory.name());
    let replay = Replay::run(encoder.log.iter().map(String::as_str))?;
    println!(
        "{} decisions, hash {:016x}",
        replay.actions, replay.decisions
    );
    Ok(())
}
