//! What a plan says, and the bytes that kernels take.

use crate::unit::Unit;

/// One kernel launch, planned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// What to compile.
    pub unit: Unit,
    /// Which kernel of it to launch.
    pub entry: &'static str,
    /// Blocks along x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y, z.
    pub block: [u32; 3],
    /// The kernel's one parameter.
    pub parameters: Vec<u8>,
}

/// What a plan must know of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Streaming multiprocessors that the work may use.
    pub multiprocessors: u32,
}

/// Blocks along x for `items` pieces of work, `each` a block; kernels loop over
/// what is beyond. Enough for every multiprocessor to be full several times.
pub(crate) fn blocks(items: usize, each: usize, limits: Limits) -> u32 {
    const WAVES: u32 = 32;
    let most = limits.multiprocessors.max(1).saturating_mul(WAVES);
    u32::try_from(items.div_ceil(each)).map_or(most, |blocks| blocks.clamp(1, most))
}

/// Writes parameters in the order of a C struct of 8-byte members.
#[derive(Default)]
pub(crate) struct Parameters(Vec<u8>);

impl Parameters {
    pub(crate) fn unsigned(&mut self, value: u64) -> &mut Self {
        self.0.extend(value.to_ne_bytes());
        self
    }

    pub(crate) fn size(&mut self, value: usize) -> &mut Self {
        self.unsigned(value as u64)
    }

    pub(crate) fn stride(&mut self, value: isize) -> &mut Self {
        self.unsigned((value as i64).cast_unsigned())
    }

    pub(crate) fn bytes(&mut self, value: [u8; 16]) -> &mut Self {
        self.0.extend(value);
        self
    }

    /// An array of `room` members, of which these are in use.
    pub(crate) fn array(
        &mut self,
        room: usize,
        values: impl ExactSizeIterator<Item = isize>,
    ) -> &mut Self {
        let unused = room - values.len();
        for value in values {
            self.stride(value);
        }
        for _ in 0..unused {
            self.stride(0);
        }
        self
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.0
    }
}
