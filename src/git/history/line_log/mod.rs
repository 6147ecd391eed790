//! The commits that changed some lines of a file, as in `git log -L`.
//!
//! Each commit has lines to follow, in its own version of the file; a commit with a change that
//! touches them is shown, and their former lines are followed in its parents. A merge passes them
//! to the first parent that has them unchanged, or to all.
//!
//! | file | holds |
//! |---|---|
//! | this one | the walk |
//! | `ranges` | sets of lines, and their places before a change |
//! | `order` | the order of the commits |
//! | `patch` | the patch of a change |
//! | `section` | the lines of a function, by its name |

mod order;
mod patch;
mod ranges;
mod section;

use std::collections::HashMap;
use std::sync::Arc;

use crate::Oid;
use crate::attributes::ContentSource;
use crate::change::contents::Reader;
use crate::change::renames::RenameOptions;
use crate::change::side_files::{ReadLimit, SideFiles};
use crate::graph::commit_links::Commits as CommitLinks;
use crate::graph::walk::{History, HistoryOptions, Merges, Visited};
use crate::history::only_tip;
use crate::model::changed_file::{Change, Entry};
use crate::repository::Repository;
use crate::revision::range_of;
use crate::tree::tree_lookup::PathInTrees;
use crate::tree::walk::TreeChanges;
use order::TopologicalOrder;
use patch::Touched;
use ranges::LineRanges;
use redline_base::budget::{Copied, Gather, Grow, GrowMap, Ordered, Weigh};
use redline_base::error::Result;
use redline_text::{Engine, plain_line_changes};

pub use section::LinesAsked;

/// A commit that changed the lines, and the change.
#[derive(Debug)]
pub struct LineVersion {
    /// The commit.
    pub commit: Visited,
    /// The path of the file in this commit.
    pub path: Vec<u8>,
    /// The first of the lines in this commit, from 1.
    pub first_line: u32,
    /// The last of them.
    pub last_line: u32,
    /// The patch, as git prints it.
    pub patch: Vec<u8>,
}

impl Weigh for LineVersion {
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.path.len() + self.patch.len()
    }
}

/// The followed lines of a file in one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Tracked {
    path: Vec<u8>,
    lines: LineRanges,
}

/// An iterator over the commits that changed the lines; after an error it ends.
pub struct LineLog {
    commits: TopologicalOrder,
    links: CommitLinks,
    options: HistoryOptions,
    /// The lines to follow in commits that were not reached yet.
    waiting: HashMap<Oid, Vec<Tracked>>,
    paths: HashMap<Vec<u8>, PathInTrees>,
    trees: TreeChanges,
    reader: Reader,
    engine: Engine,
    /// The changes of the last commit that were not returned yet.
    found: Vec<LineVersion>,
    is_over: bool,
}

impl LineLog {
    /// Starts the walk at the end of a range of commits.
    ///
    /// # Errors
    /// `invalid_args` for a range with several ends and for lines that the file does not have,
    /// `not_found` for a missing file or function.
    pub fn new(
        repository: &Repository,
        file: &str,
        asked: &LinesAsked,
        rev: &str,
        options: HistoryOptions,
    ) -> Result<Self> {
        let ends = range_of(repository, rev)?;
        let tip = only_tip(&ends, rev, "the lines are those of one version")?;
        let mut files = SideFiles::open(repository, &tip.to_string())?;
        let entry = files.found(file, rev)?;
        let content = files.read(file.as_bytes(), entry, ReadLimit::OBJECT)?;
        let mut reader = Reader::new(&ContentSource::of_objects(repository));
        let cancel = repository.cancel();
        let lines = section::lines(asked, file, entry, &content, &mut reader, &cancel)?;
        // Commits that are too new are omitted at the end: the lines must be followed through them.
        let walk = HistoryOptions { until: None, merges: Merges::AllParents, ..options };
        let history = History::new(repository, &ends, walk)?;
        let charge = repository.budget().charge(0)?;
        let commits = TopologicalOrder::new(history, tip, options.first_parent, charge);
        let tracked = Tracked { path: file.as_bytes().copied_vec(), lines };
        Ok(Self {
            commits,
            links: CommitLinks::new(repository)?,
            options,
            waiting: HashMap::from([(tip, vec![tracked])]),
            paths: HashMap::new(),
            trees: TreeChanges::idle(repository.objects(), Arc::default()),
            reader,
            engine: Engine::default(),
            found: Vec::new(),
            is_over: false,
        })
    }

    /// Returns the file at a path in a tree.
    fn file(&mut self, tree: Option<Oid>, path: &[u8]) -> Result<Option<Entry>> {
        let located = match self.paths.get_mut(path) {
            Some(located) => located,
            None => self.paths.slot(path.copied_vec()).or_default(),
        };
        located.file(self.trees.objects(), tree, path)
    }

    /// Returns the files with followed lines that differ between a commit and a parent, with their
    /// origins.
    fn changes(&mut self, tracked: &[Tracked], old: Option<Oid>, new: Oid) -> Result<Vec<Change>> {
        let mut changes = Vec::new();
        let mut is_added = false;
        for one in tracked {
            let after = self.file(Some(new), &one.path)?;
            let before = self.file(old, &one.path)?;
            if after.is_none() || before == after {
                continue;
            }
            is_added |= before.is_none();
            changes.add(Change::new(one.path.clone(), before, after));
        }
        match old {
            Some(old) if is_added => self.renamed(tracked, old, new),
            _ => Ok(changes),
        }
    }

