//! Statements to steps.

use super::decode::decode;
use super::draft::{Draft, Field, File, Register, Usage};
use super::error::{CompileError, Issue};
use super::form::Form;
use super::scope::{DEEPEST, Named, Scope, new_register};
use super::symbols::Symbols;
use super::variables::parameters;
use crate::entry::Entry;
use crate::execute::{Code, Level, Source, Special};
use crate::module::Module;
use crate::parse::{Function, Instruction, Scalar, Statement, StatementKind};
use std::collections::HashMap;

/// What a register that is never written holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Constant {
    Bits(u64),
    /// Where shared memory of the launch's size begins, and bytes beyond that.
    Dynamic(u64),
}

/// The most steps of a kernel, its functions included.
const MOST_STEPS: usize = 1 << 20;

/// A kernel on its way to steps.
#[derive(Debug)]
pub(super) struct Lowering<'m> {
    pub(super) module: &'m Module,
    pub(super) symbols: &'m Symbols,
    pub(super) level: Level,
    pub(super) scopes: Vec<Scope>,
    /// Registers named so far.
    pub(super) registers: u32,
    /// Registers that hold a number, in the order of their appearance.
    pub(super) constants: Vec<(Constant, Register)>,
    pub(super) known_constants: HashMap<(File, Constant), Register>,
    pub(super) specials: Vec<(Special, Register)>,
    pub(super) drafts: Vec<Draft>,
    pub(super) sources: Vec<Source>,
    /// The step that each label stands before.
    pub(super) labels: Vec<usize>,
    pub(super) tables: Vec<Vec<usize>>,
    pub(super) arguments: Vec<Vec<u32>>,
    /// Shared variables by function and name, and the bytes of all.
    pub(super) shared: HashMap<(String, String), u64>,
    pub(super) shared_bytes: u64,
    pub(super) frame: u64,
    /// Functions that are being put in, outermost first, with the label behind each.
    pub(super) calls: Vec<(String, Option<usize>)>,
    /// The label of a table that follows.
    last_label: Option<String>,
    pub(super) carry: Option<Register>,
    guard: Option<(Register, bool)>,
}

/// Makes a kernel executable.
pub(super) fn lower(
    module: &Module,
    entry: &Entry,
    symbols: &Symbols,
    level: Level,
) -> Result<Code, CompileError> {
    let function = module
        .functions()
        .find(|it| it.is_entry && it.name == entry.name);
    let mut lowering = Lowering {
        module,
        symbols,
        level,
        scopes: Vec::new(),
        registers: 0,
        constants: Vec::new(),
        known_constants: HashMap::new(),
        specials: Vec::new(),
        drafts: Vec::new(),
        sources: Vec::new(),
        labels: Vec::new(),
        tables: Vec::new(),
        arguments: Vec::new(),
        shared: HashMap::new(),
        shared_bytes: 0,
        frame: 0,
        calls: Vec::new(),
        last_label: None,
        carry: None,
        guard: None,
    };
    let result = function.ok_or(Issue::Form).and_then(|function| {
        let names = parameters(function, entry);
        lowering.body(function, names, None)?;
        lowering.finish(entry)
    });
    result.map_err(|issue| lowering.describe(issue, &entry.name))
}

impl<'m> Lowering<'m> {
    fn describe(&self, issue: Issue, kernel: &str) -> CompileError {
        let source = self.sources.last().cloned().unwrap_or_default();
        let form = |form: String| CompileError::Unsupported {
            form,
            kernel: kernel.into(),
            line: source.line,
            text: source.text.to_string(),
        };
        match issue {
            Issue::Form => {
                let words = source.text.split(' ').find(|word| !word.starts_with('@'));
                form(words.unwrap_or_default().into())
            }
            Issue::Unsupported(what) => form(what),
            Issue::Invalid(message) => CompileError::Invalid {
                kernel: kernel.into(),
                line: source.line,
                message,
            },
        }
    }

