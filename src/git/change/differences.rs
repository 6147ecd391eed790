//! The files that differ between two sides: trees, the index and the work tree, with optional
//! detection of renames and copies; and those of a merge that differ from each of its parents, with
//! the conflicts of the index compared with all sides at once.

use std::collections::HashSet;
use std::iter::Peekable;
use std::sync::Arc;

use crate::Oid;
use crate::change::comparison::Comparison;
use crate::change::contents::Reader;
use crate::change::listed::{check_listed, untracked_paths};
use crate::change::renames::{RenameOptions, pair};
use crate::change::uncommitted::Uncommitted;
use crate::index::Index;
use crate::model::changed_file::{Change, Dirt, Entry, Source};
use crate::repository::Repository;
use crate::revision::{Revision, side_of};
use crate::tree::tree_lookup::entry_at;
use crate::tree::walk::TreeChanges;
use crate::worktree::files::WorkTree;
use crate::worktree::submodule::{Above, Submodules};
use redline_base::budget::{Charge, Permits};
use redline_base::error::{Error, Result};
use redline_text::CancelToken;

/// The changed files in git's order; after an error they end.
pub type Changes = Box<dyn Iterator<Item = Result<Change>> + Send>;

/// Tells whether a side is compared with itself.
fn has_equal_sides(comparison: &Comparison) -> bool {
    let [old, new] = comparison.sides();
    old == new
}

/// Starts the walk over the changed files in git's order.
pub fn walk(comparison: &Comparison) -> Result<Changes> {
    if let [Some(old), Some(new)] = comparison.sides().map(Revision::as_tree) {
        let (objects, paths) = (comparison.repository().objects(), Arc::clone(&comparison.paths));
        return Ok(Box::new(TreeChanges::new(objects, old, new, paths)?));
    }
    if has_equal_sides(comparison) {
        return Ok(Box::new(std::iter::empty()));
    }
    Ok(Box::new(Uncommitted::new(comparison, find_dirt)?))
}

/// Tells whether any file differs.
fn has_changes(comparison: &Comparison) -> Result<bool> {
    Ok(walk(comparison)?.next().transpose()?.is_some())
}

/// Returns what a submodule has beside a commit: changed files before untracked ones.
pub(crate) fn find_dirt(submodule: &Repository, head: Oid, above: &Above) -> Result<Option<Dirt>> {
    let head = side_of(submodule, &head.to_string())?;
    let comparison = |old, new| {
        let mut comparison = Comparison::new(submodule.clone(), old, new)?;
        comparison.above = above.clone();
        Ok::<_, Error>(comparison)
    };
    if has_changes(&comparison(head, Revision::Index)?)? {
        return Ok(Some(Dirt::Content));
    }
    let on_disk = comparison(Revision::Index, Revision::WorkTree)?;
    let mut has_untracked = false;
    for change in walk(&on_disk)? {
        // A submodule in it that has untracked files alone counts as these.
        if !change?.is_dirt(Dirt::Untracked) {
            return Ok(Some(Dirt::Content));
        }
        has_untracked = true;
    }
    has_untracked |= above.counts_untracked && !untracked_paths(&on_disk)?.is_empty();
    Ok(has_untracked.then_some(Dirt::Untracked))
}

/// Starts a comparison, with renames if options are given; merges and conflicts are compared with
/// all sides at once if requested.
///
/// Without renames the changes stream from the walk. With renames the first call collects all of
/// them and pairs them up: the origin of a file depends on every other file.
pub fn changed_files(comparison: &Comparison, renames: Option<RenameOptions>) -> Result<Changes> {
    match comparison.combined {
        None => Ok(shown(walk(comparison)?, comparison, renames)),
        Some(_) => combined_walk(comparison, renames),
    }
}

/// Returns a walk's changes as they are shown: paired up if options are given.
fn shown(walk: Changes, comparison: &Comparison, renames: Option<RenameOptions>) -> Changes {
    let Some(options) = renames else {
        return Box::new(walk.map(|change| change.map(Change::shown)));
    };
    let comparison = comparison.clone();
    let rows = std::iter::once_with(move || paired(walk, &comparison, &options));
    Box::new(rows.flat_map(|rows| -> Changes {
        match rows {
            Ok(rows) => Box::new(rows.into_iter().map(Ok)),
            Err(error) => Box::new(std::iter::once(Err(error))),
        }
    }))
}

/// Collects all changes and pairs them up.
fn paired(
    mut walk: Changes,
    comparison: &Comparison,
    options: &RenameOptions,
) -> Result<Vec<Change>> {
    let cancel = comparison.repository().cancel();
    let mut charge = Charge::free();
    let changes = collect(&mut walk, &mut charge, &cancel)?;
    let others = comparison.repository().threads.checked_sub(1).filter(|&others| others > 0);
    let permits = others.map(Permits::take);
    let readers = 1 + permits.as_ref().map_or(0, Permits::count);
    let mut readers: Vec<_> = (0..readers).map(|_| Reader::new(comparison.source())).collect();
    pair(changes, options, &mut readers, &cancel)
}

/// Bytes of paths that are charged at once.
const COUNTED_PATHS: usize = 1 << 20;

