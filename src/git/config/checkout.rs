//! The settings of a work tree: the features of its file system, and line endings.

use gix::config::File;

use crate::config::conversions::LineEndings;
use crate::model::settings::{boolean, value};

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
        let flag = |key: &str, default: bool| boolean(config, "core", key).unwrap_or(default);
        let is_input = value(config, "core", "autocrlf")
            .flatten()
            .is_some_and(|value| value.eq_ignore_ascii_case(b"input"));
        let is_automatic = is_input || flag("autocrlf", false);
        Self {
            trusts_executable: flag("fileMode", true),
            has_links: flag("symlinks", true),
            ignores_case: flag("ignoreCase", false),
            is_sparse: flag("sparseCheckout", false),
            line_endings: if is_automatic { LineEndings::Auto } else { LineEndings::Keep },
        }
    }
}
