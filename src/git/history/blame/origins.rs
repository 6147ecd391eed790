//! The versions of files to which lines may be attributed, and the search for a parent's version.

use std::collections::HashMap;
use std::sync::Arc;

use super::entries::Run;
use crate::Oid;
use crate::change::contents::Reader;
use crate::change::renames::RenameOptions;
use crate::change::side_files::{ReadLimit, SideFiles};
use crate::model::bytes::Bytes;
use crate::model::changed_file::{Change, Entry};
use crate::model::commit::Links;
use crate::repository::Repository;
use crate::revision::Revision;
use crate::tree::tree_lookup::Located;
use crate::tree::walk::TreeChanges;
use redline_base::budget::{Copied, Gather, Grow, GrowMap, Ordered, TryGather};
use redline_base::error::Result;

/// A version, as an index in the list of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OriginId(u32);

/// A file at a commit.
pub struct Origin {
    /// The commit; the null id for uncommitted content.
    pub commit: Oid,
    /// The path in this commit.
    pub path: Arc<[u8]>,
    /// Its mode and content.
    pub entry: Entry,
    /// The directories above it.
    located: Located,
    /// The runs attributed to it, sorted by line.
    pub suspected: Vec<Run>,
}

/// All versions that were met.
pub struct Origins {
    /// Compares whole trees, to find renames.
    trees: TreeChanges,
    /// Reads contents, also of the work tree.
    reader: Reader,
    /// The blamed side.
    files: SideFiles,
    all: Vec<Origin>,
    /// The versions of each commit, the last one met first, as in git.
    by_commit: HashMap<Oid, Vec<OriginId>>,
}

impl Origins {
    pub fn new(repository: &Repository, files: SideFiles) -> Self {
        Self {
            trees: TreeChanges::idle(repository.objects(), Arc::default()),
            reader: Reader::new(files.source()),
            files,
            all: Vec::new(),
            by_commit: HashMap::new(),
        }
    }

    pub fn get(&self, id: OriginId) -> &Origin {
        &self.all[id.0 as usize]
    }

    pub fn get_mut(&mut self, id: OriginId) -> &mut Origin {
        &mut self.all[id.0 as usize]
    }

    /// Returns the first version at a commit with attributed lines.
    pub fn suspected_at(&self, commit: &Oid) -> Option<OriginId> {
        let of_commit = self.by_commit.get(commit)?;
        of_commit.iter().rev().copied().find(|&id| !self.get(id).suspected.is_empty())
    }

    /// Adds the blamed version.
    pub fn start(
        &mut self,
        commit: Oid,
        path: &[u8],
        entry: Entry,
        links: &Links,
    ) -> Result<OriginId> {
        let located = if commit.is_null() {
            Located::default()
        } else {
            Located::find(self.trees.objects(), Some(links.tree), path, None)?
        };
        Ok(self.add(commit, path.into(), entry, located))
    }

    fn add(&mut self, commit: Oid, path: Arc<[u8]>, entry: Entry, located: Located) -> OriginId {
        // A version has several hundred bytes, so memory is exhausted long before 32 bits are.
        let id = OriginId(self.all.len() as u32);
        self.by_commit.slot(commit).or_default().add(id);
        self.all.add(Origin { commit, path, entry, located, suspected: Vec::new() });
        id
    }

    /// Returns the version of a path at a commit, if it is known.
    fn known(&self, commit: &Oid, path: &[u8]) -> Option<OriginId> {
        let of_commit = self.by_commit.get(commit)?;
        of_commit.iter().copied().find(|&id| *self.get(id).path == *path)
    }

    /// Returns the version at a commit, and adds it if it is new.
    pub fn meet(&mut self, commit: Oid, path: &[u8], entry: Entry) -> OriginId {
        match self.known(&commit, path) {
            Some(id) => id,
            None => self.add(commit, path.into(), entry, Located::default()),
        }
    }

    /// Returns the version of the same path at a parent, if it has one of the same kind.
    pub fn same_path(
        &mut self,
        id: OriginId,
        parent: Oid,
        links: &Links,
    ) -> Result<Option<OriginId>> {
        let origin = self.get(id);
        if let Some(known) = self.known(&parent, &origin.path) {
            return Ok(Some(known));
        }
        let (path, mode) = (Arc::clone(&origin.path), origin.entry.mode);
        let located =
            Located::find(self.trees.objects(), Some(links.tree), &path, Some(&origin.located))?;
        let Some(entry) = located.file.filter(|entry| entry.mode.is_kind_of(mode)) else {
            return Ok(None);
        };
        Ok(Some(self.add(parent, path, entry, located)))
    }

    /// Returns the version at a parent from which the file was renamed.
    pub fn renamed(
        &mut self,
        id: OriginId,
        parent: Oid,
        parent_links: &Links,
        links: &Links,
    ) -> Result<Option<OriginId>> {
        let path = Arc::clone(&self.get(id).path);
        let changes = self.changes(id, parent_links, links)?;
        let is_asked = |change: &Change| change.new.is_none() || *change.path == *path;
        let changes: Vec<Change> = changes.into_iter().filter(is_asked).gather();
        let is_new = changes.iter().any(|change| change.old.is_none());
        if !is_new || changes.len() < 2 {
            return Ok(None);
        }
        let cancel = self.trees.objects().cancel();
        let rows = self.reader.pair(changes, &RenameOptions::default(), &cancel)?;
        let found = rows.into_iter().find(|change| *change.path == *path);
        Ok(found.and_then(|change| {
            let (origin, entry) = (change.origin?, change.old?);
            Some(self.meet(parent, &origin.path, entry))
        }))
    }

    /// Returns the files that differ between a parent and the commit of a version.
    pub fn changes(
        &mut self,
        id: OriginId,
        parent_links: &Links,
        links: &Links,
    ) -> Result<Vec<Change>> {
        if !self.get(id).commit.is_null() {
            return self.trees.restart(Some(parent_links.tree), Some(links.tree))?.try_gather();
        }
        // As in git: the index, with the blamed file in its place.
        let Origin { path, entry, .. } = self.get(id);
        let (path, entry) = (Arc::clone(path), *entry);
        let mut changes = self.files.staged_changes(Revision::Tree(parent_links.tree))?;
        match changes.iter_mut().find(|change| *change.path == *path) {
            Some(change) => change.new = Some(entry),
            None => {
                let tree = Some(parent_links.tree);
                let old = Located::find(self.trees.objects(), tree, &path, None)?.file;
                if old.is_none_or(|old| old.oid != entry.oid) {
                    changes.add(Change::new(path.copied_vec(), old, Some(entry)));
                    changes.order_by(|one, other| one.path.cmp(&other.path));
                }
            }
        }
        Ok(changes)
    }

    /// Returns all files of a parent, each as a deleted file.
    pub fn files(&mut self, links: &Links) -> Result<Vec<Change>> {
        self.trees.restart(Some(links.tree), None)?.try_gather()
    }

    /// Returns the content of a version.
    pub fn content(&mut self, id: OriginId) -> Result<Bytes> {
        let Origin { commit, path, entry, .. } = self.get(id);
        if commit.is_null() {
            let (path, entry) = (Arc::clone(path), *entry);
            return self.files.read(&path, entry, ReadLimit::OBJECT);
        }
        self.trees.objects().blob(&entry.oid)
    }
}
