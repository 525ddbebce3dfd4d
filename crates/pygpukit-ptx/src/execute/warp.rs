//! Runs one warp.

use super::code::Code;
use super::core::{BarrierCall, Core};
use super::fault::{Fault, Trouble};
use super::files::{Wide, Word};
use super::launch::Allowance;
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
    let mut run = Lanes {
        splits,
        barrier,
        allowance,
        slice: SLICE,
        patience: PATIENCE,
        turns: 0,
    };
    let mut last = 0;
    while let Some(split) = run.splits.take_next() {
        if split.mask != last {
            run.patience = PATIENCE;
            last = split.mask;
        }
        run.turns = split.turns;
        if let Some(outcome) = run.split(code, core, split) {
            return outcome;
        }
    }
    if core.live == 0 {
        return Outcome::Ended;
    }
    settle(core, run.splits, *run.barrier)
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

/// What changes while lanes run.
struct Lanes<'r, 'l> {
    splits: &'r mut Splits,
    barrier: &'r mut BarrierCall,
    allowance: &'r mut Allowance<'l>,
    /// Backward jumps left before other warps get their turn.
    slice: u32,
    /// Backward jumps left before other lanes get theirs.
    patience: u32,
    /// Turns that the lanes have had while others waited.
    turns: u32,
}

/// What happens after a step that is not followed by the next.
enum After {
    /// The same lanes go on there.
    At(u32),
    /// Others may be further behind.
    Choose,
    Stop(Outcome),
}

impl Lanes<'_, '_> {
    /// Runs lanes from one place on; nothing as answer if others shall run next.
    fn split(&mut self, code: &Code, core: &mut Core<'_>, split: Split) -> Option<Outcome> {
        let mut at = split.at;
        let mut meeting = self.splits.meeting(at);
        core.mask = split.mask;
        loop {
            if at == meeting {
                core.mask |= self.splits.take_at(at);
                meeting = self.splits.meeting(at);
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
            // SAFETY: the handlers of a program were chosen for the features that were
            // found on this processor when it was compiled.
            let flow = unsafe { (step.handler)(core, step) };
            if flow == Flow::Next {
                at += 1;
                continue;
            }
            match self.after(core, flow, at, step.extra) {
                After::At(next) => at = next,
                After::Choose => return None,
                After::Stop(outcome) => return Some(outcome),
            }
        }
    }

    fn after(&mut self, core: &mut Core<'_>, flow: Flow, at: u32, target: u32) -> After {
        match flow {
            Flow::Next => return After::At(at + 1),
            Flow::Branch => return self.branch(core, at, target),
            Flow::Scatter => {
                for lane in 0..32 {
                    if core.active >> lane & 1 == 1 {
                        self.ready(core.targets[lane], 1 << lane);
                    }
                }
                self.ready(at + 1, core.mask & !core.active);
            }
            Flow::Exit => {
                core.live &= !core.active;
                self.splits.unpark();
                self.ready(at + 1, core.mask & !core.active);
            }
            Flow::Barrier => {
                *self.barrier = core.barrier;
                self.push(at, core.active, State::Barrier(core.barrier.number));
                self.ready(at + 1, core.mask & !core.active);
            }
            Flow::Wait => self.push(at, core.mask, State::Parked),
            Flow::Fault => {
                let (trouble, lane) = core.trouble.take().unwrap_or((Trouble::Trap, 0));
                return After::Stop(Outcome::Fault(Fault {
                    trouble,
                    lane,
                    at,
                    active: core.active,
                }));
            }
        }
        After::Choose
    }

    fn branch(&mut self, core: &Core<'_>, at: u32, target: u32) -> After {
        let backward = target <= at;
        let rest = core.mask & !core.active;
        if backward {
            if self.allowance.is_spent(core.executed) {
                return After::Stop(self.allowance.refuse(at, core));
            }
            self.slice -= 1;
            if self.slice == 0 {
                self.ready(at + 1, rest);
                self.ready(target, core.active);
                return After::Stop(Outcome::Turn);
            }
        }
        if rest == 0 && self.splits.is_empty() {
            return After::At(target);
        }
        if rest == 0 && backward {
            self.patience -= 1;
            if self.patience == 0 {
                self.turns += 1;
                self.patience = PATIENCE;
            }
        }
        self.ready(at + 1, rest);
        self.ready(target, core.active);
        After::Choose
    }

    fn ready(&mut self, at: u32, mask: u32) {
        self.push(at, mask, State::Ready);
    }

    fn push(&mut self, at: u32, mask: u32, state: State) {
        if mask != 0 {
            let turns = self.turns;
            self.splits.push(Split {
                at,
                mask,
                state,
                turns,
            });
        }
    }
}
