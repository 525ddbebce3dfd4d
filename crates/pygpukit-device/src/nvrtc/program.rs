//! One compilation.

use super::arch::Arch;
use super::diagnostics::{CompileError, Diagnostic, parse};
use super::library::{Library, RawProgram, RawResult};
use super::running::Running;
use super::source::Source;
use crate::error::{Error, Result};
use std::ffi::{CStr, CString, c_char, c_int};
use std::fmt::Write as _;
use std::sync::Arc;

/// `NVRTC_ERROR_INVALID_OPTION`.
const INVALID_OPTION: c_int = 5;

/// What a compilation makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The target.
    pub arch: Arch,
    /// The compiler's version, as (major, minor).
    pub compiler: (u32, u32),
    /// The kernel's name in the image.
    pub entry: String,
    /// PTX text.
    pub ptx: String,
    /// The CUBIN; `None` for a virtual target.
    pub cubin: Option<Vec<u8>>,
    /// Warnings and remarks.
    pub diagnostics: Vec<Diagnostic>,
    /// What the compiler wrote.
    pub log: String,
}

/// Compiles `source` and looks up the kernel that `expression` names.
pub(super) fn compile(
    library: &Library,
    source: &Source,
    expression: &str,
    options: &[String],
    arch: Arch,
) -> Result<Image> {
    let arguments = arguments(source, options, arch)?;
    let expression = text(expression, "the kernel's name")?;
    let _running = Running::begin()?;
    let program = Program::new(library, source)?;
    let symbols = &library.symbols;
    // SAFETY: the program lives; the text ends with 0 and is copied.
    let added = unsafe { (symbols.add_expression)(program.raw, expression.as_ptr()) };
    program.expect(added)?;
    let pointers: Vec<*const c_char> = arguments.iter().map(|option| option.as_ptr()).collect();
    let count = c_int::try_from(pointers.len())
        .map_err(|_| Error::Value(format!("{} compiler options", pointers.len())))?;
    if let Some(set_flow_callback) = library.set_flow_callback {
        // SAFETY: the program lives; the function takes any payload.
        let set = unsafe {
            set_flow_callback(
                program.raw,
                Some(Running::is_cancelled),
                std::ptr::null_mut(),
            )
        };
        program.expect(set)?;
    }
    // SAFETY: `count` pointers to texts that outlive the call.
    let result = unsafe { (symbols.compile)(program.raw, count, pointers.as_ptr()) };
    // SAFETY: the two functions belong together.
    let log = unsafe { program.output(symbols.log_size, symbols.log) };
    let log = into_text(log.unwrap_or_default());
    let diagnostics = parse(&log);
    if result != 0 {
        let mut outcome = library.message(result);
        if result == INVALID_OPTION {
            // The compiler names the option on standard error only.
            write!(outcome, "; the options were {arguments:?}").unwrap_or_default();
        }
        return Err(Error::Compile(Arc::new(CompileError {
            name: source.name().to_owned(),
            arch,
            compiler: library.version,
            result: outcome,
            diagnostics,
            log,
        })));
    }
    // SAFETY: the two functions belong together.
    let ptx = unsafe { program.output(symbols.ptx_size, symbols.ptx) }?;
    let cubin = arch
        .is_real()
        // SAFETY: the two functions belong together.
        .then(|| unsafe { program.output(symbols.cubin_size, symbols.cubin) })
        .transpose()?;
    Ok(Image {
        arch,
        compiler: library.version,
        entry: program.lowered_name(&expression)?,
        ptx: into_text(ptx),
        cubin,
        diagnostics,
        log,
    })
}

/// The options as NVRTC takes them.
fn arguments(source: &Source, options: &[String], arch: Arch) -> Result<Vec<CString>> {
    let mut arguments = vec![text(&format!("--gpu-architecture={arch}"), "the target")?];
    if let Some(directory) = source.directory() {
        let option = format!("--include-path={}", directory.display());
        arguments.push(text(&option, "the source's folder")?);
    }
    for option in options {
        arguments.push(text(option, "a compiler option")?);
    }
    Ok(arguments)
}

fn text(value: &str, what: &str) -> Result<CString> {
    CString::new(value).map_err(|_| Error::Value(format!("{what} has a zero byte: {value:?}")))
}

/// Without the zero that ends C text.
fn into_text(mut bytes: Vec<u8>) -> String {
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

struct Program<'a> {
    library: &'a Library,
    raw: RawProgram,
}

impl<'a> Program<'a> {
    fn new(library: &'a Library, source: &Source) -> Result<Self> {
        let code = text(source.text(), "the source")?;
        let name = text(source.name(), "the source's name")?;
        let mut program = Self {
            library,
            raw: std::ptr::null_mut(),
        };
        // SAFETY: both texts end with 0 and are copied; no headers are given.
        let result = unsafe {
            (library.symbols.create)(
                &raw mut program.raw,
                code.as_ptr(),
                name.as_ptr(),
                0,
                std::ptr::null(),
                std::ptr::null(),
            )
        };
        program.expect(result)?;
        Ok(program)
    }

    fn expect(&self, result: RawResult) -> Result<()> {
        if result == 0 {
            return Ok(());
        }
        Err(Error::Unsupported(format!(
            "NVRTC at `{}` failed: {}",
            self.library.path.display(),
            self.library.message(result)
        )))
    }

    /// # Safety
    /// `size` and `fill` are a pair of NVRTC: `fill` writes as many bytes as `size` says.
    unsafe fn output(
        &self,
        size: unsafe extern "C" fn(RawProgram, *mut usize) -> RawResult,
        fill: unsafe extern "C" fn(RawProgram, *mut c_char) -> RawResult,
    ) -> Result<Vec<u8>> {
        let mut length = 0;
        // SAFETY: the program lives; writes one number.
        self.expect(unsafe { size(self.raw, &raw mut length) })?;
        let mut bytes = vec![0_u8; length];
        // SAFETY: the caller's promise.
        self.expect(unsafe { fill(self.raw, bytes.as_mut_ptr().cast()) })?;
        Ok(bytes)
    }

    fn lowered_name(&self, expression: &CStr) -> Result<String> {
        let mut name = std::ptr::null();
        let lookup = self.library.symbols.lowered_name;
        // SAFETY: the program lives and has been compiled with the expression.
        self.expect(unsafe { lookup(self.raw, expression.as_ptr(), &raw mut name) })?;
        // SAFETY: NVRTC gives a text that lives as long as the program.
        let name = unsafe { CStr::from_ptr(name) };
        Ok(name.to_string_lossy().into_owned())
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: created once and destroyed once; null is refused by NVRTC.
        unsafe { (self.library.symbols.destroy)(&raw mut self.raw) };
    }
}
