//! CUDA C source, with the name that diagnostics show.

use crate::error::{Error, Result};
use std::path::{Path, PathBuf};

/// CUDA C source, without the byte order mark that some editors write before it:
/// the compiler refuses one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    text: String,
    name: String,
    directory: Option<PathBuf>,
}

impl Source {
    /// Source in memory; diagnostics call it `name`.
    pub fn from_text(text: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            text: without_mark(text.into()),
            name: name.into(),
            directory: None,
        }
    }

    /// A source file, read now. Its directory is searched for `#include "..."`.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read; [`Error::Value`] if it is not UTF-8.
    pub fn from_path(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|error| Error::File {
            path: path.to_path_buf(),
            code: error.raw_os_error(),
            reason: error.to_string(),
        })?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Error::Value(format!("`{}` is not UTF-8 at byte {at}", path.display()))
        })?;
        let directory = match path.parent() {
            Some(parent) if parent.as_os_str().is_empty() => Some(".".into()),
            parent => parent.map(Path::to_path_buf),
        };
        Ok(Self {
            text: without_mark(text),
            name: path.display().to_string(),
            directory,
        })
    }

    /// The CUDA C text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The name in diagnostics: the path as given, or the name given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where `#include "..."` looks first.
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }
}

fn without_mark(text: String) -> String {
    match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}
