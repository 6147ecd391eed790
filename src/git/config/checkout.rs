//! What the configuration says of a work tree: what its file system can hold, and line endings.

use gix::config::File;

use crate::git::config::conversions::LineEndings;

/// The settings of a repository that decide how its work tree is read.
#[derive(Debug, Clone, Copy)]
pub struct Checkout {
    /// Whether the owner's permission to execute is meant (`core.fileMode`).
    pub trusts_executable: bool,
    /// Whether links are links, not files that hold their target (`core.symlinks`).
    pub has_links: bool,
    /// Whether names that differ in case alone are the same (`core.ignoreCase`).
    pub ignores_case: bool,
    /// Whether files may be left out (`core.sparseCheckout`).
    pub is_sparse: bool,
    /// What happens to line endings where no attribute says so (`core.autocrlf`).
    pub line_endings: LineEndings,
}

impl Checkout {
    /// Reads the settings; absent and malformed ones have git's defaults.
    pub fn new(config: &File) -> Self {
        let flag =
            |name: &str, default: bool| config.boolean(name).ok().flatten().unwrap_or(default);
        let is_input = config
            .string("core.autocrlf")
            .is_some_and(|value| value.eq_ignore_ascii_case(b"input"));
        let is_automatic = is_input || flag("core.autocrlf", false);
        Self {
            trusts_executable: flag("core.fileMode", true),
            has_links: flag("core.symlinks", true),
            ignores_case: flag("core.ignoreCase", false),
            is_sparse: flag("core.sparseCheckout", false),
            line_endings: if is_automatic { LineEndings::Auto } else { LineEndings::Keep },
        }
    }
}
