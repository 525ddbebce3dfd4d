//! What holds whatever a pool's owner does.
//!
//! `PROPTEST_CASES=100000 cargo test --release -p pygpukit-core pool::properties`
//! is the long run.

use super::owner::Owner;
use super::*;
use crate::units::Bytes;
use proptest::prelude::*;

pub(super) const CAPACITY: u64 = 24 * 256;
pub(super) const QUOTA: u64 = 3000;
pub(super) const LANES: usize = 3;

/// What the owner of a pool does.
#[derive(Clone, Debug)]
pub(super) enum Op {
    /// For an account and a lane, and how many needs its owner meets.
    Allocate(usize, u64, usize, usize),
    Free(usize),
    Touch(usize, usize, u64),
    Complete(usize, u64),
    Pin(usize),
    Unpin(usize),
    StartEviction(usize),
    Restore(usize, usize),
    Finish(usize),
    Cancel(usize),
    Trim(u64),
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let at = any::<usize>;
    let bytes = prop_oneof![10 => 0_u64..1500, 2 => 0_u64..CAPACITY, 1 => any::<u64>()];
    let needs = prop_oneof![9 => Just(usize::MAX), 1 => 0_usize..3];
    let op = prop_oneof![
        8 => (at(), bytes, at(), needs).prop_map(|(account, bytes, lane, needs)| {
            Op::Allocate(account % 2, bytes, lane % LANES, needs)
        }),
        5 => at().prop_map(Op::Free),
        6 => (at(), at(), 0_u64..20).prop_map(|(at, lane, more)| Op::Touch(at, lane % LANES, more)),
        3 => (at(), 0_u64..30).prop_map(|(lane, more)| Op::Complete(lane % LANES, more)),
        1 => at().prop_map(Op::Pin),
        2 => at().prop_map(Op::Unpin),
        2 => at().prop_map(Op::StartEviction),
        2 => (at(), at()).prop_map(|(at, lane)| Op::Restore(at, lane % LANES)),
        3 => at().prop_map(Op::Finish),
        1 => at().prop_map(Op::Cancel),
        1 => (0..CAPACITY).prop_map(Op::Trim),
    ];
    prop::collection::vec(op, 0..150)
}

fn configs() -> impl Strategy<Value = PoolConfig> {
    let reclaim = prop_oneof![
        Just(Reclaim::Never),
        Just(Reclaim::Cached),
        Just(Reclaim::Evict)
    ];
    let growth = (0_u64..3000, 0_u64..1500);
    (reclaim, growth).prop_map(|(reclaim, (minimum, granule))| PoolConfig {
        growth: Growth {
            minimum: Bytes::new(minimum),
            granule: Bytes::new(granule),
        },
        reclaim,
        ..PoolConfig::new(Bytes::new(CAPACITY))
    })
}

proptest! {
    #[test]
    fn whatever_its_owner_does(config in configs(), ops in ops()) {
        let mut owner = Owner::new(config);
        for op in &ops {
            owner.apply(op);
            owner.check();
            owner.check_charges();
        }
        owner.take_everything_back();
    }
}
