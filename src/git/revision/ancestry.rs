//! The relation of two revisions: their merge bases, and how far they have diverged.

use super::range::{commit_of, one_commit};
use super::resolver::Resolver;
use crate::Oid;
use crate::graph::commit_links::Commits;
use crate::graph::merge_base::MergeBases;
use crate::graph::walk::{History, HistoryOptions, Merges, RevRange};
use crate::model::id_tables::IdSet;
use crate::repository::Repository;
use redline_base::error::Result;

/// Returns all merge bases of two revisions in git's order.
pub fn merge_bases(repository: &Repository, one: &str, two: &str) -> Result<Vec<Oid>> {
    let [first, last] = [one, two].map(|name| Resolver::new(repository, name));
    first.merge_bases()?.of(one_commit(&first)?, one_commit(&last)?)
}

/// Returns the best common ancestors of several commits in git's order: of all of them, or of the
/// first and a merge of the others.
pub fn merge_bases_of(
    repository: &Repository,
    names: &[&str],
    is_octopus: bool,
) -> Result<Vec<Oid>> {
    let resolver = Resolver::new(repository, "");
    let commits: Vec<Oid> =
        names.iter().map(|name| commit_of(repository, name)).collect::<Result<_>>()?;
    let mut bases = resolver.merge_bases()?;
    match commits.split_first() {
        Some((first, others)) if !is_octopus && !others.is_empty() => {
            bases.of_merge(*first, others)
        }
        _ => bases.of_all(&commits),
    }
}

/// Returns the number of commits that only the first of two revisions has, and that only the second
/// has.
pub fn ahead_behind(repository: &Repository, one: &str, two: &str) -> Result<(u64, u64)> {
    let [first, last] = [one, two].map(|name| commit_of(repository, name));
    divergence(repository, first?, last?)
}

/// Returns the number of commits that are only in the first of two histories, and only in the
/// second: one walk of `one...two`, as in `git rev-list --left-right --count`.
pub fn divergence(repository: &Repository, one: Oid, two: Oid) -> Result<(u64, u64)> {
    if one == two {
        return Ok((0, 0));
    }
    let commits = Commits::new(repository)?;
    let mut bases = MergeBases::new(&commits, repository.cancel());
    let hidden = bases.of(one, two)?;
    let ends = RevRange { tips: vec![one, two], hidden, read: bases.into_read().into() };
    let options = HistoryOptions { merges: Merges::AllParents, ..HistoryOptions::default() };
    let mut history = History::new(repository, &ends, options)?;
    history.settle();
    // Common ancestors are hidden, so every visited commit has one side.
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
