//! What can be wrong with compiler output.

/// PTX text that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("PTX line {line}: {message}")]
pub struct PtxError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

/// Bytes that are not a CUBIN, or a damaged one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a readable CUBIN: {0}")]
pub struct CubinError(pub(crate) String);
