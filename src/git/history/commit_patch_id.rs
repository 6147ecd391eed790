//! The patch id of a commit.

use std::sync::Arc;

use crate::Visited;
use crate::attributes::ContentSource;
use crate::change::patch::Patcher;
use crate::change::patch_id::PatchId;
use crate::graph::commit_links::Commits;
use crate::repository::Repository;
use crate::tree::walk::TreeChanges;
use redline_base::error::Result;
use redline_text::{CancelToken, DiffOptions};

/// Computes the patch ids of commits, for one thread.
pub struct CommitPatchIds {
    commits: Commits,
    trees: TreeChanges,
    patcher: Patcher,
}

impl CommitPatchIds {
    /// Creates the state for computing ids of commits of a repository.
    pub fn new(repository: &Repository) -> Result<Self> {
        let source = ContentSource::of_objects(repository);
        let patcher = Patcher::new(&source, DiffOptions::default())?.with_whole_ids();
        let trees = TreeChanges::idle(repository.objects(), Arc::default());
        Ok(Self { commits: Commits::new(repository)?, trees, patcher })
    }

    /// Returns the id that `git patch-id --stable` gives the output of `git diff-tree -p
    /// --full-index --no-renames --root`; `None` for a merge and for a commit that changes nothing.
    pub fn of(&mut self, commit: &Visited, cancel: &CancelToken<'_>) -> Result<Option<String>> {
        let old = match commit.parents.as_slice() {
            [] => None,
            [parent] => Some(self.commits.links(parent)?.tree),
            _ => return Ok(None),
        };
        let mut id = PatchId::new(commit.tree.kind(), cancel);
        for change in self.trees.restart(old, Some(commit.tree))? {
            id.add(&self.patcher.patch(&change?.shown(), cancel)?.bytes)?;
        }
        id.finish()
    }
}
