//! Runs the warps of one block.

use super::code::Code;
use super::core::{BarrierCall, Core, Join, Reduction};
use super::fault::{Fault, Trouble};
use super::files::{Files, LANES, Wide, Word};
use super::launch::{Allowance, Run};
use super::warp::{Outcome, Warp, run};
use crate::memory::{Storage, Window};

/// What a warp is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Running,
    Waiting,
    Ended,
}

/// How many have come to a barrier, and what they brought.
#[derive(Clone, Copy, Debug, Default)]
struct Arrivals {
    warps: u32,
    /// Threads whose predicate holds.
    holding: u32,
    /// Threads that brought a predicate.
    asked: u32,
}

/// The state of one block; it is used for one block after another.
#[derive(Debug)]
pub(super) struct Block {
    warps: Vec<Warp>,
    doing: Vec<Doing>,
    barriers: [Arrivals; 16],
    shared: Storage,
    local: Storage,
    threads: u32,
    pub(super) output: Vec<u8>,
}

/// A fault, and the thread of the block that it happened to.
pub(super) struct Failure {
    pub(super) fault: Fault,
    pub(super) thread: u32,
}

impl Block {
    /// Memory for a block; `None` if there is not so much.
    pub(super) fn new(run: &Run<'_>) -> Option<Self> {
        let code = run.code;
        let threads: u32 = run.launch.block.iter().product();
        let count = threads.div_ceil(LANES as u32) as usize;
        let warp = || Warp {
            words: vec![Word([0; LANES]); code.words],
            wides: vec![Wide([0; LANES]); code.wides],
            predicates: vec![0; code.predicates],
            ..Warp::default()
        };
        let shared = usize::try_from(run.shared_bytes).ok()?;
        let local = code.frame.checked_mul(LANES)?.checked_mul(count)?;
        let mut block = Self {
            warps: (0..count).map(|_| warp()).collect(),
            doing: vec![Doing::Running; count],
            barriers: [Arrivals::default(); 16],
            shared: Storage::new(shared)?,
            local: Storage::new(local)?,
            threads,
            output: Vec::new(),
        };
        for (index, warp) in block.warps.iter_mut().enumerate() {
            code.prepare(warp, index as u32, run);
        }
        Some(block)
    }

    /// Runs the block with that place in the grid. The answer is false if the launch is over.
    pub(super) fn run(
        &mut self,
        run: &Run<'_>,
        place: [u32; 3],
        executed: &mut u64,
        allowance: &mut Allowance<'_>,
    ) -> Result<bool, Failure> {
        self.barriers = [Arrivals::default(); 16];
        for (index, warp) in self.warps.iter_mut().enumerate() {
            let first = (index * LANES) as u32;
            let lanes = (self.threads - first).min(LANES as u32);
            run.code.place(warp, place);
            warp.start(u32::MAX >> (LANES as u32 - lanes));
            self.doing[index] = Doing::Running;
        }
        loop {
            for index in 0..self.warps.len() {
                while self.doing[index] == Doing::Running {
                    let outcome = self.turn(run, index, executed, allowance);
                    match outcome {
                        Outcome::Ended => self.doing[index] = Doing::Ended,
                        Outcome::Barrier(call) => {
                            self.warps[index].barrier = call;
                            if let Err(trouble) = self.arrive(index, call) {
                                return Err(self.failure(index, trouble));
                            }
                        }
                        Outcome::Turn => break,
                        Outcome::Stopped => return Ok(false),
                        Outcome::Fault(fault) => {
                            let thread = (index * LANES + fault.lane) as u32;
                            return Err(Failure { fault, thread });
                        }
                    }
                }
            }
            if self.doing.iter().all(|doing| *doing == Doing::Ended) {
                return Ok(true);
            }
            let released = self.release();
            if !released && !self.doing.contains(&Doing::Running) {
                let index = self.doing.iter().position(|doing| *doing == Doing::Waiting);
                let index = index.unwrap_or(0);
                let live = self.warps[index].live;
                let waiting = live;
                return Err(self.failure(index, Trouble::Deadlock { waiting, live }));
            }
        }
    }

