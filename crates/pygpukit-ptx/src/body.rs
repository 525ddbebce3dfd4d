//! What the code of one function does.

use crate::entry::{Facts, offset};
use crate::parse::{Declaration, Instruction, Operand, Statement, StatementKind};
use std::collections::BTreeSet;

/// One function or kernel, before its callees are looked at.
#[derive(Debug, Default)]
pub(crate) struct Body<'a> {
    /// What its own code does.
    pub(crate) facts: Facts,
    /// Names of the module that it mentions: functions and variables.
    pub(crate) mentions: BTreeSet<&'a str>,
    /// True if it calls a function through a register.
    pub(crate) calls_any: bool,
}

impl<'a> Body<'a> {
    /// Reads a body; `known` are the names of the module.
    pub(crate) fn read(statements: &'a [Statement], known: &BTreeSet<&str>) -> Self {
        let mut body = Self::default();
        for statement in statements {
            match &statement.kind {
                StatementKind::Declaration(declaration) if declaration.space == ".shared" => {
                    for (_, bytes) in shared_variables(declaration) {
                        body.facts.add_shared(bytes);
                    }
                }
                StatementKind::Instruction(instruction) => body.instruction(instruction, known),
                StatementKind::Directive(tokens) => {
                    for token in tokens {
                        body.name(token, known);
                    }
                }
                StatementKind::Declaration(_)
                | StatementKind::Label(_)
                | StatementKind::Location(_)
                | StatementKind::Open
                | StatementKind::Close => {}
            }
        }
        body
    }

    fn instruction(&mut self, instruction: &'a Instruction, known: &BTreeSet<&str>) {
        self.facts.conditional |= instruction.guard.is_some();
        match instruction.mnemonic() {
            "bar" | "barrier" | "mbarrier" => self.facts.barrier = true,
            "setp" | "set" | "selp" | "slct" | "min" | "max" | "testp" => {
                self.facts.conditional = true;
            }
            "call" => self.calls_any |= calls_register(instruction),
            _ => {}
        }
        for operand in &instruction.operands {
            self.operand(operand, known);
        }
    }

    fn operand(&mut self, operand: &'a Operand, known: &BTreeSet<&str>) {
        match operand {
            Operand::Name(name) | Operand::Offset(name, _) => self.name(name, known),
            Operand::Address(parts) | Operand::Vector(parts) | Operand::Group(parts) => {
                for part in parts {
                    self.operand(part, known);
                }
            }
            Operand::Not(_) | Operand::Literal(_) | Operand::Pair(..) => {}
        }
    }

    fn name(&mut self, name: &'a str, known: &BTreeSet<&str>) {
        let facts = &mut self.facts;
        if let Some(register) = name.strip_prefix('%') {
            match register.split('.').collect::<Vec<_>>()[..] {
                ["tid" | "ntid" | "ctaid" | "nctaid", "x"] => {}
                ["tid" | "ntid" | "ctaid" | "nctaid", ..] => facts.multidimensional = true,
                ["dynamic_smem_size" | "total_smem_size" | "aggr_smem_size"] => {
                    facts.dynamic_shared = true;
                }
                _ => {
                    facts.cluster |= register.starts_with("cluster")
                        || register.starts_with("ncluster")
                        || register.starts_with("is_explicit_cluster");
                }
            }
        } else if known.contains(name) {
            self.mentions.insert(name);
        }
    }
}

/// `call (return), target, (arguments), table;`: true if the target is a register, or
/// cannot be told.
fn calls_register(call: &Instruction) -> bool {
    let target = call.operands.iter().find_map(|operand| {
        if let Operand::Name(name) = operand {
            Some(name)
        } else {
            None
        }
    });
    target.is_none_or(|name| name.starts_with('%'))
}

/// Variables in shared memory with their sizes; `None` if the launch decides.
pub(crate) fn shared_variables(
    declaration: &Declaration,
) -> impl Iterator<Item = (&str, Option<u64>)> {
    declaration.names.iter().map(|name| {
        let bytes = declaration.extent(name).and_then(|(size, align)| {
            offset(0, align, size)?;
            u64::try_from(size).ok()
        });
        (&*name.name, bytes)
    })
}
