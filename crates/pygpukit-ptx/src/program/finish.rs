//! Places for registers: drafts to steps.

use super::draft::{Draft, FIELDS, Field, File, Register};
use super::error::Issue;
use super::lower::{Constant, Lowering};
use crate::entry::Entry;
use crate::execute::{Code, NEGATED, Step};
use std::collections::HashMap;

/// The slots of registers, by file.
#[derive(Debug, Default)]
struct Slots {
    of: HashMap<Register, u16>,
    taken: [usize; 3],
}

impl Slots {
    fn slot(&mut self, register: Register) -> Result<u16, Issue> {
        if let Some(&slot) = self.of.get(&register) {
            return Ok(slot);
        }
        // The highest bit of a guard says that it is negated; the last means none.
        const MOST: usize = (NEGATED - 1) as usize;
        let taken = &mut self.taken[register.file as usize];
        if *taken >= MOST {
            return Err(Issue::Unsupported(format!("a kernel of more than {MOST} registers")));
        }
        let slot = *taken as u16;
        *taken += 1;
        self.of.insert(register, slot);
        Ok(slot)
    }
}

impl Lowering<'_> {
    /// The executable kernel.
    pub(super) fn finish(&mut self, entry: &Entry) -> Result<Code, Issue> {
        let mut slots = Slots::default();
        let mut steps = Vec::with_capacity(self.drafts.len());
        let mut sources = Vec::with_capacity(self.drafts.len());
        for draft in &self.drafts {
            steps.push(self.step(draft, &mut slots)?);
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
            ..Code::default()
        };
        for (&(file, constant), register) in &self.constants {
            let Some(&slot) = slots.of.get(register) else {
                continue;
            };
            let value = match constant {
                Constant::Bits(bits) => bits,
                Constant::Dynamic(offset) => shared_bytes.wrapping_add(offset),
            };
            match file {
                File::Wide => code.wide_constants.push((slot, value)),
                File::Word | File::Predicate => code.word_constants.push((slot, value as u32)),
            }
        }
        code.word_constants.sort_unstable();
        code.wide_constants.sort_unstable();
        for (register, special) in &self.specials {
            if let Some(&slot) = slots.of.get(register) {
                code.specials.push((slot, *special));
            }
        }
        code.specials.sort_unstable_by_key(|(slot, _)| *slot);
        [code.words, code.wides, code.predicates] = slots.taken;
        code.arguments.clone_from(&self.arguments);
        for table in &self.tables {
            let targets = table.iter().map(|label| self.position(*label));
            code.tables.push(targets.collect::<Result<_, _>>()?);
        }
        Ok(code)
    }

    fn position(&self, label: usize) -> Result<u32, Issue> {
        let at = self.labels.get(label).copied().unwrap_or(usize::MAX);
        match u32::try_from(at) {
            Ok(at) if (at as usize) < self.drafts.len() => Ok(at),
            _ => Issue::invalid("a label that stands before nothing"),
        }
    }

    fn step(&self, draft: &Draft, slots: &mut Slots) -> Result<Step, Issue> {
        let mut step = draft.step;
        if let Some(label) = draft.target {
            step.extra = self.position(label)?;
        }
        for field in FIELDS {
            let Some((register, _)) = draft.registers[field as usize] else {
                continue;
            };
            let slot = slots.slot(register)?;
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