    /// Lowers the body of a function whose parameters have those meanings.
    pub(super) fn body(
        &mut self,
        function: &'m Function,
        names: HashMap<String, Named>,
        after: Option<usize>,
    ) -> Result<(), Issue> {
        let statements = function.body.as_deref().unwrap_or_default();
        let mut scope = Scope::new(statements, &mut self.labels.len(), true)?;
        self.grow_labels(&scope);
        scope.names = names;
        self.scopes.push(scope);
        self.calls.push((function.name.clone(), after));
        for (i, statement) in statements.iter().enumerate() {
            self.statement(statement, &statements[i + 1..])?;
        }
        self.calls.pop();
        self.scopes.pop();
        if after.is_none() {
            let exit = Draft::new(crate::operations::control::exit);
            self.emit(Draft { ends: true, ..exit })?;
        }
        Ok(())
    }

    /// Room for the labels of a new scope.
    fn grow_labels(&mut self, scope: &Scope) {
        self.labels
            .resize(self.labels.len() + scope.labels.len(), usize::MAX);
    }

    /// A label without a name.
    pub(super) fn new_label(&mut self) -> usize {
        self.labels.push(usize::MAX);
        self.labels.len() - 1
    }

    fn statement(&mut self, statement: &'m Statement, rest: &[Statement]) -> Result<(), Issue> {
        let label = self.last_label.take();
        match &statement.kind {
            StatementKind::Location(_) => self.last_label = label,
            StatementKind::Open => {
                if self.scopes.len() > DEEPEST {
                    return Issue::invalid("braces nested too deeply");
                }
                let scope = Scope::new(rest, &mut self.labels.len(), false)?;
                self.grow_labels(&scope);
                self.scopes.push(scope);
            }
            StatementKind::Close => {
                self.scopes.pop();
            }
            StatementKind::Label(name) => {
                let label = self.scopes.last().and_then(|scope| scope.labels.get(name));
                if let Some(&label) = label {
                    self.labels[label] = self.drafts.len();
                }
                self.last_label = Some(name.clone());
            }
            StatementKind::Directive(tokens) => {
                let word = tokens.first().map_or("", String::as_str);
                if !matches!(
                    word,
                    ".branchtargets" | ".calltargets" | ".callprototype" | ".pragma"
                ) {
                    return Err(Issue::Unsupported(format!("`{word}`")));
                }
                if let (Some(name), Some(".branchtargets")) =
                    (label, tokens.first().map(String::as_str))
                {
                    let targets = tokens[1..].iter().filter(|token| *token != ",");
                    let table = Named::Table(targets.cloned().collect());
                    self.define(name, table);
                }
            }
            StatementKind::Declaration(declaration) => {
                self.note(statement, &declaration.to_string());
                self.declare(declaration)?;
            }
            StatementKind::Instruction(instruction) => {
                self.note(statement, &instruction.to_string());
                self.instruction(instruction)?;
            }
        }
        Ok(())
    }

    /// Notes what is lowered, for errors.
    fn note(&mut self, statement: &Statement, text: &str) {
        self.sources.push(Source {
            line: statement.span.line,
            text: text.into(),
        });
    }

    pub(super) fn define(&mut self, name: String, meaning: Named) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name, meaning);
        }
    }

    fn instruction(&mut self, instruction: &'m Instruction) -> Result<(), Issue> {
        self.guard = None;
        if let Some(guard) = &instruction.guard {
            let register = self.register(&guard.predicate, Scalar::Pred)?;
            self.guard = Some((register, guard.negated));
        }
        let mut form = Form::new(&instruction.opcode);
        decode(self, &mut form, &instruction.operands)?;
        self.guard = None;
        Ok(())
    }

    /// The guard of the instruction that is being lowered.
    pub(super) fn is_guarded(&self) -> bool {
        self.guard.is_some()
    }

    /// Adds a step.
    pub(super) fn emit(&mut self, mut draft: Draft) -> Result<(), Issue> {
        if self.drafts.len() >= MOST_STEPS {
            return Err(Issue::Unsupported(format!(
                "a kernel of more than {MOST_STEPS} steps"
            )));
        }
        if let Some((register, negated)) = self.guard {
            draft = draft.with(Field::Guard, register, Usage::Read);
            draft.guard_negated = negated;
            draft.ends = false;
        }
        draft.text = self.sources.len().saturating_sub(1);
        self.drafts.push(draft);
        Ok(())
    }

    /// A register that no name of the text has.
    pub(super) fn temporary(&mut self, scalar: Scalar) -> Result<Register, Issue> {
        match new_register(scalar, &mut self.registers)? {
            Named::Register { register, .. } => Ok(register),
            Named::Variable { .. } | Named::Table(_) => Err(Issue::Form),
        }
    }
}
