//! The commits that changed one file, followed through renames and copies as `git log --follow` does it.
//!
//! The walk has one path at a time. Where a commit adds it, its content is looked for among all files of the parent, and
//! the path is from then on that of the file found: also in commits of other branches that come later in the walk.

use std::collections::HashMap;
use std::sync::Arc;

use crate::budget::Budget;
use crate::error::Result;
use crate::git::change::changed_file::{Change, Entry};
use crate::git::change::comparison::Comparison;
use crate::git::change::contents::Reader;
use crate::git::change::renames::{RenameOptions, pair};
use crate::git::history::walk::{Comparable, History, HistoryOptions, Merges, RevRange, Visited};
use crate::git::objects::Objects;
use crate::git::repository::Repository;
use crate::git::revision::Revision;
use crate::git::tree::tree_lookup::Located;
use crate::git::tree::walk::TreeChanges;
use crate::git::{Oid, PathFilter};
use crate::limits;
use crate::text::CancelToken;

/// A commit that changed the file, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The commit.
    pub commit: Visited,
    /// What became of the file, by the path that it has there.
    pub change: Change,
}

/// The changes of one file, as an iterator; after an error it ends.
pub struct Follow {
    history: History,
    options: HistoryOptions,
    path: Arc<[u8]>,
    objects: Objects,
    /// Where the path leads in trees that were looked at.
    located: HashMap<Oid, Arc<Located>>,
    /// The one that was looked at last.
    last: Arc<Located>,
    trees: TreeChanges,
    reader: Reader,
    is_over: bool,
    budget: Arc<Budget>,
}

impl Follow {
    /// Starts the walk.
    pub fn new(
        repository: &Repository,
        ends: &RevRange,
        path: &str,
        options: HistoryOptions,
        budget: Arc<Budget>,
    ) -> Result<Self> {
        let merges = if options.first_parent { Merges::FirstParent } else { Merges::Skip };
        let options = HistoryOptions { merges, ..options };
        let mut history = History::new(repository, ends, options, Arc::clone(&budget))?;
        // What is excluded must not lead to another path.
        history.settle();
        let nothing = Comparison::new(repository.clone(), Revision::Empty, Revision::Empty)?;
        let paths: Arc<PathFilter> = Arc::default();
        Ok(Self {
            history,
            options,
            path: path.as_bytes().into(),
            objects: repository.objects(),
            located: HashMap::new(),
            last: Arc::default(),
            trees: TreeChanges::idle(repository.objects(), paths, Arc::clone(&budget)),
            reader: nothing.reader(),
            is_over: false,
            budget,
        })
    }

    /// Returns the file of the path in a tree.
    fn file(&mut self, tree: Option<Oid>) -> Result<Option<Entry>> {
        let Some(tree) = tree else { return Ok(None) };
        let located = match self.located.get(&tree) {
            Some(located) => Arc::clone(located),
            None => {
                let located =
                    Located::find(&self.objects, Some(tree), &self.path, Some(&self.last));
                let located = Arc::new(located?);
                if self.located.len() >= limits::LOCATED_TREES {
                    self.located.clear();
                }
                self.located.insert(tree, Arc::clone(&located));
                located
            }
        };
        self.last = Arc::clone(&located);
        Ok(located.file)
    }

    /// Returns what a commit made of the file, if it changed it.
    fn change(&mut self, commit: &Comparable) -> Result<Option<Change>> {
        let parent = commit.parents.first().map(|(_, tree)| *tree);
        let new = self.file(Some(commit.tree))?;
        let old = self.file(parent)?;
        let same = |entry: Option<Entry>| entry.map(|entry| (entry.mode, entry.oid));
        if same(old) == same(new) {
            return Ok(None);
        }
        let change = Change::new(self.path.to_vec(), old, new);
        match parent {
            Some(parent) if old.is_none() => self.origin(change, parent, commit.tree).map(Some),
            _ => Ok(Some(change)),
        }
    }

    /// Looks for the file that an added one was made from, and follows that one from then on.
    fn origin(&mut self, added: Change, old: Oid, new: Oid) -> Result<Change> {
        let mut changes = Vec::new();
        self.trees.restart(Some(old), Some(new))?;
        for change in self.trees.by_ref() {
            let change = change?;
            if change.old.is_some() || *change.path == *self.path {
                changes.push(change);
            }
        }
        // Every file of the parent may be what was copied.
        let mut known: Vec<Vec<u8>> = changes.iter().map(|change| change.path.clone()).collect();
        known.sort_unstable();
        self.trees.restart(None, Some(old))?;
        for file in self.trees.by_ref() {
            let file = file?;
            if known.binary_search(&file.path).is_err() {
                changes.push(Change::new(file.path, file.new, file.new));
            }
        }
        changes.sort_by(|one, other| one.path.cmp(&other.path));
        let options = RenameOptions { copies: true, ..RenameOptions::default() };
        let cancel = CancelToken::of(&self.budget);
        let paired = pair(changes, &options, &mut self.reader, &cancel)?;
        let found = paired
            .rows
            .into_iter()
            .find(|change| change.origin.is_some() && *change.path == *self.path);
        let Some(found) = found else { return Ok(added) };
        if let Some(origin) = &found.origin {
            self.path = origin.path.as_slice().into();
            self.located.clear();
            self.last = Arc::default();
        }
        Ok(found)
    }

    fn step(&mut self) -> Result<Option<FileChange>> {
        while let Some(commit) = self.history.next_commit() {
            self.budget.check()?;
            let commit = commit?;
            if commit.parents.len() > 1 && !self.options.first_parent {
                continue;
            }
            let compared = self.history.comparable(commit.clone());
            if let Some(change) = self.change(&compared)? {
                return Ok(Some(FileChange { commit, change }));
            }
        }
        Ok(None)
    }
}

impl Iterator for Follow {
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
