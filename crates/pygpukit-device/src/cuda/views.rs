//! Array work in the terms of the built-in kernels.

use crate::backend::{self, View, Work};
use crate::error::{Error, Result};
use pygpukit_core::array::{self, DType, Element};
use pygpukit_kernels::{
    BinaryOp, Launch, Limits, Matrix, Operand, Product, Type, UnaryOp, Unit, arange, elementwise,
    matmul,
};

/// The launch that does the work; `None` for no elements. Not for
/// [`Work::Launch`], which is one already.
pub(super) fn plan(work: &Work, limits: Limits) -> Result<Option<Launch>> {
    const NONE: Operand<'_> = Operand::Scalar([0; 16]);
    match work {
        Work::Fill { target, value } => {
            let of = type_of(target.dtype);
            run(Unit::copy(of, of), target, scalar(*value), NONE, limits)
        }
        Work::Copy { target, source } => {
            let unit = Unit::copy(type_of(source.dtype), type_of(target.dtype));
            run(unit, target, array_at(source)?, NONE, limits)
        }
        Work::Unary { op, target, source } => {
            let unit = Unit::Unary(unary(*op), type_of(source.dtype));
            run(unit, target, array_at(source)?, NONE, limits)
        }
        Work::Binary {
            op,
            target,
            left,
            right,
        } => {
            let operands = match left {
                backend::Operand::Array(view) => view.dtype,
                backend::Operand::Scalar(value) => value.dtype(),
            };
            let unit = Unit::Binary(binary(*op), type_of(operands));
            run(unit, target, operand(left)?, operand(right)?, limits)
        }
        Work::Arange {
            target,
            start,
            step,
        } => {
            check_alignment(target)?;
            let (of, size) = (type_of(target.dtype), target.layout.size());
            let (start, step) = (value_bytes(*start), value_bytes(*step));
            Ok(arange(of, address_of(target), size, start, step, limits))
        }
        Work::Matmul {
            target,
            left,
            right,
            allow_tf32: _,
        } => product(target, left, right, limits),
        Work::Launch(launch) => Err(Error::Value(format!(
            "the launch of `{}` needs no plan",
            launch.function.name()
        ))),
    }
}

fn run(
    unit: Unit,
    target: &View,
    left: Operand<'_>,
    right: Operand<'_>,
    limits: Limits,
) -> Result<Option<Launch>> {
    let shape = target.layout.shape();
    let target = array_at(target)?;
    Ok(elementwise(unit, shape, target, left, right, limits))
}

fn product(target: &View, left: &View, right: &View, limits: Limits) -> Result<Option<Launch>> {
    let (&[ref batch @ .., m, n], &[.., k]) = (target.layout.shape(), left.layout.shape()) else {
        return Err(Error::Value(
            "a matrix product takes arrays of two dimensions or more".into(),
        ));
    };
    check_alignment(target)?;
    let lengths = Product { batch, m, n, k };
    let (of, address) = (type_of(target.dtype), address_of(target));
    let (left, right) = (matrix(left)?, matrix(right)?);
    Ok(matmul(of, lengths, address, left, right, limits))
}

fn matrix(view: &View) -> Result<Matrix<'_>> {
    check_alignment(view)?;
    let &[ref batch @ .., row, column] = view.layout.strides() else {
        return Err(Error::Value(
            "a matrix product takes arrays of two dimensions or more".into(),
        ));
    };
    Ok(Matrix {
        address: address_of(view),
        batch,
        row,
        column,
    })
}

fn operand(operand: &backend::Operand) -> Result<Operand<'_>> {
    match operand {
        backend::Operand::Array(view) => array_at(view),
        backend::Operand::Scalar(value) => Ok(scalar(*value)),
    }
}

fn array_at(view: &View) -> Result<Operand<'_>> {
    check_alignment(view)?;
    Ok(Operand::Array {
        address: address_of(view),
        strides: view.layout.strides(),
    })
}

fn scalar(value: Element) -> Operand<'static> {
    Operand::Scalar(value_bytes(value))
}

fn value_bytes(value: Element) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..value.as_bytes().len()].copy_from_slice(value.as_bytes());
    bytes
}

fn address_of(view: &View) -> u64 {
    view.address + view.layout.offset() as u64
}

/// Refuses elements that a GPU cannot address: an unaligned access would not
/// fail by itself but take the whole context with it. Memory of other libraries
/// may be like that.
fn check_alignment(view: &View) -> Result<()> {
    let layout = &view.layout;
    let alignment = type_of(view.dtype).alignment();
    let steps = layout.shape().iter().zip(layout.strides());
    let is_aligned = address_of(view).is_multiple_of(alignment as u64)
        && steps
            .filter(|&(&length, _)| length > 1)
            .all(|(_, stride)| stride.unsigned_abs().is_multiple_of(alignment));
    if is_aligned || layout.size() == 0 {
        return Ok(());
    }
    Err(Error::Unsupported(format!(
        "elements of `{}` must lie at multiples of {alignment} bytes; the first is at {:#x}, \
         with strides of {:?} bytes",
        view.dtype,
        address_of(view),
        layout.strides()
    )))
}

