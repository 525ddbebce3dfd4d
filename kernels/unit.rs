//! What there is to compile.

use std::fmt;

/// An element type as the sources name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// One byte, 0 for false.
    Bool,
    /// 8-bit signed integer.
    Int8,
    /// 16-bit signed integer.
    Int16,
    /// 32-bit signed integer.
    Int32,
    /// 64-bit signed integer.
    Int64,
    /// 8-bit unsigned integer.
    UInt8,
    /// 16-bit unsigned integer.
    UInt16,
    /// 32-bit unsigned integer.
    UInt32,
    /// 64-bit unsigned integer.
    UInt64,
    /// IEEE 754 binary16.
    Float16,
    /// The upper half of a binary32.
    BFloat16,
    /// IEEE 754 binary32.
    Float32,
    /// IEEE 754 binary64.
    Float64,
    /// Two binary32.
    Complex64,
    /// Two binary64.
    Complex128,
}

/// An operation on two operands; NumPy's meaning of the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are NumPy's")]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    TrueDivide,
    FloorDivide,
    Remainder,
    Power,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// An operation on one operand; NumPy's meaning of the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are NumPy's")]
pub enum UnaryOp {
    Negative,
}

/// One translation unit: also the key under which its image is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// Copies that cast; a scalar source fills.
    Copy {
        /// The type that is read.
        from: Type,
        /// The type that is written.
        to: Type,
    },
    /// `start + i * step`.
    Arange(Type),
    /// An operation on one operand, which has the result's type.
    Unary(UnaryOp, Type),
    /// An operation on two operands of one type.
    Binary(BinaryOp, Type),
    /// Matrix products.
    Matmul(Type),
}

impl Type {
    /// Every type.
    pub const ALL: [Self; 15] = [
        Self::Bool,
        Self::Int8,
        Self::Int16,
        Self::Int32,
        Self::Int64,
        Self::UInt8,
        Self::UInt16,
        Self::UInt32,
        Self::UInt64,
        Self::Float16,
        Self::BFloat16,
        Self::Float32,
        Self::Float64,
        Self::Complex64,
        Self::Complex128,
    ];

    /// The name in the sources.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "boolean",
            Self::Int8 => "int8",
            Self::Int16 => "int16",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::UInt8 => "uint8",
            Self::UInt16 => "uint16",
            Self::UInt32 => "uint32",
            Self::UInt64 => "uint64",
            Self::Float16 => "float16",
            Self::BFloat16 => "bfloat16",
            Self::Float32 => "float32",
            Self::Float64 => "float64",
            Self::Complex64 => "complex64",
            Self::Complex128 => "complex128",
        }
    }

    /// Bytes an element takes.
    pub const fn size(self) -> usize {
        match self {
            Self::Bool | Self::Int8 | Self::UInt8 => 1,
            Self::Int16 | Self::UInt16 | Self::Float16 | Self::BFloat16 => 2,
            Self::Int32 | Self::UInt32 | Self::Float32 => 4,
            Self::Int64 | Self::UInt64 | Self::Float64 | Self::Complex64 => 8,
            Self::Complex128 => 16,
        }
    }

    /// What an address of an element must be a multiple of: an element of two
    /// parts is read as two.
    pub const fn alignment(self) -> usize {
        if self.is_complex() {
            self.size() / 2
        } else {
            self.size()
        }
    }

    /// A type of the same size and alignment whose copies keep every bit.
    const fn bits(self) -> Self {
        match self {
            Self::Bool | Self::Int8 | Self::UInt8 => Self::UInt8,
            Self::Int16 | Self::UInt16 | Self::Float16 | Self::BFloat16 => Self::UInt16,
            Self::Int32 | Self::UInt32 | Self::Float32 => Self::UInt32,
            Self::Int64 | Self::UInt64 | Self::Float64 => Self::UInt64,
            Self::Complex64 | Self::Complex128 => self,
        }
    }

    const fn is_complex(self) -> bool {
        matches!(self, Self::Complex64 | Self::Complex128)
    }

    const fn is_floating(self) -> bool {
        matches!(
            self,
            Self::Float16 | Self::BFloat16 | Self::Float32 | Self::Float64
        )
    }
}

impl BinaryOp {
    /// Every operation.
    pub const ALL: [Self; 13] = [
        Self::Add,
        Self::Subtract,
        Self::Multiply,
        Self::TrueDivide,
        Self::FloorDivide,
        Self::Remainder,
        Self::Power,
        Self::Equal,
        Self::NotEqual,
        Self::Less,
        Self::LessEqual,
        Self::Greater,
        Self::GreaterEqual,
    ];

    /// The name in the sources.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Subtract => "subtract",
            Self::Multiply => "multiply",
            Self::TrueDivide => "true_divide",
            Self::FloorDivide => "floor_divide",
            Self::Remainder => "remainder",
            Self::Power => "power",
            Self::Equal => "equal",
            Self::NotEqual => "not_equal",
            Self::Less => "less",
            Self::LessEqual => "less_equal",
            Self::Greater => "greater",
            Self::GreaterEqual => "greater_equal",
        }
    }

    /// True for operands of a type that the operation is computed in.
    pub const fn takes(self, operands: Type) -> bool {
        match self {
            Self::Subtract | Self::Power => !matches!(operands, Type::Bool),
            Self::TrueDivide => operands.is_floating() || operands.is_complex(),
            Self::FloorDivide | Self::Remainder => {
                !matches!(operands, Type::Bool) && !operands.is_complex()
            }
            Self::Add
            | Self::Multiply
            | Self::Equal
            | Self::NotEqual
            | Self::Less
            | Self::LessEqual
            | Self::Greater
            | Self::GreaterEqual => true,
        }
    }

    /// The type of the result.
    pub const fn result(self, operands: Type) -> Type {
        match self {
            Self::Equal
            | Self::NotEqual
            | Self::Less
            | Self::LessEqual
            | Self::Greater
            | Self::GreaterEqual => Type::Bool,
            Self::Add
            | Self::Subtract
            | Self::Multiply
            | Self::TrueDivide
            | Self::FloorDivide
            | Self::Remainder
            | Self::Power => operands,
        }
    }
}

