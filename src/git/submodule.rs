//! What a submodule's folder has checked out.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use gix::bstr::ByteSlice;

use super::repository::Repository;
use super::{Comparison, Oid, Revision};
use crate::error::{Error, ErrorKind, Result, quoted};

/// A submodule that is checked out.
pub struct CheckedOut {
    /// The commit of its HEAD.
    pub head: Oid,
    /// Whether its tracked files differ from that commit, in the index or in its work tree.
    pub is_dirty: bool,
}

/// Looks at the folder of a work tree; `None` where no repository with a commit is checked out.
///
/// The submodule is opened by the same recipe as any repository, and only where it may be read.
pub fn look(repository: &Repository, folder: &[u8]) -> Result<Option<CheckedOut>> {
    let path = repository.work_tree()?.join(OsStr::from_bytes(folder));
    if std::fs::symlink_metadata(path.join(".git")).is_err() {
        return Ok(None);
    }
    let Some(given) = path.to_str() else {
        return Err(Error::tool_failed(format!(
            "the submodule {} cannot be opened: its path is not UTF-8",
            quoted(&folder.to_str_lossy())
        )));
    };
    let submodule = match repository.open_other(given) {
        Ok(submodule) => submodule,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(Error::new(
                error.kind(),
                format!("the submodule {} cannot be opened", quoted(&folder.to_str_lossy())),
            )
            .with_source(error));
        }
    };
    let Some(head) = submodule.head() else { return Ok(None) };
    let Revision::Tree(tree) = submodule.revision(&head.to_string())? else { return Ok(None) };
    let comparison = |old, new| Comparison::new(submodule.clone(), old, new);
    let is_dirty = comparison(Revision::Tree(tree), Revision::Index)?.has_changes()?
        || comparison(Revision::Index, Revision::WorkTree)?.has_changes()?;
    Ok(Some(CheckedOut { head, is_dirty }))
}
