//! What the functions ask of the host's settings.

use super::settings;
use crate::error::Result;
use crate::ffi::Settings;
use crate::git::Repository;
use crate::sandbox::Access;

const THREADS: &str = "threads";
/// Whether DuckDB may read and write files anywhere.
pub const EXTERNAL_ACCESS: &str = "enable_external_access";
/// The folders it may still read and write where not.
pub const ALLOWED_DIRECTORIES: &str = "allowed_directories";

/// The settings that functions which open repositories read.
pub const SETTINGS: &[&str] = &[THREADS, EXTERNAL_ACCESS, ALLOWED_DIRECTORIES, settings::TOOL_GRANTS];

/// Returns how many threads a query may use: at least one.
pub fn threads(settings: &Settings) -> usize {
    let threads = settings.get(THREADS).as_integer().unwrap_or(1);
    usize::try_from(threads).unwrap_or(1).max(1)
}

/// Returns what DuckDB's settings let be opened.
pub fn access(settings: &Settings) -> Access {
    // A host that does not tell is taken to forbid.
    let external = settings.get(EXTERNAL_ACCESS).as_boolean().unwrap_or(false);
    let directories = settings.get(ALLOWED_DIRECTORIES).as_texts().unwrap_or_default();
    Access::new(external, &directories)
}

/// Opens the repository that was named, within what DuckDB's settings allow.
pub fn open_repository(given: &str, settings: &Settings) -> Result<Repository> {
    Repository::open(given, &access(settings))
}
