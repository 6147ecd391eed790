//! From the name of a revision to a tree.

use gix::bstr::ByteSlice;
use gix::objs::Kind;
use gix::revision::plumbing::Spec;

use super::repository::Repository;
use super::{Oid, TreeChanges, suggest};
use crate::error::{Error, Result, quoted};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// One side of a comparison, resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revision {
    /// The tree of a revision.
    Tree(Oid),
    /// The empty tree, `EMPTY`.
    Empty,
}

impl Revision {
    /// Returns the tree's id, `None` for the empty tree.
    pub fn tree(self) -> Option<Oid> {
        match self {
            Self::Tree(id) => Some(id),
            Self::Empty => None,
        }
    }
}

/// Names that stand for a side without being a revision, and those kept for later.
const EMPTY: &str = "EMPTY";
const RESERVED: [&str; 4] = ["INDEX", "STAGED", "WORKTREE", "WORKDIR"];

impl Repository {
    /// Resolves a revision as `git rev-parse` does and peels it to its tree; `EMPTY` in any case
    /// is the empty tree.
    pub fn revision(&self, name: &str) -> Result<Revision> {
        if name.eq_ignore_ascii_case(EMPTY) {
            return Ok(Revision::Empty);
        }
        if RESERVED.iter().any(|reserved| name.eq_ignore_ascii_case(reserved)) {
            return Err(Error::invalid_args(format!("{} cannot be compared yet", quoted(name)))
                .with_hint("Compare two revisions; a branch of this name is reached as refs/heads/<name>"));
        }
        if name.trim().is_empty() {
            return Err(Error::invalid_args(format!("the revision is {}", quoted(name)))
                .with_hint("Name a branch, a tag or a commit such as HEAD~1, or EMPTY for the empty tree"));
        }
        let repo = self.inner.to_thread_local();
        let id = match repo.rev_parse(name.as_bytes().as_bstr()).map(|spec| spec.detach()) {
            Ok(Spec::Include(id)) => id,
            Ok(_) => {
                return Err(Error::invalid_args(format!(
                    "{} is a range, and one revision is wanted here",
                    quoted(name)
                ))
                .with_hint("Give its two ends as the first and the second argument"));
            }
            // What gix found is not told: its texts may quote the files of the repository.
            Err(error) => return Err(self.unresolved(&repo, name).with_source(error)),
        };
        self.peel(&repo, id, name).map(Revision::Tree)
    }

    /// Starts the comparison of two revisions; `stop` ends it early.
    pub fn changes(&self, old: Revision, new: Revision, stop: Arc<AtomicBool>) -> Result<TreeChanges> {
        TreeChanges::new(self.objects(), old.tree(), new.tree(), stop)
    }

    /// Follows tags and commits to a tree.
    fn peel(&self, repo: &gix::Repository, id: Oid, name: &str) -> Result<Oid> {
        let unreadable = |id: Oid| {
            Error::tool_failed(format!(
                "object {id}, which {} leads to, cannot be read in the repository at {}",
                quoted(name),
                quoted(&self.given)
            ))
            .with_hint("Run 'git fsck' there; a partial or shallow clone may lack the object")
        };
        let mut id = id;
        loop {
            if id.is_empty_tree() {
                return Ok(id);
            }
            let object = match repo.try_find_object(id) {
                Ok(Some(object)) => object,
                Ok(None) => return Err(unreadable(id)),
                Err(error) => return Err(unreadable(id).with_source(error)),
            };
            id = match object.kind {
                Kind::Tree => return Ok(id),
                Kind::Commit => object.into_commit().tree_id().map_err(|_| unreadable(id))?.detach(),
                // A tag that names itself cannot exist: its id covers its target.
                Kind::Tag => object.into_tag().target_id().map_err(|_| unreadable(id))?.detach(),
                Kind::Blob => {
                    return Err(Error::invalid_args(format!("{} is a file's content, not a revision", quoted(name)))
                        .with_hint("Name a commit, a tag or a tree"));
                }
            };
        }
    }

    /// Says why a name could not be resolved.
    fn unresolved(&self, repo: &gix::Repository, name: &str) -> Error {
        let is_hex = name.len() >= 4 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hex
            && let Ok(prefix) = gix::hash::Prefix::from_hex(name)
            && let mut found = std::collections::HashSet::new()
            && let Ok(Some(Err(()))) = repo.objects.lookup_prefix(prefix, Some(&mut found))
        {
            let mut found: Vec<String> = found.iter().map(ToString::to_string).collect();
            found.sort();
            found.truncate(5);
            return Error::invalid_args(format!("the abbreviated id {} is ambiguous", quoted(name)))
                .with_hint(format!("Write more of it; it may be {}", found.join(", ")));
        }
        let error = Error::not_found(format!(
            "no revision {} can be resolved in the repository at {}",
            quoted(name),
            quoted(&self.given)
        ));
        let names: Vec<String> = repo
            .references()
            .ok()
            .and_then(|references| {
                let all = references.all().ok()?;
                Some(all.flatten().map(|reference| reference.name().shorten().to_str_lossy().into_owned()).collect())
            })
            .unwrap_or_default();
        match suggest::nearest(name, names.iter().map(String::as_str)) {
            near if near.is_empty() && repo.is_shallow().unwrap_or(false) => {
                error.with_hint("The history is shallow; 'git fetch --unshallow' gets the rest")
            }
            near if near.is_empty() => error.with_hint("Name a branch, a tag or a commit that 'git rev-parse' knows"),
            near => error.with_hint(format!("Did you mean {}?", near.join(" or "))),
        }
    }
}
