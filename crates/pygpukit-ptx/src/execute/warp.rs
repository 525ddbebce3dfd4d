//! Runs one warp.

use super::core::{BarrierCall, Core};
use super::fault::{Fault, Trouble};
use super::files::{Wide, Word};
use super::launch::{Allowance, Code};
use super::split::{Split, Splits, State};
use super::step::{Flow, NEGATED, NO_GUARD};

/// Backward jumps that lanes may make while others wait for their turn.
const PATIENCE: u32 = 1 << 12;
/// Backward jumps after which the other warps of the block get their turn.
const SLICE: u32 = 1 << 16;

/// How a warp stopped running.
#[derive(Debug)]
pub(super) enum Outcome {
    /// All its lanes have ended.
    Ended,
    /// All its lanes wait at a barrier of the block.
    Barrier(BarrierCall),
    /// It goes on after the others.
    Turn,
    /// The launch is over.
    Stopped,
    Fault(Fault),
}

/// The state of a warp between turns.
#[derive(Debug, Default)]
pub(super) struct Warp {
    pub(super) words: Vec<Word>,
    pub(super) wides: Vec<Wide>,
    pub(super) predicates: Vec<u32>,
    pub(super) live: u32,
    pub(super) splits: Splits,
    /// The call of the lanes that wait at a barrier.
    pub(super) barrier: BarrierCall,
}

impl Warp {
    /// Puts those lanes at the first instruction.
    pub(super) fn start(&mut self, lanes: u32) {
        self.live = lanes;
        self.splits.clear();
        self.splits.push(Split {
            at: 0,
            mask: lanes,
            state: State::Ready,
            turns: 0,
        });
    }
}

/// Runs the lanes of a warp until they end, wait or have had their turn.
pub(super) fn run(
    code: &Code,
    core: &mut Core<'_>,
    splits: &mut Splits,
    barrier: &mut BarrierCall,
    allowance: &mut Allowance<'_>,
) -> Outcome {
    let mut slice = SLICE;
    while let Some(split) = splits.take_next() {
        match run_split(code, core, splits, barrier, allowance, split, &mut slice) {
            None => {}
            Some(outcome) => return outcome,
        }
    }
    if core.live == 0 {
        return Outcome::Ended;
    }
    settle(core, splits, *barrier)
}

/// Nobody can run: all wait at one barrier, or it is a deadlock.
fn settle(core: &Core<'_>, splits: &Splits, barrier: BarrierCall) -> Outcome {
    let fault = |split: &Split, trouble: Trouble| {
        Outcome::Fault(Fault {
            trouble,
            lane: split.mask.trailing_zeros() as usize,
            at: split.at,
            active: split.mask,
        })
    };
    let live = core.live;
    if let Some(parked) = splits.iter().find(|split| split.state == State::Parked) {
        let waiting = parked.mask;
        return fault(parked, Trouble::Deadlock { waiting, live });
    }
    let mut waiting = splits.iter();
    match (waiting.next(), waiting.next()) {
        // The others are at another instruction, or even at another barrier.
        (Some(first), Some(second)) if barrier.aligned || first.state != second.state => {
            let waiting = first.mask;
            fault(first, Trouble::DivergentBarrier { waiting, live })
        }
        _ => Outcome::Barrier(barrier),
    }
}

/// Runs lanes from one place on; nothing as answer if others shall run next.
fn run_split(
    code: &Code,
    core: &mut Core<'_>,
    splits: &mut Splits,
    barrier: &mut BarrierCall,
    allowance: &mut Allowance<'_>,
    split: Split,
    slice: &mut u32,
) -> Option<Outcome> {
    let mut at = split.at;
    let mut turns = split.turns;
    let mut patience = PATIENCE;
    let mut meeting = splits.meeting(at);
    core.mask = split.mask;
    loop {
        if at == meeting {
            core.mask |= splits.take_at(at);
            meeting = splits.meeting(at);
        }
        let Some(step) = code.steps.get(at as usize) else {
            // The last step is an exit: no code runs past it.
            return Some(Outcome::Stopped);
        };
        core.executed += 1;
        core.active = core.mask;
        if step.guard != NO_GUARD {
            let predicate = core.files.predicates[usize::from(step.guard & !NEGATED)];
            let negated = step.guard & NEGATED != 0;
            core.active &= if negated { !predicate } else { predicate };
            if core.active == 0 {
                at += 1;
                continue;
            }
        }
        // SAFETY: the handlers of a program were chosen for the features that were found on
        // this processor when it was compiled.
        let flow = unsafe { (step.handler)(core, step) };
        let ready = |at, mask| Split {
            at,
            mask,
            state: State::Ready,
            turns,
        };
        match flow {
            Flow::Next => {
                at += 1;
                continue;
            }
            Flow::Branch => {
                let target = step.extra;
                let backward = target <= at;
                if backward {
                    if allowance.is_spent(core.executed) {
                        return Some(allowance.refuse(at, core));
                    }
                    *slice -= 1;
                    if *slice == 0 {
                        splits.push(ready(at + 1, core.mask & !core.active));
                        splits.push(ready(target, core.active));
                        splits.drop_empty();
                        return Some(Outcome::Turn);
                    }
                }
                if core.active == core.mask {
                    if splits.is_empty() {
                        at = target;
                        continue;
                    }
                    patience -= u32::from(backward);
                    turns += u32::from(patience == 0);
                    splits.push(Split {
                        at: target,
                        mask: core.mask,
                        state: State::Ready,
                        turns,
                    });
                } else {
                    splits.push(ready(at + 1, core.mask & !core.active));
                    splits.push(ready(target, core.active));
                }
            }
            Flow::Scatter => {
                for lane in 0..32 {
                    if core.active >> lane & 1 == 1 {
                        splits.push(ready(core.targets[lane], 1 << lane));
                    }
                }
                splits.push(ready(at + 1, core.mask & !core.active));
                splits.drop_empty();
            }
            Flow::Exit => {
                core.live &= !core.active;
                core.mask &= !core.active;
                splits.unpark();
                if core.mask != 0 {
                    splits.push(ready(at + 1, core.mask));
                }
            }
            Flow::Barrier => {
                *barrier = core.barrier;
                splits.push(Split {
                    state: State::Barrier(core.barrier.number),
                    ..ready(at, core.active)
                });
                if core.mask != core.active {
                    splits.push(ready(at + 1, core.mask & !core.active));
                }
            }
            Flow::Wait => splits.push(Split {
                state: State::Parked,
                ..ready(at, core.mask)
            }),
            Flow::Fault => {
                let (trouble, lane) = core.trouble.take().unwrap_or((Trouble::Trap, 0));
                return Some(Outcome::Fault(Fault {
                    trouble,
                    lane,
                    at,
                    active: core.active,
                }));
            }
        }
        // Others may be further behind; the lowest place runs next.
        let next = splits.take_next()?;
        at = next.at;
        if next.mask != core.mask {
            patience = PATIENCE;
        }
        core.mask = next.mask;
        turns = next.turns;
        meeting = splits.meeting(at);
    }
}
