//! What a kernel is found by.

use super::options::CompileOptions;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// What something is found by: all that decides what it is.
pub trait Key: Clone + Eq + Hash {
    /// What several keys may have in common.
    type Name: Clone + Eq + Hash;

    /// What several keys may have in common.
    fn name(&self) -> &Self::Name;
}

/// What a kernel is called, and how it is compiled; of whatever source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KernelName {
    /// What it is called.
    pub name: String,
    /// How it is compiled.
    pub options: CompileOptions,
}

/// A kernel's source, name and options: all that decides what a compiler makes of it, but
/// for the compiler and what the source includes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelKey {
    /// Of the rest: unequal means another kernel, equal means nothing.
    hash: u64,
    kernel: Arc<(String, KernelName)>,
}

/// A number that is the same for the same source, in every process.
pub fn hash_source(source: &str) -> u64 {
    hash_of(source)
}

fn hash_of(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl KernelKey {
    /// The key of a kernel.
    pub fn new(
        source: impl Into<String>,
        name: impl Into<String>,
        options: CompileOptions,
    ) -> Self {
        let name = name.into();
        let kernel = (source.into(), KernelName { name, options });
        Self {
            hash: hash_of(&kernel),
            kernel: Arc::new(kernel),
        }
    }

    /// Its source.
    pub fn source(&self) -> &str {
        &self.kernel.0
    }

    /// A number that is the same for the same key. Others may have it too.
    pub const fn hash64(&self) -> u64 {
        self.hash
    }

    /// The same key, as if it hashed to something else.
    #[cfg(test)]
    pub(super) fn hashing_to(mut self, hash: u64) -> Self {
        self.hash = hash;
        self
    }
}

impl Hash for KernelKey {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.hash);
    }
}

impl Key for KernelKey {
    type Name = KernelName;

    fn name(&self) -> &KernelName {
        &self.kernel.1
    }
}
