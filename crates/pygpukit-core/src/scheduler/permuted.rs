//! Names of tenants decide nothing.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test names the case it is about"
)]

use super::random_ops::{Op, ops};
use super::*;
use crate::id::{GrantId, TaskId, TenantId};
use crate::units::{Bytes, Nanoseconds, Share};
use proptest::prelude::*;

/// What has something of its own, has a limit, or neither.
fn specs() -> [TenantSpec; 3] {
    let owner = TenantSpec {
        memory: Some(MemoryAsk {
            request: Bytes::new(20),
            limit: Some(Bytes::new(60)),
        }),
        bandwidth: Some(ShareAsk {
            floor: Share::from_ratio(2, 10).unwrap(),
            cap: Share::ONE,
        }),
        ..TenantSpec::default()
    };
    [
        owner,
        TenantSpec::limited(Bytes::new(50)),
        TenantSpec::default(),
    ]
}

/// A scheduler whose tenants have names of their own, and what was decided.
struct Named {
    scheduler: Scheduler,
    actions: Actions,
    names: [u64; 3],
    now: u64,
    next: u64,
    running: Vec<TaskId>,
    grants: Vec<GrantId>,
    decided: Vec<String>,
}

impl Named {
    fn new(names: [u64; 3]) -> Self {
        let config = Config {
            max_queued: 6,
            longest_wait: Nanoseconds::new(60),
            ..Config::new(Bytes::new(100), 3)
        };
        Self {
            scheduler: Scheduler::new(config),
            actions: Actions::new(),
            names,
            now: 0,
            next: 0,
            running: Vec::new(),
            grants: Vec::new(),
            decided: Vec::new(),
        }
    }

    fn name(&self, tenant: u64) -> TenantId {
        TenantId::new(self.names[usize::try_from(tenant % 3).unwrap()])
    }

    fn task(&self, at: usize) -> TaskId {
        let len = self.running.len().max(1);
        let any = TaskId::new(at as u64 % self.next.max(1));
        self.running.get(at % len).copied().unwrap_or(any)
    }

    fn holder(&self, at: Option<usize>) -> Holder {
        at.map_or(Holder::Tenant(self.name(1)), |at| {
            Holder::Task(self.task(at))
        })
    }

    /// Notes all that comes of an event, with the number of each tenant for its name.
    fn step(&mut self, event: Event) {
        let now = Nanoseconds::new(self.now);
        let result = self.scheduler.step(now, event, &mut self.actions);
        self.decided.push(result.is_ok().to_string());
        for action in self.actions.drain() {
            match action {
                Action::Start { task, .. } => self.running.push(task),
                Action::Run { grant, .. } => self.grants.push(grant),
                _ => {}
            }
            let mut said = action.to_string();
            for (number, name) in self.names.iter().enumerate() {
                said = said.replace(&format!("tenant={name} "), &format!("number {number} "));
            }
            self.decided.push(said);
        }
    }

    fn play(&mut self, op: &Op) {
        let bytes = |&bytes: &u64| Bytes::new(bytes);
        let time = |&time: &u64| Nanoseconds::new(time);
        let event = match op {
            Op::Submit(tenant, spec) => {
                self.next += 1;
                Event::Submit {
                    task: TaskId::new(self.next - 1),
                    tenant: self.name(*tenant),
                    request: Box::new(spec.clone().try_into().unwrap()),
                }
            }
            Op::Finish(at, failed, held) => {
                let task = self.task(*at);
                self.running.retain(|&each| each != task);
                let (failed, held) = (
                    *failed,
                    bytes(held).min(self.scheduler.held(Holder::Task(task))),
                );
                Event::Finish { task, failed, held }
            }
            Op::Cancel(at) => Event::Cancel {
                task: TaskId::new(*at as u64 % self.next.max(1)),
            },
            Op::Grow(at, more) => Event::Grow {
                holder: self.holder(*at),
                bytes: bytes(more),
            },
            Op::Shrink(at, less) => Event::Shrink {
                holder: self.holder(*at),
                bytes: bytes(less),
            },
            Op::Close(tenant, cancel_pending) => Event::Close {
                tenant: self.name(*tenant),
                cancel_pending: *cancel_pending,
            },
            Op::Resize(tenant, ..) => Event::Resize {
                tenant: self.name(*tenant),
                spec: specs()[2],
            },
            Op::Want(at, more) => Event::Want {
                holder: self.holder(*at),
                time: time(more),
            },
            Op::Withdraw(at) => Event::Withdraw {
                holder: self.holder(*at),
            },
            Op::Ran(at, used) => {
                if self.grants.is_empty() {
                    return;
                }
                let grant = self.grants.remove(at % self.grants.len());
                let used = time(used);
                Event::Ran { grant, used }
            }
            Op::Pass(time) => {
                self.now += time;
                Event::Tick
            }
        };
        self.step(event);
    }
}

/// Plays ops with tenants of those names, who come in that order; all that was decided.
fn decisions(ops: &[Op], names: [u64; 3], order: [usize; 3]) -> Vec<String> {
    let mut played = Named::new(names);
    for number in order {
        let tenant = TenantId::new(names[number]);
        let spec = specs()[number];
        played.step(Event::Open { tenant, spec });
    }
    for op in ops {
        played.play(op);
    }
    for number in 0..3 {
        let held = played.scheduler.held(Holder::Tenant(played.name(number)));
        played.decided.push(held.to_string());
    }
    played
        .decided
        .push(format!("{:?}", played.scheduler.stats()));
    played.decided
}

fn different(names: [u64; 3]) -> [u64; 3] {
    [3 * names[0], 3 * names[1] + 1, 3 * names[2] + 2]
}

proptest! {
    /// Other names change no decision.
    #[test]
    fn names_of_tenants_change_no_decision(
        ops in ops(),
        names in prop::array::uniform3(1_u64..1000),
    ) {
        let one = decisions(&ops, [1, 2, 3], [0, 1, 2]);
        let another = decisions(&ops, different(names), [0, 1, 2]);
        prop_assert_eq!(one, another);
    }

    /// Nor does it matter who of them came first, but to who goes first of two whose
    /// claims to time are the same.
    #[test]
    fn the_order_of_tenants_changes_no_admission(
        ops in ops(),
        turn in 0..3_usize,
        swap in any::<bool>(),
        names in prop::array::uniform3(1_u64..1000),
    ) {
        let mut order = [0, 1, 2];
        order.rotate_left(turn);
        if swap {
            order.swap(0, 1);
        }
        let mut ops = ops;
        ops.retain(|op| !matches!(op, Op::Want(..)));
        let one = decisions(&ops, [1, 2, 3], [0, 1, 2]);
        let another = decisions(&ops, different(names), order);
        prop_assert_eq!(one, another);
    }
}