/// Collects all changes, within the memory of the query.
pub(crate) fn collect(
    changes: &mut impl Iterator<Item = Result<Change>>,
    charge: &mut Charge,
    cancel: &CancelToken<'_>,
) -> Result<Vec<Change>> {
    let (mut all, mut path_bytes) = (Vec::new(), 0);
    for change in changes {
        let change = change?;
        path_bytes += change.path.len();
        if path_bytes >= COUNTED_PATHS {
            charge.join(cancel.charge(std::mem::take(&mut path_bytes))?);
        }
        cancel.room(charge, &mut all, 1)?;
        all.push(change);
    }
    Ok(all)
}

/// The change of one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathChange {
    /// Neither side has it.
    Nothing,
    /// It is a directory on one side, and a file on neither.
    Directory,
    /// It is a file; as in git, a conflict has two rows, and an unchanged file none.
    File(Vec<Change>),
}

impl PathChange {
    /// Returns the change of one path, relative to the repository's root.
    pub fn of(comparison: &Comparison, path: &[u8]) -> Result<Self> {
        let sides = comparison.sides();
        let objects = comparison.repository().objects();
        let mut is_directory = false;
        let mut find = |side: Revision| -> Result<Option<Entry>> {
            let Some(tree) = side.as_tree().flatten() else { return Ok(None) };
            let entry = entry_at(&objects, tree, path)?;
            is_directory |= entry.is_some_and(|entry| entry.mode.is_directory());
            Ok(entry.filter(|entry| !entry.mode.is_directory()))
        };
        let (old, new) = (find(sides[0])?, find(sides[1])?);
        let Some(index) = comparison.index() else {
            return Ok(match (old, new, is_directory) {
                (None, None, false) => Self::Nothing,
                (None, None, true) => Self::Directory,
                _ => Self::File(vec![Change::new(path.to_vec(), old, new)]),
            });
        };
        let changes = if has_equal_sides(comparison) {
            Vec::new()
        } else {
            Uncommitted::new(comparison, find_dirt)?.path(path, old.or(new))?
        };
        let is_on_disk = |entry: Entry| matches!(entry.source, Source::WorkTree { .. });
        let mut entries = changes.iter().flat_map(|change| [change.old, change.new]).flatten();
        if entries.any(is_on_disk) {
            check_listed(comparison, path)?;
        }
        Ok(if !changes.is_empty() || !index.find(path).is_empty() {
            Self::File(changes)
        } else if is_directory || !index.below(&[path, b"/"].concat()).is_empty() {
            Self::Directory
        } else {
            Self::Nothing
        })
    }
}

/// Starts the walk over files that differ from all sides, and over other changes. Conflicts come
/// first, as in git.
fn combined_walk(comparison: &Comparison, renames: Option<RenameOptions>) -> Result<Changes> {
    if !comparison.others.is_empty() {
        return merge_walk(comparison, renames);
    }
    let found = walk(comparison)?;
    let Some(index) = comparison.index().filter(|_| has_conflicts(comparison)) else {
        return Ok(shown(found, comparison, renames));
    };
    let conflicts = conflicts(comparison, index)?;
    let paths: HashSet<Vec<u8>> = conflicts.iter().map(|conflict| conflict.path.clone()).collect();
    let others = found
        .filter(move |change| change.as_ref().map_or(true, |change| !paths.contains(&change.path)));
    let others = shown(Box::new(others), comparison, renames);
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
    let submodules = Submodules::new(comparison.above.clone(), find_dirt);
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
            ..Change::new(first.path.to_vec(), Some(ours.entry), found)
        });
    }
}

/// Starts the walk over the files that differ from each parent.
fn merge_walk(comparison: &Comparison, renames: Option<RenameOptions>) -> Result<Changes> {
    let [old, new] = comparison.sides();
    let from = |parent: Revision| changed_files(&comparison.between(parent, new), renames);
    let first = from(old)?;
    let others = comparison.others.iter().map(|&parent| from(parent).map(Iterator::peekable));
    let mut others = others.collect::<Result<Vec<_>>>()?;
    Ok(Box::new(first.filter_map(move |change| common(change, &mut others).transpose())))
}

/// The changes of a merge from another parent; the next one is the first that is not passed yet.
type Others = Peekable<Changes>;

/// Adds the versions of all other parents to a change; `None` if the file is the same in one.
fn common(change: Result<Change>, others: &mut [Others]) -> Result<Option<Change>> {
    let mut change = change?;
    for other in others {
        let Some(version) = version(other, &change.path)? else { return Ok(None) };
        change.others.push(version);
    }
    Ok(Some(change))
}

/// Returns another parent's version of a path, if it differs; paths must ascend.
fn version(other: &mut Others, path: &[u8]) -> Result<Option<Option<Entry>>> {
    let is_passed =
        |next: &Result<Change>| next.as_ref().map_or(true, |next| next.path[..] < *path);
    while let Some(passed) = other.next_if(is_passed) {
        passed?;
    }
    let next = other.peek().and_then(|next| next.as_ref().ok());
    Ok(next.filter(|next| next.path == path).map(|next| next.old))
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
