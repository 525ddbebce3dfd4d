//! Where the values of registers are still wanted.

use super::draft::{Draft, Field, Usage};
use std::collections::HashMap;
use std::ops::Range;

/// Words of all sets together beyond which nothing is computed.
const MOST_WORDS: usize = 1 << 22;

/// From the first to the last step at which the value of a register is wanted, of all
/// registers that steps name; and the registers that may be read before they are written.
///
/// Each lane goes its own way, but a step changes no lane that does not run it: what holds
/// for one thread holds for a warp.
#[derive(Debug, Default)]
pub(super) struct Lives {
    pub(super) ranges: HashMap<u32, Range<usize>>,
    pub(super) undefined: Vec<u32>,
}

/// A piece of code without jumps into it or out of its middle.
struct Block {
    steps: Range<usize>,
    next: Vec<usize>,
    live_in: Set,
    live_out: Set,
}

#[derive(Clone, Default, PartialEq, Eq)]
struct Set(Vec<u64>);

impl Set {
    fn new(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    fn insert(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    fn remove(&mut self, index: usize) {
        self.0[index / 64] &= !(1 << (index % 64));
    }

    /// Adds all of another; true if any is new.
    fn join(&mut self, other: &Self) -> bool {
        let mut is_new = false;
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            is_new |= other & !*own != 0;
            *own |= other;
        }
        is_new
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(i, word)| {
            (0..64)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| i * 64 + bit)
        })
    }
}

/// Where values are wanted, for steps with those jumps; `None` if it would take too much.
pub(super) fn lives(drafts: &[Draft], jumps: &dyn Fn(&Draft) -> Vec<usize>) -> Option<Lives> {
    let mut blocks = blocks(drafts, jumps);
    // Registers by order of appearance.
    let mut numbers: HashMap<u32, usize> = HashMap::new();
    let mut ids = Vec::new();
    for (register, _) in drafts
        .iter()
        .flat_map(|draft| draft.registers.iter().flatten())
    {
        numbers.entry(register.id).or_insert_with(|| {
            ids.push(register.id);
            ids.len() - 1
        });
    }
    if blocks
        .len()
        .saturating_mul(ids.len().div_ceil(64))
        .saturating_mul(2)
        > MOST_WORDS
    {
        return None;
    }
    for block in &mut blocks {
        block.live_in = Set::new(ids.len());
        block.live_out = Set::new(ids.len());
    }
    // Backwards until nothing changes any more.
    let mut changed = true;
    while changed {
        changed = false;
        for index in (0..blocks.len()).rev() {
            let mut out = std::mem::take(&mut blocks[index].live_out);
            for next in blocks[index].next.clone() {
                out.join(&blocks[next].live_in);
            }
            let mut live = out.clone();
            for draft in drafts[blocks[index].steps.clone()].iter().rev() {
                transfer(draft, &numbers, &mut live);
            }
            blocks[index].live_out = out;
            changed |= blocks[index].live_in.join(&live);
        }
    }
    let mut found = Lives::default();
    let mut extend = |id: u32, from: usize, to: usize| {
        let range = found.ranges.entry(id).or_insert(from..to);
        *range = range.start.min(from)..range.end.max(to);
    };
    for block in &blocks {
        for index in block.live_in.iter() {
            extend(ids[index], block.steps.start, block.steps.start);
        }
        for index in block.live_out.iter() {
            extend(ids[index], block.steps.end, block.steps.end);
        }
    }
    for (at, draft) in drafts.iter().enumerate() {
        for (register, _) in draft.registers.iter().flatten() {
            extend(register.id, at, at);
        }
    }
    if let Some(first) = blocks.first() {
        found.undefined = first.live_in.iter().map(|index| ids[index]).collect();
    }
    Some(found)
}

/// What is live before a step, by what is live behind it.
fn transfer(draft: &Draft, numbers: &HashMap<u32, usize>, live: &mut Set) {
    let guarded = draft.registers[Field::Guard as usize].is_some();
    for (register, usage) in draft.registers.iter().flatten() {
        if *usage == Usage::Write && !guarded {
            live.remove(numbers[&register.id]);
        }
    }
    for (register, usage) in draft.registers.iter().flatten() {
        if *usage != Usage::Write {
            live.insert(numbers[&register.id]);
        }
    }
}

fn blocks(drafts: &[Draft], jumps: &dyn Fn(&Draft) -> Vec<usize>) -> Vec<Block> {
    let mut starts = vec![false; drafts.len() + 1];
    starts[0] = true;
    for (at, draft) in drafts.iter().enumerate() {
        let targets = jumps(draft);
        if !targets.is_empty() || draft.ends {
            starts[at + 1] = true;
        }
        for target in targets {
            starts[target] = true;
        }
    }
    let starts: Vec<usize> = (0..drafts.len()).filter(|at| starts[*at]).collect();
    let index_of = |at: usize| starts.binary_search(&at).unwrap_or(0);
    let ends = starts.iter().skip(1).copied().chain([drafts.len()]);
    let ranges = starts.iter().copied().zip(ends);
    ranges
        .map(|(start, end)| {
            let last = &drafts[end - 1];
            let mut next: Vec<usize> = jumps(last).into_iter().map(index_of).collect();
            if !last.ends && end < drafts.len() {
                next.push(index_of(end));
            }
            Block {
                steps: start..end,
                next,
                live_in: Set::default(),
                live_out: Set::default(),
            }
        })
        .collect()
}
