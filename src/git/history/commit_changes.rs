//! The changed files of commits.

use std::sync::Arc;

use crate::attributes::ContentSource;
use crate::change::contents::Reader;
use crate::change::differences::{collect, keep_common};
use crate::change::measure::{Measure, Measured, Measurer};
use crate::change::renames::RenameOptions;
use crate::change::search::{Search, Searcher};
use crate::graph::walk::Comparable;
use crate::model::commit::CommitInfo;
use crate::model::mailmap::Mailmap;
use crate::repository::Repository;
use crate::tree::walk::TreeChanges;
use crate::{Change, Oid, Pathspec};
use redline_base::budget::{Charge, Grow};
use redline_base::error::Result;
use redline_text::{CancelToken, DiffOptions};

/// A commit compared with one of its parents.
#[derive(Debug)]
pub struct CommitChanges {
    /// The commit's id.
    pub id: Oid,
    /// The parent it was compared with; a root has none.
    pub parent: Option<Oid>,
    /// The fields of the commit, if requested.
    pub info: Option<Arc<CommitInfo>>,
    /// The files that differ, in git's order.
    pub changes: Vec<Measured>,
    /// For each change, the indices of the searched texts that it adds or removes; empty without a
    /// search.
    pub found: Vec<Vec<u32>>,
}

/// The data of commits to read and measure.
#[derive(Debug, Clone, Default)]
pub struct CommitMeasure {
    /// Whether the fields of commits are needed.
    pub info: bool,
    /// The measurements of a change.
    pub changes: Measure,
    /// The options of rename detection.
    pub renames: Option<RenameOptions>,
    /// How lines are counted.
    pub diff: DiffOptions,
    /// The search that changes must match, if any.
    pub search: Option<Search>,
    /// Whether merges are compared with all their parents at once.
    pub combined: bool,
}

/// Compares commits with their parents, for one thread.
pub struct CommitMeasurer {
    trees: TreeChanges,
    measurer: Measurer,
    /// The reader of contents, if renames are detected.
    reader: Option<(RenameOptions, Reader)>,
    searcher: Option<Searcher>,
    info: bool,
    combined: bool,
    mailmap: Option<Arc<Mailmap>>,
}

impl CommitMeasurer {
    /// Creates a measurer that compares the files that `paths` select.
    ///
    /// # Errors
    /// `invalid_args` for a path that leads out of the repository.
    pub fn new(
        repository: &Repository,
        paths: &[Pathspec],
        measure: &CommitMeasure,
        mailmap: Option<Arc<Mailmap>>,
    ) -> Result<Self> {
        let source = ContentSource::of_objects(repository);
        let paths = Arc::new(repository.path_filter(paths)?);
        let search = measure.search.clone();
        Ok(Self {
            trees: TreeChanges::idle(repository.objects(), paths),
            measurer: Measurer::new(Reader::new(&source), measure.changes, measure.diff.clone()),
            reader: measure.renames.map(|options| (options, Reader::new(&source))),
            searcher: search.map(|search| Searcher::new(search, Reader::new(&source))),
            info: measure.info,
            combined: measure.combined,
            mailmap,
        })
    }

    /// Compares a commit with each of its requested parents, and appends those with changes.
    pub fn measure(
        &mut self,
        commit: &Comparable,
        found: &mut Vec<CommitChanges>,
        cancel: &CancelToken<'_>,
    ) -> Result<()> {
        let mut info = None;
        let is_combined = self.combined && commit.parents.len() > 1;
        let parents = commit.parents.iter().copied().map(Some);
        let root = commit.parents.is_empty().then_some(None);
        for parent in parents.chain(root).take(if is_combined { 1 } else { usize::MAX }) {
            let mut rows = self.changes(parent.map(|(_, tree)| tree), commit.tree, cancel)?;
            if is_combined {
                self.keep_what_differs_from_all(&mut rows, commit, cancel)?;
            }
            if rows.is_empty() {
                continue;
            }
            if self.info && info.is_none() {
                let bytes = self.trees.objects().commit(&commit.id)?;
                info = Some(Arc::new(CommitInfo::read(&bytes, self.mailmap.as_deref(), cancel)?));
            }
            let parent = parent.map(|(id, _)| id);
            let (mut changes, mut which, mut charge) = (Vec::new(), Vec::new(), Charge::free());
            cancel.room(&mut charge, &mut changes, rows.len())?;
            for (change, texts) in rows {
                changes.push(self.measurer.measure(change, cancel)?);
                which.add_all(self.searcher.is_some().then_some(texts));
            }
            let info = info.clone();
            found.add(CommitChanges { id: commit.id, parent, info, changes, found: which });
        }
        Ok(())
    }

    /// Keeps the changes of a merge from its first parent to files that also differ from all
    /// others.
    fn keep_what_differs_from_all(
        &mut self,
        rows: &mut Vec<(Change, Vec<u32>)>,
        commit: &Comparable,
        cancel: &CancelToken<'_>,
    ) -> Result<()> {
        for &(_, other) in &commit.parents[1..] {
            if rows.is_empty() {
                break;
            }
            keep_common(rows, self.changes(Some(other), commit.tree, cancel)?);
        }
        Ok(())
    }

    /// Returns the changes between two trees that match the search, each with the texts found.
    fn changes(
        &mut self,
        old: Option<Oid>,
        new: Oid,
        cancel: &CancelToken<'_>,
    ) -> Result<Vec<(Change, Vec<u32>)>> {
        let trees = self.trees.restart(old, Some(new))?;
        let (mut rows, mut charge) = (Vec::new(), Charge::free());
        let changes: Box<dyn Iterator<Item = Result<Change>> + '_> = match &mut self.reader {
            Some((options, reader)) => {
                let all = collect(trees, &mut charge, cancel)?;
                Box::new(reader.pair(all, options, cancel)?.into_iter().map(Ok))
            }
            None => Box::new(trees),
        };
        for change in changes {
            let change = change?;
            let texts = match &mut self.searcher {
                None => Some(Vec::new()),
                Some(searcher) => searcher.look(&change, cancel)?,
            };
            if let Some(texts) = texts {
                cancel.room(&mut charge, &mut rows, 1)?;
                rows.push((change, texts));
            }
        }
        Ok(rows)
    }
}
