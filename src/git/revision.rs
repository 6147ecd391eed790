//! From the name of a revision to a tree.

use gix::bstr::ByteSlice;
use gix::objs::Kind;
use gix::revision::plumbing::Spec;

use super::repository::Repository;
use super::{Oid, suggest};
use crate::error::{Error, Result, quoted};

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

/// What is compared with what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comparison {
    /// The side before.
    pub old: Revision,
    /// The side after.
    pub new: Revision,
}

/// Names that stand for a side without being a revision, and those kept for later.
const EMPTY: &str = "EMPTY";
const RESERVED: [&str; 4] = ["INDEX", "STAGED", "WORKTREE", "WORKDIR"];

impl Repository {
    /// Resolves what is compared: two revisions, or, without `to`, the range that `from` names
    /// (`a..b`, or `a...b` from their merge base). `merge_base` compares from the merge base too.
    pub fn compare(&self, from: &str, to: Option<&str>, merge_base: bool) -> Result<Comparison> {
        let Some(to) = to else { return self.range(from, merge_base) };
        if !merge_base {
            return Ok(Comparison { old: self.revision(from)?, new: self.revision(to)? });
        }
        let repo = self.inner.to_thread_local();
        let ends = [self.commit(&repo, from)?, self.commit(&repo, to)?];
        self.since_merge_base(&repo, ends, [from, to])
    }

    /// Resolves a range.
    fn range(&self, name: &str, merge_base: bool) -> Result<Comparison> {
        let repo = self.inner.to_thread_local();
        match self.parse(&repo, name)? {
            Spec::Range { from, to } if !merge_base => Ok(Comparison {
                old: self.peel(&repo, from, name).map(Revision::Tree)?,
                new: self.peel(&repo, to, name).map(Revision::Tree)?,
            }),
            Spec::Range { from, to } => self.since_merge_base(&repo, [from, to], [name, name]),
            Spec::Merge { theirs, ours } => self.since_merge_base(&repo, [theirs, ours], [name, name]),
            _ => Err(Error::invalid_args(format!("{} is one revision, and the second is NULL", quoted(name)))
                .with_hint(
                    "Give a second revision or a range such as 'main..feature'; the work tree cannot be compared yet",
                )),
        }
    }

    /// Resolves a revision as `git rev-parse` does and peels it to its tree; `EMPTY` in any case
    /// is the empty tree.
    pub fn revision(&self, name: &str) -> Result<Revision> {
        if name.eq_ignore_ascii_case(EMPTY) {
            return Ok(Revision::Empty);
        }
        let repo = self.inner.to_thread_local();
        match self.parse(&repo, name)? {
            Spec::Include(id) => self.peel(&repo, id, name).map(Revision::Tree),
            _ => Err(Error::invalid_args(format!("{} is a range, and one revision is wanted here", quoted(name)))
                .with_hint("Give its two ends as two arguments, or the range with NULL as the second")),
        }
    }

    /// Resolves a revision or range; errors are our own words.
    fn parse(&self, repo: &gix::Repository, name: &str) -> Result<Spec> {
        if RESERVED.iter().any(|reserved| name.eq_ignore_ascii_case(reserved)) {
            return Err(Error::invalid_args(format!("{} cannot be compared yet", quoted(name)))
                .with_hint("Compare two revisions; a branch of this name is reached as refs/heads/<name>"));
        }
        if name.trim().is_empty() {
            return Err(Error::invalid_args(format!("the revision is {}", quoted(name)))
                .with_hint("Name a branch, a tag or a commit such as HEAD~1, or EMPTY for the empty tree"));
        }
        match repo.rev_parse(name.as_bytes().as_bstr()) {
            Ok(spec) => Ok(spec.detach()),
            // What gix found is not told: its texts may quote the files of the repository.
            Err(error) => Err(self.unresolved(repo, name).with_source(error)),
        }
    }

    /// Resolves a revision to a commit.
    fn commit(&self, repo: &gix::Repository, name: &str) -> Result<Oid> {
        let Spec::Include(id) = self.parse(repo, name)? else {
            return Err(Error::invalid_args(format!("{} is a range, and one revision is wanted here", quoted(name)))
                .with_hint("Give its two ends as two arguments"));
        };
        Ok(id)
    }

    /// Compares the merge base of two commits with the second; of several, git takes the first.
    fn since_merge_base(&self, repo: &gix::Repository, ends: [Oid; 2], names: [&str; 2]) -> Result<Comparison> {
        let shown = || {
            if names[0] == names[1] {
                quoted(names[0])
            } else {
                format!("{} and {}", quoted(names[0]), quoted(names[1]))
            }
        };
        let mut commits = ends;
        for (commit, name) in commits.iter_mut().zip(names) {
            *commit = self.peel_to_commit(repo, *commit, name)?;
        }
        let bases = repo.merge_bases_many(commits[0], &[commits[1]]).map_err(|error| {
            Error::tool_failed(format!("the merge base of {} cannot be found", shown()))
                .with_hint("Run 'git fsck' there; a shallow clone may lack the commits")
                .with_source(error)
        })?;
        let Some(base) = bases.first() else {
            return Err(Error::not_found(format!("{} have no merge base", shown()))
                .with_hint("Compare them directly, with two dots or two arguments"));
        };
        Ok(Comparison {
            old: self.peel(repo, base.detach(), names[0]).map(Revision::Tree)?,
            new: self.peel(repo, commits[1], names[1]).map(Revision::Tree)?,
        })
    }

    /// Follows tags to a commit.
    fn peel_to_commit(&self, repo: &gix::Repository, id: Oid, name: &str) -> Result<Oid> {
        let commit = repo.find_object(id).ok().and_then(|object| object.peel_to_kind(Kind::Commit).ok());
        commit.map(|commit| commit.id).ok_or_else(|| {
            Error::invalid_args(format!("{} does not lead to a commit, which a merge base needs", quoted(name)))
                .with_hint("Name a branch, a tag or a commit")
        })
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
