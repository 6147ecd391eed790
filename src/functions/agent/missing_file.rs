//! Why a repository lacks a file that a tool was given: it is not committed yet, or not under that name.

use crate::error::{Error, ErrorKind, Result, quoted};
use crate::functions::context::execution_context::ExecutionContext;
use crate::git::{RenameOptions, Repository};

/// Says of an error for a file that is not there what the index and the work tree have under its path.
pub fn explained(
    error: Error,
    repository: &Repository,
    file: &str,
    execution: &ExecutionContext,
) -> Error {
    if error.kind() != ErrorKind::NotFound {
        return error;
    }
    match reason(repository, file, execution) {
        Ok(Some(reason)) => error.with_hint(reason),
        // The first error is the one that counts.
        Ok(None) | Err(_) => error,
    }
}

fn reason(
    repository: &Repository,
    file: &str,
    execution: &ExecutionContext,
) -> Result<Option<String>> {
    let staged = repository.compare("HEAD", Some("INDEX"), false)?;
    for change in staged.changes(Some(RenameOptions::default()), execution.budget.part())? {
        let change = change?;
        if change.path != file.as_bytes() {
            continue;
        }
        return Ok(match (&change.origin, change.old) {
            (Some(origin), _) => Some(format!(
                "It is renamed in the index from {}, under which the commits have it",
                quoted(&String::from_utf8_lossy(&origin.path))
            )),
            (None, None) => Some(
                "It is added in the index, and no commit has it yet: GitDiff with from = HEAD, to = INDEX shows it"
                    .to_owned(),
            ),
            (None, Some(_)) => None,
        });
    }
    let uncommitted = repository.compare("HEAD", Some("WORKTREE"), false)?;
    let is_untracked = uncommitted.untracked_paths()?.iter().any(|path| path == file.as_bytes());
    Ok(is_untracked.then(|| {
        "It is not tracked: read_file shows it, and GitStatus lists what is not tracked".to_owned()
    }))
}
