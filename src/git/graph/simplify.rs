//! The history of some paths: which commits change them, and which side of a merge has all of them.
//!
//! Source: git-log(1), "History Simplification", default mode. A commit counts only where it differs from its parents
//! in what the paths name; where a merge is the same as one of them, only that one is followed. Parents that are
//! hidden decide nothing, unless the range names them.

use std::sync::Arc;

use crate::error::Result;
use crate::git::model::id_tables::IdSet;
use crate::git::repository::Repository;
use crate::git::tree::walk::TreeChanges;
use crate::git::{Oid, Pathspec};

/// Simplifies a history while it is walked.
pub struct Simplify {
    trees: TreeChanges,
    /// Commits that change nothing of what is asked for.
    same: IdSet,
    /// What the range itself leaves out.
    bottoms: IdSet,
}

impl Simplify {
    /// Returns what compares trees as far as `paths` name their files.
    pub fn new(repository: &Repository, paths: &[Pathspec], bottoms: IdSet) -> Result<Self> {
        let paths = Arc::new(repository.path_filter(paths)?);
        let trees = TreeChanges::idle(repository.objects(), paths);
        Ok(Self { trees, same: IdSet::default(), bottoms })
    }

    /// Tells whether a commit changes nothing of what is asked for.
    pub fn is_same(&self, id: &Oid) -> bool {
        self.same.contains(id)
    }

    /// Compares a commit with its parents; returns the parent that is followed alone, if there is one.
    pub fn only_parent(
        &mut self,
        id: &Oid,
        parents: &[Oid],
        first_parent: bool,
        tree: impl Fn(&Oid) -> Option<Oid>,
        hidden: &IdSet,
    ) -> Result<Option<Oid>> {
        let new = tree(id);
        if parents.is_empty() {
            if self.has_same_files(None, new)? {
                self.same.insert(*id);
            }
            return Ok(None);
        }
        let (mut relevant, mut relevant_change, mut other_change) = (false, false, false);
        for (number, parent) in parents.iter().enumerate() {
            let is_relevant = !hidden.contains(parent) || self.bottoms.contains(parent);
            relevant |= is_relevant;
            // git looks whether the second counts before it remembers that it is not followed.
            if number == 1 && first_parent {
                break;
            }
            if !self.has_same_files(tree(parent), new)? {
                relevant_change |= is_relevant;
                other_change |= !is_relevant;
            } else if is_relevant {
                self.same.insert(*id);
                return Ok(Some(*parent));
            }
        }
        if !(if relevant { relevant_change } else { other_change }) {
            self.same.insert(*id);
        }
        Ok(None)
    }

    fn has_same_files(&mut self, old: Option<Oid>, new: Option<Oid>) -> Result<bool> {
        if old == new {
            return Ok(true);
        }
        self.trees.restart(old, new)?;
        Ok(self.trees.next().transpose()?.is_none())
    }
}
