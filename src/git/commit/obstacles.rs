//! What git would run for a commit, and what stands in the way of one.

use gix::bstr::ByteSlice;

use crate::model::settings::{boolean, value};
use crate::repository::Repository;
use crate::store::{Found, GitDirectory};
use redline_base::budget::Grow;
use redline_base::error::{Error, Result, quoted};

/// The hooks that git runs for a commit, in its order.
const COMMIT_HOOKS: &[&str] = &[
    "pre-commit",
    "prepare-commit-msg",
    "commit-msg",
    "reference-transaction",
    "post-index-change",
    "post-commit",
];

/// What is written, of which it depends what git would run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// A commit.
    Commit,
    /// HEAD or its branch, and the index.
    Head,
    /// The index.
    Index,
}

/// Returns what git would run: hooks by their names, and `commit.gpgSign`.
///
/// # Errors
/// Those of reading the directory of hooks.
pub fn programs(repository: &Repository, written: Written) -> Result<Vec<String>> {
    let names = match written {
        Written::Commit => COMMIT_HOOKS,
        Written::Head => &["reference-transaction", "post-index-change"],
        Written::Index => &["post-index-change"],
    };
    let config = &repository.config;
    let mut found = Vec::new();
    let own = match value(config, "core", "hooksPath").flatten() {
        None => repository.location.common_dir.directory(b"hooks")?,
        // As in git, an empty directory of hooks.
        Some(path) if path.as_slice() == b"/dev/null" => None,
        Some(path) => {
            let work_tree = repository.work_tree()?;
            let at = work_tree.join(path.to_path_lossy());
            let opened = repository.location.git_dir.gate().open_if_readable(&at)?;
            if opened.is_none() {
                // What is there cannot be known.
                found.add(format!("hooks of core.hooksPath {}", quoted(&path.to_str_lossy())));
            }
            opened
        }
    };
    if let Some(hooks) = own {
        for name in names {
            if is_program(&hooks, name)? {
                found.add(format!("hook {name}"));
            }
        }
    }
    if written == Written::Commit && boolean(config, "commit", "gpgSign").unwrap_or(false) {
        found.add("commit.gpgSign".to_owned());
    }
    Ok(found)
}

/// Tells whether a hook exists that may be run; a link counts, wherever it leads.
fn is_program(hooks: &GitDirectory, name: &str) -> Result<bool> {
    Ok(match hooks.look(name.as_bytes()) {
        Ok(Found::File(file)) => file.is_executable(),
        Ok(Found::Absent) => false,
        Ok(Found::Directory) => false,
        Err(_) => hooks.has(name.as_bytes())?,
    })
}

/// Refuses what a sequence of git commands has begun and only git can go on with.
///
/// # Errors
/// `stale`.
pub fn check_sequence(repository: &Repository) -> Result<()> {
    for name in ["sequencer", "rebase-merge", "rebase-apply"] {
        if repository.location.git_dir.has(name.as_bytes())? {
            return Err(Error::stale(format!(
                "the repository at {} is in the middle of a sequence of commits: {} exists",
                quoted(&repository.given),
                quoted(name)
            ))
            .with_hint(
                "A person ends it with git: rebase, cherry-pick or revert --continue or --abort",
            ));
        }
    }
    Ok(())
}

/// Refuses a repository that is set to split its index and to keep it sparse: git reads no index
/// that is both, and makes one of an ordinary index.
///
/// # Errors
/// `stale`.
pub fn check_index(repository: &Repository) -> Result<()> {
    let is_set = |section, key| boolean(&repository.config, section, key).unwrap_or(false);
    if !(repository.checkout.is_sparse && is_set("index", "sparse") && is_set("core", "splitIndex"))
    {
        return Ok(());
    }
    Err(Error::stale(format!(
        "core.splitIndex and index.sparse are both set in the repository at {}, and git reads no index that is both",
        quoted(&repository.given)
    ))
    .with_hint("A person takes one away: git config --unset core.splitIndex"))
}
