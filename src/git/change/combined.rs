//! The files of a merge that differ from each of its parents, and the conflicts of the index,
//! compared with all sides at once.

use std::collections::HashSet;
use std::sync::Arc;

use crate::budget::Charge;
use crate::error::Result;
use crate::git::change::comparison::Comparison;
use crate::git::change::differences::{Changes, Walk, is_dirty, walk};
use crate::git::change::renames::RenameOptions;
use crate::git::index::Index;
use crate::git::model::changed_file::{Change, Entry};
use crate::git::repository::Repository;
use crate::git::revision::{Revision, commit_and_parents};
use crate::git::worktree::files::WorkTree;
use crate::git::worktree::submodule::Submodules;
use crate::text::Combined;

/// Does the same as [`Comparison::of`], with all parents of a merge at once; `from` can be
/// `commit^!`, which compares a commit with its parents.
pub fn combined_of(
    repository: &Repository,
    from: &str,
    to: Option<&str>,
    merge_base: bool,
    combined: Combined,
) -> Result<Comparison> {
    let commit = if to.is_none() { commit_and_parents(repository, from)? } else { None };
    let Some((commit, parents)) = commit else {
        return Ok(Comparison::of(repository, from, to, merge_base)?.combining(combined, &[]));
    };
    let (first, others) = match parents.split_first() {
        Some((first, others)) => (*first, others),
        None => (Revision::Empty, [].as_slice()),
    };
    Ok(Comparison::new(repository.clone(), first, commit)?.combining(combined, others))
}

/// Starts the comparison, with renames if options are given; merges and conflicts are compared with
/// all sides at once if requested.
pub fn changes_of(comparison: &Comparison, renames: Option<RenameOptions>) -> Result<Changes> {
    if comparison.combined.is_none() {
        return Changes::new(comparison, renames);
    }
    combined_walk(comparison, renames).map(Changes::Walked)
}

/// Starts the walk over files that differ from all sides, and over other changes. Conflicts come
/// first, as in git.
fn combined_walk(comparison: &Comparison, renames: Option<RenameOptions>) -> Result<Walk> {
    if !comparison.others.is_empty() {
        return merge_walk(comparison, renames);
    }
    let found = walk(comparison)?;
    let Some(index) = comparison.index().filter(|_| has_conflicts(comparison)) else {
        return Ok(Box::new(Changes::of(found, comparison, renames)));
    };
    let conflicts = conflicts(comparison, index)?;
    let paths: HashSet<Vec<u8>> = conflicts.iter().map(|conflict| conflict.path.clone()).collect();
    let others = found
        .filter(move |change| change.as_ref().map_or(true, |change| !paths.contains(&change.path)));
    let others = Changes::of(Box::new(others), comparison, renames);
    Ok(Box::new(conflicts.into_iter().map(Ok).chain(others)))
}

/// Tells whether conflicts are compared by content: between the index and the work tree.
fn has_conflicts(comparison: &Comparison) -> bool {
    let sides = comparison.sides();
    sides.contains(&Revision::Index) && sides.contains(&Revision::WorkTree)
}

/// Returns the conflicts with a version of both ours and theirs.
fn conflicts(comparison: &Comparison, index: &Arc<Index>) -> Result<Vec<Change>> {
    let mut work_tree = WorkTree::new(comparison.source(), index)?;
    let submodules = Submodules::new(comparison.above.clone(), is_dirty);
    let cancel = comparison.repository().cancel();
    let (mut charge, mut pace) = (Charge::free(), cancel.pace());
    let mut conflicts = Vec::new();
    let mut next = 0;
    loop {
        let positions = index.path_at(next);
        next = positions.end;
        let versions = index.versions(positions);
        let Some(first) = versions.first() else { return Ok(conflicts) };
        pace.spend(1)?;
        let staged = |stage: u8| versions.iter().find(|version| version.stage == stage);
        let (Some(ours), Some(theirs)) = (staged(2), staged(3)) else { continue };
        if !comparison.paths.matches_in_list(&first.path, first.entry.mode) {
            continue;
        }
        let found = work_tree.entry(&first.path, Some(first), &submodules)?;
        cancel.room(&mut charge, &mut conflicts, 1)?;
        conflicts.push(Change {
            unmerged: true,
            others: vec![Some(theirs.entry)],
            ..Change::new(first.path.clone(), Some(ours.entry), found)
        });
    }
}

/// Starts the walk over the files that differ from each parent.
fn merge_walk(comparison: &Comparison, renames: Option<RenameOptions>) -> Result<Walk> {
    let [old, new] = comparison.sides();
    let from = |parent: Revision| Changes::new(&comparison.between(parent, new), renames);
    let first = from(old)?;
    let others: Vec<_> = comparison
        .others
        .iter()
        .map(|&parent| from(parent).map(Other::new))
        .collect::<Result<_>>()?;
    Ok(Box::new(Intersection { first, others }))
}

/// The changes of a merge from its first parent, restricted to files that differ from all others.
struct Intersection {
    first: Changes,
    others: Vec<Other>,
}

/// The changes of a merge from another parent, up to a path.
struct Other {
    changes: Changes,
    next: Option<Change>,
}

impl Other {
    fn new(changes: Changes) -> Self {
        Self { changes, next: None }
    }

    /// Returns the parent's version of a path, if it differs; paths must ascend.
    fn at(&mut self, path: &[u8]) -> Result<Option<Option<Entry>>> {
        while self.next.as_ref().is_none_or(|next| next.path.as_slice() < path) {
            self.next = self.changes.next().transpose()?;
            if self.next.is_none() {
                return Ok(None);
            }
        }
        Ok(self.next.as_ref().filter(|next| next.path == path).map(|next| next.old))
    }
}

impl Intersection {
    fn step(&mut self) -> Result<Option<Change>> {
        for change in &mut self.first {
            let change = change?;
            let mut others = Vec::new();
            for other in &mut self.others {
                match other.at(&change.path)? {
                    Some(entry) => others.push(entry),
                    None => break,
                }
            }
            if others.len() == self.others.len() {
                return Ok(Some(Change { others, ..change }));
            }
        }
        Ok(None)
    }
}

impl Iterator for Intersection {
    type Item = Result<Change>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step();
        if !matches!(step, Ok(Some(_))) {
            self.first = Changes::Walked(Box::new(std::iter::empty()));
        }
        step.transpose()
    }
}

/// Keeps the changes of a merge to files that also differ from another parent, and adds its
/// versions.
pub fn keep_common<T>(changes: &mut Vec<(Change, T)>, other: Vec<(Change, T)>) {
    let mut other = other.into_iter().map(|(change, _)| change).peekable();
    changes.retain_mut(|(change, _)| {
        while other.next_if(|other| other.path < change.path).is_some() {}
        let found = other.next_if(|other| other.path == change.path);
        change.others.extend(found.as_ref().map(|found| found.old));
        found.is_some()
    });
}
