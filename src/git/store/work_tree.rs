//! The work tree of a repository's configuration: `core.worktree`.

use std::path::Path;

use gix::bstr::ByteSlice;

use super::locate::Location;
use crate::error::{Error, Result, quoted};

/// Returns a location with its configured work tree: absolute, or relative to the git directory.
///
/// As in git, a bare repository has none, and in a linked work tree the setting counts only with
/// `extensions.worktreeConfig`.
///
/// # Errors
/// `fs_denied` if it is outside of what may be read, `not_found` if it is not a directory.
pub fn configured(location: Location, config: &gix::config::File) -> Result<Location> {
    let flag = |name: &str| config.boolean(name).ok().flatten().unwrap_or(false);
    let is_linked = location.git_dir.path() != location.common_dir.path();
    if is_linked && !flag("extensions.worktreeConfig") {
        return Ok(location);
    }
    if flag("core.bare") && !is_linked {
        return Ok(Location { work_tree: None, directory: Vec::new(), ..location });
    }
    let Some(value) = config.string("core.worktree") else { return Ok(location) };
    let gate = location.git_dir.gate();
    let missing = || {
        Error::not_found(format!(
            "the repository at {} has its work tree at {}, and there is no directory",
            quoted(gate.given()),
            quoted(&value.to_str_lossy())
        ))
        .with_hint("Check core.worktree in its configuration")
    };
    let directory = location.git_dir.follow(&value)?.ok_or_else(missing)?;
    // If access is limited, the path is already canonical and is not resolved again.
    let work_tree = if gate.access().is_unlimited() {
        directory.path().canonicalize().map_err(|error| missing().with_source(error))?
    } else {
        directory.path().to_owned()
    };
    let directory =
        location.work_tree.as_deref().map(|path| path.join(as_path(&location.directory)));
    let directory = directory
        .as_deref()
        .and_then(|path| path.strip_prefix(&work_tree).ok())
        .map_or_else(Vec::new, as_directory);
    Ok(Location { work_tree: Some(work_tree), directory, ..location })
}

fn as_path(directory: &[u8]) -> &Path {
    use std::os::unix::ffi::OsStrExt;
    Path::new(std::ffi::OsStr::from_bytes(directory))
}

/// Returns a path with a trailing slash, unless it is empty.
fn as_directory(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    let bytes = path.as_os_str().as_bytes().trim_end_with(|c| c == '/');
    if bytes.is_empty() { Vec::new() } else { [bytes, b"/"].concat() }
}
