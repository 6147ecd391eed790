//! Reads a file named in an argument.
//!
//! This is the only place that chooses the access: while sandboxes are configured, a path is
//! `name/relative/path` and the sandbox decides; otherwise DuckDB's own file system reads, within
//! DuckDB's own limits.

use super::execution_context::{ExecutionContext, HOME_DIRECTORY};
use super::settings;
use crate::ffi::FileError;
use redline_base::error::{Error, Result, quoted};
use redline_sandbox::{EntryKind, LocalFile, LocalPath, OpenError};

/// Returns the content of a file.
pub fn read_file_for(given: &str, execution: &ExecutionContext) -> Result<Vec<u8>> {
    if given.is_empty() {
        return Err(Error::invalid_args("the path of the file is empty")
            .with_hint("Give the path of a file"));
    }
    match execution.caller.context.access.sandboxes() {
        None => through_duckdb(given, execution),
        Some(sandboxes) => {
            let place = sandboxes.resolve(given)?;
            execution.caller.check_shown(&place, given)?;
            place.read()
        }
    }
}

fn through_duckdb(given: &str, execution: &ExecutionContext) -> Result<Vec<u8>> {
    let settings = &execution.settings;
    let limit = settings::max_read_bytes(settings);
    let files = settings
        .files()
        .ok_or_else(|| Error::tool_failed("DuckDB gave no file system to read with"))?;
    let path = LocalPath::new(given, settings.get(HOME_DIRECTORY).as_text());
    let LocalFile { kind, path: found } =
        path.look(&execution.caller.context.access).map_err(|error| match error {
            OpenError::Outside => denied(given),
            OpenError::System(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                not_readable(given)
            }
            OpenError::System(error) => unreadable(given).with_source(error),
            _ => missing(given),
        })?;
    // Reading a FIFO would block and a device may never end; DuckDB opens them all.
    if let Some(kind) = kind.filter(|&kind| kind != EntryKind::File) {
        return Err(no_file(given, kind));
    }
    // Opens the checked file: DuckDB would expand `~` and `file:` once more.
    files.read(&found, limit).map_err(|error| match error {
        FileError::Denied => denied(given),
        FileError::Stopped(stopped) => stopped.into(),
        FileError::TooLarge(size) => too_large(given, size, limit),
        // Only the remote file system knows the error.
        FileError::Failed(words) if path.has_scheme() => Error::tool_failed(format!(
            "DuckDB cannot read {}: {}",
            quoted(given),
            quoted(words.trim())
        )),
        FileError::Failed(words) if words.ends_with("Permission denied") => not_readable(given),
        FileError::Failed(_) if kind.is_none() => missing(given),
        FileError::Failed(words) => unreadable(given).with_source(words),
    })
}

fn missing(given: &str) -> Error {
    Error::not_found(format!("there is no file {}", quoted(given)))
        .with_hint("A relative path starts at the directory that DuckDB runs in")
}

fn not_readable(given: &str) -> Error {
    Error::fs_denied(format!("the system does not let DuckDB read {}", quoted(given)))
        .with_hint("Give a file that DuckDB's user may read")
}

fn unreadable(given: &str) -> Error {
    Error::tool_failed(format!("the file {} cannot be read", quoted(given)))
}

fn no_file(given: &str, kind: EntryKind) -> Error {
    let what =
        if kind == EntryKind::Directory { "a directory" } else { "a pipe, a socket or a device" };
    Error::tool_failed(format!("{} is {what}, not a file", quoted(given)))
        .with_hint("Give the path of a file")
}

fn denied(given: &str) -> Error {
    Error::fs_denied(format!("DuckDB's settings do not allow reading {}", quoted(given))).with_hint(
        "With enable_external_access off, only allowed_directories and allowed_paths can be read",
    )
}

fn too_large(given: &str, size: Option<u64>, limit: u64) -> Error {
    let size = size.map_or_else(|| format!("over {limit}"), |size| size.to_string());
    Error::too_large(format!(
        "the file {} has {size} bytes, and redline_max_read_bytes is {limit}",
        quoted(given)
    ))
    .with_hint("Give a smaller file, or ask the host to raise the limit")
}
