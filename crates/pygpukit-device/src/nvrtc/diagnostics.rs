//! What the compiler said, taken apart.

use super::arch::Arch;
use std::fmt;

/// How bad a [`Diagnostic`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Advice.
    Remark,
    /// Doubtful code.
    Warning,
    /// No code is made.
    Error,
}

impl Severity {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Remark => "remark",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One message of the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file; `ptx` for what the assembler found in the compiler's output.
    pub file: String,
    /// The line, counted from 1; 0 if the message belongs to no line.
    pub line: u32,
    /// How bad it is.
    pub severity: Severity,
    /// What it says, with its number if it has one.
    pub text: String,
    /// The source line, and the line under it whose `^` points at the place.
    pub excerpt: Vec<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 {
            write!(f, "({})", self.line)?;
        }
        write!(f, ": {}: {}", self.severity.name(), self.text)?;
        self.excerpt
            .iter()
            .try_for_each(|line| write!(f, "\n{line}"))
    }
}

/// Source that does not compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    /// What was compiled.
    pub name: String,
    /// The target.
    pub arch: Arch,
    /// The compiler's version, as (major, minor).
    pub compiler: (u32, u32),
    /// What the compiler returned, in its own words.
    pub result: String,
    /// Its messages, in its order.
    pub diagnostics: Vec<Diagnostic>,
    /// The whole log.
    pub log: String,
}

impl std::error::Error for CompileError {}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.compiler;
        write!(
            f,
            "`{}` does not compile for {} with NVRTC {major}.{minor}",
            self.name, self.arch
        )?;
        let is_error = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Error;
        let mut errors = self.diagnostics.iter().filter(is_error).peekable();
        if errors.peek().is_none() {
            return write!(f, ": {}\n{}", self.result, self.log.trim_end());
        }
        f.write_str(":")?;
        for diagnostic in errors {
            write!(f, "\n{diagnostic}")?;
            if diagnostic.text.contains("could not open source file")
                || diagnostic.text.contains("cannot open source file")
            {
                f.write_str(
                    "\nhelp: NVRTC brings no standard headers; folders to search are named by \
                     options=[\"-I/path\"], and a kernel given as a Path also finds files beside it",
                )?;
            }
        }
        Ok(())
    }
}

/// Takes a compiler log apart.
pub(super) fn parse(log: &str) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    // True while lines can belong to the last diagnostic.
    let mut is_open = false;
    for line in log.lines() {
        if let Some(diagnostic) = front_end(line).or_else(|| assembler(line)) {
            found.push(diagnostic);
            is_open = true;
        } else if let (true, Some(last)) = (is_open && line.starts_with(' '), found.last_mut()) {
            continue_with(last, line);
        } else {
            is_open = false;
        }
    }
    found
}

/// `file(line): error: text`, `file(line): warning #177-D: text`, `error: text`.
fn front_end(line: &str) -> Option<Diagnostic> {
    const WORDS: [(&str, Severity); 5] = [
        ("catastrophic error", Severity::Error),
        ("internal error", Severity::Error),
        ("error", Severity::Error),
        ("warning", Severity::Warning),
        ("remark", Severity::Remark),
    ];
    // The file's name may hold anything, so the place is where `(digits): word` is.
    line.match_indices("): ").find_map(|(end, _)| {
        let (place, message) = (&line[..end], &line[end + 3..]);
        let (file, number) = place.rsplit_once('(')?;
        let number = number.parse().ok()?;
        let (severity, rest) = WORDS
            .into_iter()
            .find_map(|(word, severity)| Some((severity, message.strip_prefix(word)?)))?;
        let text = match rest.strip_prefix(": ") {
            Some(text) => text.to_owned(),
            None => rest
                .strip_prefix(' ')
                .filter(|rest| rest.starts_with('#'))?
                .to_owned(),
        };
        Some(Diagnostic {
            file: file.to_owned(),
            line: number,
            severity,
            text,
            excerpt: Vec::new(),
        })
    })
}

