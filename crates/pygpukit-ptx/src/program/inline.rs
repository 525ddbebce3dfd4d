//! Calls: the body of a function is put where it is called.

use super::draft::Draft;
use super::error::Issue;
use super::lower::Lowering;
use super::operands::name_of;
use super::scope::{Address, Named};
use crate::execute::{Handler, Space};
use crate::operations::{control, system};
use crate::parse::{Declaration, Function, Item, Operand};
use std::collections::HashMap;

/// Functions within functions that are put in.
const DEEPEST: usize = 48;

impl<'m> Lowering<'m> {
    /// `call (returned), function, (arguments);`
    pub(super) fn call(&mut self, operands: &[Operand]) -> Result<(), Issue> {
        let (returned, rest) = match operands {
            [Operand::Group(returned), rest @ ..] => (&returned[..], rest),
            rest => (&[][..], rest),
        };
        let (target, arguments) = match rest {
            [target] => (target, &[][..]),
            [target, Operand::Group(arguments)] => (target, &arguments[..]),
            _ => return Err(Issue::Unsupported("a call through a register".into())),
        };
        let name = name_of(target)?;
        let function = self.function(name)?;
        if function.body.is_none() {
            return self.call_system(name, returned, arguments);
        }
        if self.calls.iter().any(|(caller, _)| caller == name) {
            return Err(Issue::Unsupported(format!("`{name}`, which calls itself,")));
        }
        if self.calls.len() > DEEPEST {
            return Err(Issue::Unsupported("functions nested so deeply".into()));
        }
        if self.is_guarded() {
            return Err(Issue::Unsupported("a call under a predicate".into()));
        }
        let mut names = HashMap::new();
        self.bind(function.returns.as_deref(), returned, &mut names)?;
        self.bind(function.parameters.as_deref(), arguments, &mut names)?;
        let after = self.new_label();
        self.body(function, names, Some(after))?;
        self.labels[after] = self.drafts.len();
        Ok(())
    }

    fn function(&self, name: &str) -> Result<&'m Function, Issue> {
        let module = self.module;
        let mut functions = module.items.iter().filter_map(|item| match item {
            Item::Function(function) if function.name == name => Some(function),
            _ => None,
        });
        let first = functions.next();
        let defined = functions.find(|function| function.body.is_some());
        // Often declared first and defined later.
        match (first, defined) {
            (_, Some(function)) | (Some(function), None) => Ok(function),
            (None, None) => Issue::invalid(format!("there is no function `{name}`")),
        }
    }

    /// Gives the parameters of a function the places of the caller's variables.
    fn bind(
        &mut self,
        formal: Option<&[Declaration]>,
        actual: &[Operand],
        names: &mut HashMap<String, Named>,
    ) -> Result<(), Issue> {
        let formal = formal.unwrap_or_default();
        if formal.len() != actual.len() {
            let (wanted, given) = (formal.len(), actual.len());
            return Issue::invalid(format!("{given} arguments where {wanted} belong"));
        }
        for (declaration, operand) in formal.iter().zip(actual) {
            let meaning = match self.find(name_of(operand)?)? {
                Some(meaning @ Named::Variable { .. }) if declaration.space == ".param" => meaning,
                _ => return Err(Issue::Unsupported(format!("`{operand}` as an argument"))),
            };
            for name in &declaration.names {
                names.insert(name.name.clone(), meaning.clone());
            }
        }
        Ok(())
    }

    /// `ret`: behind the call, or the end.
    pub(super) fn ret(&mut self) -> Result<(), Issue> {
        let after = self.calls.last().and_then(|(_, after)| *after);
        let mut draft = Draft::new(control::exit);
        if let Some(label) = after {
            draft = Draft::new(control::branch);
            draft.target = Some(label);
        }
        draft.ends = true;
        self.emit(draft)
    }

    /// Functions that the device's system has.
    fn call_system(
        &mut self,
        name: &str,
        returned: &[Operand],
        arguments: &[Operand],
    ) -> Result<(), Issue> {
        let (handler, count): (Handler, _) = match name {
            "vprintf" => (system::print, 2),
            "__assertfail" => (system::fail_assertion, 5),
            _ => return Err(Issue::Unsupported(format!("the function `{name}`"))),
        };
        if arguments.len() != count {
            return Issue::invalid(format!("`{name}` takes {count} arguments"));
        }
        let mut places = Vec::new();
        for operand in arguments.iter().chain(returned) {
            let Some(Named::Variable {
                space: Space::Local,
                address: Address::At(at),
            }) = self.find(name_of(operand)?)?
            else {
                return Err(Issue::Unsupported(format!("`{operand}` as an argument")));
            };
            places.push(at as u32);
        }
        self.arguments.push(places);
        self.emit(Draft::new(handler).extra(self.arguments.len() as u32 - 1))
    }
}
