//! A PTX module: its kernels, with what their callees do added to them.

use crate::body::{Body, shared_variables};
use crate::entry::{Entry, Facts, parameters};
use crate::error::PtxError;
use crate::parse::{Function, Item, Outline, refuse, write_items};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Display, Formatter};

/// One PTX text. Displayed, it is text again: the same tokens, without comments.
///
/// ```
/// use pygpukit_ptx::Module;
///
/// let module = Module::parse(".version 8.0 .target sm_80 .entry k(.param .u64 x) { ret; }")?;
/// assert_eq!(module.entries[0].parameters[0].size, 8);
/// assert_eq!(Module::parse(&module.to_string())?.entries, module.entries);
/// # Ok::<(), pygpukit_ptx::PtxError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The PTX version the text needs, as (major, minor).
    pub version: (u32, u32),
    /// What it was compiled for: `sm_90`.
    pub target: String,
    /// The kernels, in the order of the text.
    pub entries: Vec<Entry>,
    /// All that is written.
    pub(crate) items: Vec<Item>,
}

impl Module {
    /// Reads PTX text.
    ///
    /// # Errors
    /// Text that is not PTX, or a kernel whose declaration cannot be read.
    pub fn parse(text: &str) -> Result<Self, PtxError> {
        let outline = Outline::parse(text)?;
        let Some(version) = outline.version else {
            return Err(refuse(1, "no `.version` line: this is not PTX"));
        };
        Ok(Self {
            version,
            target: outline.target,
            entries: entries(&outline.items)?,
            items: outline.items,
        })
    }

    /// The kernel of that (mangled) name.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// The functions and kernels that have a body.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &Function> {
        defined(&self.items)
    }
}

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write_items(&self.items, f)
    }
}

fn defined(items: &[Item]) -> impl Iterator<Item = &Function> {
    items.iter().filter_map(|item| match item {
        Item::Function(function) => function.body.is_some().then_some(function),
        Item::Variable(_) | Item::Raw(_) => None,
    })
}

fn entries(items: &[Item]) -> Result<Vec<Entry>, PtxError> {
    // Headers first: what they declare is refused even without a body.
    let mut headers = Vec::new();
    for item in items {
        if let Item::Function(function) = item
            && function.is_entry
        {
            let entry = entry(function)?;
            headers.extend(function.body.is_some().then_some(entry));
        }
    }
    let shared: BTreeMap<&str, Option<u64>> = items
        .iter()
        .filter_map(|item| match item {
            Item::Variable(declaration) => Some(declaration),
            Item::Function(_) | Item::Raw(_) => None,
        })
        .filter(|declaration| declaration.space == ".shared")
        .flat_map(shared_variables)
        .collect();
    let known: BTreeSet<&str> = defined(items)
        .map(|function| &*function.name)
        .chain(shared.keys().copied())
        .collect();
    let bodies: BTreeMap<&str, Body<'_>> = defined(items)
        .map(|function| {
            let body = function.body.as_deref().unwrap_or_default();
            (&*function.name, Body::read(body, &known))
        })
        .collect();
    for entry in &mut headers {
        let cluster = entry.facts.cluster;
        entry.facts = reached_facts(&entry.name, &bodies, &shared);
        entry.facts.cluster |= cluster;
    }
    Ok(headers)
}

/// A kernel as its header declares it.
fn entry(function: &Function) -> Result<Entry, PtxError> {
    let line = usize::try_from(function.span.line).unwrap_or(usize::MAX);
    let name = &function.name;
    let list = function.parameters.as_deref().unwrap_or_default();
    let parameters =
        parameters(list).map_err(|reason| refuse(line, &format!("`{name}` has {reason}")))?;
    Ok(Entry {
        name: name.clone(),
        parameter_bytes: parameters.last().map_or(0, |last| last.offset + last.size),
        parameters,
        max_threads: axes(&function.directives, ".maxntid"),
        required_threads: axes(&function.directives, ".reqntid"),
        facts: Facts {
            cluster: function
                .directives
                .iter()
                .any(|word| word.contains("cluster")),
            ..Facts::default()
        },
    })
}

/// The facts of a function and of all that it can reach.
fn reached_facts(
    name: &str,
    bodies: &BTreeMap<&str, Body<'_>>,
    shared: &BTreeMap<&str, Option<u64>>,
) -> Facts {
    let mut facts = Facts::default();
    let mut reached: BTreeSet<&str> = BTreeSet::new();
    let mut open = vec![name];
    let mut reaches_all = false;
    while let Some(name) = open.pop() {
        if !reached.insert(name) {
            continue;
        }
        if let Some(&bytes) = shared.get(name) {
            facts.add_shared(bytes);
        }
        if let Some(body) = bodies.get(name) {
            facts.merge(body.facts);
            open.extend(&body.mentions);
            if body.calls_any && !std::mem::replace(&mut reaches_all, true) {
                open.extend(bodies.keys());
            }
        }
    }
    facts
}

/// Up to three numbers behind that word; the axes not named have length 1.
fn axes(directives: &[String], name: &str) -> Option<[u32; 3]> {
    let start = directives.iter().position(|word| word == name)? + 1;
    let mut axes = [1; 3];
    for (i, axis) in axes.iter_mut().enumerate() {
        let comma = start + 2 * i;
        if i == 0 || directives.get(comma - 1).is_some_and(|word| word == ",") {
            *axis = directives.get(comma)?.parse().ok()?;
        }
    }
    Some(axes)
}
