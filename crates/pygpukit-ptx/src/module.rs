//! A PTX module: its kernels, with what their callees do added to them.

use crate::body::{Body, shared_variable};
use crate::entry::{Entry, Facts, parameters};
use crate::error::PtxError;
use crate::token::{Cursor, Token, tokens};
use std::collections::{BTreeMap, BTreeSet};

/// The kernels of one PTX text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The PTX version the text needs, as (major, minor).
    pub version: (u32, u32),
    /// What it was compiled for: `sm_90`.
    pub target: String,
    /// The kernels, in the order of the text.
    pub entries: Vec<Entry>,
}

impl Module {
    /// Reads PTX text.
    ///
    /// # Errors
    /// Text that is not PTX, or a kernel whose declaration cannot be read.
    pub fn parse(text: &str) -> Result<Self, PtxError> {
        let tokens = tokens(text);
        let mut outline = Outline::default();
        outline.read(&mut Cursor::new(&tokens))?;
        let Some(version) = outline.version else {
            return Err(refuse(1, "no `.version` line: this is not PTX"));
        };
        let known: BTreeSet<&str> = outline.functions.iter().map(|it| it.name).collect();
        let known = &known | &outline.shared.keys().copied().collect();
        let bodies: BTreeMap<&str, Body<'_>> = outline
            .functions
            .iter()
            .map(|function| (function.name, Body::read(function.body, &known)))
            .collect();
        let entries = outline
            .functions
            .iter()
            .filter_map(|function| {
                let mut entry = function.entry.clone()?;
                entry.facts = reached_facts(function.name, &bodies, &outline.shared);
                entry.facts.cluster |= function.has_cluster;
                Some(entry)
            })
            .collect();
        Ok(Self {
            version,
            target: outline.target,
            entries,
        })
    }

    /// The kernel of that (mangled) name.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }
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

/// A module before the bodies of its functions are read.
#[derive(Default)]
struct Outline<'t, 'a> {
    version: Option<(u32, u32)>,
    target: String,
    /// Variables in shared memory outside functions, with their bytes.
    shared: BTreeMap<&'a str, Option<u64>>,
    functions: Vec<Function<'t, 'a>>,
}

struct Function<'t, 'a> {
    name: &'a str,
    body: &'t [Token<'a>],
    has_cluster: bool,
    /// For kernels: everything but the facts.
    entry: Option<Entry>,
}

impl<'t, 'a> Outline<'t, 'a> {
    fn read(&mut self, cursor: &mut Cursor<'t, 'a>) -> Result<(), PtxError> {
        while let Some(token) = cursor.next() {
            let line = token.line;
            if token.is('{') && cursor.take_group('{', '}').is_none() {
                return Err(refuse(line, "`{` without `}`"));
            }
            match token.word() {
                Some(".version") => {
                    let version = cursor.take_word().and_then(version);
                    let version = version.ok_or_else(|| refuse(line, "an unreadable version"))?;
                    self.version = Some(version);
                }
                Some(".target") => {
                    self.target = cursor.take_word().unwrap_or_default().into();
                }
                Some(".shared") => {
                    if let Some(variable) = shared_variable(cursor) {
                        self.shared.insert(variable.name, variable.bytes);
                    }
                }
                Some(".entry") => self.functions.extend(function(cursor, true)?),
                Some(".func") => self.functions.extend(function(cursor, false)?),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Reads from the name to the end of the body; `None` for a mere declaration.
fn function<'t, 'a>(
    cursor: &mut Cursor<'t, 'a>,
    is_entry: bool,
) -> Result<Option<Function<'t, 'a>>, PtxError> {
    let line = cursor.line();
    let open = |what: &str| refuse(line, &format!("{what} without an end"));
    if !is_entry && cursor.take('(') {
        cursor
            .take_group('(', ')')
            .ok_or_else(|| open("a return value"))?;
    }
    let name = cursor
        .take_word()
        .ok_or_else(|| refuse(line, "a function without a name"))?;
    let parameters = if cursor.take('(') {
        let group = cursor.take_group('(', ')');
        let group = group.ok_or_else(|| open("a parameter list"))?;
        if is_entry {
            let reason = |reason: String| refuse(line, &format!("`{name}` has {reason}"));
            self::parameters(group).map_err(reason)?
        } else {
            Vec::new()
        }
    } else {
        Vec::new()
    };
    let end = parameters.last().map_or(0, |last| last.offset + last.size);
    let mut entry = Entry {
        name: name.into(),
        parameters,
        parameter_bytes: end,
        max_threads: None,
        required_threads: None,
        facts: Facts::default(),
    };
    let mut has_cluster = false;
    while let Some(token) = cursor.next() {
        match token.word() {
            Some(".maxntid") => entry.max_threads = axes(cursor),
            Some(".reqntid") => entry.required_threads = axes(cursor),
            Some(word) => has_cluster |= word.contains("cluster"),
            None if token.is('{') => {
                let body = cursor.take_group('{', '}');
                return Ok(Some(Function {
                    name,
                    body: body.ok_or_else(|| open("a body"))?,
                    has_cluster,
                    entry: is_entry.then_some(entry),
                }));
            }
            None if token.is(';') => return Ok(None),
            None => {}
        }
    }
    Ok(None)
}

/// Up to three numbers; the axes not named have length 1.
fn axes(cursor: &mut Cursor<'_, '_>) -> Option<[u32; 3]> {
    let mut axes = [1; 3];
    for (i, axis) in axes.iter_mut().enumerate() {
        if i == 0 || cursor.take(',') {
            *axis = u32::try_from(cursor.take_number()?).ok()?;
        }
    }
    Some(axes)
}

fn version(word: &str) -> Option<(u32, u32)> {
    let (major, minor) = word.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn refuse(line: usize, message: &str) -> PtxError {
    PtxError {
        line,
        message: message.into(),
    }
}
