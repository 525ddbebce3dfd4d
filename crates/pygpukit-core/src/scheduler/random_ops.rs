//! What may happen to a scheduler, for properties.

use super::*;
use crate::units::{Bytes, Nanoseconds, Share};
use proptest::prelude::*;

#[derive(Clone, Debug)]
pub(super) enum Op {
    Submit(u64, TaskSpec),
    Finish(usize, bool, u64),
    Cancel(usize),
    Grow(Option<usize>, u64),
    Shrink(Option<usize>, u64),
    Close(u64, bool),
    Resize(u64, Option<(u64, u64)>, u64, u64),
    Want(Option<usize>, u64),
    Withdraw(Option<usize>),
    Ran(usize, u64),
    Pass(u64),
}

fn specs() -> impl Strategy<Value = TaskSpec> {
    let memory = prop::option::of((0_u64..130, 1_u64..40, any::<bool>()));
    let bandwidth = prop::option::of((0_u64..=10, 1_u64..=10));
    let guaranteed = any::<bool>();
    let timeout = prop::option::of(0_u64..50);
    let deadline = prop::option::of(1_u64..50);
    let strict = prop::option::weighted(0.2, (30_u64..300, prop::option::of(1_u64..30)));
    let reject = prop::bool::weighted(0.2);
    (
        memory,
        bandwidth,
        guaranteed,
        -2..3_i32,
        timeout,
        deadline,
        strict,
        reject,
    )
        .prop_map(
            |(memory, bandwidth, guaranteed, priority, timeout, deadline, strict, reject)| {
                let has_floor = bandwidth.is_some_and(|(floor, cap)| floor.min(cap) > 0);
                let strict = strict.filter(|_| has_floor);
                let spec = TaskSpec {
                    memory: memory.map(|(request, more, unlimited)| MemoryAsk {
                        request: Bytes::new(request),
                        limit: (!unlimited).then(|| Bytes::new(request + more)),
                    }),
                    bandwidth: bandwidth.map(|(floor, cap)| ShareAsk {
                        floor: Share::from_ratio(floor.min(cap), 10).unwrap(),
                        cap: Share::from_ratio(cap, 10).unwrap(),
                    }),
                    priority,
                    deadline: deadline.map(Nanoseconds::new),
                    period: strict.map(|(period, _)| Nanoseconds::new(period)),
                    piece: strict.and_then(|(_, piece)| piece.map(Nanoseconds::new)),
                    queue_timeout: timeout.map(Nanoseconds::new),
                    on_full: if reject {
                        OnFull::Reject
                    } else {
                        OnFull::Queue
                    },
                    name: Some("a name, with = and %".into()),
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
                if guaranteed && Request::try_from(promised.clone()).is_ok() {
                    promised
                } else {
                    spec
                }
            },
        )
}

pub(super) fn ops() -> impl Strategy<Value = Vec<Op>> {
    let who = || prop::option::weighted(0.7, any::<usize>());
    let op = prop_oneof![
        6 => (0_u64..3, specs()).prop_map(|(tenant, spec)| Op::Submit(tenant, spec)),
        4 => (any::<usize>(), any::<bool>(), 0_u64..150)
            .prop_map(|(at, failed, held)| Op::Finish(at, failed, held)),
        1 => any::<usize>().prop_map(Op::Cancel),
        3 => (who(), 0_u64..60).prop_map(|(at, bytes)| Op::Grow(at, bytes)),
        3 => (who(), 0_u64..60).prop_map(|(at, bytes)| Op::Shrink(at, bytes)),
        1 => (1_u64..3, any::<bool>()).prop_map(|(tenant, cancel)| Op::Close(tenant, cancel)),
        1 => (
            0_u64..3,
            prop::option::of((0_u64..50, 1_u64..50)),
            0_u64..8,
            prop_oneof![3 => Just(0), 1 => 1_u64..3],
        )
            .prop_map(|(tenant, memory, share, compute)| {
                Op::Resize(tenant, memory, share, compute)
            }),
        4 => (who(), 1_u64..60).prop_map(|(at, time)| Op::Want(at, time)),
        1 => who().prop_map(Op::Withdraw),
        4 => (any::<usize>(), 0_u64..30).prop_map(|(at, used)| Op::Ran(at, used)),
        1 => (0_u64..20).prop_map(Op::Pass),
    ];
    prop::collection::vec(op, 0..120)
}
