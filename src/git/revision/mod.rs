//! From the names of revisions to the sides of a comparison.
//!
//! | file | holds |
//! |---|---|
//! | `range` | `a..b` and its kin, and what `ALL` references lead to |
//! | `resolve` | one revision: taken apart from its end, and what is done to its object |
//! | `references` | all references with what they lead to; which of them decorate a commit |
//! | `named` | names of references, their logs, what stands for a name |
//! | `upstream` | the branches that a branch is merged with and pushed to |
//! | `short` | abbreviated ids |
//! | `path` | files of trees and of the index |
//! | `readable` | what may be named where a sandbox names the references that may be read |
//! | `search`, `posix` | commits by their messages |
//! | `date`, `date_words`, `clock` | dates as people write them, in local time |

mod clock;
mod date;
mod date_words;
mod named;
mod path;
mod posix;
mod range;
mod readable;
mod references;
mod resolve;
mod search;
mod short;
mod upstream;

use std::sync::Arc;

use gix::objs::Kind;

use super::Oid;
use super::repository::Repository;
use crate::error::{Error, Result, quoted};
use crate::git::history::commit_links::Commits;
use crate::git::history::merge_base::MergeBases;
use crate::git::history::walk::{History, HistoryOptions, Merges, RevRange};
use crate::git::id_tables::IdSet;
use range::Range;
use resolve::{Hint, Resolver};

pub use clock::local_time_zone;
pub(super) use posix::{Newline, basic_translated, translated};
pub use references::{Named as NamedReference, Reference, ReferenceDetails, ReferenceReader};

/// One side of a comparison, resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revision {
    /// The tree of a revision.
    Tree(Oid),
    /// The empty tree, `EMPTY`.
    Empty,
    /// What the next commit would hold, `INDEX` or `STAGED`.
    Index,
    /// The files on disk, `WORKTREE` or `WORKDIR`.
    WorkTree,
}

impl Revision {
    /// Returns the id of a tree, `Some(None)` for the empty one; index and work tree are none.
    pub fn as_tree(self) -> Option<Option<Oid>> {
        match self {
            Self::Tree(id) => Some(Some(id)),
            Self::Empty => Some(None),
            Self::Index | Self::WorkTree => None,
        }
    }

    /// Tells whether a name stands for a side without being a revision.
    pub(super) fn is_named(name: &str) -> bool {
        Self::named(name).is_some()
    }

    /// Returns the side that a name stands for without being a revision, in any case.
    fn named(name: &str) -> Option<Self> {
        let names = [
            ("EMPTY", Self::Empty),
            ("INDEX", Self::Index),
            ("STAGED", Self::Index),
            ("WORKTREE", Self::WorkTree),
            ("WORKDIR", Self::WorkTree),
        ];
        names.into_iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|(_, side)| side)
    }
}

/// What HEAD names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedOut {
    /// The branch, by its full name, whether it exists or not.
    pub branch: Option<Vec<u8>>,
    /// The commit; none before the first one.
    pub commit: Option<Oid>,
}

/// Returns the moment that a date means as people write it, in seconds since 1970; `None` where nothing in it is one.
pub fn date_of(text: &str) -> Option<i64> {
    date::parse(text.as_bytes(), &clock::Clock::here())
}

impl Repository {
    /// Returns what is checked out.
    pub fn checked_out(&self) -> Result<CheckedOut> {
        Ok(CheckedOut { branch: self.references().branch()?, commit: self.head()? })
    }

    /// Resolves a revision as `git rev-parse` does and peels it to its tree, or one of our own
    /// names: `EMPTY`, `INDEX`, `WORKTREE`.
    pub fn revision(&self, name: &str) -> Result<Revision> {
        if let Some(side) = Revision::named(name) {
            return Ok(side);
        }
        let resolver = Resolver::new(self, name);
        match resolver.range(Hint::Any)? {
            Range::One(id) => resolver.tree(id).map(Revision::Tree),
            _ => Err(Error::invalid_args(format!(
                "{} is a range, and one revision is wanted here",
                quoted(name)
            ))
            .with_hint("Give its two ends as two arguments, or the range with NULL as the second")),
        }
    }