fn type_of(dtype: DType) -> Type {
    match dtype {
        DType::Bool => Type::Bool,
        DType::Int8 => Type::Int8,
        DType::Int16 => Type::Int16,
        DType::Int32 => Type::Int32,
        DType::Int64 => Type::Int64,
        DType::UInt8 => Type::UInt8,
        DType::UInt16 => Type::UInt16,
        DType::UInt32 => Type::UInt32,
        DType::UInt64 => Type::UInt64,
        DType::Float16 => Type::Float16,
        DType::BFloat16 => Type::BFloat16,
        DType::Float32 => Type::Float32,
        DType::Float64 => Type::Float64,
        DType::Complex64 => Type::Complex64,
        DType::Complex128 => Type::Complex128,
    }
}

fn binary(op: array::BinaryOp) -> BinaryOp {
    match op {
        array::BinaryOp::Add => BinaryOp::Add,
        array::BinaryOp::Subtract => BinaryOp::Subtract,
        array::BinaryOp::Multiply => BinaryOp::Multiply,
        array::BinaryOp::TrueDivide => BinaryOp::TrueDivide,
        array::BinaryOp::FloorDivide => BinaryOp::FloorDivide,
        array::BinaryOp::Remainder => BinaryOp::Remainder,
        array::BinaryOp::Power => BinaryOp::Power,
        array::BinaryOp::Equal => BinaryOp::Equal,
        array::BinaryOp::NotEqual => BinaryOp::NotEqual,
        array::BinaryOp::Less => BinaryOp::Less,
        array::BinaryOp::LessEqual => BinaryOp::LessEqual,
        array::BinaryOp::Greater => BinaryOp::Greater,
        array::BinaryOp::GreaterEqual => BinaryOp::GreaterEqual,
    }
}

fn unary(op: array::UnaryOp) -> UnaryOp {
    match op {
        array::UnaryOp::Negative => UnaryOp::Negative,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pygpukit_core::array::{Kind, Layout, Scalar};
    use std::collections::BTreeSet;

    const LIMITS: Limits = Limits {
        multiprocessors: 132,
    };

    fn view(shape: &[usize], dtype: DType) -> View {
        View {
            address: 0x7000_0000,
            dtype,
            layout: Layout::contiguous(shape, dtype.itemsize()).unwrap(),
        }
    }

    #[test]
    fn types_agree_in_size() {
        for dtype in DType::ALL {
            assert_eq!(type_of(dtype).size(), dtype.itemsize());
        }
    }

    #[test]
    fn every_operation_of_every_dtype_has_a_plan_of_an_existing_unit() {
        let units: BTreeSet<Unit> = Unit::all().collect();
        let check = |work: Work| {
            let launch = plan(&work, LIMITS).unwrap().unwrap();
            assert!(units.contains(&launch.unit), "{}", launch.unit);
        };
        for dtype in DType::ALL {
            let (target, value) = (
                view(&[3], dtype),
                Scalar::Bool(true).to_element(dtype).unwrap(),
            );
            check(Work::Fill {
                target: target.clone(),
                value,
            });
            check(Work::Arange {
                target: target.clone(),
                start: value,
                step: value,
            });
            for other in DType::ALL {
                check(Work::Copy {
                    target: target.clone(),
                    source: view(&[3], other),
                });
            }
            if dtype.kind() != Kind::Bool {
                let source = target.clone();
                check(Work::Unary {
                    op: array::UnaryOp::Negative,
                    target: target.clone(),
                    source,
                });
            }
            for op in array::BinaryOp::ALL {
                let Ok(signature) = op.signature(dtype) else {
                    continue;
                };
                let left = backend::Operand::Array(view(&[3], signature.compute));
                let value = Scalar::Bool(true).to_element(signature.compute).unwrap();
                let target = view(&[3], signature.result);
                check(Work::Binary {
                    op,
                    target,
                    left,
                    right: backend::Operand::Scalar(value),
                });
            }
            let square = view(&[2, 2], dtype);
            let (left, right) = (square.clone(), square.clone());
            check(Work::Matmul {
                target: square,
                left,
                right,
                allow_tf32: false,
            });
        }
    }

    #[test]
    fn unaligned_elements_are_refused() {
        let mut odd = view(&[3], DType::Float32);
        odd.address += 2;
        let text = plan(
            &Work::Copy {
                target: view(&[3], DType::Float32),
                source: odd.clone(),
            },
            LIMITS,
        )
        .unwrap_err()
        .to_string();
        assert!(
            text.contains("multiples of 4 bytes") && text.contains("0x70000002"),
            "{text}"
        );
        odd.address += 2;
        odd.layout = Layout::strided(&[3], &[6], 0, 4);
        let value = Scalar::Int(1).to_element(DType::Float32).unwrap();
        assert!(
            plan(
                &Work::Fill {
                    target: odd.clone(),
                    value
                },
                LIMITS
            )
            .is_err()
        );
        odd.layout = Layout::strided(&[1], &[6], 0, 4);
        assert!(
            plan(&Work::Fill { target: odd, value }, LIMITS).is_ok(),
            "one element"
        );
        let mut pair = view(&[3], DType::Complex64);
        pair.address += 4;
        let value = Scalar::Int(1).to_element(DType::Complex64).unwrap();
        assert!(
            plan(
                &Work::Fill {
                    target: pair,
                    value
                },
                LIMITS
            )
            .is_ok()
        );
    }
}
