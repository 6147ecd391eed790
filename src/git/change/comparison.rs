//! What is compared: two sides of a repository, and which of their files.

use std::sync::Arc;

use crate::budget::Budget;
use crate::error::Result;
use crate::git::attributes::ContentSource;
use crate::git::change::contents::Reader;
use crate::git::change::measure::{Measure, Measurer};
use crate::git::change::patch::Patcher;
use crate::git::index::Index;
use crate::git::pathspec::{PathFilter, Pathspec};
use crate::git::repository::Repository;
use crate::git::revision::{Revision, check_side, sides_of};
use crate::git::worktree::submodule::Above;
use crate::text::{Combined, DiffOptions};

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
    /// What both sides are read from; the index in it is that of one moment.
    source: ContentSource,
    old: Revision,
    new: Revision,
    untracked: Untracked,
    /// Which paths are compared.
    paths: Arc<PathFilter>,
    /// The repositories that this one is a submodule of.
    above: Above,
    /// How many threads may look at the work tree.
    threads: usize,
    /// Whether files count that git is told not to look at.
    looks_everywhere: bool,
    /// How merges and conflicts are shown, where with all parents at once.
    combined: Option<Combined>,
    /// The other parents of a merge; the old side is the first.
    others: Arc<[Revision]>,
}

impl Comparison {
    /// Resolves what is compared: two revisions, or, without `to`, what `from` names: the range
    /// `a..b`, or `a...b` from their merge base, or one revision, which is compared with the work
    /// tree. `merge_base` compares from the merge base too; that of the index or the work tree is
    /// HEAD's.
    pub fn of(
        repository: &Repository,
        from: &str,
        to: Option<&str>,
        merge_base: bool,
    ) -> Result<Self> {
        let [old, new] = sides_of(repository, from, to, merge_base)?;
        Self::new(repository.clone(), old, new)
    }

    /// Compares two sides; the index is read once, here.
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
            untracked: Untracked::default(),
            paths: Arc::default(),
            above: Above::default(),
            threads: 1,
            looks_everywhere: false,
            combined: None,
            others: Arc::default(),
        })
    }

    /// Compares other sides of the same repository with the same index; one side must have needed the index before
    /// where one does now.
    pub(super) fn between(&self, old: Revision, new: Revision) -> Self {
        Self { old, new, combined: None, others: Arc::default(), ..self.clone() }
    }

    /// Shows conflicts against ours and theirs at once, and the new side against these parents beside the old side.
    pub(super) fn combining(self, combined: Combined, others: &[Revision]) -> Self {
        Self { combined: Some(combined), others: others.into(), ..self }
    }

    /// Returns how merges and conflicts are shown, where with all parents at once.
    pub fn combined(&self) -> Option<Combined> {
        self.combined
    }

    /// Returns the other parents of a merge.
    pub(super) fn other_parents(&self) -> &[Revision] {
        &self.others
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

    /// Compares what pathspecs name, seen from the directory that was given as the repository.
    ///
    /// # Errors
    /// `invalid_args` for a path that leads out of the repository.
    pub fn with_paths(self, specs: &[Pathspec]) -> Result<Self> {
        let paths = Arc::new(self.repository().path_filter(specs)?);
        Ok(Self { paths, ..self })
    }

    /// Compares files of the work tree, too, that git is told not to look at: they are assumed to be unchanged, or left out
    /// of a sparse checkout.
    #[must_use]
    pub fn looking_everywhere(self) -> Self {
        Self { looks_everywhere: true, ..self }
    }

    /// Tells whether files count that git is told not to look at.
    pub(super) fn looks_everywhere(&self) -> bool {
        self.looks_everywhere
    }

    /// Lets so many threads look at the work tree.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Returns how many threads may look at the work tree.
    pub(super) fn threads(&self) -> usize {
        self.threads
    }

    /// Reads both sides within a budget.
    #[must_use]
    pub fn with_budget(self, budget: Arc<Budget>) -> Self {
        Self { source: self.source.with_budget(budget), ..self }
    }

    /// Returns what both sides are read from.
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

    /// Returns the index, where a side needs it.
    pub(super) fn index(&self) -> Option<&Arc<Index>> {
        self.source.index()
    }

    /// Returns which paths are compared.
    pub(super) fn paths(&self) -> &Arc<PathFilter> {
        &self.paths
    }

    /// Returns what untracked files count for.
    pub(super) fn untracked(&self) -> Untracked {
        self.untracked
    }

    /// Returns what reads contents on one thread.
    pub fn reader(&self) -> Reader {
        Reader::new(&self.source)
    }

    /// Returns what measures changes on one thread; lines are counted as `options` say.
    pub fn measurer(&self, measure: Measure, options: DiffOptions) -> Measurer {
        Measurer::new(&self.source, measure, options)
    }

    /// Returns what writes patches on one thread.
    pub fn patcher(&self, options: DiffOptions) -> Result<Patcher> {
        let patcher = Patcher::new(&self.source, options)?;
        Ok(patcher.combining(self.combined.unwrap_or(Combined::Dense)))
    }
}
