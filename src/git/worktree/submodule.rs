//! What a submodule's directory has checked out.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use gix::bstr::ByteSlice;

use crate::error::{Error, ErrorKind, Result, quoted};
use crate::git::Oid;
use crate::git::repository::Repository;
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
    pub counts_untracked: bool,
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

/// Tells whether the files of a submodule differ from a commit, in the index or in its work tree.
pub type IsDirty = fn(&Repository, Oid, &Above) -> Result<bool>;

/// Finds out what submodules have checked out.
pub struct Submodules {
    above: Above,
    is_dirty: IsDirty,
}

impl Submodules {
    /// Returns what asks `is_dirty` of the submodules of a repository that itself lies in those `above`.
    pub fn new(above: Above, is_dirty: IsDirty) -> Self {
        Self { above, is_dirty }
    }

    /// Returns what is checked out in a directory of a work tree in which something is called `.git`; `None` where no
    /// repository with a commit is.
    ///
    /// The submodule is opened by the same recipe as any repository, and only where it may be read.
    ///
    /// # Errors
    /// `tool_failed` for a submodule that is one of those it lies in, `too_large` for more than
    /// [`limits::SUBMODULE_DEPTH`] in each other.
    pub fn look(&self, repository: &Repository, directory: &[u8]) -> Result<Option<CheckedOut>> {
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
        let above = self.above.with(repository)?;
        if above.repositories.contains(&submodule.git_dir.own_stamp()?.identity()) {
            return Err(Error::tool_failed(format!(
                "the submodule {} is its own parent repository",
                shown()
            ))
            .with_hint("Look at where its .git leads"));
        }
        if above.repositories.len() > limits::SUBMODULE_DEPTH {
            return Err(Error::too_large(format!(
                "the submodule {} is nested too deeply",
                shown()
            ))
            .with_hint("This is a fixed limit; docs/limitations.md lists all limits"));
        }
        let Some(head) = submodule.head()? else { return Ok(None) };
        let is_dirty = (self.is_dirty)(&submodule, head, &above)?;
        Ok(Some(CheckedOut { head, is_dirty }))
    }
}
