//! How a kernel is compiled.

use std::collections::BTreeMap;

/// How a kernel is compiled. Whatever differs here may differ in the result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CompileOptions {
    /// For which devices, such as `sm_90`.
    pub compute_capability: String,
    /// What the compiler is told, in that order.
    pub flags: Vec<String>,
    /// Values of macros. Their order means nothing, and the last definition counts.
    pub defines: BTreeMap<String, String>,
    /// Where headers are looked for, in that order. What is in them is not looked at.
    pub includes: Vec<String>,
}

impl CompileOptions {
    /// For a device, with nothing else.
    pub fn new(compute_capability: impl Into<String>) -> Self {
        Self {
            compute_capability: compute_capability.into(),
            flags: Vec::new(),
            defines: BTreeMap::new(),
            includes: Vec::new(),
        }
    }

    /// With one more flag.
    #[must_use]
    pub fn flag(mut self, flag: impl Into<String>) -> Self {
        self.flags.push(flag.into());
        self
    }

    /// With a macro defined.
    #[must_use]
    pub fn define(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.defines.insert(name.into(), value.into());
        self
    }

    /// With one more folder of headers.
    #[must_use]
    pub fn include(mut self, folder: impl Into<String>) -> Self {
        self.includes.push(folder.into());
        self
    }
}

impl Default for CompileOptions {
    /// For compute capability 7.5.
    fn default() -> Self {
        Self::new("sm_75")
    }
}
