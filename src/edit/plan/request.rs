//! The parameters of an edit: the name of a file, and the replacements to make in it.

use std::fmt;

/// The name of a file: a sandbox and a path beneath its root, which is checked and has no
/// characters that are hard to see. It is shown as `sandbox/relative/path`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileName<'a> {
    /// The sandbox.
    pub sandbox: &'a str,
    /// The path beneath its root.
    pub relative: &'a str,
}

impl fmt::Display for FileName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.sandbox, self.relative)
    }
}

/// One replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edit<'a> {
    /// The text to find, which must occur once unless `replace_all`.
    pub old_string: &'a str,
    /// Its replacement.
    pub new_string: &'a str,
    /// Whether every occurrence is replaced, from the start, as `str.replace` does.
    pub replace_all: bool,
}
