//! Places for registers: drafts to steps.

use super::draft::{Draft, FIELDS, Field, File, Register};
use super::error::Issue;
use super::liveness::lives;
use super::lower::{Constant, Lowering};
use crate::entry::Entry;
use crate::execute::{Code, NEGATED, Step};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

// The highest bit of a guard says that it is negated; the last means none.
const MOST: usize = (NEGATED - 1) as usize;

/// The slots of registers, by file.
#[derive(Debug, Default)]
struct Slots {
    of: HashMap<Register, u16>,
    taken: [usize; 3],
    /// Slots whose values are not wanted any more, by file.
    free: [Vec<u16>; 3],
    /// Registers that have a slot, by the last step that wants them.
    ends: BinaryHeap<Reverse<(usize, Register)>>,
}

impl Slots {
    /// A slot for a register whose value is wanted from one step to another.
    fn assign(&mut self, register: Register, from: usize, to: usize) -> Result<(), Issue> {
        while let Some(Reverse((end, other))) = self.ends.peek().copied() {
            // Not at the same step: it may write one while it reads the other.
            if end >= from {
                break;
            }
            self.ends.pop();
            self.free[other.file as usize].push(self.of[&other]);
        }
        let file = register.file as usize;
        let slot = match self.free[file].pop() {
            Some(slot) => slot,
            None => self.new_slot(file)?,
        };
        self.of.insert(register, slot);
        self.ends.push(Reverse((to, register)));
        Ok(())
    }

    fn new_slot(&mut self, file: usize) -> Result<u16, Issue> {
        if self.taken[file] >= MOST {
            return Err(Issue::Unsupported(format!(
                "a kernel of more than {MOST} registers"
            )));
        }
        self.taken[file] += 1;
        Ok(self.taken[file] as u16 - 1)
    }
}

impl Lowering<'_> {
    /// The executable kernel.
    pub(super) fn finish(&mut self, entry: &Entry) -> Result<Code, Issue> {
        let (slots, undefined) = self.slots()?;
        let mut steps = Vec::with_capacity(self.drafts.len());
        let mut sources = Vec::with_capacity(self.drafts.len());
        for draft in &self.drafts {
            steps.push(self.step(draft, &slots)?);
            sources.push(self.sources.get(draft.text).cloned().unwrap_or_default());
        }
        // Shared memory of the launch's size begins behind the rest.
        let shared_bytes = self.shared_bytes.next_multiple_of(16);
        let mut code = Code {
            name: entry.name.clone(),
            steps,
            sources,
            shared_bytes,
            frame: self.frame.next_multiple_of(16) as usize,
            parameter_bytes: entry.parameter_bytes,
            max_threads: entry.max_threads,
            required_threads: entry.required_threads,
            arguments: self.arguments.clone(),
            ..Code::default()
        };
        for (constant, register) in &self.constants {
            let Some(&slot) = slots.of.get(register) else {
                continue;
            };
            let value = match constant {
                Constant::Bits(bits) => *bits,
                Constant::Dynamic(offset) => shared_bytes.wrapping_add(*offset),
            };
            match register.file {
                File::Wide => code.wide_constants.push((slot, value)),
                File::Word | File::Predicate => code.word_constants.push((slot, value as u32)),
            }
        }
        for (special, register) in &self.specials {
            if let Some(&slot) = slots.of.get(register) {
                code.specials.push((slot, *special));
            }
        }
        for register in undefined {
            let slot = slots.of[&register];
            match register.file {
                File::Word => code.undefined[0].push(slot),
                File::Wide => code.undefined[1].push(slot),
                File::Predicate => code.undefined[2].push(slot),
            }
        }
        [code.words, code.wides, code.predicates] = slots.taken;
        for table in &self.tables {
            let targets = table.iter().map(|label| self.position(*label));
            code.tables.push(targets.collect::<Result<_, _>>()?);
        }
        Ok(code)
    }

    /// Slots for all registers, and those that may be read before they are written.
    fn slots(&self) -> Result<(Slots, Vec<Register>), Issue> {
        let mut slots = Slots::default();
        let fixed: HashSet<u32> = self
            .constants
            .iter()
            .map(|(_, register)| register.id)
            .chain(self.specials.iter().map(|(_, register)| register.id))
            .collect();
        let mut registers: Vec<Register> = Vec::new();
        let mut seen = HashSet::new();
        for (register, _) in self
            .drafts
            .iter()
            .flat_map(|draft| draft.registers.iter().flatten())
        {
            if seen.insert(register.id) {
                registers.push(*register);
            }
        }
        let whole = 0..self.drafts.len();
        let jumps = self.jumps()?;
        let lives = lives(&self.drafts, &|draft| jumps(draft));
        let range = |register: &Register| match &lives {
            Some(lives) if !fixed.contains(&register.id) => lives.ranges[&register.id].clone(),
            _ => whole.clone(),
        };
        registers.sort_by_key(|register| (range(register).start, register.id));
        for register in &registers {
            let range = range(register);
            slots.assign(*register, range.start, range.end)?;
        }
        let undefined: HashSet<u32> = match lives {
            Some(lives) => lives.undefined.into_iter().collect(),
            None => registers.iter().map(|register| register.id).collect(),
        };
        registers.retain(|it| undefined.contains(&it.id) && !fixed.contains(&it.id));
        Ok((slots, registers))
    }

    /// Where each step may jump to.
    fn jumps(&self) -> Result<impl Fn(&Draft) -> Vec<usize>, Issue> {
        let position = |label: usize| self.position(label).map(|at| at as usize);
        let labels: Vec<Option<usize>> = (0..self.labels.len())
            .map(|label| position(label).ok())
            .collect();
        let mut tables = Vec::new();
        for table in &self.tables {
            let targets = table.iter().map(|label| position(*label));
            tables.push(targets.collect::<Result<Vec<_>, _>>()?);
        }
        Ok(move |draft: &Draft| match (draft.target, draft.table) {
            (Some(label), _) => labels[label].into_iter().collect(),
            (None, Some(table)) => tables[table].clone(),
            (None, None) => Vec::new(),
        })
    }

    fn position(&self, label: usize) -> Result<u32, Issue> {
        let at = self.labels.get(label).copied().unwrap_or(usize::MAX);
        match u32::try_from(at) {
            Ok(at) if (at as usize) < self.drafts.len() => Ok(at),
            _ => Issue::invalid("a label that stands before nothing"),
        }
    }

    fn step(&self, draft: &Draft, slots: &Slots) -> Result<Step, Issue> {
        let mut step = draft.step;
        if let Some(label) = draft.target {
            step.extra = self.position(label)?;
        }
        for field in FIELDS {
            let Some((register, _)) = draft.registers[field as usize] else {
                continue;
            };
            let slot = slots.of[&register];
            match field {
                Field::To => step.to = slot,
                Field::A => step.a = slot,
                Field::B => step.b = slot,
                Field::C => step.c = slot,
                Field::D => step.d = slot,
                Field::Guard => step.guard = slot | if draft.guard_negated { NEGATED } else { 0 },
                Field::Immediate => step.immediate = slot.into(),
            }
        }
        Ok(step)
    }
}
