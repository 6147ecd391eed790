//! The files that differ between two sides: trees, the index and the work tree.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::git::Oid;
use crate::git::change::comparison::{Comparison, Untracked};
use crate::git::change::listed::check_listed;
use crate::git::change::uncommitted::Uncommitted;
use crate::git::model::changed_file::{Change, Entry, Source};
use crate::git::repository::Repository;
use crate::git::revision::{Revision, side_of};
use crate::git::tree::tree_lookup::TreeItem;
use crate::git::tree::walk::TreeChanges;
use crate::git::worktree::submodule::Above;

/// The changed files in git's order.
pub type Walk = Box<dyn Iterator<Item = Result<Change>> + Send>;

/// Tells whether a side is compared with itself.
fn has_equal_sides(comparison: &Comparison) -> bool {
    let [old, new] = comparison.sides();
    old == new
}

/// Starts the walk over the changed files in git's order.
pub fn walk(comparison: &Comparison) -> Result<Walk> {
    if let [Some(old), Some(new)] = comparison.sides().map(Revision::as_tree) {
        let (objects, paths) = (comparison.repository().objects(), Arc::clone(comparison.paths()));
        return Ok(Box::new(TreeChanges::new(objects, old, new, paths)?));
    }
    if has_equal_sides(comparison) {
        return Ok(Box::new(std::iter::empty()));
    }
    Ok(Box::new(Uncommitted::new(comparison, is_dirty)?))
}

/// Tells whether any file differs.
fn has_changes(comparison: &Comparison) -> Result<bool> {
    Ok(walk(comparison)?.next().transpose()?.is_some())
}

/// Tells whether the files of a submodule differ from a commit, in the index or in its work tree.
pub(super) fn is_dirty(submodule: &Repository, head: Oid, above: &Above) -> Result<bool> {
    let head = side_of(submodule, &head.to_string())?;
    let comparison = |old, new| {
        Ok::<_, Error>(Comparison::new(submodule.clone(), old, new)?.inside(above.clone()))
    };
    let untracked = if above.counts_untracked { Untracked::Named } else { Untracked::Ignored };
    Ok(has_changes(&comparison(head, Revision::Index)?)?
        || has_changes(
            &comparison(Revision::Index, Revision::WorkTree)?.with_untracked(untracked),
        )?)
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
            let Some(tree) = side.as_tree() else { return Ok(None) };
            let named = TreeItem::find(&objects, tree, path)?;
            is_directory |= named == TreeItem::Directory;
            Ok(named.file())
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
            Uncommitted::new(comparison, is_dirty)?.path(path, old.or(new))?
        };
        let is_on_disk = |entry: Entry| matches!(entry.source, Source::WorkTree { .. });
        if changes
            .iter()
            .any(|change| change.old.is_some_and(is_on_disk) || change.new.is_some_and(is_on_disk))
        {
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
