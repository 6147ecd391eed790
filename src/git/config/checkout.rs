//! The settings of a work tree: the features of its file system, and line endings.

use gix::config::File;

use crate::config::conversions::LineEndings;

/// The repository settings that affect how its work tree is read.
#[derive(Debug, Clone, Copy)]
pub struct Checkout {
    /// Whether the owner's permission to execute is significant (`core.fileMode`).
    pub trusts_executable: bool,
    /// Whether symbolic links are supported, else they are files with the target (`core.symlinks`).
    pub has_links: bool,
    /// Whether names that differ only in case are the same (`core.ignoreCase`).
    pub ignores_case: bool,
    /// Whether files may be absent from the work tree (`core.sparseCheckout`).
    pub is_sparse: bool,
    /// The conversion of line endings if no attribute decides (`core.autocrlf`).
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
