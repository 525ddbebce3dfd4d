//! A PTX module as it is written: every word that means something, and where it stands.

use super::scalar::Scalar;

/// Where something stands in the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    /// The first byte.
    pub(crate) start: u32,
    /// The byte behind the last.
    pub(crate) end: u32,
    /// The line of the first byte, counted from 1.
    pub(crate) line: u32,
}

/// Something at the top level of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// Tokens that the executor does not look at: `.file`, `.section`, `.version`.
    Raw(Vec<String>),
    /// A variable.
    Variable(Declaration),
    /// A kernel or function, with or without a body.
    Function(Function),
}

/// A kernel or function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    /// The words up to `.entry` or `.func`: `.visible`, `.extern`, `.weak`.
    pub(crate) head: Vec<String>,
    pub(crate) is_entry: bool,
    pub(crate) name: String,
    /// What it returns, for functions that do.
    pub(crate) returns: Option<Vec<Declaration>>,
    pub(crate) parameters: Option<Vec<Declaration>>,
    /// The words between the parameters and the body: `.maxntid 128 , 1 , 1`.
    pub(crate) directives: Vec<String>,
    /// Nothing for a mere declaration.
    pub(crate) body: Option<Vec<Statement>>,
    pub(crate) span: Span,
}

/// `.shared .align 4 .b8 name[128]`, `.reg .b32 %r<9>`, `.param .u64 .ptr .global name`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Declaration {
    /// All that stands before the names.
    pub(crate) head: Vec<String>,
    /// The state space: `.shared`.
    pub(crate) space: String,
    pub(crate) scalar: Option<Scalar>,
    /// Elements of a vector type.
    pub(crate) lanes: usize,
    pub(crate) align: Option<usize>,
    pub(crate) names: Vec<Declarator>,
    pub(crate) span: Span,
}

/// One name of a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Declarator {
    pub(crate) name: String,
    /// `9` of `%r<9>`: the names `%r0` to `%r8`.
    pub(crate) registers: Option<u64>,
    /// Lengths along the axes; `None` for `[]`.
    pub(crate) axes: Vec<Option<u64>>,
    /// The tokens behind `=`.
    pub(crate) initial: Vec<String>,
}

/// Something in a body, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Statement {
    pub(crate) kind: StatementKind,
    pub(crate) span: Span,
}

/// Something in a body. Scopes are flat, so that no nesting is a recursion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StatementKind {
    Label(String),
    /// `{`
    Open,
    /// `}`
    Close,
    Declaration(Declaration),
    /// `.pragma "nounroll"`, `.branchtargets a, b`: tokens up to the semicolon.
    Directive(Vec<String>),
    /// `.loc 1 5 3`: tokens; it ends without a semicolon.
    Location(Vec<String>),
    Instruction(Instruction),
}

/// `@!%p1 ld.global.v2.f32 {%f1, %f2}, [%rd1+8];`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub(crate) guard: Option<Guard>,
    /// The opcode with all its modifiers: `ld.global.v2.f32`.
    pub(crate) opcode: String,
    pub(crate) operands: Vec<Operand>,
}

impl Instruction {
    /// The opcode without modifiers.
    pub(crate) fn mnemonic(&self) -> &str {
        self.opcode.split('.').next().unwrap_or_default()
    }
}

/// `@%p1` or `@!%p1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Guard {
    pub(crate) negated: bool,
    pub(crate) predicate: String,
}

/// An operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    /// A register, label, variable, function, special register or `_`.
    Name(String),
    /// `!%p1`
    Not(String),
    Literal(Literal),
    /// `table+8`
    Offset(String, Literal),
    /// `[%rd1+8]`, `[map, {%r1, %r2}]`
    Address(Vec<Operand>),
    /// `{%r1, %r2}`
    Vector(Vec<Operand>),
    /// `(retval0)`
    Group(Vec<Operand>),
    /// `%p1|%p2`
    Pair(String, String),
}

/// A number as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Literal {
    pub(crate) negative: bool,
    pub(crate) word: String,
}

/// What a number means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    /// A whole number, in two's complement if negative.
    Integer(u64),
    /// `0f3F800000`
    Single(u32),
    /// `0d3FF0000000000000` or `1.0`
    Double(u64),
}

impl Literal {
    /// What it means; `None` if it is no number.
    pub(crate) fn value(&self) -> Option<Number> {
        let word = self.word.as_str();
        let exact = |digits: &str, length| (digits.len() == length).then_some(());
        if let Some(digits) = word.strip_prefix("0f").or(word.strip_prefix("0F")) {
            exact(digits, 8)?;
            let bits = u32::from_str_radix(digits, 16).ok()?;
            return Some(Number::Single(bits ^ (u32::from(self.negative) << 31)));
        }
        if let Some(digits) = word.strip_prefix("0d").or(word.strip_prefix("0D")) {
            exact(digits, 16)?;
            let bits = u64::from_str_radix(digits, 16).ok()?;
            return Some(Number::Double(bits ^ (u64::from(self.negative) << 63)));
        }
        if let Some(magnitude) = integer(word) {
            let negative = self.negative;
            return Some(Number::Integer(if negative {
                magnitude.wrapping_neg()
            } else {
                magnitude
            }));
        }
        let is_decimal = word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
        let value: f64 = is_decimal.then(|| word.parse().ok())??;
        let value = if self.negative { -value } else { value };
        Some(Number::Double(value.to_bits()))
    }
}

/// A whole number: decimal, hexadecimal, octal or binary.
pub(super) fn integer(word: &str) -> Option<u64> {
    let digits = word.strip_suffix('U').unwrap_or(word);
    let radix = |prefix: &str, radix| {
        let rest = digits.strip_prefix(prefix)?;
        Some(u64::from_str_radix(rest, radix).ok())
    };
    radix("0x", 16)
        .or_else(|| radix("0X", 16))
        .or_else(|| radix("0b", 2))
        .or_else(|| radix("0B", 2))
        .or_else(|| {
            let octal = digits.len() > 1 && digits.bytes().all(|digit| digit.is_ascii_digit());
            octal.then(|| radix("0", 8)).flatten()
        })
        .unwrap_or_else(|| digits.parse().ok())
}
