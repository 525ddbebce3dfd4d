//! C types of kernel parameters, as far as a call can be checked against them.

use super::c_token::Token;
use pygpukit_core::array::DType;
use std::collections::BTreeMap;

/// A parameter of a kernel, as the source declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name; `_0`, `_1`, … for one without.
    pub name: String,
    /// The type as written, without qualifiers of the parameter itself.
    pub declared: String,
    /// What the type takes.
    pub ctype: CType,
}

/// What a C type takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CType {
    /// A number.
    Scalar(DType),
    /// An address of device memory.
    Pointer(Pointee),
    /// A structure, vector, or type that the source does not explain: only its
    /// size in the compiled image is known.
    Sized,
}

/// What a pointer points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointee {
    /// Dtypes of arrays that fit; empty if any does.
    pub accepts: &'static [DType],
    /// What the address must be a multiple of.
    pub align: usize,
    /// True if the kernel cannot write through the pointer.
    pub is_const: bool,
}

/// `typedef` and `using` names with their tokens; `None` if defined twice.
pub(super) type Aliases<'a> = BTreeMap<&'a str, Option<Vec<Token<'a>>>>;

/// A type without its pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    Number(DType),
    /// `float4` and the like: elements and how many.
    Vector(DType, usize),
    Other,
}

/// A declaration taken apart.
#[derive(Clone, Copy, Debug)]
struct Declarator<'a> {
    base: Base,
    pointers: usize,
    /// True if `const` stands before the first `*`.
    is_const: bool,
    name: Option<&'a str>,
    /// Where the name is among the tokens.
    name_at: Option<usize>,
}

/// Reads one parameter; `position` counts from 0.
pub(super) fn parameter(tokens: &[Token<'_>], position: usize, aliases: &Aliases<'_>) -> Parameter {
    let end = tokens.iter().position(|&token| token == Token::Sign('='));
    let tokens = &tokens[..end.unwrap_or(tokens.len())];
    let declarator = declarator(tokens, aliases, 0);
    let name = declarator.and_then(|found| found.name);
    let name_at = declarator.and_then(|found| found.name_at);
    Parameter {
        name: name.map_or_else(|| format!("_{position}"), str::to_owned),
        declared: declared(tokens, name_at),
        ctype: declarator.map_or(CType::Sized, ctype),
    }
}

fn ctype(declarator: Declarator<'_>) -> CType {
    match (declarator.pointers, declarator.base) {
        (0, Base::Number(dtype)) => CType::Scalar(dtype),
        (0, Base::Vector(DType::Float32, 2)) => CType::Scalar(DType::Complex64),
        (0, Base::Vector(DType::Float64, 2)) => CType::Scalar(DType::Complex128),
        (0, Base::Vector(..) | Base::Other) => CType::Sized,
        (1, base) => {
            let (accepts, align) = match base {
                Base::Vector(DType::Float32, 2) => (&[DType::Float32, DType::Complex64][..], 8),
                Base::Vector(DType::Float64, 2) => (&[DType::Float64, DType::Complex128][..], 16),
                // Three lanes are aligned like one.
                Base::Number(dtype) | Base::Vector(dtype, 3) => {
                    (arrays_of(dtype), dtype.itemsize())
                }
                Base::Vector(dtype, lanes) => {
                    (arrays_of(dtype), (lanes * dtype.itemsize()).min(16))
                }
                Base::Other => (&[][..], 1),
            };
            CType::Pointer(Pointee {
                accepts,
                align,
                is_const: declarator.is_const,
            })
        }
        // What the inner pointers lead to is not ours to know.
        _ => CType::Pointer(Pointee {
            accepts: &[],
            align: 8,
            is_const: false,
        }),
    }
}

/// The dtypes of arrays for a pointer to `dtype`.
fn arrays_of(dtype: DType) -> &'static [DType] {
    match dtype {
        // `char` is the C word for a byte.
        DType::Int8 => &[DType::Int8, DType::UInt8],
        DType::UInt8 => &[DType::UInt8],
        DType::Bool => &[DType::Bool],
        DType::Int16 => &[DType::Int16],
        DType::UInt16 => &[DType::UInt16],
        DType::Int32 => &[DType::Int32],
        DType::UInt32 => &[DType::UInt32],
        DType::Int64 => &[DType::Int64],
        DType::UInt64 => &[DType::UInt64],
        DType::Float16 => &[DType::Float16],
        DType::BFloat16 => &[DType::BFloat16],
        DType::Float32 => &[DType::Float32],
        DType::Float64 => &[DType::Float64],
        DType::Complex64 => &[DType::Complex64],
        DType::Complex128 => &[DType::Complex128],
    }
}

