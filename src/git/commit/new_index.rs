//! The file of the index that a plan writes.

use std::collections::HashSet;
use std::sync::Arc;

use super::GitPlan;
use super::files::Files;
use super::trees::{self, Trees};
use crate::attributes::ContentSource;
use crate::change::differences::find_dirt;
use crate::index::{CachedTrees, Index, Staged};
use crate::worktree::files::WorkTree;
use crate::worktree::submodule::{Above, Submodules};
use redline_base::error::{Error, Result};

impl GitPlan {
    /// Makes the file of the new index.
    pub(super) fn write_index(
        &mut self,
        index: &Arc<Index>,
        mut entries: Vec<Staged>,
        known: &CachedTrees,
        staged: &Files,
    ) -> Result<()> {
        let repository = self.repository.clone();
        let source = ContentSource::new(repository.clone(), Some(Arc::clone(index)));
        let mut on_disk = WorkTree::new(&source, index)?;
        let submodules = Submodules::new(Above::default(), find_dirt);
        for entry in &mut entries {
            let is_old = index.find(&entry.path).iter().any(|old| old.stat == entry.stat);
            let is_file = entry.stage == 0 && !entry.entry.mode.is_submodule();
            if !(is_old && is_file && entry.stat.size != 0 && index.is_unsure(entry)) {
                continue;
            }
            // The new file is younger, so that a change in the tick of the old one would be unseen.
            repository.budget().check()?;
            let found = on_disk.entry(&entry.path, Some(entry), &submodules)?;
            if found.is_none_or(|found| found.oid != entry.entry.oid) {
                entry.stat.size = 0;
            }
        }
        let files: Vec<trees::File<'_>> =
            staged.iter().map(|(path, entry)| (path.as_slice(), *entry)).collect();
        let hash = repository.object_hash();
        // Only trees that exist are named, and of directories whose entries are all in them.
        let unfit: HashSet<&[u8]> = entries
            .iter()
            .filter(|entry| entry.stage > 0 || entry.flags.intent_to_add)
            .flat_map(|entry| {
                let slashes = memchr::memchr_iter(b'/', &entry.path).map(|at| at + 1);
                slashes.chain([0]).map(|end| &entry.path[..end])
            })
            .collect();
        let mut trees = Trees::of(&files, hash)?.all;
        trees.retain(|path, tree| {
            let is_there = known.get(path).is_some_and(|other| other.oid == tree.oid)
                || index.knows(path, &tree.oid);
            is_there && !unfit.contains(path.as_slice())
        });
        self.index = index.with_entries(&entries, &trees, hash)?;
        // What others stage meanwhile is a change; the times of files are none.
        let mut sum = gix::hash::hasher(gix::hash::Kind::Sha256);
        for entry in index.entries() {
            sum.update(&entry.path);
            sum.update(
                format!("\0{} {} {}", entry.stage, entry.entry.mode, entry.entry.oid).as_bytes(),
            );
        }
        let sum = sum.try_finalize().map_err(|error| {
            Error::tool_failed("the state of the index cannot be computed").with_source(error)
        })?;
        self.basis.extend_from_slice(sum.as_bytes());
        self.basis.extend_from_slice(&self.head.bytes);
        self.basis
            .extend_from_slice(format!(" {:?} {:?}", self.head.commit, self.programs).as_bytes());
        Ok(())
    }
}
