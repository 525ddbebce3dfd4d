//! Kernels as PTX declares them.

use crate::parse::{Declaration, Declarator, Scalar};

/// A kernel: an `.entry` of a PTX module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name in the image: mangled, unless the source says `extern "C"`.
    pub name: String,
    /// The parameters, in order.
    pub parameters: Vec<Parameter>,
    /// Bytes of the parameter buffer, without padding at the end.
    pub parameter_bytes: usize,
    /// Most threads along x, y, z (`.maxntid`); 1 where the image names fewer axes.
    pub max_threads: Option<[u32; 3]>,
    /// The only block that the kernel may be launched with (`.reqntid`).
    pub required_threads: Option<[u32; 3]>,
    /// What the kernel and all that it may call do.
    pub facts: Facts,
}

/// What the code of a kernel does, as far as a launch must know. Where the code
/// leaves a doubt, the answer is the one that asks for more care.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent observations")]
pub struct Facts {
    /// Bytes of shared memory that the image itself declares.
    pub shared_bytes: u64,
    /// True if it uses shared memory whose size the launch chooses.
    pub dynamic_shared: bool,
    /// True if threads wait for each other.
    pub barrier: bool,
    /// True if it looks at more than the x axis of the grid or the block.
    pub multidimensional: bool,
    /// True if it belongs to a cluster of blocks.
    pub cluster: bool,
    /// True if anything in it depends on a comparison: code without one cannot
    /// tell threads beyond the end of the data from others.
    pub conditional: bool,
}

impl Facts {
    /// Both: what holds for either holds for the whole.
    pub(crate) fn merge(&mut self, other: Self) {
        self.shared_bytes = self.shared_bytes.saturating_add(other.shared_bytes);
        self.dynamic_shared |= other.dynamic_shared;
        self.barrier |= other.barrier;
        self.multidimensional |= other.multidimensional;
        self.cluster |= other.cluster;
        self.conditional |= other.conditional;
    }

    /// Counts a variable in shared memory; one of open size is the launch's.
    pub(crate) fn add_shared(&mut self, bytes: Option<u64>) {
        self.shared_bytes = self.shared_bytes.saturating_add(bytes.unwrap_or(0));
        self.dynamic_shared |= bytes.is_none();
    }

    /// True if blocks and threads may be cut along x in any way: one dimension,
    /// no shared memory, no barrier, no cluster.
    pub const fn is_elementwise(&self) -> bool {
        self.shared_bytes == 0
            && !self.dynamic_shared
            && !self.barrier
            && !self.multidimensional
            && !self.cluster
    }
}

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Bytes from the start of the parameter buffer. The assembler aligns more
    /// than [`Parameter::LARGEST_ALIGN`] bytes to the constant bank instead: from
    /// such a parameter on, only the CUBIN knows.
    pub offset: usize,
    /// Bytes it takes.
    pub size: usize,
    /// What its offset is a multiple of.
    pub align: usize,
    /// What the image says about its type.
    pub kind: ParameterKind,
}

impl Parameter {
    /// The largest alignment that means the same in PTX and in a CUBIN.
    pub const LARGEST_ALIGN: usize = 16;
}

/// The broad type of a parameter: PTX knows no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// An integer, truth value or character; 8 bytes may be a pointer.
    Integer,
    /// A `float` or `double`.
    Float,
    /// A half-precision number, structure, vector or array.
    Bytes,
}

/// Lays out the parameters of an `.entry`.
pub(crate) fn parameters(list: &[Declaration]) -> Result<Vec<Parameter>, String> {
    let mut parameters = Vec::new();
    let mut end = 0;
    for declaration in list {
        let name = declaration
            .names
            .first()
            .ok_or("a parameter without a name")?;
        if declaration.scalar.is_none() {
            return Err("a parameter without a type, a size or a name".into());
        }
        let extent = declaration.extent(name);
        let (size, align) = extent.ok_or("a parameter without a size")?;
        let start = offset(end, align, size).ok_or("parameters beyond any buffer")?;
        end = start + size;
        parameters.push(Parameter {
            offset: start,
            size,
            align,
            kind: kind(declaration, name),
        });
    }
    Ok(parameters)
}

fn kind(declaration: &Declaration, name: &Declarator) -> ParameterKind {
    match declaration.scalar {
        _ if declaration.lanes > 1 || !name.axes.is_empty() => ParameterKind::Bytes,
        Some(Scalar::F32 | Scalar::F64) => ParameterKind::Float,
        Some(Scalar::F16 | Scalar::Bf16 | Scalar::F16x2 | Scalar::Bf16x2 | Scalar::B128) => {
            ParameterKind::Bytes
        }
        _ => ParameterKind::Integer,
    }
}

/// Where something of that alignment and size begins after `end`, if its own
/// end can still be counted.
pub(crate) fn offset(end: usize, align: usize, size: usize) -> Option<usize> {
    // Larger than any memory of a device: sums of these cannot overflow.
    const LARGEST: usize = 1 << 40;
    let start = end.checked_next_multiple_of(align)?;
    (start.checked_add(size)? <= LARGEST).then_some(start)
}