/// Takes a declaration apart; `None` if it is none that can be understood.
fn declarator<'a>(
    tokens: &[Token<'a>],
    aliases: &Aliases<'a>,
    depth: usize,
) -> Option<Declarator<'a>> {
    let mut found = Declarator {
        base: Base::Other,
        pointers: 0,
        is_const: false,
        name: None,
        name_at: None,
    };
    let mut base: Vec<&str> = Vec::new();
    let mut at = 0;
    while let Some(&token) = tokens.get(at) {
        at += 1;
        match token {
            Token::Word("const") => found.is_const |= found.pointers == 0,
            Token::Word("__align__" | "alignas" | "__attribute__") => {
                at = group_end(tokens, at, '(', ')')?;
            }
            Token::Word(word) if QUALIFIERS.contains(&word) => {}
            Token::Word(word) => {
                let joins = base.is_empty()
                    || base.last().is_some_and(|last| *last == "::")
                    || (is_number_word(word) && base.iter().all(|word| is_number_word(word)));
                if joins && found.pointers == 0 {
                    base.push(word);
                } else if found.name.is_none() {
                    found.name = Some(word);
                    found.name_at = Some(at - 1);
                } else {
                    return None;
                }
            }
            Token::Sign(':') => base.push("::"),
            Token::Sign('<') => {
                let end = group_end(tokens, at - 1, '<', '>')?;
                base.push("<");
                base.extend(tokens[at..end - 1].iter().filter_map(|token| token.word()));
                base.push(">");
                at = end;
            }
            // A reference is passed as the address of what it refers to.
            Token::Sign('*' | '&') => found.pointers += 1,
            Token::Sign('(') if !base.is_empty() && found.name.is_none() => {
                // A pointer to a function or an array: the name is inside.
                let name_at = inner_name(tokens, at)?;
                return Some(Declarator {
                    base: Base::Other,
                    pointers: 0,
                    is_const: false,
                    name: tokens[name_at].word(),
                    name_at: Some(name_at),
                });
            }
            Token::Sign('[') => {
                at = group_end(tokens, at - 1, '[', ']')?;
                // `[[attribute]]` stands before the type, an array after the name.
                found.pointers += usize::from(!base.is_empty());
            }
            Token::Sign(_) | Token::Number(_) | Token::Literal => return None,
        }
    }
    base.retain(|word| *word != "::");
    if base.is_empty() {
        return None;
    }
    if let ([name], Some(Some(tokens)), true) = (&base[..], aliases.get(base[0]), depth < 8) {
        debug_assert_eq!(*name, base[0]);
        let inner = declarator(tokens, aliases, depth + 1)?;
        found.base = inner.base;
        found.is_const = if inner.pointers > 0 {
            inner.is_const
        } else {
            found.is_const || inner.is_const
        };
        found.pointers += inner.pointers;
        return Some(found);
    }
    // A name defined twice means nothing certain.
    let is_ambiguous = aliases.get(base[0]).is_some_and(Option::is_none);
    found.base = if is_ambiguous {
        Base::Other
    } else {
        base_type(&base)
    };
    Some(found)
}

/// Where the name is in `(*name)(int)`, `(&name)[4]` and the like; `at` is after the
/// bracket.
fn inner_name(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    if !matches!(tokens.get(at)?, Token::Sign('*' | '&')) {
        return None;
    }
    let passed = |token: &Token<'_>| match token {
        Token::Sign(sign) => matches!(sign, '*' | '&' | '('),
        Token::Word(word) => *word == "const" || QUALIFIERS.contains(word),
        Token::Number(_) | Token::Literal => false,
    };
    let name_at = at + tokens[at..].iter().position(|token| !passed(token))?;
    tokens[name_at].word().map(|_| name_at)
}

const QUALIFIERS: [&str; 11] = [
    "volatile",
    "restrict",
    "__restrict",
    "__restrict__",
    "__grid_constant__",
    "register",
    "struct",
    "class",
    "union",
    "enum",
    "typename",
];

fn is_number_word(word: &str) -> bool {
    matches!(
        word,
        "unsigned" | "signed" | "char" | "short" | "int" | "long" | "float" | "double" | "bool"
    )
}

