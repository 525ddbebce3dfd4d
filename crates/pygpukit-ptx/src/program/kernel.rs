//! Programs and their kernels, as users see them.

use super::error::CompileError;
use super::lower::lower;
use super::symbols::{Symbol, Symbols};
use crate::execute::{Code, Launch, LaunchError, Level, Run};
use crate::module::Module;
use std::sync::Arc;

/// A module in memory: its variables have addresses and values, and its kernels can be run.
///
/// ```
/// use pygpukit_ptx::{Launch, Memory, Module, Program};
///
/// let module = Module::parse("
///     .version 8.0 .target sm_80 .address_size 64
///     .entry double_all(.param .u64 x) {
///         .reg .b32 %r<3>;  .reg .b64 %rd<4>;
///         ld.param.u64 %rd1, [x];
///         mov.u32 %r1, %tid.x;
///         mul.wide.u32 %rd2, %r1, 4;
///         add.s64 %rd3, %rd1, %rd2;
///         ld.global.u32 %r2, [%rd3];
///         shl.b32 %r2, %r2, 1;
///         st.global.u32 [%rd3], %r2;
///         ret;
///     }")?;
/// let kernel = Program::new(module)?.kernel("double_all")?;
///
/// let mut values: Vec<u32> = (0..64).collect();
/// let mut memory = Memory::default();
/// let address = memory.share(&mut values);
/// let summary = kernel.launch(&Launch {
///     grid: [1, 1, 1],
///     block: [64, 1, 1],
///     shared: 0,
///     parameters: &address.to_le_bytes(),
///     memory: &memory,
///     budget: None,
///     stop: None,
///     output: None,
/// })?;
/// assert_eq!(summary.instructions, 2 * 8);
/// assert_eq!(values[63], 126);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Program {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    module: Module,
    symbols: Symbols,
    level: Level,
}

impl Program {
    /// Puts the variables of a module into memory. Its kernels are looked at when asked for.
    ///
    /// # Errors
    /// Variables whose sizes or values make no sense.
    pub fn new(module: Module) -> Result<Self, CompileError> {
        let symbols = Symbols::new(&module.items)?;
        let level = Level::detect();
        let inner = Inner {
            module,
            symbols,
            level,
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// Makes the kernel of that (mangled) name executable.
    ///
    /// # Errors
    /// [`CompileError::Unsupported`] names the first form that is not implemented, its
    /// line and the kernel.
    pub fn kernel(&self, name: &str) -> Result<Kernel, CompileError> {
        let Inner {
            module,
            symbols,
            level,
        } = &*self.inner;
        let Some(entry) = module.entry(name) else {
            let names = module
                .entries
                .iter()
                .map(|entry| format!("`{}`", entry.name));
            return Err(CompileError::NoSuchKernel {
                kernel: name.into(),
                known: match names.collect::<Vec<_>>() {
                    names if names.is_empty() => "none".into(),
                    names => names.join(", "),
                },
            });
        };
        let code = lower(module, entry, symbols, *level)?;
        Ok(Kernel {
            program: Arc::clone(&self.inner),
            code,
        })
    }

    /// Address and bytes of a variable in global or constant memory.
    pub fn variable(&self, name: &str) -> Option<(u64, u64)> {
        match self.inner.symbols.named.get(name)? {
            Symbol::Memory { address, bytes } => Some((*address, *bytes)),
            Symbol::Shared { .. } | Symbol::Functions => None,
        }
    }
}

/// A kernel that can be run. It keeps its program's variables alive.
#[derive(Debug)]
pub struct Kernel {
    program: Arc<Inner>,
    code: Code,
}

/// What a launch did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Instructions of warps: what up to 32 lanes do at once counts once.
    pub instructions: u64,
}

impl Kernel {
    /// Runs a launch on this thread.
    ///
    /// # Errors
    /// [`LaunchError`]: a launch that cannot be, a fault of a thread, or the caller's stop.
    pub fn launch(&self, launch: &Launch<'_>) -> Result<Summary, LaunchError> {
        let running = self.start(launch)?;
        running.work();
        running.finish()
    }

    /// Prepares a launch whose blocks any number of the caller's threads run: each calls
    /// [`Running::work`], and when all have returned one calls [`Running::finish`].
    ///
    /// # Errors
    /// [`LaunchError::Refused`]: a launch that cannot be.
    pub fn start<'l>(&'l self, launch: &'l Launch<'l>) -> Result<Running<'l>, LaunchError> {
        let variables = &self.program.symbols.windows;
        Run::new(&self.code, launch, variables).map(Running)
    }

    /// Bytes of shared memory that the kernel itself declares.
    pub fn shared_bytes(&self) -> u64 {
        self.code.shared_bytes
    }

    /// Bytes of local memory of a thread.
    pub fn local_bytes(&self) -> usize {
        self.code.frame
    }
}

/// A launch on its way.
#[derive(Debug)]
pub struct Running<'l>(Run<'l>);

impl Running<'_> {
    /// Runs blocks until there are no more.
    pub fn work(&self) {
        self.0.work();
    }

    /// What came of it.
    ///
    /// # Errors
    /// The first failure of a block.
    pub fn finish(self) -> Result<Summary, LaunchError> {
        let instructions = self.0.finish()?;
        Ok(Summary { instructions })
    }
}