/// `ptxas application ptx input, line 28; error   : text`, `ptxas fatal   : text`.
fn assembler(line: &str) -> Option<Diagnostic> {
    let rest = line.strip_prefix("ptxas ")?;
    let (place, text) = rest.split_once(" : ")?;
    let place = place.trim_end();
    let severity = match place.rsplit([' ', ';']).next()? {
        "error" | "fatal" => Severity::Error,
        "warning" => Severity::Warning,
        "info" => Severity::Remark,
        _ => return None,
    };
    let number = place.split_once("line ").map(|(_, number)| number);
    let digits = number.and_then(|number| number.split(|c: char| !c.is_ascii_digit()).next());
    Some(Diagnostic {
        file: "ptx".into(),
        line: digits.and_then(|digits| digits.parse().ok()).unwrap_or(0),
        severity,
        text: text.trim_start().to_owned(),
        excerpt: Vec::new(),
    })
}

/// The source line, the caret under it, or more of the text.
fn continue_with(diagnostic: &mut Diagnostic, line: &str) {
    let is_caret = line.trim() == "^";
    if diagnostic.excerpt.is_empty() || (is_caret && diagnostic.excerpt.len() == 1) {
        diagnostic.excerpt.push(line.to_owned());
    } else {
        diagnostic.text.push('\n');
        diagnostic.text.push_str(line.trim());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
dir (1)/my.cu(2): warning #177-D: variable \"y\" was declared but never referenced
  __global__ void g(int *x) { int y;
                                  ^

Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"

dir (1)/my.cu(1): error: expression must have pointer-to-class type but it has type \"int *\"
  template<class T> __device__ void f(T* x){ x->foo(); }
                                             ^
          detected during instantiation of \"void f(T *) [with T=int]\" at line 2

dir (1)/my.cu(7): catastrophic error: could not open source file \"stdint.h\" (no directories in search list)
  #include <stdint.h>
                     ^

ptxas application ptx input, line 28; error   : Not a name of any known instruction: 'bogus'
ptxas fatal   : Ptx assembly aborted due to errors
2 errors detected in the compilation of \"dir (1)/my.cu\".
";

    #[test]
    fn a_log_is_taken_apart() {
        let found = parse(LOG);
        let brief: Vec<_> = found
            .iter()
            .map(|d| {
                (
                    &*d.file,
                    d.line,
                    d.severity,
                    d.text.split('\n').next().unwrap(),
                )
            })
            .collect();
        assert_eq!(
            brief,
            [
                (
                    "dir (1)/my.cu",
                    2,
                    Severity::Warning,
                    "#177-D: variable \"y\" was declared but never referenced"
                ),
                (
                    "dir (1)/my.cu",
                    1,
                    Severity::Error,
                    "expression must have pointer-to-class type but it has type \"int *\""
                ),
                (
                    "dir (1)/my.cu",
                    7,
                    Severity::Error,
                    "could not open source file \"stdint.h\" (no directories in search list)"
                ),
                (
                    "ptx",
                    28,
                    Severity::Error,
                    "Not a name of any known instruction: 'bogus'"
                ),
                (
                    "ptx",
                    0,
                    Severity::Error,
                    "Ptx assembly aborted due to errors"
                ),
            ]
        );
        assert!(found[1].text.ends_with("at line 2"));
        let caret = found[1].excerpt[1].find('^').unwrap();
        assert!(found[1].excerpt[0][caret..].starts_with("x->foo"));
    }

    #[test]
    fn messages_show_errors_and_help() {
        let error = CompileError {
            name: "my.cu".into(),
            arch: Arch::DEFAULT,
            compiler: (13, 5),
            result: "NVRTC_ERROR_COMPILATION".into(),
            diagnostics: parse(LOG),
            log: LOG.into(),
        };
        let text = error.to_string();
        assert!(text.starts_with("`my.cu` does not compile for sm_90 with NVRTC 13.5:\n"));
        assert!(text.contains("help: NVRTC brings no standard headers"));
        assert!(!text.contains("never referenced"), "no warnings: {text}");
        let silent = CompileError {
            diagnostics: Vec::new(),
            log: "nvrtc: error: failed to open builtins".into(),
            ..error
        };
        assert!(
            silent
                .to_string()
                .ends_with("NVRTC_ERROR_COMPILATION\nnvrtc: error: failed to open builtins")
        );
    }

    proptest::proptest! {
        #[test]
        fn any_log(log in "(\\PC|[(): \n^#]|error|ptxas |line ){0,40}") {
            let _ = parse(&log);
        }
    }
}