    /// Returns the object that a revision names, as `git rev-parse` does.
    pub fn resolve(&self, name: &str) -> Result<Oid> {
        match Resolver::new(self, name).range(Hint::Any)? {
            Range::One(id) => Ok(id),
            _ => Err(Error::invalid_args(format!(
                "{} is a range, and one revision is wanted here",
                quoted(name)
            ))
            .with_hint("Give one of its ends")),
        }
    }

    /// Returns all merge bases of two revisions in git's order.
    pub fn merge_bases(&self, one: &str, two: &str) -> Result<Vec<Oid>> {
        let [first, last] = [one, two].map(|name| Resolver::new(self, name));
        MergeBases::new(first.commits()?, first.cancel).of(first.one_commit()?, last.one_commit()?)
    }

    /// Returns the commit that a revision leads to.
    pub(super) fn commit_of(&self, name: &str) -> Result<Oid> {
        Resolver::new(self, name).one_commit()
    }

    /// Returns how many commits only the first of two revisions has, and how many only the second.
    pub fn ahead_behind(&self, one: &str, two: &str) -> Result<(u64, u64)> {
        let [first, last] = [one, two].map(|name| Resolver::new(self, name).one_commit());
        self.divergence(first?, last?)
    }

    /// Returns how many commits only the first of two commits has in its history, and how many only the second: one walk
    /// of `one...two`, as `git rev-list --left-right --count` does it.
    pub(super) fn divergence(&self, one: Oid, two: Oid) -> Result<(u64, u64)> {
        if one == two {
            return Ok((0, 0));
        }
        let commits = Commits::new(self)?;
        let mut bases = MergeBases::new(&commits, self.cancel());
        let hidden = bases.of(one, two)?;
        let ends = RevRange { tips: vec![one, two], hidden, read: bases.into_read() };
        let options = HistoryOptions { merges: Merges::AllParents, ..HistoryOptions::default() };
        let mut history = History::new(self, &ends, options, Arc::clone(self.shared_budget()))?;
        history.settle();
        // What both lead to is hidden, so whatever leads to a commit tells its side.
        let mut left = IdSet::from_iter([one]);
        let (mut ahead, mut behind) = (0, 0);
        while let Some(commit) = history.next_commit() {
            let commit = commit?;
            if left.contains(&commit.id) {
                ahead += 1;
                left.extend(commit.parents);
            } else {
                behind += 1;
            }
        }
        Ok((ahead, behind))
    }

    /// Resolves a range, or one revision and the work tree.
    pub(super) fn range(&self, name: &str, merge_base: bool) -> Result<[Revision; 2]> {
        if Revision::named(name).is_some() {
            return Ok([self.revision(name)?, Revision::WorkTree]);
        }
        let resolver = Resolver::new(self, name);
        match resolver.range(Hint::Any)? {
            Range::Between { from, to } if !merge_base => {
                Ok([Revision::Tree(resolver.tree(from)?), Revision::Tree(resolver.tree(to)?)])
            }
            Range::Between { from, to } | Range::Symmetric { from, to } => {
                let ends = [resolver.commit(from)?, resolver.commit(to)?];
                resolver.since_merge_base(ends, || quoted(name))
            }
            _ if merge_base => self.since_merge_base_of(name, "WORKTREE"),
            Range::One(id) => Ok([Revision::Tree(resolver.tree(id)?), Revision::WorkTree]),
            _ => Err(Error::invalid_args(format!(
                "{} is neither a range nor a revision",
                quoted(name)
            ))
            .with_hint("Give a revision, two of them, or a range such as 'main..feature'")),
        }
    }

