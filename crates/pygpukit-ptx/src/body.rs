//! What the code of one function does.

use crate::entry::{Declaration, Facts, offset};
use crate::token::{Cursor, Token};
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
    /// Reads the tokens between the braces; `known` are the names of the module.
    pub(crate) fn read(tokens: &[Token<'a>], known: &BTreeSet<&str>) -> Self {
        let mut body = Self::default();
        let mut cursor = Cursor::new(tokens);
        let mut starts_statement = true;
        while let Some(token) = cursor.next() {
            if let Some(word) = token.word() {
                if starts_statement && word == ".shared" {
                    let variable = shared_variable(&mut cursor);
                    body.facts
                        .add_shared(variable.and_then(|found| found.bytes));
                } else {
                    body.word(word, known, &cursor);
                }
            }
            body.facts.conditional |= token.is('@');
            starts_statement = token.is(';') || token.is('{') || token.is('}');
        }
        body
    }

    fn word(&mut self, word: &'a str, known: &BTreeSet<&str>, after: &Cursor<'_, 'a>) {
        let facts = &mut self.facts;
        if let Some(register) = word.strip_prefix('%') {
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
            return;
        }
        let mnemonic = word.split('.').next().unwrap_or_default();
        match mnemonic {
            "bar" | "barrier" | "mbarrier" => facts.barrier = true,
            "setp" | "set" | "selp" | "slct" | "min" | "max" | "testp" => facts.conditional = true,
            "call" => self.calls_any |= calls_register(after.clone()),
            _ => {}
        }
        if known.contains(word) {
            self.mentions.insert(word);
        }
    }
}

/// After `call`: true if the target is a register, or cannot be told.
/// `call (return), target, (arguments), table;`
fn calls_register(mut cursor: Cursor<'_, '_>) -> bool {
    // No function returns more words than this; a bound keeps reading linear.
    const LONGEST: usize = 64;
    let mut in_return = cursor.take('(');
    for _ in 0..LONGEST {
        match cursor.next() {
            Some(token) if token.is(')') => in_return = false,
            Some(token) if !in_return && token.word().is_some() => {
                return token.word().is_none_or(|target| target.starts_with('%'));
            }
            Some(_) => {}
            None => break,
        }
    }
    true
}

/// A variable in shared memory.
pub(crate) struct SharedVariable<'a> {
    pub(crate) name: &'a str,
    /// Its size; `None` if the launch decides.
    pub(crate) bytes: Option<u64>,
}

/// Reads the variable that is declared after `.shared`.
pub(crate) fn shared_variable<'a>(cursor: &mut Cursor<'_, 'a>) -> Option<SharedVariable<'a>> {
    let declaration = Declaration::read(cursor)?;
    let size = declaration.extent().and_then(|(size, align)| {
        offset(0, align, size)?;
        u64::try_from(size).ok()
    });
    Some(SharedVariable {
        name: declaration.name,
        bytes: size,
    })
}
