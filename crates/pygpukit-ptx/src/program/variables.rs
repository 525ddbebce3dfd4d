//! Variables of a function, in shared and local memory.

use super::error::Issue;
use super::lower::Lowering;
use super::scope::{Address, Named};
use crate::entry::Entry;
use crate::execute::Space;
use crate::parse::{Declaration, Function};
use std::collections::HashMap;

/// The names of a kernel's parameters.
pub(super) fn parameters(function: &Function, entry: &Entry) -> HashMap<String, Named> {
    let declared = function.parameters.iter().flatten();
    let names = declared.flat_map(|declaration| &declaration.names);
    let placed = names.zip(&entry.parameters).map(|(name, parameter)| {
        let variable = Named::Variable {
            space: Space::Parameter,
            address: Address::At(parameter.offset as u64),
        };
        (name.name.clone(), variable)
    });
    placed.collect()
}

impl Lowering<'_> {
    /// Gives the variables or registers of a declaration their places.
    pub(super) fn declare(&mut self, declaration: &Declaration) -> Result<(), Issue> {
        match &*declaration.space {
            ".reg" => {
                let Some(scope) = self.scopes.last_mut() else {
                    return Ok(());
                };
                return scope.declare(declaration, &mut self.registers);
            }
            ".shared" | ".local" | ".param" => {}
            other => {
                return Err(Issue::Unsupported(format!(
                    "`{other}` variables in a function"
                )));
            }
        }
        for name in &declaration.names {
            let extent = declaration.extent(name);
            let variable = match (&*declaration.space, extent) {
                (".shared", None) => Named::Variable {
                    space: Space::Shared,
                    address: Address::Dynamic,
                },
                (".shared", Some((bytes, align))) => {
                    let function = self.calls.last().map(|(name, _)| name.clone());
                    let key = (function.unwrap_or_default(), name.name.clone());
                    let at = self.place_shared(key, bytes, align)?;
                    Named::Variable {
                        space: Space::Shared,
                        address: Address::At(at),
                    }
                }
                (_, Some((bytes, align))) => Named::Variable {
                    space: Space::Local,
                    address: Address::At(self.place_local(bytes, align)?),
                },
                (_, None) => return Issue::invalid("a variable without a size"),
            };
            self.define(name.name.clone(), variable);
        }
        Ok(())
    }

    /// The place of a shared variable, the same each time it is asked for.
    pub(super) fn place_shared(
        &mut self,
        key: (String, String),
        bytes: usize,
        align: usize,
    ) -> Result<u64, Issue> {
        if let Some(&at) = self.shared.get(&key) {
            return Ok(at);
        }
        let at = place(&mut self.shared_bytes, bytes, align, 232_448, "shared")?;
        self.shared.insert(key, at);
        Ok(at)
    }

    /// A place in the local memory of a thread.
    pub(super) fn place_local(&mut self, bytes: usize, align: usize) -> Result<u64, Issue> {
        place(&mut self.frame, bytes, align, 512 << 10, "local")
    }
}

/// Room behind what is taken.
fn place(
    taken: &mut u64,
    bytes: usize,
    align: usize,
    most: u64,
    space: &str,
) -> Result<u64, Issue> {
    let at = taken.next_multiple_of(align.max(1) as u64);
    let end = at.saturating_add(bytes as u64);
    if end > most {
        let message = format!("{end} bytes of {space} memory; at most {most}");
        return Issue::invalid(message);
    }
    *taken = end;
    Ok(at)
}
