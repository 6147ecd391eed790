//! HEAD, and the operation that git began and a commit ends.

use gix::bstr::ByteSlice;

use crate::Oid;
use crate::refs::Resolved;
use crate::repository::Repository;
use crate::store::stores_tables;
use redline_base::budget::{Copied, Gather};
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;

/// HEAD, as it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    /// Its file; in tables, the name of its branch.
    pub(super) bytes: Vec<u8>,
    /// The branch that it names.
    pub(super) branch: Option<Vec<u8>>,
    /// The commit.
    pub(super) commit: Option<Oid>,
}

/// What an operation that git began adds to the commit that ends it.
#[derive(Default)]
pub(super) struct Ending {
    pub(super) parents: Vec<Oid>,
    /// The commit whose author it has.
    pub(super) picked: Option<Oid>,
    pub(super) kind: Option<&'static str>,
    pub(super) is_any: bool,
}

impl Head {
    pub(super) fn read(repository: &Repository) -> Result<Self> {
        let references = repository.references();
        let (bytes, named) = if stores_tables(&repository.config) {
            // The file says nothing.
            let named = references.branch()?;
            (named.iter().flatten().copied().gather(), named)
        } else {
            let bytes = repository.location.git_dir.read(b"HEAD", limits::REFLOG_BYTES)?;
            let bytes = bytes.ok_or_else(|| references.damaged(b"HEAD", "is missing"))?;
            let named = bytes.strip_prefix(b"ref:").map(|name| name.trim().copied_vec());
            (bytes, named)
        };
        let (branch, commit) = match (references.resolve(b"HEAD")?, named) {
            (Resolved::Id { name, id }, None) if name == b"HEAD" => (None, Some(id)),
            (Resolved::Id { name, id }, Some(named)) if name == named => (Some(name), Some(id)),
            (Resolved::Dangling(name), Some(named)) if name == named => (Some(name), None),
            _ => {
                return Err(Error::stale(format!(
                    "HEAD of the repository at {} names no branch that may be moved",
                    quoted(&repository.given)
                ))
                .with_hint("HEAD must name a branch that may be read, or a commit"));
            }
        };
        let is_branch =
            |name: &Vec<u8>| name.starts_with(b"refs/heads/") && references.may_read(name);
        if branch.as_ref().is_some_and(|name| !is_branch(name))
            || branch.is_none() && repository.ref_limit().is_some()
        {
            return Err(Error::fs_denied("HEAD names no branch that may be read")
                .with_hint("Check out a branch that refs(repo) lists"));
        }
        Ok(Self { bytes, branch, commit })
    }
}

impl Ending {
    pub(super) fn read(repository: &Repository) -> Result<Self> {
        let git_dir = &repository.location.git_dir;
        let id = |name: &[u8]| {
            let bytes = git_dir.read(name, limits::REFLOG_BYTES)?;
            let Some(bytes) = bytes else { return Ok(None) };
            let oid = Oid::from_hex(bytes.trim()).ok();
            let oid = oid.filter(|oid| oid.kind() == repository.object_hash());
            let damaged = || repository.references().damaged(name, "leads to no object");
            oid.map(Some).ok_or_else(damaged)
        };
        let parents = repository.merge_heads()?;
        if !parents.is_empty() {
            let kind = Some("commit (merge)");
            return Ok(Self { parents, kind, is_any: true, picked: None });
        }
        if git_dir.has(b"MERGE_HEAD")? {
            return Err(repository.references().damaged(b"MERGE_HEAD", "names no commit"));
        }
        if let Some(picked) = id(b"CHERRY_PICK_HEAD")? {
            let kind = Some("commit (cherry-pick)");
            return Ok(Self { picked: Some(picked), kind, is_any: true, ..Self::default() });
        }
        Ok(Self { is_any: id(b"REVERT_HEAD")?.is_some(), ..Self::default() })
    }

    /// Tells whether only the whole index may be committed.
    pub(super) fn is_whole(&self) -> bool {
        self.kind.is_some()
    }
}
