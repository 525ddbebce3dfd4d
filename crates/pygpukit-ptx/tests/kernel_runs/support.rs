//! Launching kernels of the fixtures.

use pygpukit_ptx::{Kernel, Launch, LaunchError, Memory, Module, Program, Summary};

/// The kernel of that name in that fixture.
pub(crate) fn kernel(ptx: &str, name: &str) -> Kernel {
    let module = Module::parse(ptx).expect("readable PTX");
    let program = Program::new(module).expect("variables");
    program
        .kernel(name)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Parameters, laid out as C++ does.
#[derive(Default)]
pub(crate) struct Parameters(Vec<u8>);

impl Parameters {
    fn put(mut self, bytes: &[u8]) -> Self {
        self.0.resize(self.0.len().next_multiple_of(bytes.len()), 0);
        self.0.extend_from_slice(bytes);
        self
    }

    pub(crate) fn pointer(self, address: u64) -> Self {
        self.put(&address.to_le_bytes())
    }

    pub(crate) fn int(self, value: i32) -> Self {
        self.put(&value.to_le_bytes())
    }

    pub(crate) fn float(self, value: f32) -> Self {
        self.put(&value.to_le_bytes())
    }
}

/// Runs blocks along x and y.
pub(crate) fn run(
    kernel: &Kernel,
    grid: [u32; 2],
    block: [u32; 2],
    shared: u32,
    parameters: &Parameters,
    memory: &Memory<'_>,
) -> Result<Summary, LaunchError> {
    kernel.launch(&Launch {
        grid: [grid[0], grid[1], 1],
        block: [block[0], block[1], 1],
        shared,
        parameters: &parameters.0,
        memory,
        budget: Some(1 << 32),
        stop: None,
        output: None,
    })
}

/// A launch of blocks along x.
pub(crate) fn launch<'l>(
    grid: u32,
    block: u32,
    parameters: &'l Parameters,
    memory: &'l Memory<'l>,
) -> Launch<'l> {
    Launch {
        grid: [grid, 1, 1],
        block: [block, 1, 1],
        shared: 0,
        parameters: &parameters.0,
        memory,
        budget: Some(1 << 32),
        stop: None,
        output: None,
    }
}

/// Numbers that look random but are always the same.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Between -1 and 1.
    pub(crate) fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    pub(crate) fn units(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.unit()).collect()
    }
}
