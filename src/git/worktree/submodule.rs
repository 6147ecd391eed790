//! What a submodule's directory has checked out.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use gix::bstr::ByteSlice;

use crate::error::{Error, ErrorKind, Result, quoted};
use crate::git::repository::Repository;
use crate::git::{Comparison, Oid, Revision, Untracked};
use crate::limits;

/// A submodule that is checked out.
pub struct CheckedOut {
    /// The commit of its HEAD.
    pub head: Oid,
    /// Whether its files differ from that commit, in the index or in its work tree.
    pub is_dirty: bool,
}

/// The repositories that a submodule lies in, each told by the device and inode of its git directory.
#[derive(Debug, Clone, Default)]
pub struct Above {
    repositories: Arc<[(u64, u64)]>,
    /// Whether a submodule is dirty for files that are not tracked, too.
    counts_untracked: bool,
}

impl Above {
    /// Returns one with which untracked files make a submodule dirty, as for `git status`.
    pub fn counting_untracked() -> Self {
        Self { counts_untracked: true, ..Self::default() }
    }

    /// Returns the same with one more.
    fn with(&self, repository: &Repository) -> Result<Self> {
        let own = repository.git_dir.own_stamp()?.identity();
        let repositories = self.repositories.iter().copied().chain([own]).collect();
        Ok(Self { repositories, ..*self })
    }
}

/// Looks at the directory of a work tree, in which something is called `.git`; `None` where no repository with a commit
/// is checked out.
///
/// The submodule is opened by the same recipe as any repository, and only where it may be read.
///
/// # Errors
/// `tool_failed` for a submodule that is one of those it lies in, `too_large` for more than
/// [`limits::SUBMODULE_DEPTH`] in each other.
pub fn look(
    repository: &Repository,
    above: &Above,
    directory: &[u8],
) -> Result<Option<CheckedOut>> {
    let shown = || quoted(&directory.to_str_lossy());
    let path = repository.work_tree()?.join(OsStr::from_bytes(directory));
    let Some(given) = path.to_str() else {
        return Err(Error::tool_failed(format!(
            "the submodule {} cannot be opened: its path is not UTF-8",
            shown()
        )));
    };
    let submodule = match repository.open_other(given) {
        Ok(submodule) => submodule,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(Error::new(
                error.kind(),
                format!("the submodule {} cannot be opened", shown()),
            )
            .with_source(error));
        }
    };
    if !submodule.location.directory.is_empty() {
        // Its `.git` is none, and what was found lies above.
        return Ok(None);
    }
    let above = above.with(repository)?;
    if above.repositories.contains(&submodule.git_dir.own_stamp()?.identity()) {
        return Err(Error::tool_failed(format!(
            "the submodule {} is its own parent repository",
            shown()
        ))
        .with_hint("Look at where its .git leads"));
    }
    if above.repositories.len() > limits::SUBMODULE_DEPTH {
        return Err(Error::too_large(format!("the submodule {} is nested too deeply", shown()))
            .with_hint("This is a fixed limit; docs/limitations.md lists all limits"));
    }
    let Some(head) = submodule.head()? else { return Ok(None) };
    let Revision::Tree(tree) = submodule.revision(&head.to_string())? else { return Ok(None) };
    let comparison = |old, new| {
        Ok::<_, Error>(Comparison::new(submodule.clone(), old, new)?.inside(above.clone()))
    };
    let untracked = if above.counts_untracked { Untracked::Named } else { Untracked::Ignored };
    let is_dirty = comparison(Revision::Tree(tree), Revision::Index)?.has_changes()?
        || comparison(Revision::Index, Revision::WorkTree)?
            .with_untracked(untracked)
            .has_changes()?;
    Ok(Some(CheckedOut { head, is_dirty }))
}
