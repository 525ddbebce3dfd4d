//! The parameters of a kernel, read from its source.

use super::c_token::{Token, tokens};
use super::c_type::{Aliases, Parameter, group_end, parameter};
use crate::error::{Error, Result};
use std::collections::{BTreeMap, BTreeSet};

/// The name and parameters of a kernel, as its source declares them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The kernel's name, with its namespaces.
    pub name: String,
    /// What the compiler is asked for: the name, with template arguments if any.
    pub expression: String,
    /// The parameters, in order.
    pub parameters: Vec<Parameter>,
}

impl Signature {
    /// Reads the signature of the kernel `function` from CUDA C source.
    /// `function` may name a namespace (`a::f`) and template arguments (`f<float>`).
    ///
    /// # Errors
    /// [`Error::Value`] if there is no such kernel (the message names those that
    /// there are), several, or a template without arguments.
    pub fn read(source: &str, function: &str) -> Result<Self> {
        let source = tokens(source);
        let function = function.trim();
        let (name, arguments) = match function.find('<') {
            Some(at) => (function[..at].trim_end(), &function[at..]),
            None => (function, ""),
        };
        if !is_closed(arguments) {
            return Err(Error::Value(format!(
                "`{function}` names no kernel: its template arguments do not end with `>`"
            )));
        }
        let kernels = kernels(&source.tokens, &source.macros);
        let is_named = |kernel: &&Kernel<'_>| {
            let rest = kernel.name.strip_suffix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with("::"))
        };
        let mut named = kernels.iter().filter(is_named);
        let Some(kernel) = named.next() else {
            return Err(Error::Value(missing(name, &kernels)));
        };
        let kernel = named.try_fold(kernel, |first, other| first.joined(other))?;
        if kernel.is_template && arguments.is_empty() {
            return Err(Error::Value(format!(
                "kernel `{name}` is a template; name an instance of it, as in func=\"{name}<float>\""
            )));
        }
        let aliases = aliases(&source.tokens);
        let parameters = kernel.parameters.iter().enumerate();
        let mut parameters: Vec<Parameter> = parameters
            .map(|(position, tokens)| parameter(tokens, position, &aliases))
            .collect();
        // Names that a macro writes can be equal; positions still tell them apart.
        let mut seen = BTreeSet::new();
        for (position, parameter) in parameters.iter_mut().enumerate() {
            if !seen.insert(parameter.name.clone()) {
                parameter.name = format!("_{position}");
            }
        }
        Ok(Self {
            name: kernel.name.clone(),
            expression: format!("{}{arguments}", kernel.name),
            parameters,
        })
    }
}

/// Whether template arguments, if there are any, are closed where they end.
fn is_closed(arguments: &str) -> bool {
    let count = |bracket| arguments.matches(bracket).count();
    arguments.is_empty() || arguments.ends_with('>') && count('<') <= count('>')
}

fn missing(name: &str, kernels: &[Kernel<'_>]) -> String {
    let mut names: Vec<String> = kernels
        .iter()
        .map(|kernel| format!("`{}`", kernel.name))
        .collect();
    names.dedup();
    if names.is_empty() {
        format!("there is no kernel `{name}`: the source has no `__global__` function")
    } else {
        format!(
            "there is no kernel `{name}`; the source has {}",
            names.join(", ")
        )
    }
}

/// A `__global__` function as found.
#[derive(Clone, Debug)]
struct Kernel<'a> {
    name: String,
    parameters: Vec<&'a [Token<'a>]>,
    is_template: bool,
    has_body: bool,
}

impl Kernel<'_> {
    /// A declaration and its definition are one kernel, and so are two that take the
    /// same: of those a condition leaves one. Anything else is two.
    fn joined<'s>(&'s self, other: &'s Self) -> Result<&'s Self> {
        let is_pair =
            self.parameters.len() == other.parameters.len() && !(self.has_body && other.has_body);
        let is_twin = self.parameters == other.parameters;
        if self.name == other.name && (is_pair || is_twin) {
            Ok(if other.has_body { other } else { self })
        } else {
            Err(Error::Value(format!(
                "several kernels are named `{}`; give each a name of its own",
                self.name
            )))
        }
    }
}