/// The end of a group: `at` is its opening sign.
pub(super) fn group_end(tokens: &[Token<'_>], at: usize, open: char, close: char) -> Option<usize> {
    if tokens.get(at) != Some(&Token::Sign(open)) {
        return None;
    }
    let mut depth = 0_usize;
    for (i, &token) in tokens.iter().enumerate().skip(at) {
        if token == Token::Sign(open) {
            depth += 1;
        } else if token == Token::Sign(close) {
            depth -= 1;
            if depth == 0 {
                return Some(i + 1);
            }
        }
    }
    None
}

fn base_type(words: &[&str]) -> Base {
    if words.iter().all(|word| is_number_word(word)) {
        return number_type(words).map_or(Base::Other, Base::Number);
    }
    match words {
        ["cuda" | "thrust" | "std", rest @ ..] if !rest.is_empty() => base_type(rest),
        ["complex", "<", "float", ">"] => Base::Vector(DType::Float32, 2),
        ["complex", "<", "double", ">"] => Base::Vector(DType::Float64, 2),
        [name] => named_type(name),
        _ => Base::Other,
    }
}

/// `unsigned long long int` in any order.
fn number_type(words: &[&str]) -> Option<DType> {
    let count = |word| words.iter().filter(|&&found| found == word).count();
    let is_unsigned = count("unsigned") > 0;
    let pick = |signed, unsigned| if is_unsigned { unsigned } else { signed };
    let long = if cfg!(windows) {
        (DType::Int32, DType::UInt32)
    } else {
        (DType::Int64, DType::UInt64)
    };
    let core = words
        .iter()
        .find(|word| matches!(**word, "char" | "short" | "float" | "double" | "bool"));
    Some(match (core, count("long")) {
        (Some(&"char"), 0) => pick(DType::Int8, DType::UInt8),
        (Some(&"short"), 0) => pick(DType::Int16, DType::UInt16),
        (Some(&"float"), 0) => DType::Float32,
        (Some(&"double"), 0) => DType::Float64,
        (Some(&"bool"), 0) => DType::Bool,
        (None, 0) => pick(DType::Int32, DType::UInt32),
        (None, 1) => pick(long.0, long.1),
        (None, 2) => pick(DType::Int64, DType::UInt64),
        _ => return None,
    })
}

fn named_type(name: &str) -> Base {
    let number = match name {
        "int8_t" => DType::Int8,
        "int16_t" => DType::Int16,
        "int32_t" => DType::Int32,
        "int64_t" | "ptrdiff_t" | "intptr_t" | "ssize_t" => DType::Int64,
        "uint8_t" => DType::UInt8,
        "uint16_t" => DType::UInt16,
        "uint32_t" => DType::UInt32,
        "uint64_t" | "size_t" | "uintptr_t" => DType::UInt64,
        "__half" | "half" => DType::Float16,
        "__nv_bfloat16" | "nv_bfloat16" => DType::BFloat16,
        _ => {
            return vector_type(name)
                .map_or(Base::Other, |(dtype, lanes)| Base::Vector(dtype, lanes));
        }
    };
    Base::Number(number)
}

fn vector_type(name: &str) -> Option<(DType, usize)> {
    match name {
        "cuComplex" | "cuFloatComplex" => return Some((DType::Float32, 2)),
        "cuDoubleComplex" => return Some((DType::Float64, 2)),
        "__half2" | "half2" => return Some((DType::Float16, 2)),
        "__nv_bfloat162" | "nv_bfloat162" => return Some((DType::BFloat16, 2)),
        _ => {}
    }
    let element = name.strip_suffix(['1', '2', '3', '4'])?;
    let lanes = name.bytes().last().map(|digit| usize::from(digit - b'0'))?;
    let dtype = match element {
        "char" => DType::Int8,
        "uchar" => DType::UInt8,
        "short" => DType::Int16,
        "ushort" => DType::UInt16,
        "int" => DType::Int32,
        "uint" => DType::UInt32,
        "long" | "longlong" => DType::Int64,
        "ulong" | "ulonglong" => DType::UInt64,
        "float" => DType::Float32,
        "double" => DType::Float64,
        _ => return None,
    };
    Some((dtype, lanes))
}

/// The tokens as text, without the name and what only the compiler needs.
fn declared(tokens: &[Token<'_>], name_at: Option<usize>) -> String {
    let mut text = String::new();
    let mut after_word = false;
    for (at, token) in tokens.iter().enumerate() {
        let piece = match token {
            Token::Word(word) if word.starts_with("__restrict") || *word == "__grid_constant__" => {
                continue;
            }
            _ if Some(at) == name_at => continue,
            Token::Word(word) | Token::Number(word) => {
                if after_word || text.ends_with(['*', '&']) {
                    text.push(' ');
                }
                after_word = true;
                text.push_str(word);
                continue;
            }
            Token::Sign(sign) => *sign,
            Token::Literal => '"',
        };
        after_word = false;
        text.push(piece);
        if piece == ',' {
            text.push(' ');
        }
    }
    text
}
