//! The checked-out commit of a submodule.

use std::sync::Arc;

use gix::bstr::ByteSlice;

use crate::Oid;
use crate::model::changed_file::Dirt;
use crate::repository::Repository;
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;
use redline_base::os_path;

/// A checked-out submodule.
pub struct CheckedOut {
    /// The commit of its HEAD.
    pub head: Oid,
    /// What it has beside that commit.
    pub dirt: Option<Dirt>,
}

/// The superprojects of a submodule, identified by the device and inode of their git directories.
#[derive(Debug, Clone, Default)]
pub struct Above {
    repositories: Arc<[(u64, u64)]>,
    /// Whether untracked files make a submodule dirty, too.
    pub counts_untracked: bool,
}

impl Above {
    /// Returns a value with which untracked files make a submodule dirty, as in `git status`.
    pub fn counting_untracked() -> Self {
        Self { counts_untracked: true, ..Self::default() }
    }

    /// Returns the same with one more superproject.
    fn with(&self, repository: &Repository) -> Result<Self> {
        let own = repository.location.git_dir.own_stamp()?.identity();
        let repositories = self.repositories.iter().copied().chain([own]).collect();
        Ok(Self { repositories, ..*self })
    }
}

/// Returns what a submodule has beside a commit.
pub type FindDirt = fn(&Repository, Oid, &Above) -> Result<Option<Dirt>>;

/// Finds the checked-out commits of submodules.
pub struct Submodules {
    above: Above,
    find_dirt: FindDirt,
}

impl Submodules {
    /// Creates a finder for a repository with the superprojects `above`; `find_dirt` compares a
    /// submodule.
    pub fn new(above: Above, find_dirt: FindDirt) -> Self {
        Self { above, find_dirt }
    }

    /// Returns the checked-out submodule in a directory; `None` if there is no repository with a
    /// commit. Its files are compared only if it `is_known` to the index.
    ///
    /// The submodule is opened like any repository, and only if it may be read.
    ///
    /// # Errors
    /// `tool_failed` for a submodule that contains itself, `too_large` for more than
    /// [`limits::SUBMODULE_DEPTH`] nested ones.
    pub fn look(
        &self,
        repository: &Repository,
        directory: &[u8],
        is_known: bool,
    ) -> Result<Option<CheckedOut>> {
        let shown = || quoted(&directory.to_str_lossy());
        let unopened = |error: Error| {
            Error::new(error.kind(), format!("the submodule {} cannot be opened", shown()))
                .with_source(error)
        };
        if !repository.is_repository(directory).map_err(unopened)? {
            return Ok(None);
        }
        let path = repository.work_tree()?.join(os_path::of_git(directory));
        let Some(given) = path.to_str() else {
            return Err(Error::tool_failed(format!(
                "the submodule {} cannot be opened: its path is not UTF-8",
                shown()
            )));
        };
        let submodule = repository.open_other(given).map_err(unopened)?;
        let above = self.above.with(repository)?;
        if above.repositories.contains(&submodule.location.git_dir.own_stamp()?.identity()) {
            return Err(Error::tool_failed(format!(
                "the submodule {} is its own parent repository",
                shown()
            ))
            .with_hint("Check where its .git points"));
        }
        if above.repositories.len() > limits::SUBMODULE_DEPTH {
            return Err(Error::too_large(format!(
                "the submodule {} is nested too deeply",
                shown()
            ))
            .with_hint("This is a fixed limit; docs/limitations.md lists all limits"));
        }
        let Some(head) = submodule.head()? else { return Ok(None) };
        let dirt = match is_known {
            true => (self.find_dirt)(&submodule, head, &above)?,
            false => None,
        };
        Ok(Some(CheckedOut { head, dirt }))
    }
}

/// Tells whether the index of a superproject names a commit: as git, with zeros at the end where
/// the ids of the superproject are longer.
pub fn names(known: Oid, commit: Oid) -> bool {
    let rest = known.as_bytes().strip_prefix(commit.as_bytes());
    rest.is_some_and(|rest| rest.iter().all(|byte| *byte == 0))
}
