//! The work tree of a repository's configuration: `core.worktree`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use gix::bstr::ByteSlice;

use super::locate::{Location, below};
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
    let directory = location.work_tree.as_deref().map_or_else(Vec::new, |found_through| {
        below(&work_tree, &found_through.join(OsStr::from_bytes(&location.directory)))
    });
    Ok(Location { work_tree: Some(work_tree), directory, ..location })
}
