//! The parameters of a kernel, read from its source.

use super::c_token::{Scanned, Token, join_lines, tokens};
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
    /// there are), several with different parameters, or a template without
    /// arguments or with some that do not end.
    pub fn read(source: &str, function: &str) -> Result<Self> {
        let text = join_lines(source);
        let source = tokens(&text);
        let function = function.trim();
        let (name, arguments) = match function.find('<') {
            Some(at) => (function[..at].trim_end(), &function[at..]),
            None => (function, ""),
        };
        if !arguments.is_empty() && !is_argument_list(&tokens(arguments).tokens) {
            return Err(Error::Value(format!(
                "func=\"{function}\" is no name of a kernel: template arguments go from `<` to a \
                 `>` at the end, as in \"{name}<float>\""
            )));
        }
        let kernels = kernels(&source);
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
    line: usize,
}

impl Kernel<'_> {
    /// A declaration and its definition are one kernel, and so are definitions with
    /// the same parameters, of which the compiler sees only one. Anything else is two.
    fn joined<'s>(&'s self, other: &'s Self) -> Result<&'s Self> {
        let is_same = self.is_template == other.is_template && self.parameters == other.parameters;
        let is_declared =
            self.parameters.len() == other.parameters.len() && !(self.has_body && other.has_body);
        if self.name == other.name && (is_same || is_declared) {
            Ok(if self.has_body { self } else { other })
        } else {
            Err(Error::Value(format!(
                "several kernels are named `{}`, with different parameters, on lines {} and {}; \
                 give each a name of its own",
                self.name, self.line, other.line
            )))
        }
    }
}

/// True for `<..>` whose brackets fit; `(1 > 2)` and `1 << 2` are no brackets.
fn is_argument_list(tokens: &[Token<'_>]) -> bool {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(&token) = tokens.get(at) {
        at += 1;
        match token {
            Token::Sign('(') => match group_end(tokens, at - 1, '(', ')') {
                Some(end) => at = end,
                None => return false,
            },
            Token::Sign('<') if tokens.get(at) == Some(&token) => at += 1,
            Token::Sign('<') => depth += 1,
            Token::Sign('>') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at == tokens.len();
                }
            }
            Token::Sign(_) | Token::Word(_) | Token::Number(_) | Token::Literal => {}
        }
    }
    false
}

/// All `__global__` functions. Macros may stand for the word.
fn kernels<'a>(source: &'a Scanned<'_>) -> Vec<Kernel<'a>> {
    const GLOBAL: &str = "__global__";
    let tokens = &source.tokens[..];
    let stands_for = |(name, body): &(&'_ str, Vec<Token<'_>>)| {
        body.contains(&Token::Word(GLOBAL))
            .then(|| (*name).to_owned())
    };
    let words: BTreeSet<String> = source.macros.iter().filter_map(stands_for).collect();
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
                        line: source.lines[at - 1],
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
/// parameters are the group that a body, a semicolon or `->` follows; any other
/// group belongs to an attribute or macro. Gives the place after the parameters.
fn function<'a>(tokens: &'a [Token<'a>], mut at: usize) -> Option<(Kernel<'a>, usize)> {
    let is_end = |token: &Token<'_>| matches!(token, Token::Sign('{' | ';'));
    loop {
        match (*tokens.get(at)?, tokens.get(at + 1)) {
            (Token::Word(name), Some(Token::Sign('('))) => {
                let end = group_end(tokens, at + 1, '(', ')')?;
                let after = match tokens.get(end..)? {
                    [Token::Sign('-'), Token::Sign('>'), rest @ ..] => {
                        rest.iter().find(|it| is_end(it))
                    }
                    rest => rest.first().filter(|it| is_end(it)),
                };
                let Some(after) = after else {
                    at = end;
                    continue;
                };
                let kernel = Kernel {
                    name: name.into(),
                    parameters: split(&tokens[at + 2..end - 1]),
                    is_template: false,
                    has_body: *after == Token::Sign('{'),
                    line: 0,
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