/// All `__global__` functions. `macros` may stand for the word.
fn kernels<'a>(tokens: &'a [Token<'a>], macros: &[(&str, Vec<Token<'_>>)]) -> Vec<Kernel<'a>> {
    const GLOBAL: &str = "__global__";
    let stands_for = |(name, body): &(&'_ str, Vec<Token<'_>>)| {
        body.contains(&Token::Word(GLOBAL))
            .then(|| (*name).to_owned())
    };
    let words: BTreeSet<String> = macros.iter().filter_map(stands_for).collect();
    let mut found = Vec::new();
    // One entry per open brace: the namespace it opens, if it does.
    let mut scopes: Vec<Option<String>> = Vec::new();
    let mut opens: Option<String> = None;
    let mut is_template = false;
    let mut at = 0;
    while let Some(&token) = tokens.get(at) {
        at += 1;
        match token {
            Token::Word("namespace") => opens = Some(String::new()),
            Token::Word("template") => {
                if let Some(end) = group_end(tokens, at, '<', '>') {
                    at = end;
                    is_template = true;
                }
            }
            Token::Word(word) if word == GLOBAL || words.contains(word) => {
                if let Some((kernel, end)) = function(tokens, at) {
                    found.push(Kernel {
                        name: qualified(&scopes, &kernel.name),
                        is_template,
                        ..kernel
                    });
                    at = end;
                }
                is_template = false;
            }
            Token::Word(word) => {
                if let Some(name) = &mut opens {
                    *name = if name.is_empty() {
                        word.into()
                    } else {
                        format!("{name}::{word}")
                    };
                }
            }
            Token::Sign('{') => scopes.push(opens.take()),
            Token::Sign('}') => {
                scopes.pop();
                is_template = false;
            }
            Token::Sign(';' | '=') => {
                opens = None;
                is_template &= token != Token::Sign(';');
            }
            Token::Sign(_) | Token::Number(_) | Token::Literal => {}
        }
    }
    found
}

fn qualified(scopes: &[Option<String>], name: &str) -> String {
    let mut path: Vec<&str> = scopes.iter().flatten().map(String::as_str).collect();
    path.retain(|scope| !scope.is_empty());
    path.push(name);
    path.join("::")
}

/// Reads on from `__global__`: attributes, `void`, the name, the parameters. The
/// parameters are the group that a body or a semicolon follows; any other group
/// belongs to an attribute or macro. Gives the place after the parameters.
fn function<'a>(tokens: &'a [Token<'a>], mut at: usize) -> Option<(Kernel<'a>, usize)> {
    loop {
        match (*tokens.get(at)?, tokens.get(at + 1)) {
            (Token::Word(name), Some(Token::Sign('('))) => {
                let end = group_end(tokens, at + 1, '(', ')')?;
                let has_body = match tokens.get(end) {
                    Some(Token::Sign('{')) => true,
                    Some(Token::Sign(';')) => false,
                    // `auto f(..) -> void`.
                    Some(Token::Sign('-')) if tokens.get(end + 1) == Some(&Token::Sign('>')) => {
                        tokens.get(end + 3) == Some(&Token::Sign('{'))
                    }
                    _ => {
                        at = end;
                        continue;
                    }
                };
                let kernel = Kernel {
                    name: name.into(),
                    parameters: split(&tokens[at + 2..end - 1]),
                    is_template: false,
                    has_body,
                };
                return Some((kernel, end));
            }
            (Token::Sign('{' | '}' | ';'), _) => return None,
            _ => at += 1,
        }
    }
}

/// Splits at commas outside brackets; `()` and `(void)` are empty.
fn split<'a>(tokens: &'a [Token<'a>]) -> Vec<&'a [Token<'a>]> {
    if matches!(tokens, [] | [Token::Word("void")]) {
        return Vec::new();
    }
    let mut depth = 0_usize;
    tokens
        .split(|token| {
            match token {
                Token::Sign('(' | '<' | '[' | '{') => depth += 1,
                Token::Sign(')' | '>' | ']' | '}') => depth = depth.saturating_sub(1),
                Token::Sign(_) | Token::Word(_) | Token::Number(_) | Token::Literal => {}
            }
            depth == 0 && *token == Token::Sign(',')
        })
        .collect()
}

/// `typedef type name;` and `using name = type;` without braces or parentheses.
fn aliases<'a>(tokens: &[Token<'a>]) -> Aliases<'a> {
    let mut found: Aliases<'a> = BTreeMap::new();
    let starts_statement = |at: usize| {
        let before = at.checked_sub(1).map(|before| tokens[before]);
        matches!(before, None | Some(Token::Sign(';' | '{' | '}')))
    };
    let keywords = ["typedef", "using"].map(Token::Word);
    let starts = (0..tokens.len()).filter(|&at| keywords.contains(&tokens[at]));
    for at in starts.filter(|&at| starts_statement(at)) {
        let rest = &tokens[at + 1..];
        let Some(end) = rest.iter().position(|&token| token == Token::Sign(';')) else {
            break;
        };
        let (name, body) = match (&rest[..end], tokens[at]) {
            ([body @ .., Token::Word(name)], Token::Word("typedef")) => (*name, body),
            ([Token::Word(name), Token::Sign('='), body @ ..], Token::Word("using")) => {
                (*name, body)
            }
            _ => continue,
        };
        let is_plain = !body
            .iter()
            .any(|token| matches!(token, Token::Sign('(' | '{' | '[')));
        let meaning = is_plain.then(|| body.to_vec());
        let known = found.entry(name).or_insert_with(|| meaning.clone());
        if *known != meaning {
            *known = None;
        }
    }
    found
}

#[cfg(test)]
#[path = "signature_tests.rs"]
mod tests;