    /// Does the same, and searches removed files for the origins of added ones.
    fn renamed(&mut self, tracked: &[Tracked], old: Oid, new: Oid) -> Result<Vec<Change>> {
        let mut changes: Vec<Change> = Vec::new();
        for change in self.trees.restart(Some(old), Some(new))? {
            let change = change?;
            let is_meant = || tracked.iter().any(|one| one.path == change.path);
            if change.new.is_none() || is_meant() {
                changes.add(change);
            }
        }
        let cancel = self.trees.objects().cancel();
        let mut rows = self.reader.pair(changes, &RenameOptions::default(), &cancel)?;
        rows.retain(|change| change.new.is_some());
        Ok(rows)
    }

    /// Returns the former lines of a commit's lines before the changes from one parent; changes
    /// that touch them go to `shown`, at the index of the file.
    fn before(
        &mut self,
        tracked: &[Tracked],
        changed: Vec<Change>,
        shown: &mut [Option<Touched>],
    ) -> Result<(Vec<Tracked>, bool)> {
        let mut before = tracked.copied_vec();
        let mut is_changed = false;
        for change in changed {
            let at = before.iter().position(|one| one.path == change.path);
            let Some(at) = at.filter(|&at| !before[at].lines.is_empty()) else { continue };
            let old = self.reader.whole(change.old, change.old_path())?;
            let new = self.reader.whole(change.new, &change.path)?;
            let cancel = self.trees.objects().cancel();
            let changes = plain_line_changes(&mut self.engine, &old, &new, &cancel)?;
            let touched = ranges::touched(&before[at].lines, &changes);
            before[at].lines = ranges::before(&before[at].lines, &changes, &touched);
            before[at].path = change.old_path().copied_vec();
            if touched.is_empty() {
                continue;
            }
            is_changed = true;
            if let Some(own) = tracked.iter().position(|one| one.path == change.path) {
                shown[own] = Some(Touched { change, old, new, changes: touched });
            }
        }
        Ok((before, is_changed))
    }

    /// Follows lines in a parent, too.
    fn hand_on(&mut self, parent: Oid, tracked: Vec<Tracked>) {
        let waiting = self.waiting.slot(parent).or_default();
        for one in tracked {
            match waiting.iter_mut().find(|other| other.path == one.path) {
                Some(other) => other.lines = ranges::union(&other.lines, &one.lines),
                None => waiting.add(one),
            }
        }
        waiting.order_by(|one, other| one.path.cmp(&other.path));
    }

    /// Follows lines in a commit, and passes them to its parents.
    fn process(&mut self, commit: &Visited, tracked: Vec<Tracked>) -> Result<()> {
        let mut shown: Vec<Option<Touched>> = tracked.iter().map(|_| None).gather();
        let mut candidates = Vec::new();
        if commit.parents.is_empty() {
            let changes = self.changes(&tracked, None, commit.tree)?;
            self.before(&tracked, changes, &mut shown)?;
        }
        let followed = if self.options.first_parent { 1 } else { commit.parents.len() };
        for &parent in commit.parents.iter().take(followed) {
            let tree = self.links.links(&parent)?.tree;
            let changes = self.changes(&tracked, Some(tree), commit.tree)?;
            let (before, is_changed) = self.before(&tracked, changes, &mut shown)?;
            if !is_changed {
                // This parent has the lines unchanged, whatever the other parents have.
                self.hand_on(parent, before);
                return Ok(());
            }
            candidates.add((parent, before));
        }
        candidates.into_iter().for_each(|(parent, before)| self.hand_on(parent, before));
        self.show(commit, &tracked, shown)
    }

    /// Creates the rows of a commit.
    fn show(
        &mut self,
        commit: &Visited,
        tracked: &[Tracked],
        shown: Vec<Option<Touched>>,
    ) -> Result<()> {
        if self.options.until.is_some()
            && self.options.is_too_new(self.links.links(&commit.id)?.date)
        {
            return Ok(());
        }
        let cancel = self.trees.objects().cancel();
        let is_merge = commit.parents.len() > 1;
        for (one, touched) in tracked.iter().zip(shown) {
            let Some(touched) = touched else { continue };
            let (Some(first), Some(last)) = (one.lines.first(), one.lines.last()) else { continue };
            self.found.add(LineVersion {
                commit: commit.clone(),
                path: one.path.clone(),
                first_line: first.start + 1,
                last_line: last.end,
                // git prints no patch of a merge.
                patch: if is_merge { Vec::new() } else { touched.patch(&one.lines, &cancel)? },
            });
        }
        self.found.reverse();
        Ok(())
    }

    fn step(&mut self) -> Result<Option<LineVersion>> {
        loop {
            if let Some(found) = self.found.pop() {
                return Ok(Some(found));
            }
            self.waiting.retain(|_, tracked| tracked.iter().any(|one| !one.lines.is_empty()));
            if self.waiting.is_empty() {
                return Ok(None);
            }
            let Some(commit) = self.commits.next().transpose()? else { return Ok(None) };
            self.trees.objects().budget().check()?;
            if let Some(tracked) = self.waiting.remove(&commit.id) {
                self.process(&commit, tracked)?;
            }
        }
    }
}

impl Iterator for LineLog {
    type Item = Result<LineVersion>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let step = self.step();
        self.is_over = !matches!(step, Ok(Some(_)));
        step.transpose()
    }
}
