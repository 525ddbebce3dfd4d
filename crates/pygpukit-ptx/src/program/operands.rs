//! Operands to registers and addresses.

use super::draft::{File, Register};
use super::error::Issue;
use super::lower::{Constant, Lowering};
use super::scope::{Address, Named, file_of};
use super::special::special;
use super::symbols::{Symbol, number_bits};
use crate::execute::Space;
use crate::parse::{Literal, Number, Operand, Scalar};

/// Where an access goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// A register, and whether it has but 32 bits.
    pub(super) base: Option<(Register, bool)>,
    pub(super) offset: u64,
    /// The space of a variable that is named.
    pub(super) space: Option<Space>,
}

impl Lowering<'_> {
    /// What a name means.
    pub(super) fn find(&mut self, name: &str) -> Result<Option<Named>, Issue> {
        for scope in self.scopes.iter_mut().rev() {
            if let Some(found) = scope.find(name, &mut self.registers)? {
                return Ok(Some(found));
            }
            if scope.is_function {
                break;
            }
        }
        let symbol = self.symbols.named.get(name).cloned();
        Ok(match symbol {
            Some(Symbol::Memory { address, .. }) => Some(Named::Variable {
                space: Space::Generic,
                address: Address::At(address),
            }),
            Some(Symbol::Shared { bytes: None, .. }) => Some(Named::Variable {
                space: Space::Shared,
                address: Address::Dynamic,
            }),
            Some(Symbol::Shared {
                bytes: Some(bytes),
                align,
            }) => {
                let at = self.place_shared((String::new(), name.into()), bytes, align)?;
                Some(Named::Variable {
                    space: Space::Shared,
                    address: Address::At(at),
                })
            }
            Some(Symbol::Functions) => {
                return Err(Issue::Unsupported(format!(
                    "`{name}`, which holds functions,"
                )));
            }
            None => None,
        })
    }

    /// The label of that name.
    pub(super) fn label(&self, name: &str) -> Result<usize, Issue> {
        for scope in self.scopes.iter().rev() {
            if let Some(&label) = scope.labels.get(name) {
                return Ok(label);
            }
            if scope.is_function {
                break;
            }
        }
        Issue::invalid(format!("there is no label `{name}`"))
    }

    /// The register of that name, for values of a type.
    pub(super) fn register(&mut self, name: &str, scalar: Scalar) -> Result<Register, Issue> {
        let wanted = file_of(scalar)?;
        match self.find(name)? {
            Some(Named::Register { register, width }) => {
                let bits = scalar.bytes() * 8;
                if register.file != wanted || bits > width.max(8) {
                    let message = format!("`{name}` has {width} bits where {bits} are wanted");
                    return Issue::invalid(message);
                }
                Ok(register)
            }
            Some(Named::Variable { .. } | Named::Table(_)) => {
                Issue::invalid(format!("`{name}` is no register"))
            }
            None => Issue::invalid(format!("`{name}` is not declared")),
        }
    }

    /// The register of that name whatever its width, and the width.
    pub(super) fn any_register(&mut self, operand: &Operand) -> Result<(Register, usize), Issue> {
        let name = name_of(operand)?;
        match self.find(name)? {
            Some(Named::Register { register, width }) => Ok((register, width)),
            _ => Issue::invalid(format!("`{name}` is no register")),
        }
    }

    /// A register that holds a number.
    pub(super) fn constant(&mut self, file: File, value: Constant) -> Register {
        let key = (file, value);
        if let Some(register) = self.known_constants.get(&key) {
            return *register;
        }
        let register = Register {
            file,
            id: self.registers,
        };
        self.registers += 1;
        self.known_constants.insert(key, register);
        self.constants.push((value, register));
        register
    }

    /// A register that holds a whole number of 32 bits.
    pub(super) fn word(&mut self, value: u32) -> Register {
        self.constant(File::Word, Constant::Bits(value.into()))
    }

    /// What an instruction reads as a value of a type.
    pub(super) fn source(&mut self, operand: &Operand, scalar: Scalar) -> Result<Register, Issue> {
        match operand {
            Operand::Name(name) => {
                if let Some(special) = special(name) {
                    return self.special(name, special, scalar);
                }
                if let Some(Named::Variable { address, .. }) = self.find(name)? {
                    return self.address_constant(address, 0, scalar);
                }
                self.register(name, scalar)
            }
            Operand::Literal(literal) => self.literal(literal, scalar),
            Operand::Offset(name, literal) => match (self.find(name)?, literal.value()) {
                (Some(Named::Variable { address, .. }), Some(Number::Integer(offset))) => {
                    self.address_constant(address, offset, scalar)
                }
                _ => Issue::invalid(format!("`{operand}` is no value")),
            },
            _ => Issue::invalid(format!("`{operand}` where a value belongs")),
        }
    }

    fn special(
        &mut self,
        name: &str,
        special: crate::execute::Special,
        scalar: Scalar,
    ) -> Result<Register, Issue> {
        if file_of(scalar)? != File::Word {
            return Err(Issue::Unsupported(format!("`{name}` of 64 bits")));
        }
        let known = self.specials.iter().find(|(it, _)| *it == special);
        if let Some((_, register)) = known {
            return Ok(*register);
        }
        let register = self.temporary(Scalar::B32)?;
        self.specials.push((special, register));
        Ok(register)
    }

    fn address_constant(
        &mut self,
        address: Address,
        offset: u64,
        scalar: Scalar,
    ) -> Result<Register, Issue> {
        let file = file_of(scalar)?;
        let value = match address {
            Address::At(at) => Constant::Bits(at.wrapping_add(offset)),
            Address::Dynamic => Constant::Dynamic(offset),
        };
        Ok(self.constant(file, value))
    }

    fn literal(&mut self, literal: &Literal, scalar: Scalar) -> Result<Register, Issue> {
        let Some(value) = literal.value() else {
            return Issue::invalid(format!("`{literal}` is no number"));
        };
        let bits = number_bits(value, Some(scalar));
        let file = file_of(scalar)?;
        let width = scalar.bytes().max(1) * 8;
        let kept = if width < 64 {
            bits & ((1 << width) - 1)
        } else {
            bits
        };
        match file {
            File::Predicate => Issue::invalid("a number where a predicate belongs"),
            _ => Ok(self.constant(file, Constant::Bits(kept))),
        }
    }

    /// What an instruction writes; nothing for `_`.
    pub(super) fn target(
        &mut self,
        operand: &Operand,
        scalar: Scalar,
    ) -> Result<Option<Register>, Issue> {
        match name_of(operand)? {
            "_" => Ok(None),
            name => self.register(name, scalar).map(Some),
        }
    }

    /// A predicate, and whether it is turned round.
    pub(super) fn predicate(&mut self, operand: &Operand) -> Result<(Register, bool), Issue> {
        match operand {
            Operand::Not(name) => Ok((self.register(name, Scalar::Pred)?, true)),
            _ => Ok((self.register(name_of(operand)?, Scalar::Pred)?, false)),
        }
    }

    /// Where `[..]` leads.
    pub(super) fn place(&mut self, operand: &Operand) -> Result<Place, Issue> {
        let Operand::Address(parts) = operand else {
            return Issue::invalid(format!("`{operand}` where an address belongs"));
        };
        let (name, offset) = match &parts[..] {
            [Operand::Name(name)] => (name, 0),
            [Operand::Offset(name, literal)] => match literal.value() {
                Some(Number::Integer(offset)) => (name, offset),
                _ => return Issue::invalid(format!("`{literal}` is no offset")),
            },
            [Operand::Literal(literal)] => match literal.value() {
                Some(Number::Integer(offset)) => {
                    return Ok(Place {
                        base: None,
                        offset,
                        space: None,
                    });
                }
                _ => return Issue::invalid(format!("`{literal}` is no address")),
            },
            _ => return Err(Issue::Form),
        };
        match self.find(name)? {
            Some(Named::Register { register, .. }) => {
                let narrow = match register.file {
                    File::Word => true,
                    File::Wide => false,
                    File::Predicate => return Issue::invalid("a predicate is no address"),
                };
                Ok(Place {
                    base: Some((register, narrow)),
                    offset,
                    space: None,
                })
            }
            Some(Named::Variable { space, address }) => Ok(match address {
                Address::At(at) => Place {
                    base: None,
                    offset: at.wrapping_add(offset),
                    space: Some(space),
                },
                Address::Dynamic => {
                    let base = self.constant(File::Word, Constant::Dynamic(0));
                    Place {
                        base: Some((base, true)),
                        offset,
                        space: Some(space),
                    }
                }
            }),
            _ => Issue::invalid(format!("`{name}` is not declared")),
        }
    }
}

/// An operand that must be a name.
pub(super) fn name_of(operand: &Operand) -> Result<&str, Issue> {
    match operand {
        Operand::Name(name) => Ok(name),
        _ => Issue::invalid(format!("`{operand}` where a name belongs")),
    }
}

/// Exactly that many operands.
pub(super) fn exactly<const N: usize>(operands: &[Operand]) -> Result<&[Operand; N], Issue> {
    operands.try_into().map_err(|_| {
        let found = operands.len();
        Issue::Invalid(format!("{found} operands where {N} belong"))
    })
}
