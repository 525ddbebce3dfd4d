//! What names mean, within braces.

use super::draft::{File, Register};
use super::error::Issue;
use crate::execute::Space;
use crate::parse::{Declaration, Scalar, Statement, StatementKind};
use std::collections::HashMap;

/// Where a variable lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Address {
    At(u64),
    /// Behind all shared memory of known size.
    Dynamic,
}

/// What a name means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Named {
    Register {
        register: Register,
        /// Bits; 1 for predicates.
        width: usize,
    },
    Variable {
        space: Space,
        address: Address,
    },
    /// Labels of an indexed branch.
    Table(Vec<String>),
}

/// The names between two braces.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) names: HashMap<String, Named>,
    pub(super) labels: HashMap<String, usize>,
    /// `%r<9>`: prefix, and how many of which type.
    ranges: HashMap<String, (u64, Scalar)>,
    /// Nothing outside of it is seen: the body of a function.
    pub(super) is_function: bool,
}

/// Braces within braces that are followed; compilers write two.
pub(super) const DEEPEST: usize = 64;

impl Scope {
    /// A scope that begins before those statements, with its labels.
    pub(super) fn new(
        statements: &[Statement],
        labels: &mut usize,
        is_function: bool,
    ) -> Result<Self, Issue> {
        let mut scope = Self {
            is_function,
            ..Self::default()
        };
        let mut depth = 0_usize;
        for statement in statements {
            match &statement.kind {
                StatementKind::Open => depth += 1,
                StatementKind::Close if depth == 0 => break,
                StatementKind::Close => depth -= 1,
                StatementKind::Label(name) if depth == 0 => {
                    if scope.labels.insert(name.clone(), *labels).is_some() {
                        return Issue::invalid(format!("two labels `{name}`"));
                    }
                    *labels += 1;
                }
                _ => {}
            }
        }
        Ok(scope)
    }

    /// Notes declared registers.
    pub(super) fn declare(
        &mut self,
        declaration: &Declaration,
        count: &mut u32,
    ) -> Result<(), Issue> {
        let scalar = declaration.scalar.filter(|_| declaration.lanes == 1);
        let scalar = scalar.ok_or_else(|| Issue::Unsupported("registers of such a type".into()))?;
        for name in &declaration.names {
            if let Some(count) = name.registers {
                self.ranges.insert(name.name.clone(), (count, scalar));
            } else {
                let register = new_register(scalar, count)?;
                self.names.insert(name.name.clone(), register);
            }
        }
        Ok(())
    }

    /// The meaning of a name in this scope alone.
    pub(super) fn find(&mut self, name: &str, count: &mut u32) -> Result<Option<Named>, Issue> {
        if let Some(found) = self.names.get(name) {
            return Ok(Some(found.clone()));
        }
        let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = &name[prefix.len()..];
        let Some(&(limit, scalar)) = self.ranges.get(prefix) else {
            return Ok(None);
        };
        let canonical = digits == "0" || !digits.starts_with('0');
        let number = digits
            .parse()
            .ok()
            .filter(|number: &u64| canonical && *number < limit);
        if number.is_none() {
            return Ok(None);
        }
        let register = new_register(scalar, count)?;
        self.names.insert(name.into(), register.clone());
        Ok(Some(register))
    }
}

/// A register of its own.
pub(super) fn new_register(scalar: Scalar, count: &mut u32) -> Result<Named, Issue> {
    let file = file_of(scalar)?;
    let register = Register { file, id: *count };
    *count += 1;
    let width = if file == File::Predicate {
        1
    } else {
        scalar.bytes() * 8
    };
    Ok(Named::Register { register, width })
}

/// The file for values of a type.
pub(super) fn file_of(scalar: Scalar) -> Result<File, Issue> {
    match scalar.bytes() {
        0 => Ok(File::Predicate),
        1 | 2 | 4 => Ok(File::Word),
        8 => Ok(File::Wide),
        _ => Err(Issue::Unsupported("registers of 128 bits".into())),
    }
}
