//! What the functions ask of the host's settings.

use crate::error::Result;
use crate::ffi::Settings;
use crate::git::Repository;
use crate::sandbox::Access;

const THREADS: &str = "threads";
const EXTERNAL_ACCESS: &str = "enable_external_access";
const ALLOWED_DIRECTORIES: &str = "allowed_directories";

/// The settings that functions which open repositories read.
pub const SETTINGS: &[&str] = &[THREADS, EXTERNAL_ACCESS, ALLOWED_DIRECTORIES];

/// Returns how many threads a query may use: at least one.
pub fn threads(settings: &Settings) -> usize {
    let threads = settings.get(THREADS).as_integer().unwrap_or(1);
    usize::try_from(threads).unwrap_or(1).max(1)
}

/// Opens the repository that was named, within what DuckDB's settings allow.
pub fn open_repository(given: &str, settings: &Settings) -> Result<Repository> {
    // A host that does not tell is taken to forbid.
    let external = settings.get(EXTERNAL_ACCESS).as_boolean().unwrap_or(false);
    let directories = settings.get(ALLOWED_DIRECTORIES).as_texts().unwrap_or_default();
    Repository::open(given, &Access::new(external, &directories))
}
