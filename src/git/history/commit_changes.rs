//! The changed files of commits.

use std::sync::Arc;

use crate::budget::Charge;
use crate::error::Result;
use crate::git::attributes::ContentSource;
use crate::git::change::change_iter::collect;
use crate::git::change::contents::Reader;
use crate::git::change::measure::{Measure, Measured, Measurer};
use crate::git::change::renames::{RenameOptions, pair};
use crate::git::change::search::{Search, Searcher};
use crate::git::graph::walk::Comparable;
use crate::git::model::commit::CommitInfo;
use crate::git::model::mailmap::Mailmap;
use crate::git::objects::Objects;
use crate::git::repository::Repository;
use crate::git::tree::walk::TreeChanges;
use crate::git::{Change, Oid, Pathspec};
use crate::text::{CancelToken, DiffOptions};

/// A commit compared with one of its parents.
#[derive(Debug)]
pub struct CommitChanges {
    /// The commit's id.
    pub id: Oid,
    /// The parent it was compared with; a root has none.
    pub parent: Option<Oid>,
    /// What the commit says of itself, where that was asked for.
    pub info: Option<Arc<CommitInfo>>,
    /// The files that differ, in git's order.
    pub changes: Vec<Measured>,
    /// Which of the texts that are looked for each of them adds or removes, by their positions; empty where none are.
    pub found: Vec<Vec<u32>>,
}

/// What is asked of commits and their changes.
#[derive(Debug, Clone)]
pub struct CommitMeasure {
    /// Whether the commits' own words are wanted.
    pub info: bool,
    /// What is measured of a change.
    pub changes: Measure,
    /// How renames are looked for.
    pub renames: Option<RenameOptions>,
    /// How lines are counted.
    pub diff: DiffOptions,
    /// What changes are looked for, if not all.
    pub search: Option<Search>,
}

/// Compares commits with their parents, for one thread.
pub struct CommitMeasurer {
    objects: Objects,
    trees: TreeChanges,
    measurer: Measurer,
    /// What reads contents where renames are looked for.
    reader: Option<(RenameOptions, Reader)>,
    searcher: Option<Searcher>,
    info: bool,
    is_measured: bool,
    mailmap: Option<Arc<Mailmap>>,
}

impl CommitMeasurer {
    /// Returns what compares commits as far as `paths` name their files.
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
            objects: repository.objects(),
            trees: TreeChanges::idle(repository.objects(), paths),
            measurer: Measurer::new(&source, measure.changes, measure.diff.clone()),
            reader: measure.renames.map(|options| (options, Reader::new(&source))),
            searcher: search.map(|search| Searcher::new(search, Reader::new(&source))),
            info: measure.info,
            is_measured: measure.changes != Measure::default(),
            mailmap,
        })
    }

    /// Compares a commit with each of its parents that are asked for, and appends those with changes.
    pub fn measure(
        &mut self,
        commit: &Comparable,
        found: &mut Vec<CommitChanges>,
        cancel: &CancelToken<'_>,
    ) -> Result<()> {
        let mut info = None;
        let parents = commit.parents.iter().copied().map(Some);
        let root = commit.parents.is_empty().then_some(None);
        for parent in parents.chain(root) {
            let (changes, which) =
                self.changes(parent.map(|(_, tree)| tree), commit.tree, cancel)?;
            if changes.is_empty() {
                continue;
            }
            if self.info && info.is_none() {
                let bytes = self.objects.commit(&commit.id)?;
                info = Some(Arc::new(CommitInfo::read(&bytes, self.mailmap.as_deref(), cancel)?));
            }
            let parent = parent.map(|(id, _)| id);
            let info = info.clone();
            found.push(CommitChanges { id: commit.id, parent, info, changes, found: which });
        }
        Ok(())
    }

    /// Returns the changes between two trees, and what of a search was found in each.
    fn changes(
        &mut self,
        old: Option<Oid>,
        new: Oid,
        cancel: &CancelToken<'_>,
    ) -> Result<(Vec<Measured>, Vec<Vec<u32>>)> {
        self.trees.restart(old, Some(new))?;
        let (mut changes, mut found, mut charge) = (Vec::new(), Vec::new(), Charge::free());
        if let Some((options, reader)) = &mut self.reader {
            let all = collect(&mut self.trees, &mut charge, cancel)?;
            for change in pair(all, options, reader, cancel)?.rows {
                self.add(change, &mut changes, &mut found, &mut charge, cancel)?;
            }
        } else {
            while let Some(change) = self.trees.next() {
                self.add(change?, &mut changes, &mut found, &mut charge, cancel)?;
            }
        }
        Ok((changes, found))
    }

    /// Measures a change if it is looked for.
    fn add(
        &mut self,
        change: Change,
        changes: &mut Vec<Measured>,
        found: &mut Vec<Vec<u32>>,
        charge: &mut Charge,
        cancel: &CancelToken<'_>,
    ) -> Result<()> {
        if let Some(searcher) = &mut self.searcher {
            let Some(which) = searcher.look(&change, cancel)? else { return Ok(()) };
            found.push(which);
        }
        cancel.room(charge, changes, 1)?;
        changes.push(self.measured(change, cancel)?);
        Ok(())
    }

    fn measured(&mut self, change: Change, cancel: &CancelToken<'_>) -> Result<Measured> {
        if self.is_measured {
            self.measurer.measure(change, cancel)
        } else {
            Ok(Measured::unmeasured(change))
        }
    }
}
