//! The files of a work tree that may be read if sandboxes are defined.

use crate::change::comparison::Comparison;
use crate::pathspec::{PathFilter, Pathspec};
use crate::revision::Revision;
use crate::worktree::untracked;
use redline_base::error::{Error, Result, quoted};
use redline_sandbox::Directories;

/// Returns the files that are neither tracked nor ignored, if a side is the work tree.
pub fn untracked_paths(comparison: &Comparison) -> Result<Vec<Vec<u8>>> {
    let repository = comparison.repository();
    let Some(index) =
        comparison.index().filter(|_| comparison.sides().contains(&Revision::WorkTree))
    else {
        return Ok(Vec::new());
    };
    let mut directories = Directories::new(repository.work_tree_root()?);
    let listed = untracked::files(repository, &mut directories, index, &comparison.paths, None)?;
    Ok(listed.into_iter().map(|(path, _)| path).collect())
}

/// Rejects a file of the work tree that is neither tracked nor in the status, if sandboxes are
/// defined.
pub fn check_listed(comparison: &Comparison, path: &[u8]) -> Result<()> {
    let repository = comparison.repository();
    let Some(index) = comparison.index() else { return Ok(()) };
    if repository.access().sandboxes().is_none() || !index.find(path).is_empty() {
        return Ok(());
    }
    let shown = String::from_utf8_lossy(path);
    let only = Pathspec::parse(&format!(":(top,literal){shown}"))?;
    let only = PathFilter::new(&[only], b"")?;
    let mut directories = Directories::new(repository.work_tree_root()?);
    let listed = untracked::files(repository, &mut directories, index, &only, None)?;
    if listed.iter().any(|(found, _)| found == path) {
        return Ok(());
    }
    Err(Error::fs_denied(format!(
        "the file {} is ignored, or is in another repository: no diff shows it",
        quoted(&shown)
    ))
    .with_hint(
        "In a sandbox, the tracked files of a work tree may be read, and those that file_status lists",
    ))
}
