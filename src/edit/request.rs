//! What is asked for: the name of a file, and the replacements to make in it.

use std::fmt;

/// The name of a file: a sandbox and a path beneath its root, which has been checked and holds
/// nothing that is hard to see. It is shown as `sandbox/relative/path`.
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

/// One replacement that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edit<'a> {
    /// What must stand in the file, once unless `replace_all`.
    pub old_string: &'a str,
    /// What takes its place.
    pub new_string: &'a str,
    /// Whether every place is taken, from the start, as `str.replace` does.
    pub replace_all: bool,
}
