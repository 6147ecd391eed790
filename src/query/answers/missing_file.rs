//! Explains why a repository lacks a file: it is not committed yet, or has another name.

use redline_base::budget::text_of;
use redline_base::error::{Error, ErrorKind, Result, quoted};
use redline_git::{Comparison, RenameOptions, Repository, changed_files, untracked_paths};

/// Adds the files under a path in the index and the work tree to the error for a missing file.
pub fn explained(error: Error, repository: &Repository, file: &str) -> Error {
    if error.kind() != ErrorKind::NotFound {
        return error;
    }
    match reason(repository, file) {
        Ok(Some(reason)) => error.with_hint(reason),
        // The first error counts.
        Ok(None) | Err(_) => error,
    }
}

fn reason(repository: &Repository, file: &str) -> Result<Option<String>> {
    let staged = Comparison::of(repository, "HEAD", Some("INDEX"), false, None)?;
    for change in changed_files(&staged, Some(RenameOptions::default()))? {
        let change = change?;
        if change.path != file.as_bytes() {
            continue;
        }
        return Ok(match (&change.origin, change.old) {
            (Some(origin), _) => Some(format!(
                "It is renamed in the index from {}, under which the commits have it",
                quoted(&text_of(&origin.path))
            )),
            (None, None) => Some(
                "It is added in the index, and no commit has it yet: GitDiff with from = HEAD, to = INDEX shows it"
                    .to_owned(),
            ),
            (None, Some(_)) => None,
        });
    }
    let uncommitted = Comparison::of(repository, "HEAD", Some("WORKTREE"), false, None)?;
    let is_untracked = untracked_paths(&uncommitted)?.iter().any(|path| path == file.as_bytes());
    Ok(is_untracked.then(|| {
        "It is not tracked: read_file shows it, and GitStatus lists untracked files".to_owned()
    }))
}
