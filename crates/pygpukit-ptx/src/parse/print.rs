//! Writes a module as text, token for token what was read.

use super::syntax::{
    Declaration, Declarator, Function, Instruction, Item, Literal, Operand, Statement,
    StatementKind,
};
use std::fmt::{Display, Formatter, Result};

/// Writes the items of a module.
pub(crate) fn write_items(items: &[Item], f: &mut Formatter<'_>) -> Result {
    for item in items {
        match item {
            Item::Raw(tokens) => raw(tokens, f)?,
            Item::Variable(declaration) => writeln!(f, "{declaration};")?,
            Item::Function(function) => write!(f, "{function}")?,
        }
    }
    Ok(())
}

/// Directives each on a line of its own.
fn raw(tokens: &[String], f: &mut Formatter<'_>) -> Result {
    for (i, token) in tokens.iter().enumerate() {
        let starts = matches!(
            &**token,
            ".version" | ".target" | ".address_size" | ".file" | ".section" | ".pragma" | ".alias"
        );
        let separator = match (i, starts) {
            (0, _) => "",
            (_, true) => "\n",
            (_, false) => " ",
        };
        write!(f, "{separator}{token}")?;
    }
    writeln!(f)
}

fn list<T: Display>(items: &[T], f: &mut Formatter<'_>) -> Result {
    for (i, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
    }
    Ok(())
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for word in &self.head {
            write!(f, "{word} ")?;
        }
        f.write_str(if self.is_entry { ".entry " } else { ".func " })?;
        if let Some(returns) = &self.returns {
            f.write_str("(")?;
            list(returns, f)?;
            f.write_str(") ")?;
        }
        f.write_str(&self.name)?;
        if let Some(parameters) = &self.parameters {
            f.write_str("(\n\t")?;
            for (i, parameter) in parameters.iter().enumerate() {
                write!(f, "{}{parameter}", if i == 0 { "" } else { ",\n\t" })?;
            }
            f.write_str("\n)")?;
        }
        for (i, word) in self.directives.iter().enumerate() {
            let is_start = i == 0 || word.starts_with('.');
            write!(f, "{}{word}", if is_start { "\n" } else { " " })?;
        }
        let Some(body) = &self.body else {
            return f.write_str(";\n");
        };
        f.write_str("\n{\n")?;
        for statement in body {
            writeln!(f, "{statement}")?;
        }
        f.write_str("}\n")
    }
}

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match &self.kind {
            StatementKind::Label(name) => write!(f, "{name}:"),
            StatementKind::Open => f.write_str("{"),
            StatementKind::Close => f.write_str("}"),
            StatementKind::Declaration(declaration) => write!(f, "\t{declaration};"),
            StatementKind::Directive(tokens) => write!(f, "\t{};", tokens.join(" ")),
            StatementKind::Location(tokens) => write!(f, "\t{}", tokens.join(" ")),
            StatementKind::Instruction(instruction) => write!(f, "\t{instruction};"),
        }
    }
}

impl Display for Declaration {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for word in &self.head {
            write!(f, "{word} ")?;
        }
        list(&self.names, f)
    }
}

impl Display for Declarator {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(&self.name)?;
        if let Some(count) = self.registers {
            write!(f, "<{count}>")?;
        }
        for axis in &self.axes {
            match axis {
                Some(length) => write!(f, "[{length}]")?,
                None => f.write_str("[]")?,
            }
        }
        if !self.initial.is_empty() {
            write!(f, " = {}", self.initial.join(" "))?;
        }
        Ok(())
    }
}

impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if let Some(guard) = &self.guard {
            write!(
                f,
                "@{}{} ",
                if guard.negated { "!" } else { "" },
                guard.predicate
            )?;
        }
        f.write_str(&self.opcode)?;
        if !self.operands.is_empty() {
            f.write_str(" ")?;
        }
        list(&self.operands, f)
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let mut bracketed = |open: &str, items: &[Self], close: &str| {
            f.write_str(open)?;
            list(items, f)?;
            f.write_str(close)
        };
        match self {
            Self::Address(parts) => bracketed("[", parts, "]"),
            Self::Vector(parts) => bracketed("{", parts, "}"),
            Self::Group(parts) => bracketed("(", parts, ")"),
            Self::Name(name) => f.write_str(name),
            Self::Not(name) => write!(f, "!{name}"),
            Self::Literal(literal) => write!(f, "{literal}"),
            Self::Offset(name, literal) => write!(f, "{name}+{literal}"),
            Self::Pair(first, second) => write!(f, "{first}|{second}"),
        }
    }
}

impl Display for Literal {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}{}", if self.negative { "-" } else { "" }, self.word)
    }
}
