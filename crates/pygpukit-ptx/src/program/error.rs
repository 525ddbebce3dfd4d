//! What cannot be made executable.

/// A kernel that cannot be run here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// The module has no such kernel, or only declares it.
    #[error("the module has no kernel `{kernel}`; it has {known}")]
    NoSuchKernel {
        /// What was asked for.
        kernel: String,
        /// What there is.
        known: String,
    },
    /// A form of an instruction that the executor does not know.
    #[error(
        "`{form}` in kernel `{kernel}` is not implemented on the CPU (PTX line {line}: `{text}`)"
    )]
    Unsupported {
        /// The opcode with its modifiers, or what else it is.
        form: String,
        /// The kernel.
        kernel: String,
        /// The line of the PTX text.
        line: u32,
        /// The instruction.
        text: String,
    },
    /// Text that has no meaning.
    #[error("kernel `{kernel}`, PTX line {line}: {message}")]
    Invalid {
        /// The kernel, or the module's variables.
        kernel: String,
        /// The line of the PTX text.
        line: u32,
        /// What is wrong.
        message: String,
    },
}

/// What is wrong with one statement.
#[derive(Clone, Debug)]
pub(super) enum Issue {
    /// The form as a whole is not known.
    Form,
    /// Something else that is not implemented.
    Unsupported(String),
    Invalid(String),
}

impl Issue {
    pub(super) fn invalid<T>(message: impl Into<String>) -> Result<T, Self> {
        Err(Self::Invalid(message.into()))
    }
}
