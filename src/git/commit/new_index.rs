//! The file of the index that a plan writes.

use std::collections::HashSet;
use std::sync::Arc;

use super::GitPlan;
use super::files::Files;
use super::trees::{self, Trees};
use crate::attributes::ContentSource;
use crate::change::differences::find_dirt;
use crate::index::{CachedTrees, Index, Staged};
use crate::repository::Repository;
use crate::worktree::files::WorkTree;
use crate::worktree::submodule::{Above, Submodules};
use redline_base::budget::{Copied, Gather, GrowBy};
use redline_base::error::{Error, Result};

/// The index that a plan writes.
#[derive(Default)]
pub(super) struct NewIndex {
    /// The index as it was read.
    read: Arc<Index>,
    entries: Vec<Staged>,
    trees: CachedTrees,
}

impl NewIndex {
    /// Returns the bytes of the file. What git could not see is marked, as the work tree is now: most
    /// builds of git compare the times of files by whole seconds, and the new file is younger than
    /// the one that was read.
    pub fn file(&self, repository: &Repository) -> Result<Vec<u8>> {
        let source = ContentSource::new(repository.clone(), Some(Arc::clone(&self.read)));
        let mut on_disk = WorkTree::new(&source, &self.read)?;
        let submodules = Submodules::new(Above::default(), find_dirt);
        let mut entries = self.entries.copied_vec();
        for entry in &mut entries {
            let is_old = self.read.find(&entry.path).iter().any(|old| old.stat == entry.stat);
            let is_file = entry.stage == 0 && !entry.entry.mode.is_submodule();
            if !(is_old && is_file && entry.stat.size != 0 && self.read.is_unsure(entry)) {
                continue;
            }
            repository.budget().check()?;
            let found = on_disk.entry(&entry.path, Some(entry), &submodules)?;
            if found.is_none_or(|found| found.oid != entry.entry.oid) {
                entry.stat.size = 0;
            }
        }
        self.read.with_entries(&entries, &self.trees, repository.object_hash())
    }
}

impl GitPlan {
    /// Decides what the new index has.
    pub(super) fn set_index(
        &mut self,
        index: &Arc<Index>,
        entries: Vec<Staged>,
        known: &CachedTrees,
        staged: &Files,
    ) -> Result<()> {
        let hash = self.repository.object_hash();
        let files: Vec<trees::File<'_>> =
            staged.iter().map(|(path, entry)| (path.as_slice(), *entry)).gather();
        // Only trees that exist are named, and of directories whose entries are all in them.
        let unfit: HashSet<&[u8]> = entries
            .iter()
            .filter(|entry| entry.stage > 0 || entry.flags.intent_to_add)
            .flat_map(|entry| {
                let slashes = memchr::memchr_iter(b'/', &entry.path).map(|at| at + 1);
                slashes.chain([0]).map(|end| &entry.path[..end])
            })
            .gather();
        let mut trees = Trees::of(&files, hash)?.all;
        trees.retain(|path, tree| {
            let is_there = known.get(path).is_some_and(|other| other.oid == tree.oid)
                || index.knows(path, &tree.oid);
            is_there && !unfit.contains(path.as_slice())
        });
        self.index = NewIndex { read: Arc::clone(index), entries, trees };
        self.entries_sum = entries_sum(index)?;
        self.basis.add_slice(&self.entries_sum);
        self.basis.add_slice(&self.head.bytes);
        self.basis.add_slice(format!(" {:?} {:?}", self.head.commit, self.programs).as_bytes());
        Ok(())
    }
}

/// Returns a digest of what an index has: what others stage meanwhile is a change, and the times of
/// files are none.
///
/// # Errors
/// `tool_failed` if it cannot be computed.
pub(super) fn entries_sum(index: &Index) -> Result<Vec<u8>> {
    let mut sum = gix::hash::hasher(gix::hash::Kind::Sha256);
    for entry in index.entries() {
        sum.update(&entry.path);
        let (mode, oid) = (entry.entry.mode, entry.entry.oid);
        sum.update(format!("\0{} {mode} {oid}", entry.stage).as_bytes());
    }
    let sum = sum.try_finalize().map_err(|error| {
        Error::tool_failed("the state of the index cannot be computed").with_source(error)
    })?;
    Ok(sum.as_bytes().copied_vec())
}
