//! The input of a comparison: two sides of a repository, and the selected files.

use std::sync::Arc;

use crate::Oid;
use crate::attributes::ContentSource;
use crate::change::contents::Reader;
use crate::change::measure::{Measure, Measurer};
use crate::change::patch::Patcher;
use crate::index::Index;
use crate::pathspec::{PathFilter, Pathspec};
use crate::repository::Repository;
use crate::revision::{Revision, Sides, check_side, commit_and_parents, commit_at, sides_of};
use crate::worktree::submodule::Above;
use redline_base::budget::Budget;
use redline_base::error::Result;
use redline_text::{Combined, DiffOptions};

/// How untracked files are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Untracked {
    /// Omitted.
    #[default]
    Ignored,
    /// Added without reading them: only their name and status are valid.
    Named,
    /// Added, with the id that their content would have.
    Identified,
}

/// Two sides of a repository; cheap to clone and to share between threads.
#[derive(Clone)]
pub struct Comparison {
    /// The source of both sides; its index is of one moment.
    source: ContentSource,
    old: Revision,
    new: Revision,
    /// The objects that were named as its sides.
    named: [Option<Oid>; 2],
    /// How untracked files are treated.
    pub(super) untracked: Untracked,
    /// The selected paths.
    pub(super) paths: Arc<PathFilter>,
    /// The superprojects of this repository.
    pub(super) above: Above,
    /// Whether files count that are assumed to be unchanged, or outside of a sparse checkout.
    pub(super) looks_everywhere: bool,
    /// How merges and conflicts are shown if they are compared with all parents at once.
    pub combined: Option<Combined>,
    /// The other parents of a merge; the old side is the first.
    pub(super) others: Arc<[Revision]>,
    /// Their ids.
    pub other_parents: Arc<[Oid]>,
}

impl Comparison {
    /// Resolves the sides: two revisions, or, without `to`, the name `from`: the range `a..b`, or
    /// `a...b` from their merge base, or one revision, which is compared with the work tree.
    /// `merge_base` also compares from the merge base; that of the index or the work tree is
    /// HEAD's. With `combined` a merge is compared with all parents at once, and `from` can be
    /// `commit^!`, which compares a commit with its parents.
    pub fn of(
        repository: &Repository,
        from: &str,
        to: Option<&str>,
        merge_base: bool,
        combined: Option<Combined>,
    ) -> Result<Self> {
        let is_merge = combined.is_some() && to.is_none();
        let found = if is_merge { commit_and_parents(repository, from)? } else { None };
        let (Sides { sides: [old, new], named }, others) = match found {
            None => (sides_of(repository, from, to, merge_base)?, Vec::new()),
            Some(((id, commit), mut parents)) => {
                let others = parents.split_off(parents.len().min(1));
                let (first, parent) = parents.pop().unzip();
                let sides = [parent.unwrap_or(Revision::Empty), commit];
                (Sides { sides, named: [first, Some(id)] }, others)
            }
        };
        let comparison = Self::new(repository.clone(), old, new)?;
        let (other_parents, others): (Vec<_>, Vec<_>) = others.into_iter().unzip();
        let (other_parents, others) = (other_parents.into(), others.into());
        Ok(Self { named, combined, others, other_parents, ..comparison })
    }

    /// Compares two sides; reads the index once.
    pub fn new(repository: Repository, old: Revision, new: Revision) -> Result<Self> {
        let sides = [old, new];
        sides.iter().try_for_each(|&side| check_side(&repository, side))?;
        if sides.contains(&Revision::WorkTree) {
            repository.work_tree()?;
        }
        let needs_index =
            sides.iter().any(|side| matches!(side, Revision::Index | Revision::WorkTree));
        let index = if needs_index { Some(Index::read(&repository)?) } else { None };
        Ok(Self {
            source: ContentSource::new(repository, index),
            old,
            new,
            named: [None, None],
            untracked: Untracked::default(),
            paths: Arc::default(),
            above: Above::default(),
            looks_everywhere: false,
            combined: None,
            others: Arc::default(),
            other_parents: Arc::default(),
        })
    }

    /// Compares other sides of the same repository with the same index; they may need the index
    /// only if the old ones did.
    pub(super) fn between(&self, old: Revision, new: Revision) -> Self {
        Self {
            old,
            new,
            named: [None, None],
            combined: None,
            others: Arc::default(),
            other_parents: Arc::default(),
            ..self.clone()
        }
    }

    /// Sets how untracked files are treated.
    #[must_use]
    pub fn with_untracked(self, untracked: Untracked) -> Self {
        Self { untracked, ..self }
    }

    /// Selects files by pathspecs, relative to the directory given as the repository.
    ///
    /// # Errors
    /// `invalid_args` for a path that leads out of the repository.
    pub fn with_paths(self, specs: &[Pathspec]) -> Result<Self> {
        let paths = Arc::new(self.repository().path_filter(specs)?);
        Ok(Self { paths, ..self })
    }

    /// Sets the budget of reading.
    #[must_use]
    pub fn with_budget(self, budget: Arc<Budget>) -> Self {
        Self { source: self.source.with_budget(budget), ..self }
    }

    /// Returns the source of both sides.
    pub fn source(&self) -> &ContentSource {
        &self.source
    }

    /// Returns the repository.
    pub fn repository(&self) -> &Repository {
        self.source.repository()
    }

    /// Returns both sides, the old first.
    pub fn sides(&self) -> [Revision; 2] {
        [self.old, self.new]
    }

    /// Returns the commits that were named as its sides, without a merge base; `None` for a side
    /// that is not a commit.
    pub fn commits(&self) -> Result<[Option<Oid>; 2]> {
        let commit = |id: Option<Oid>| id.map_or(Ok(None), |id| commit_at(self.repository(), id));
        Ok([commit(self.named[0])?, commit(self.named[1])?])
    }

    /// Returns the index, if a side needs it.
    pub(super) fn index(&self) -> Option<&Arc<Index>> {
        self.source.index()
    }

    /// Creates a reader of contents for one thread.
    pub fn reader(&self) -> Reader {
        Reader::new(&self.source).of_pairs()
    }

    /// Creates a measurer of changes for one thread; counts lines by `options`.
    pub fn measurer(&self, measure: Measure, options: DiffOptions) -> Measurer {
        Measurer::new(self.reader(), measure, options)
    }

    /// Creates a writer of patches for one thread.
    pub fn patcher(&self, options: DiffOptions) -> Result<Patcher> {
        let patcher = Patcher::new(&self.source, options)?;
        let combined = self.combined.unwrap_or(patcher.combined);
        Ok(Patcher { reader: patcher.reader.of_pairs(), combined, ..patcher })
    }
}
