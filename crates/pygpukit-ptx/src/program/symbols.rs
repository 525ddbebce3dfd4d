//! The variables of a module, in memory.

use super::error::CompileError;
use crate::memory::{Storage, Window};
use crate::parse::{Declaration, Item, Literal, Number, Scalar};
use std::collections::{HashMap, HashSet};

/// A variable of a module.
#[derive(Clone, Debug)]
pub(super) enum Symbol {
    /// In global or constant memory, at that address.
    Memory { address: u64, bytes: u64 },
    /// In shared memory: bytes (none if the launch decides) and alignment.
    Shared { bytes: Option<usize>, align: usize },
    /// It holds addresses of functions, which there are none of.
    Functions,
}

/// The variables of a module, in memory.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    pub(super) named: HashMap<String, Symbol>,
    /// What holds them; the windows point into it.
    storages: Vec<Storage>,
    pub(super) windows: Vec<Window>,
}

impl Symbols {
    /// Lays out all variables and gives them their values.
    pub(super) fn new(items: &[Item]) -> Result<Self, CompileError> {
        let mut symbols = Self::default();
        let variables = || {
            items.iter().filter_map(|item| match item {
                Item::Variable(declaration) => Some(declaration),
                Item::Function(_) | Item::Raw(_) => None,
            })
        };
        let functions: HashSet<&str> = items
            .iter()
            .filter_map(|item| match item {
                Item::Function(function) => Some(&*function.name),
                Item::Variable(_) | Item::Raw(_) => None,
            })
            .collect();
        for declaration in variables() {
            symbols.place(declaration, &functions)?;
        }
        for declaration in variables() {
            symbols.fill(declaration)?;
        }
        Ok(symbols)
    }

    fn place(
        &mut self,
        declaration: &Declaration,
        functions: &HashSet<&str>,
    ) -> Result<(), CompileError> {
        for name in &declaration.names {
            let extent = declaration.extent(name);
            let open = !name.axes.is_empty() && name.axes[0].is_none();
            let symbol = match &*declaration.space {
                ".shared" => {
                    let scalar = declaration.scalar.map_or(1, Scalar::bytes);
                    Symbol::Shared {
                        bytes: extent.map(|(bytes, _)| bytes),
                        align: declaration.align.unwrap_or(scalar.max(1)),
                    }
                }
                _ if name.initial.iter().any(|it| functions.contains(&**it)) => Symbol::Functions,
                ".global" | ".const" if extent.is_some() || !open => {
                    let Some((bytes, align)) = extent else {
                        continue;
                    };
                    self.allocate(declaration, bytes, align)?
                }
                // Declared elsewhere, or of another kind: an error where it is used.
                _ => continue,
            };
            self.named.insert(name.name.clone(), symbol);
        }
        Ok(())
    }

    fn allocate(
        &mut self,
        declaration: &Declaration,
        bytes: usize,
        align: usize,
    ) -> Result<Symbol, CompileError> {
        // What no module of a device could hold either.
        const MOST: usize = 1 << 34;
        let storage = (bytes <= MOST && align <= 1024)
            .then(|| Storage::new(bytes))
            .flatten();
        let Some(storage) = storage else {
            let message = format!("a variable of {bytes} bytes, aligned to {align}");
            return Err(invalid(declaration, message));
        };
        let window = storage.window(declaration.space == ".global");
        self.storages.push(storage);
        self.windows.push(window);
        Ok(Symbol::Memory {
            address: window.start(),
            bytes: window.bytes(),
        })
    }

    fn fill(&mut self, declaration: &Declaration) -> Result<(), CompileError> {
        for name in declaration
            .names
            .iter()
            .filter(|name| !name.initial.is_empty())
        {
            let Some(&Symbol::Memory { address, .. }) = self.named.get(&name.name) else {
                continue;
            };
            let size = declaration.scalar.map_or(1, Scalar::bytes).max(1);
            let bytes = self
                .values(&name.initial, declaration.scalar, size)
                .map_err(|message| invalid(declaration, message))?;
            let storage = self
                .windows
                .iter()
                .position(|window| window.start() == address);
            let filled = storage.is_some_and(|at| self.storages[at].fill(0, &bytes));
            if !filled {
                let message = format!("more values than `{}` holds", name.name);
                return Err(invalid(declaration, message));
            }
        }
        Ok(())
    }

    /// The bytes of `{1, 2, table+4, generic(other)}`. Inner braces must be full.
    fn values(
        &self,
        tokens: &[String],
        scalar: Option<Scalar>,
        size: usize,
    ) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let mut depth = 0_u32;
        let mut i = 0;
        while let Some(token) = tokens.get(i) {
            i += 1;
            match &**token {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                "," | "(" | ")" | "generic" | "-" => {}
                word => {
                    let negative = i >= 2 && tokens[i - 2] == "-";
                    let literal = Literal {
                        negative,
                        word: word.into(),
                    };
                    let mut bits = match (literal.value(), self.named.get(word)) {
                        (Some(value), _) => number_bits(value, scalar),
                        (None, Some(Symbol::Memory { address, .. })) => *address,
                        (None, _) => return Err(format!("`{word}` is no value of a variable")),
                    };
                    if tokens.get(i).is_some_and(|next| next == "+") {
                        let offset = tokens.get(i + 1).and_then(|word| word.parse::<u64>().ok());
                        bits = bits.wrapping_add(offset.ok_or("an offset is no number")?);
                        i += 2;
                    }
                    if depth > 2 {
                        return Err("values nested more than twice".into());
                    }
                    bytes.extend_from_slice(&bits.to_le_bytes()[..size.min(8)]);
                }
            }
        }
        Ok(bytes)
    }
}

/// A number as the bits of a type.
pub(super) fn number_bits(number: Number, scalar: Option<Scalar>) -> u64 {
    match (number, scalar) {
        (Number::Single(bits), Some(Scalar::F64)) => f64::from(f32::from_bits(bits)).to_bits(),
        (Number::Single(bits), _) => bits.into(),
        (Number::Double(bits), Some(Scalar::F32 | Scalar::B32)) => {
            (f64::from_bits(bits) as f32).to_bits().into()
        }
        (Number::Integer(bits) | Number::Double(bits), _) => bits,
    }
}

fn invalid(declaration: &Declaration, message: String) -> CompileError {
    CompileError::Invalid {
        kernel: "(variables)".into(),
        line: declaration.span.line,
        message,
    }
}
