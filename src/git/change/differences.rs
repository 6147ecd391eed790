//! The files that differ between two sides: trees, the index and the work tree, with optional
//! detection of renames and copies.

use std::sync::Arc;
use std::vec;

use crate::budget::Charge;
use crate::error::{Error, Result};
use crate::git::Oid;
use crate::git::change::comparison::{Comparison, Untracked};
use crate::git::change::contents::Reader;
use crate::git::change::listed::check_listed;
use crate::git::change::renames::{RenameOptions, pair};
use crate::git::change::uncommitted::Uncommitted;
use crate::git::model::changed_file::{Change, Entry, Source};
use crate::git::repository::Repository;
use crate::git::revision::{Revision, side_of};
use crate::git::tree::tree_lookup::TreeItem;
use crate::git::tree::walk::TreeChanges;
use crate::git::worktree::submodule::Above;
use crate::text::CancelToken;

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
        let (objects, paths) = (comparison.repository().objects(), Arc::clone(&comparison.paths));
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
        let mut comparison = Comparison::new(submodule.clone(), old, new)?;
        comparison.above = above.clone();
        Ok::<_, Error>(comparison)
    };
    let untracked = if above.counts_untracked { Untracked::Named } else { Untracked::Ignored };
    Ok(has_changes(&comparison(head, Revision::Index)?)?
        || has_changes(
            &comparison(Revision::Index, Revision::WorkTree)?.with_untracked(untracked),
        )?)
}

/// An iterator over the changed files in git's order; after an error it ends.
///
/// Without renames they stream from the walk. With renames the first call collects all of them and
/// pairs them up: the origin of a file depends on every other file.
pub enum Changes {
    /// As the walk finds them.
    Walked(Walk),
    /// To be paired.
    Unpaired(Box<Unpaired>),
    /// Paired.
    Paired(vec::IntoIter<Change>),
}

/// The input of pairing.
pub struct Unpaired {
    walk: Walk,
    reader: Reader,
    options: RenameOptions,
}

impl Changes {
    /// Starts a comparison, with renames if options are given.
    pub fn new(comparison: &Comparison, renames: Option<RenameOptions>) -> Result<Self> {
        Ok(Self::of(walk(comparison)?, comparison, renames))
    }

    /// Starts the pairing of a walk's changes, if options are given.
    pub(super) fn of(walk: Walk, comparison: &Comparison, renames: Option<RenameOptions>) -> Self {
        let Some(options) = renames else { return Self::Walked(walk) };
        let reader = comparison.reader();
        Self::Unpaired(Box::new(Unpaired { walk, reader, options }))
    }
}

impl Iterator for Changes {
    type Item = Result<Change>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Self::Unpaired(unpaired) = self {
            let Unpaired { walk, reader, options } = &mut **unpaired;
            let budget = Arc::clone(reader.objects().budget());
            let (cancel, mut charge) = (CancelToken::of(&budget), Charge::free());
            let paired = collect(walk, &mut charge, &cancel).and_then(|changes| {
                let pairing = pair(changes, options, reader, &cancel)?;
                Ok(pairing.rows)
            });
            match paired {
                Ok(rows) => *self = Self::Paired(rows.into_iter()),
                Err(error) => {
                    *self = Self::Paired(Vec::new().into_iter());
                    return Some(Err(error));
                }
            }
        }
        match self {
            Self::Walked(walk) => walk.next().map(|change| change.map(Change::shown)),
            Self::Paired(rows) => rows.next().map(Ok),
            Self::Unpaired(_) => unreachable!("paired above"),
        }
    }
}

/// Bytes of paths that are charged at once.
const COUNTED_PATHS: usize = 1 << 20;

/// Collects all changes, within the memory of the query.
pub(crate) fn collect(
    changes: &mut impl Iterator<Item = Result<Change>>,
    charge: &mut Charge,
    cancel: &CancelToken<'_>,
) -> Result<Vec<Change>> {
    let (mut all, mut path_bytes) = (Vec::new(), 0);
    for change in changes {
        let change = change?;
        path_bytes += change.path.len();
        if path_bytes >= COUNTED_PATHS {
            charge.join(cancel.charge(std::mem::take(&mut path_bytes))?);
        }
        cancel.room(charge, &mut all, 1)?;
        all.push(change);
    }
    Ok(all)
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