impl UnaryOp {
    /// Every operation.
    pub const ALL: [Self; 1] = [Self::Negative];

    /// The name in the sources.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Negative => "negative",
        }
    }

    /// True for operands of a type that the operation is computed in.
    pub const fn takes(self, operand: Type) -> bool {
        match self {
            Self::Negative => !matches!(operand, Type::Bool),
        }
    }
}

/// The text of a unit: types, then what is computed, then the loops around it.
macro_rules! source {
    ($($file:literal),+) => {
        concat!($("#line 1 \"", $file, "\"\n", include_str!($file)),+)
    };
}

impl Unit {
    /// Every unit there is.
    pub fn all() -> impl Iterator<Item = Self> {
        let types = || Type::ALL.into_iter();
        let copies = types().flat_map(move |from| {
            types()
                .map(move |to| Self::Copy { from, to })
                .filter(move |&unit| {
                    unit != Self::Copy { from, to: from } || unit == Self::copy(from, from)
                })
        });
        let unary = UnaryOp::ALL.into_iter().flat_map(move |op| {
            types()
                .filter(move |&operand| op.takes(operand))
                .map(move |operand| Self::Unary(op, operand))
        });
        let binary = BinaryOp::ALL.into_iter().flat_map(move |op| {
            types()
                .filter(move |&operands| op.takes(operands))
                .map(move |operands| Self::Binary(op, operands))
        });
        copies
            .chain(types().map(Self::Arange))
            .chain(unary)
            .chain(binary)
            .chain(types().map(Self::Matmul))
    }

    /// The unit that copies elements of one type to another. Elements that keep
    /// their type are copied bit by bit, whatever they mean.
    pub const fn copy(from: Type, to: Type) -> Self {
        let (from, to) = if from as u8 == to as u8 {
            (from.bits(), from.bits())
        } else {
            (from, to)
        };
        Self::Copy { from, to }
    }

    /// The CUDA C++ text.
    pub const fn source(self) -> &'static str {
        match self {
            Self::Copy { .. } => source!(
                "half.cu",
                "scalar.cu",
                "elementwise/copy.cu",
                "elementwise/access.cu"
            ),
            Self::Arange(_) => source!("half.cu", "scalar.cu", "elementwise/arange.cu"),
            Self::Unary(UnaryOp::Negative, _) => source!(
                "half.cu",
                "scalar.cu",
                "elementwise/negative.cu",
                "elementwise/access.cu"
            ),
            Self::Binary(..) => source!(
                "half.cu",
                "scalar.cu",
                "elementwise/binary.cu",
                "elementwise/access.cu"
            ),
            Self::Matmul(_) => source!("half.cu", "scalar.cu", "matmul/tiled.cu"),
        }
    }

    /// The compiler options it needs, apart from the architecture.
    pub fn options(self) -> Vec<String> {
        let define = |name: &str, value: &str| format!("-D{name}={value}");
        // A product and a sum are rounded each by itself, as NumPy does; sums of
        // products gain by keeping the product exact.
        let unfused = || "--fmad=false".to_owned();
        match self {
            Self::Copy { from, to } => {
                vec![
                    unfused(),
                    define("LEFT", from.name()),
                    define("TARGET", to.name()),
                ]
            }
            Self::Arange(of) | Self::Unary(_, of) => vec![unfused(), define("TARGET", of.name())],
            Self::Binary(op, operands) => vec![
                unfused(),
                define("TYPE", operands.name()),
                define("TARGET", op.result(operands).name()),
                define("OPERATION", op.name()),
            ],
            Self::Matmul(of) => vec![define("TYPE", of.name())],
        }
    }
}

/// How the unit is called where a user may see it: `add_float32`.
impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Copy { from, to } => write!(f, "copy_{}_to_{}", from.name(), to.name()),
            Self::Arange(of) => write!(f, "arange_{}", of.name()),
            Self::Unary(op, of) => write!(f, "{}_{}", op.name(), of.name()),
            Self::Binary(op, of) => write!(f, "{}_{}", op.name(), of.name()),
            Self::Matmul(of) => write!(f, "matmul_{}", of.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn units_have_names_of_their_own() {
        let units: Vec<Unit> = Unit::all().collect();
        let names: BTreeSet<String> = units.iter().map(Unit::to_string).collect();
        assert_eq!(names.len(), units.len());
    }

    #[test]
    fn copies_within_a_type_are_copies_of_its_bits() {
        for of in Type::ALL {
            let Unit::Copy { from, to } = Unit::copy(of, of) else {
                panic!("a copy is a copy");
            };
            assert_eq!(
                (from, from.size(), from.alignment()),
                (to, of.size(), of.alignment())
            );
            assert!(!from.is_floating());
            assert!(Unit::all().any(|unit| unit == Unit::copy(of, of)));
        }
    }

    #[test]
    fn sources_need_no_header() {
        for unit in Unit::all() {
            assert!(!unit.source().contains("#include"), "{unit}");
        }
    }

    #[test]
    fn every_macro_that_an_option_sets_is_used() {
        for unit in Unit::all() {
            for option in unit.options() {
                if let Some((name, _)) = option.strip_prefix("-D").and_then(|d| d.split_once('=')) {
                    assert!(unit.source().contains(name), "{unit}: {name}");
                }
            }
        }
    }
}