    /// Trouble of a warp that waits at a barrier.
    fn failure(&self, index: usize, trouble: Trouble) -> Failure {
        let split = self.warps[index].splits.iter().next();
        let (at, mask) = split.map_or((0, 1), |split| (split.at, split.mask));
        let lane = mask.trailing_zeros() as usize;
        Failure {
            fault: Fault {
                trouble,
                lane,
                at,
                active: mask,
            },
            thread: (index * LANES + lane) as u32,
        }
    }

    fn turn(
        &mut self,
        context: &Run<'_>,
        index: usize,
        executed: &mut u64,
        allowance: &mut Allowance<'_>,
    ) -> Outcome {
        let code: &Code = context.code;
        let warp = &mut self.warps[index];
        let frame = code.frame as u64;
        let lanes = LANES as u64;
        let mut core = Core {
            files: Files {
                words: &mut warp.words,
                wides: &mut warp.wides,
                predicates: &mut warp.predicates,
            },
            active: 0,
            mask: 0,
            live: warp.live,
            executed: *executed,
            targets: [0; LANES],
            barrier: BarrierCall::default(),
            trouble: None,
            recent: [Window::default(); 8],
            shared: self.shared.window(true).at(0),
            local: self
                .local
                .window(true)
                .part(index as u64 * lanes * frame, lanes * frame),
            frame,
            parameters: context.parameters.window(false).at(0),
            variables: context.variables,
            memory: context.launch.memory,
            tables: &code.tables,
            arguments: &code.arguments,
            output: &mut self.output,
        };
        let outcome = run(
            code,
            &mut core,
            &mut warp.splits,
            &mut warp.barrier,
            allowance,
        );
        *executed = core.executed;
        warp.live = core.live;
        outcome
    }

    /// A warp comes to a barrier.
    fn arrive(&mut self, index: usize, call: BarrierCall) -> Result<(), Trouble> {
        let Some(barrier) = self.barriers.get_mut(call.number as usize) else {
            let what = format!("barrier {} of 16", call.number);
            return Err(Trouble::Unsupported(what));
        };
        if !call.threads.is_multiple_of(LANES as u32) {
            let what = format!("a barrier for {} threads, no multiple of 32", call.threads);
            return Err(Trouble::Unsupported(what));
        }
        let warp = &mut self.warps[index];
        barrier.warps += 1;
        if let Some(reduction) = call.reduction {
            barrier.holding += (reduction.from & warp.live).count_ones();
            barrier.asked += warp.live.count_ones();
        }
        if call.arrive {
            warp.splits.release();
        } else {
            self.doing[index] = Doing::Waiting;
        }
        Ok(())
    }

    /// Lets those go on for whom all have come; false if there is nobody.
    fn release(&mut self) -> bool {
        let mut released = false;
        for number in 0..self.barriers.len() as u32 {
            let arrivals = self.barriers[number as usize];
            let waits = |(_, (warp, doing)): &(usize, (&Warp, &Doing))| {
                **doing == Doing::Waiting && warp.barrier.number == number
            };
            let mut waiting = self.warps.iter().zip(&self.doing).enumerate().filter(waits);
            let Some((_, (first, _))) = waiting.next() else {
                continue;
            };
            let live = self.doing.iter().filter(|doing| **doing != Doing::Ended);
            let expected = match first.barrier.threads {
                0 => live.count() as u32,
                threads => threads / LANES as u32,
            };
            if arrivals.warps < expected {
                continue;
            }
            released = true;
            self.barriers[number as usize] = Arrivals::default();
            for (warp, doing) in self.warps.iter_mut().zip(&mut self.doing) {
                if *doing == Doing::Waiting && warp.barrier.number == number {
                    *doing = Doing::Running;
                    warp.splits.release();
                    if let Some(reduction) = warp.barrier.reduction {
                        deliver(warp, reduction, arrivals);
                    }
                }
            }
        }
        released
    }
}

/// Writes what all threads of a barrier brought together.
fn deliver(warp: &mut Warp, reduction: Reduction, arrivals: Arrivals) {
    let live = warp.live;
    let to = usize::from(reduction.to);
    let holds = match reduction.join {
        Join::And => arrivals.holding == arrivals.asked,
        Join::Or => arrivals.holding > 0,
        Join::Count => {
            for lane in (0..LANES).filter(|lane| live >> lane & 1 == 1) {
                warp.words[to].0[lane] = arrivals.holding;
            }
            return;
        }
    };
    let old = warp.predicates[to] & !live;
    warp.predicates[to] = old | if holds { live } else { 0 };
}
