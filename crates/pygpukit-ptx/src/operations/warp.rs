//! What the lanes of a warp do together.

use super::compare::put_predicate;
use super::control::{first, put_word};
use crate::execute::{Core, Flow, Step, Value};

/// The lanes that a step names in the word `slot`, if all that live are here.
fn gathered(core: &mut Core<'_>, slot: u16) -> Option<u32> {
    let lane = first(core.active);
    let members = u32::lane(&core.files.again(), slot, lane);
    (members & core.live & !core.mask == 0).then_some(members & core.active)
}

/// How `shfl` finds the lane that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

/// `shfl.sync`: value `a`, distance `b`, clamp and segments `c`, members in `immediate`'s
/// slot; to `to` and, whether it was inside, to predicate `d`.
pub(crate) fn shuffle(core: &mut Core<'_>, step: &Step) -> Flow {
    if gathered(core, step.immediate as u16).is_none() {
        return Flow::Wait;
    }
    let files = core.files.again();
    let values = files.words[usize::from(step.a)].0;
    let distances = files.words[usize::from(step.b)].0;
    let bounds = files.words[usize::from(step.c)].0;
    let mut inside = 0_u32;
    let mut results = [0; 32];
    for lane in 0..32_u32 {
        let distance = distances[lane as usize] & 31;
        let bound = bounds[lane as usize];
        let (clamp, segment) = (bound & 31, bound >> 8 & 31);
        let highest = (lane & segment) | (clamp & !segment);
        let lowest = lane & segment;
        let (source, is_inside) = match step.extra {
            0 => {
                let source = lane.wrapping_sub(distance);
                (source, source.cast_signed() >= highest.cast_signed())
            }
            1 => (lane + distance, lane + distance <= highest),
            2 => (lane ^ distance, lane ^ distance <= highest),
            _ => {
                let source = lowest | (distance & !segment);
                (source, source <= highest)
            }
        };
        let source = if is_inside { source } else { lane };
        results[lane as usize] = values[(source & 31) as usize];
        inside |= u32::from(is_inside) << lane;
    }
    put_word(core, step.to, |_, lane| results[lane]);
    put_predicate(core, step.d, inside);
    Flow::Next
}

/// `vote.sync`: predicate `a` (turned round if bit 4 of `extra` is set), members `b`.
pub(crate) fn vote(core: &mut Core<'_>, step: &Step) -> Flow {
    let Some(members) = gathered(core, step.b) else {
        return Flow::Wait;
    };
    let mut bits = core.files.predicates[usize::from(step.a)];
    if step.extra & 4 != 0 {
        bits = !bits;
    }
    bits &= members;
    let all = |holds: bool| if holds { u32::MAX } else { 0 };
    match step.extra & 3 {
        0 => put_word(core, step.to, |_, _| bits),
        1 => put_predicate(core, step.to, all(bits == members)),
        2 => put_predicate(core, step.to, all(bits != 0)),
        _ => put_predicate(core, step.to, all(bits == members || bits == 0)),
    }
    Flow::Next
}

/// `match.sync`: lanes with the same value `a` (wide if bit 1 of `extra` is set), members
/// `b`; with bit 0 of `extra`, whether all have, in predicate `d`.
pub(crate) fn same(core: &mut Core<'_>, step: &Step) -> Flow {
    let Some(members) = gathered(core, step.b) else {
        return Flow::Wait;
    };
    let files = core.files.again();
    let values: [u64; 32] = if step.extra & 2 != 0 {
        files.wides[usize::from(step.a)].0
    } else {
        files.words[usize::from(step.a)].0.map(u64::from)
    };
    let alike = |lane: usize| {
        (0..32).fold(0_u32, |mask, other| {
            let same = members >> other & 1 == 1 && values[other] == values[lane];
            mask | u32::from(same) << other
        })
    };
    if step.extra & 1 == 0 {
        put_word(core, step.to, |_, lane| alike(lane));
        return Flow::Next;
    }
    let found = alike(first(members));
    let is_all = found == members;
    let result = if is_all { members } else { 0 };
    if step.to != crate::execute::NO_SLOT {
        put_word(core, step.to, |_, _| result);
    }
    put_predicate(core, step.d, if is_all { u32::MAX } else { 0 });
    Flow::Next
}

/// `redux.sync`: all values `a` of the members `b` as one. `extra` says how.
pub(crate) fn reduce(core: &mut Core<'_>, step: &Step) -> Flow {
    let Some(members) = gathered(core, step.b) else {
        return Flow::Wait;
    };
    let values = core.files.words[usize::from(step.a)].0;
    let own = (0..32)
        .filter(|lane| members >> lane & 1 == 1)
        .map(|lane| values[lane]);
    let signed = |value: u32| value.cast_signed();
    let result = match step.extra {
        0 => own.reduce(u32::wrapping_add),
        1 => own.min(),
        2 => own.max(),
        3 => own.map(signed).min().map(i32::cast_unsigned),
        4 => own.map(signed).max().map(i32::cast_unsigned),
        5 => own.reduce(|a, b| a & b),
        6 => own.reduce(|a, b| a | b),
        _ => own.reduce(|a, b| a ^ b),
    };
    put_word(core, step.to, |_, _| result.unwrap_or(0));
    Flow::Next
}

/// `bar.warp.sync`: waits for the members `a`.
pub(crate) fn meet(core: &mut Core<'_>, step: &Step) -> Flow {
    match gathered(core, step.a) {
        Some(_) => Flow::Next,
        None => Flow::Wait,
    }
}
