//! A step whose registers have no places yet.

use crate::execute::{Handler, Step};

/// The file that holds a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum File {
    Word,
    Wide,
    Predicate,
}

/// A register of the text, or one that holds a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Register {
    pub(super) file: File,
    pub(super) id: u32,
}

/// The fields of a step that name registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    To,
    A,
    B,
    C,
    D,
    Guard,
    /// The lowest bits of the immediate.
    Immediate,
}

pub(super) const FIELDS: [Field; 7] = [
    Field::To,
    Field::A,
    Field::B,
    Field::C,
    Field::D,
    Field::Guard,
    Field::Immediate,
];

/// What a step does with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Usage {
    Read,
    Write,
    /// Some lanes or bits keep what they had.
    Both,
}

/// A step whose registers have no places yet.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) step: Step,
    pub(super) registers: [Option<(Register, Usage)>; 7],
    pub(super) guard_negated: bool,
    /// The label that `extra` becomes.
    pub(super) target: Option<usize>,
    /// The table of an indexed branch.
    pub(super) table: Option<usize>,
    /// True if no lane goes on to the next step.
    pub(super) ends: bool,
    /// Which statement it comes from, for its text.
    pub(super) text: usize,
}

impl Draft {
    pub(super) fn new(handler: Handler) -> Self {
        Self {
            step: Step::new(handler),
            registers: [None; 7],
            guard_negated: false,
            target: None,
            table: None,
            ends: false,
            text: 0,
        }
    }

    pub(super) fn with(mut self, field: Field, register: Register, usage: Usage) -> Self {
        self.registers[field as usize] = Some((register, usage));
        self
    }

    pub(super) fn to(self, register: Register) -> Self {
        self.with(Field::To, register, Usage::Write)
    }

    pub(super) fn a(self, register: Register) -> Self {
        self.with(Field::A, register, Usage::Read)
    }

    pub(super) fn b(self, register: Register) -> Self {
        self.with(Field::B, register, Usage::Read)
    }

    pub(super) fn c(self, register: Register) -> Self {
        self.with(Field::C, register, Usage::Read)
    }

    pub(super) fn d(self, register: Register) -> Self {
        self.with(Field::D, register, Usage::Read)
    }

    pub(super) fn extra(mut self, extra: u32) -> Self {
        self.step.extra = extra;
        self
    }

    pub(super) fn immediate(mut self, immediate: u64) -> Self {
        self.step.immediate = immediate;
        self
    }
}
