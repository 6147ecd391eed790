//! What is compared: two sides of a repository, and what their files are read with.

use std::sync::{Arc, OnceLock};

use super::attributes::AttributeFiles;
use super::changes::{Change, Entry};
use super::index::Index;
use super::lookup::Named;
use super::pairing::Walk;
use super::pathspec::{PathFilter, Pathspec};
use super::repository::Repository;
use super::revision::Revision;
use super::submodule::Above;
use super::uncommitted::Uncommitted;
use super::walk::TreeChanges;
use crate::budget::Budget;
use crate::error::Result;

/// What files of the work tree that are not tracked count for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Untracked {
    /// They are left out.
    #[default]
    Ignored,
    /// They are added, and not looked at: what is told of them beside name and status does not count.
    Named,
    /// They are added, with the id that their content would have.
    Identified,
}

/// Two sides of a repository; cheap to clone and to share between threads.
#[derive(Clone)]
pub struct Comparison {
    repository: Repository,
    old: Revision,
    new: Revision,
    /// The index at one moment, where a side is the index or the work tree.
    index: Option<Arc<Index>>,
    untracked: Untracked,
    /// Which paths are compared.
    paths: Arc<PathFilter>,
    /// The attribute files, read when the first path is looked up.
    attributes: Arc<OnceLock<Arc<AttributeFiles>>>,
    /// The repositories that this one is a submodule of.
    above: Above,
}

impl Comparison {
    /// Compares two sides; the index is read once, here.
    pub fn new(repository: Repository, old: Revision, new: Revision) -> Result<Self> {
        let sides = [old, new];
        if sides.contains(&Revision::WorkTree) {
            repository.work_tree()?;
        }
        let needs_index = sides.iter().any(|side| matches!(side, Revision::Index | Revision::WorkTree));
        let index = if needs_index { Some(Arc::new(Index::read(&repository)?)) } else { None };
        Ok(Self {
            repository,
            old,
            new,
            index,
            untracked: Untracked::default(),
            paths: Arc::default(),
            attributes: Arc::default(),
            above: Above::default(),
        })
    }

    /// Compares a submodule of other repositories.
    pub(super) fn inside(self, above: Above) -> Self {
        Self { above, ..self }
    }

    /// Returns the repositories that this one is a submodule of.
    pub(super) fn above(&self) -> &Above {
        &self.above
    }

    /// Decides on the files of the work tree that are not tracked.
    #[must_use]
    pub fn with_untracked(self, untracked: Untracked) -> Self {
        Self { untracked, ..self }
    }

    /// Compares what pathspecs name, seen from the folder that was given as the repository.
    ///
    /// # Errors
    /// `invalid_args` for a path that leads out of the repository.
    pub fn with_paths(self, specs: &[Pathspec]) -> Result<Self> {
        let paths = Arc::new(PathFilter::new(specs, &self.repository.location.folder)?);
        Ok(Self { paths, ..self })
    }

    /// Reads both sides within a budget.
    #[must_use]
    pub fn with_budget(self, budget: Arc<Budget>) -> Self {
        Self { repository: self.repository.with_budget(budget), ..self }
    }

    /// Returns the repository.
    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    /// Returns both sides, the old first.
    pub fn sides(&self) -> [Revision; 2] {
        [self.old, self.new]
    }

    /// Returns the index, where a side needs it.
    pub(super) fn index(&self) -> Option<&Arc<Index>> {
        self.index.as_ref()
    }

    /// Returns the attribute files.
    pub(super) fn attribute_files(&self) -> Result<Arc<AttributeFiles>> {
        if let Some(files) = self.attributes.get() {
            return Ok(Arc::clone(files));
        }
        let files = Arc::new(AttributeFiles::new(&self.repository, self.index())?);
        Ok(Arc::clone(self.attributes.get_or_init(|| files)))
    }

    /// Returns which paths are compared.
    pub(super) fn paths(&self) -> &Arc<PathFilter> {
        &self.paths
    }

    /// Returns what untracked files count for.
    pub(super) fn untracked(&self) -> Untracked {
        self.untracked
    }

    /// Starts the walk over the changed files in git's order; `budget` ends it early.
    pub(super) fn walk(&self, budget: Arc<Budget>) -> Result<Walk> {
        if let [Some(old), Some(new)] = self.sides().map(Revision::as_tree) {
            return Ok(Box::new(TreeChanges::new(
                self.repository.objects(),
                old,
                new,
                Arc::clone(&self.paths),
                budget,
            )?));
        }
        if self.old == self.new {
            return Ok(Box::new(std::iter::empty()));
        }
        Ok(Box::new(Uncommitted::new(self, budget)?))
    }

    /// Tells whether any file differs.
    pub(super) fn has_changes(&self) -> Result<bool> {
        Ok(self.walk(Arc::default())?.next().transpose()?.is_some())
    }

    /// Returns what became of one path, given from the repository's root.
    pub fn path(&self, path: &[u8]) -> Result<PathChange> {
        let mut is_folder = false;
        let mut find = |side: Revision| -> Result<Option<Entry>> {
            let Some(tree) = side.as_tree() else { return Ok(None) };
            let named = self.repository.find(tree, path)?;
            is_folder |= named == Named::Folder;
            Ok(named.file())
        };
        let (old, new) = (find(self.old)?, find(self.new)?);
        let Some(index) = &self.index else {
            return Ok(match (old, new, is_folder) {
                (None, None, false) => PathChange::Nothing,
                (None, None, true) => PathChange::Folder,
                _ => PathChange::File(vec![Change::new(path.to_vec(), old, new)]),
            });
        };
        let changes = if self.old == self.new {
            Vec::new()
        } else {
            Uncommitted::new(self, Arc::default())?.path(path, old.or(new))?
        };
        Ok(if !changes.is_empty() || !index.find(path).is_empty() {
            PathChange::File(changes)
        } else if is_folder || index.has_folder(path) {
            PathChange::Folder
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
    /// It is a folder on one side, and a file on none.
    Folder,
    /// It is a file; as git shows it, a conflict has two rows, and a file that is the same none.
    File(Vec<Change>),
}