    /// Resolves `commit^!` to the commit and its parents; anything else is `None`.
    pub(super) fn commit_and_parents(
        &self,
        name: &str,
    ) -> Result<Option<(Revision, Vec<Revision>)>> {
        if !name.ends_with("^!") {
            return Ok(None);
        }
        let resolver = Resolver::new(self, name);
        let Range::Without { commit, parent: None } = resolver.range(Hint::Committish)? else {
            return Ok(None);
        };
        let tree = |id: Oid| resolver.tree(id).map(Revision::Tree);
        let commit = resolver.commit(commit)?;
        let parents = resolver.parents(&commit)?;
        Ok(Some((tree(commit)?, parents.into_iter().map(tree).collect::<Result<_>>()?)))
    }

    /// Resolves two revisions to the merge base and the second.
    pub(super) fn since_merge_base_of(&self, from: &str, to: &str) -> Result<[Revision; 2]> {
        let second =
            Revision::named(to).filter(|side| matches!(side, Revision::Index | Revision::WorkTree));
        let to = if second.is_some() { "HEAD" } else { to };
        let [first, last] = [from, to].map(|name| Resolver::new(self, name));
        let ends = [first.one_commit()?, last.one_commit()?];
        let shown = || format!("{} and {}", quoted(from), quoted(to));
        let [base, to] = last.since_merge_base(ends, shown)?;
        Ok([base, second.unwrap_or(to)])
    }
}

impl Resolver<'_> {
    /// Resolves one revision to a commit.
    fn one_commit(&self) -> Result<Oid> {
        let Range::One(id) = self.range(Hint::Committish)? else {
            return Err(Error::invalid_args(format!(
                "{} is a range, and one revision is wanted here",
                quoted(&self.asked)
            ))
            .with_hint("Give its two ends as two arguments"));
        };
        self.commit(id)
    }

    /// Compares the merge base of two commits with the second; of several, git takes the first.
    fn since_merge_base(
        &self,
        ends: [Oid; 2],
        shown: impl Fn() -> String,
    ) -> Result<[Revision; 2]> {
        let bases = MergeBases::new(self.commits()?, self.cancel).of(ends[0], ends[1])?;
        let Some(base) = bases.first().copied() else {
            return Err(Error::not_found(format!("{} have no merge base", shown()))
                .with_hint("Compare them directly, with two dots or two arguments"));
        };
        Ok([Revision::Tree(self.tree(base)?), Revision::Tree(self.tree(ends[1])?)])
    }

    /// Follows tags to a commit.
    fn commit(&self, id: Oid) -> Result<Oid> {
        match self.untagged(id)? {
            Ok((Kind::Commit, commit)) => Ok(commit),
            Ok(_) => Err(Error::invalid_args(format!(
                "{} does not lead to a commit",
                quoted(&self.asked)
            ))
            .with_hint("Name a branch, a tag or a commit")),
            Err(missing) => Err(self.unreadable(missing)),
        }
    }

    /// Follows tags and commits to a tree.
    fn tree(&self, id: Oid) -> Result<Oid> {
        match self.untagged(id)? {
            Ok((Kind::Tree, tree)) => Ok(tree),
            Ok((Kind::Commit, commit)) => {
                let tree = self.commits()?.links(&commit)?.tree;
                if self.kind(&tree)? == Some(Kind::Tree) {
                    Ok(tree)
                } else {
                    Err(self.unreadable(tree))
                }
            }
            Ok(_) => Err(Error::invalid_args(format!(
                "{} is a file's content, not a revision",
                quoted(&self.asked)
            ))
            .with_hint("Name a commit, a tag or a tree")),
            Err(missing) => Err(self.unreadable(missing)),
        }
    }

    fn unreadable(&self, id: Oid) -> Error {
        Error::tool_failed(format!(
            "object {id}, which {} leads to, cannot be read in the repository at {}",
            quoted(&self.asked),
            quoted(&self.repository.given)
        ))
        .with_hint("Run 'git fsck' there; a partial or shallow clone may lack the object")
    }
}
