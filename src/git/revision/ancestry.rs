//! How two revisions are related: their merge bases, and how far they are apart.

use super::range::{commit_of, one_commit};
use super::resolver::Resolver;
use crate::error::Result;
use crate::git::Oid;
use crate::git::graph::commit_links::Commits;
use crate::git::graph::merge_base::MergeBases;
use crate::git::graph::walk::{History, HistoryOptions, Merges, RevRange};
use crate::git::model::id_tables::IdSet;
use crate::git::repository::Repository;

/// Returns all merge bases of two revisions in git's order.
pub fn merge_bases(repository: &Repository, one: &str, two: &str) -> Result<Vec<Oid>> {
    let [first, last] = [one, two].map(|name| Resolver::new(repository, name));
    MergeBases::new(first.commits()?, first.cancel).of(one_commit(&first)?, one_commit(&last)?)
}

/// Returns how many commits only the first of two revisions has, and how many only the second.
pub fn ahead_behind(repository: &Repository, one: &str, two: &str) -> Result<(u64, u64)> {
    let [first, last] = [one, two].map(|name| commit_of(repository, name));
    divergence(repository, first?, last?)
}

/// Returns how many commits only the first of two commits has in its history, and how many only the second: one walk
/// of `one...two`, as `git rev-list --left-right --count` does it.
pub fn divergence(repository: &Repository, one: Oid, two: Oid) -> Result<(u64, u64)> {
    if one == two {
        return Ok((0, 0));
    }
    let commits = Commits::new(repository)?;
    let mut bases = MergeBases::new(&commits, repository.cancel());
    let hidden = bases.of(one, two)?;
    let ends = RevRange { tips: vec![one, two], hidden, read: bases.into_read() };
    let options = HistoryOptions { merges: Merges::AllParents, ..HistoryOptions::default() };
    let mut history = History::new(repository, &ends, options)?;
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
