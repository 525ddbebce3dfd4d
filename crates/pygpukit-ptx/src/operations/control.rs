//! Where lanes go next, and waits of the block.

use super::compare::put_predicate;
use crate::execute::{BarrierCall, Core, Flow, Join, NO_SLOT, Reduction, Step, Trouble, Value};

/// `bra`: to the step in `extra`.
pub(crate) fn branch(_: &mut Core<'_>, _: &Step) -> Flow {
    Flow::Branch
}

/// A step with nothing to do: `membar`, `prefetch`, `pragma`.
pub(crate) fn nothing(_: &mut Core<'_>, _: &Step) -> Flow {
    Flow::Next
}

/// `ret` of a kernel, and `exit`.
pub(crate) fn exit(_: &mut Core<'_>, _: &Step) -> Flow {
    Flow::Exit
}

/// `trap`.
pub(crate) fn trap(core: &mut Core<'_>, _: &Step) -> Flow {
    core.trouble = Some((Trouble::Trap, first(core.active)));
    Flow::Fault
}

/// The first of some lanes.
pub(super) fn first(lanes: u32) -> usize {
    (lanes.trailing_zeros() & 31) as usize
}

/// Bits of [`Step::extra`] of a barrier.
pub(crate) mod flags {
    pub(crate) const ALIGNED: u32 = 1;
    pub(crate) const ARRIVE: u32 = 1 << 1;
    pub(crate) const AND: u32 = 1 << 2;
    pub(crate) const OR: u32 = 2 << 2;
    pub(crate) const COUNT: u32 = 3 << 2;
    /// The predicate is turned round.
    pub(crate) const INVERT: u32 = 1 << 4;
}

/// `bar` and `barrier`: number `a`, threads `b`, predicates `c` to `to`.
pub(crate) fn barrier(core: &mut Core<'_>, step: &Step) -> Flow {
    let lane = first(core.active);
    let files = core.files.again();
    let number = u32::lane(&files, step.a, lane);
    let threads = match step.b {
        NO_SLOT => 0,
        slot => u32::lane(&files, slot, lane),
    };
    let join = match step.extra & flags::COUNT {
        flags::AND => Some(Join::And),
        flags::OR => Some(Join::Or),
        flags::COUNT => Some(Join::Count),
        _ => None,
    };
    let reduction = join.map(|join| {
        let from = files.predicates[usize::from(step.c)];
        let inverted = step.extra & flags::INVERT != 0;
        Reduction {
            join,
            from: if inverted { !from } else { from },
            to: step.to,
        }
    });
    core.barrier = BarrierCall {
        number,
        threads,
        aligned: step.extra & flags::ALIGNED != 0,
        arrive: step.extra & flags::ARRIVE != 0,
        reduction,
    };
    Flow::Barrier
}

/// `activemask`.
pub(crate) fn active_mask(core: &mut Core<'_>, step: &Step) -> Flow {
    put_word(core, step.to, |core, _| core.mask);
    Flow::Next
}

/// `%clock` and `%clock_hi`: warp instructions, of which `extra` says the half.
pub(crate) fn clock(core: &mut Core<'_>, step: &Step) -> Flow {
    let shift = step.extra;
    put_word(core, step.to, |core, _| (core.executed >> shift) as u32);
    Flow::Next
}

/// `%clock64` and `%globaltimer`.
pub(crate) fn clock64(core: &mut Core<'_>, step: &Step) -> Flow {
    let now = core.executed;
    for lane in 0..32 {
        if core.active >> lane & 1 == 1 {
            core.files.wides[usize::from(step.to)].0[lane] = now;
        }
    }
    Flow::Next
}

/// Writes a word for each active lane.
pub(super) fn put_word(
    core: &mut Core<'_>,
    slot: u16,
    value: impl Fn(&mut Core<'_>, usize) -> u32,
) {
    for lane in 0..32 {
        if core.active >> lane & 1 == 1 {
            let value = value(core, lane);
            core.files.words[usize::from(slot)].0[lane] = value;
        }
    }
}

/// `brx.idx`: each lane to the place that its index in `a` has in a table.
pub(crate) fn branch_indexed(core: &mut Core<'_>, step: &Step) -> Flow {
    for lane in 0..32 {
        if core.active >> lane & 1 == 1 {
            let index = u32::lane(&core.files.again(), step.a, lane);
            let table = core.tables.get(step.extra as usize);
            let Some(&target) = table.and_then(|table| table.get(index as usize)) else {
                let what = format!("branch {index} of a table that ends before");
                core.trouble = Some((Trouble::Unsupported(what), lane));
                return Flow::Fault;
            };
            core.targets[lane] = target;
        }
    }
    Flow::Scatter
}

/// `elect`: the first of the lanes, as a predicate `d` and a number `to`.
pub(crate) fn elect(core: &mut Core<'_>, step: &Step) -> Flow {
    let leader = first(core.active);
    if step.to != NO_SLOT {
        put_word(core, step.to, |_, _| leader as u32);
    }
    put_predicate(core, step.d, 1 << leader);
    Flow::Next
}
