//! Which branches of preprocessor conditions are certainly left out.

use super::c_token::is_word;

/// An `#if` whose `#endif` has not come.
pub(super) struct Condition {
    /// True unless this branch is certainly left out.
    pub(super) is_kept: bool,
    /// True if an earlier branch is certainly taken.
    is_settled: bool,
}

impl Condition {
    /// Takes notice of a preprocessor line; false if it is about no condition.
    pub(super) fn follow(open: &mut Vec<Self>, directive: &str) -> bool {
        let end = directive.find(|c| !is_word(c)).unwrap_or(directive.len());
        let (word, rest) = directive.split_at(end);
        let comment = ["//", "/*"]
            .iter()
            .filter_map(|start| rest.find(start))
            .min();
        let value = rest[..comment.unwrap_or(rest.len())].trim();
        match (word, open.last_mut()) {
            ("if", _) => open.push(Self {
                is_kept: value != "0",
                is_settled: value == "1",
            }),
            ("ifdef" | "ifndef", _) => open.push(Self {
                is_kept: true,
                is_settled: false,
            }),
            ("elif" | "elifdef" | "elifndef" | "else", Some(condition)) => {
                condition.is_kept = !condition.is_settled && (word == "else" || value != "0");
                condition.is_settled |= word == "elif" && value == "1";
            }
            ("endif", _) => {
                open.pop();
            }
            _ => return false,
        }
        true
    }
}
