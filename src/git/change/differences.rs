//! The files that differ between two sides: trees, the index and the work tree.

use std::sync::Arc;

use crate::budget::Budget;
use crate::error::Result;
use crate::git::model::changed_file::{Change, Entry, Source};
use crate::git::change::comparison::Comparison;
use crate::git::revision::Revision;
use crate::git::tree::tree_lookup::TreeItem;
use crate::git::tree::walk::TreeChanges;
use crate::git::change::uncommitted::Uncommitted;

/// The changed files in git's order.
pub type Walk = Box<dyn Iterator<Item = Result<Change>> + Send>;

impl Comparison {
    /// Tells whether a side is compared with itself.
    fn has_equal_sides(&self) -> bool {
        let [old, new] = self.sides();
        old == new
    }

    /// Starts the walk over the changed files in git's order; `budget` ends it early.
    pub(crate) fn walk(&self, budget: Arc<Budget>) -> Result<Walk> {
        if let [Some(old), Some(new)] = self.sides().map(Revision::as_tree) {
            return Ok(Box::new(TreeChanges::new(
                self.repository().objects(),
                old,
                new,
                Arc::clone(self.paths()),
                budget,
            )?));
        }
        if self.has_equal_sides() {
            return Ok(Box::new(std::iter::empty()));
        }
        Ok(Box::new(Uncommitted::new(self, budget)?))
    }

    /// Tells whether any file differs.
    pub(crate) fn has_changes(&self) -> Result<bool> {
        Ok(self.walk(Arc::default())?.next().transpose()?.is_some())
    }

    /// Returns what became of one path, given from the repository's root.
    pub fn path(&self, path: &[u8]) -> Result<PathChange> {
        let sides = self.sides();
        let mut is_directory = false;
        let mut find = |side: Revision| -> Result<Option<Entry>> {
            let Some(tree) = side.as_tree() else { return Ok(None) };
            let named = self.repository().find(tree, path)?;
            is_directory |= named == TreeItem::Directory;
            Ok(named.file())
        };
        let (old, new) = (find(sides[0])?, find(sides[1])?);
        let Some(index) = self.index() else {
            return Ok(match (old, new, is_directory) {
                (None, None, false) => PathChange::Nothing,
                (None, None, true) => PathChange::Directory,
                _ => PathChange::File(vec![Change::new(path.to_vec(), old, new)]),
            });
        };
        let changes = if self.has_equal_sides() {
            Vec::new()
        } else {
            Uncommitted::new(self, Arc::default())?.path(path, old.or(new))?
        };
        let is_on_disk = |entry: Entry| matches!(entry.source, Source::WorkTree { .. });
        if changes
            .iter()
            .any(|change| change.old.is_some_and(is_on_disk) || change.new.is_some_and(is_on_disk))
        {
            self.check_listed(path)?;
        }
        Ok(if !changes.is_empty() || !index.find(path).is_empty() {
            PathChange::File(changes)
        } else if is_directory || !index.below(&[path, b"/"].concat()).is_empty() {
            PathChange::Directory
        } else {
            PathChange::Nothing
        })
    }
}

/// What became of one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathChange {
    /// Neither side has it.
    Nothing,
    /// It is a directory on one side, and a file on none.
    Directory,
    /// It is a file; as git shows it, a conflict has two rows, and a file that is the same none.
    File(Vec<Change>),
}
