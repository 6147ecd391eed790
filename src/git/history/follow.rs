//! The commits that changed one file, followed through renames and copies as in `git log --follow`.
//!
//! The walk has one current path. When a commit adds it, its origin is searched for among all files
//! of the parent, and becomes the current path: also in commits of other branches that come later
//! in the walk.

use std::sync::Arc;

use crate::Oid;
use crate::attributes::ContentSource;
use crate::change::contents::Reader;
use crate::change::renames::RenameOptions;
use crate::graph::walk::{History, HistoryOptions, Merges, RevRange, Visited};
use crate::model::changed_file::Change;
use crate::repository::Repository;
use crate::tree::tree_lookup::PathInTrees;
use crate::tree::walk::TreeChanges;
use redline_base::budget::{Copied, Gather, Grow, Ordered};
use redline_base::error::Result;

/// A commit that changed the file, and the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The commit.
    pub commit: Visited,
    /// The change of the file, with its path in this commit.
    pub change: Change,
}

/// The commits to follow the file through.
pub struct FollowWalk(History);

/// A commit to check, and the tree of the parent to compare it with.
pub type FollowStep = (Visited, Option<Oid>);

/// An iterator over the changes of one file; after an error it ends.
pub struct Follow<W> {
    walk: W,
    path: Arc<[u8]>,
    located: PathInTrees,
    trees: TreeChanges,
    reader: Reader,
    is_over: bool,
}

impl FollowWalk {
    /// Starts the walk.
    pub fn new(repository: &Repository, ends: &RevRange, options: HistoryOptions) -> Result<Self> {
        let merges = if options.first_parent { Merges::FirstParent } else { Merges::Skip };
        let options = HistoryOptions { merges, ..options };
        let mut history = History::new(repository, ends, options)?;
        // Excluded commits must not change the current path.
        history.settle();
        Ok(Self(history))
    }
}

impl Iterator for FollowWalk {
    type Item = Result<FollowStep>;

    fn next(&mut self) -> Option<Self::Item> {
        let visited = self.0.next_commit()?;
        Some(visited.map(|visited| {
            let parent = visited.parents.first().and_then(|parent| self.0.tree_of(parent));
            (visited, parent)
        }))
    }
}

impl<W: Iterator<Item = Result<FollowStep>>> Follow<W> {
    /// Follows a file through the commits of a walk, or of its read-ahead.
    pub fn new(repository: &Repository, walk: W, path: &str) -> Self {
        Self {
            walk,
            path: path.as_bytes().into(),
            located: PathInTrees::default(),
            trees: TreeChanges::idle(repository.objects(), Arc::default()),
            reader: Reader::new(&ContentSource::of_objects(repository)),
            is_over: false,
        }
    }

    /// Returns the change of the file in a commit, if there is one.
    fn change(&mut self, tree: Oid, parent: Option<Oid>) -> Result<Option<Change>> {
        let new = self.located.file(self.trees.objects(), Some(tree), &self.path)?;
        let old = self.located.file(self.trees.objects(), parent, &self.path)?;
        if old == new {
            return Ok(None);
        }
        let change = Change::new(self.path.copied_vec(), old, new);
        match parent {
            Some(parent) if old.is_none() => self.origin(change, parent, tree).map(Some),
            _ => Ok(Some(change)),
        }
    }

    /// Searches for the origin of an added file, and follows that file from then on.
    fn origin(&mut self, added: Change, old: Oid, new: Oid) -> Result<Change> {
        let mut changes = Vec::new();
        for change in self.trees.restart(Some(old), Some(new))? {
            let change = change?;
            if change.old.is_some() || *change.path == *self.path {
                changes.add(change);
            }
        }
        // Every file of the parent may be the origin of a copy.
        let mut known: Vec<Vec<u8>> = changes.iter().map(|change| change.path.clone()).gather();
        known.sort_unstable();
        for file in self.trees.restart(None, Some(old))? {
            let file = file?;
            if known.binary_search(&file.path).is_err() {
                changes.add(Change::new(file.path, file.new, file.new));
            }
        }
        changes.order_by(|one, other| one.path.cmp(&other.path));
        let options = RenameOptions { copies: true, ..RenameOptions::default() };
        let cancel = self.trees.objects().cancel();
        let rows = self.reader.pair(changes, &options, &cancel)?;
        let found =
            rows.into_iter().find(|change| change.origin.is_some() && *change.path == *self.path);
        let Some(found) = found else { return Ok(added) };
        if let Some(origin) = &found.origin {
            self.path = origin.path.as_slice().into();
            self.located = PathInTrees::default();
        }
        Ok(found)
    }

    fn step(&mut self) -> Result<Option<FileChange>> {
        while let Some(step) = self.walk.next() {
            self.trees.objects().budget().check()?;
            let (commit, parent) = step?;
            if let Some(change) = self.change(commit.tree, parent)? {
                return Ok(Some(FileChange { commit, change }));
            }
        }
        Ok(None)
    }
}

impl<W: Iterator<Item = Result<FollowStep>>> Iterator for Follow<W> {
    type Item = Result<FileChange>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let step = self.step();
        self.is_over = !matches!(step, Ok(Some(_)));
        step.transpose()
    }
}
