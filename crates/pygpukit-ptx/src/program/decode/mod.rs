//! Forms of instructions to handlers.

mod arithmetic;
mod bitwise;
mod change;
mod comparison;
mod conversion;
mod copy;
mod flow;
mod lanes;
mod mov;
mod plan;
mod real;
mod space;

use super::draft::{Draft, Register};
use super::error::Issue;
use super::form::Form;
use super::lower::Lowering;
use super::operands::{exactly, name_of};
use crate::execute::Handler;
use crate::parse::{Operand, Scalar};

/// Adds the steps of an instruction.
pub(super) fn decode(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    match form.mnemonic {
        "add" | "sub" | "mul" | "mad" | "fma" | "div" | "rem" | "min" | "max" | "abs" | "neg"
        | "sad" | "mul24" | "mad24" | "addc" | "subc" | "madc" => {
            arithmetic::decode(lowering, form, operands)
        }
        "rcp" | "sqrt" | "rsqrt" | "ex2" | "lg2" | "sin" | "cos" | "tanh" | "copysign" => {
            real::function(lowering, form, operands)
        }
        "and" | "or" | "xor" | "not" | "cnot" | "shl" | "shr" | "shf" | "lop3" | "prmt" | "bfe"
        | "bfi" | "bfind" | "popc" | "clz" | "brev" | "bmsk" | "szext" | "dp4a" => {
            bitwise::decode(lowering, form, operands)
        }
        "setp" | "set" | "selp" | "slct" | "testp" => comparison::decode(lowering, form, operands),
        "mov" | "cvt" | "cvta" => conversion::decode(lowering, form, operands),
        "ld" | "ldu" | "st" | "atom" | "red" | "isspacep" | "cp" => {
            space::decode(lowering, form, operands)
        }
        "shfl" | "vote" | "match" | "redux" | "activemask" | "elect" => {
            lanes::decode(lowering, form, operands)
        }
        _ => flow::decode(lowering, form, operands),
    }
}

impl Lowering<'_> {
    /// `op to, a`.
    fn unary(
        &mut self,
        handler: Handler,
        operands: &[Operand],
        [to, a]: [Scalar; 2],
    ) -> Result<(), Issue> {
        let [first, second] = exactly(operands)?;
        let draft = Draft::new(handler).to(self.written(first, to)?);
        let draft = draft.a(self.source(second, a)?);
        self.emit(draft)
    }

    /// `op to, a, b`.
    fn binary(
        &mut self,
        handler: Handler,
        operands: &[Operand],
        [to, a, b]: [Scalar; 3],
    ) -> Result<(), Issue> {
        let [first, second, third] = exactly(operands)?;
        let draft = Draft::new(handler).to(self.written(first, to)?);
        let draft = draft.a(self.source(second, a)?).b(self.source(third, b)?);
        self.emit(draft)
    }

    /// `op to, a, b, c`.
    fn ternary(
        &mut self,
        handler: Handler,
        operands: &[Operand],
        [to, a, b, c]: [Scalar; 4],
    ) -> Result<(), Issue> {
        let [first, second, third, fourth] = exactly(operands)?;
        let draft = Draft::new(handler).to(self.written(first, to)?);
        let draft = draft.a(self.source(second, a)?).b(self.source(third, b)?);
        let draft = draft.c(self.source(fourth, c)?);
        self.emit(draft)
    }

    /// The register that an instruction writes; `_` is none.
    fn written(&mut self, operand: &Operand, scalar: Scalar) -> Result<Register, Issue> {
        let name = name_of(operand)?;
        self.register(name, scalar)
    }
}
