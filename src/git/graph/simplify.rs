//! The history of given paths: the commits that change them, and the parents of merges to follow.
//!
//! Source: git-log(1), "History Simplification", default mode. A commit counts only if the given
//! paths differ from its parents; of a merge with the same files as a parent, only that parent is
//! followed. Hidden parents are not compared, unless the range names them.

use std::sync::Arc;

use crate::model::id_tables::IdSet;
use crate::repository::Repository;
use crate::tree::walk::TreeChanges;
use crate::{Oid, Pathspec};
use redline_base::error::Result;

/// Simplifies a history during the walk.
pub struct Simplify {
    trees: TreeChanges,
    /// The commits that change none of the paths.
    same: IdSet,
    /// The commits that the range excludes by name.
    bottoms: IdSet,
}

impl Simplify {
    /// Creates a simplifier that compares the files that `paths` select.
    pub fn new(repository: &Repository, paths: &[Pathspec], bottoms: IdSet) -> Result<Self> {
        let paths = Arc::new(repository.path_filter(paths)?);
        let trees = TreeChanges::idle(repository.objects(), paths);
        Ok(Self { trees, same: IdSet::default(), bottoms })
    }

    /// Tells whether a commit changes none of the paths.
    pub fn is_same(&self, id: &Oid) -> bool {
        self.same.contains(id)
    }

    /// Compares a commit with its parents; returns the only parent to follow, if there is one.
    ///
    /// As in git, the parents are read one by one, and none after the first with the same files:
    /// commits are hidden only through those that were read. `look` tells whether a commit is
    /// hidden, and reads its tree if that is wanted.
    pub fn only_parent(
        &mut self,
        (id, new): (&Oid, Option<Oid>),
        parents: &[Oid],
        first_parent: bool,
        mut look: impl FnMut(&Oid, bool) -> Result<(bool, Option<Oid>)>,
    ) -> Result<Option<Oid>> {
        if parents.is_empty() {
            if self.has_same_files(None, new)? {
                self.same.insert(*id);
            }
            return Ok(None);
        }
        let (mut relevant, mut relevant_change, mut other_change) = (false, false, false);
        for (number, parent) in parents.iter().enumerate() {
            // git checks whether the second parent counts before it knows that it is not followed.
            let is_last = number == 1 && first_parent;
            let (is_hidden, tree) = look(parent, !is_last)?;
            let is_relevant = !is_hidden || self.bottoms.contains(parent);
            relevant |= is_relevant;
            if is_last {
                break;
            }
            if !self.has_same_files(tree, new)? {
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
        Ok(self.trees.restart(old, new)?.next().transpose()?.is_none())
    }
}
