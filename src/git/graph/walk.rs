//! The commits of a range in the order of `git log`: newest first, by the time they were committed.
//!
//! As in git the order is that of a queue: a commit is met when one of its children was, so that one whose
//! clock ran ahead of its child's still comes after it, and of commits of one second the one met first
//! goes first. Where nothing is left out by another revision the walk streams; otherwise it has to go on until
//! nothing is left in the queue but what is left out. Commits are given before that all the same, so that they can be
//! compared while the walk goes on; those that turn out to be left out are excluded ([`Excluded`]).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::budget::{Budget, Charge, Pace};
use crate::error::{Error, Result};
use crate::git::graph::commit_links::Commits;
use crate::git::graph::simplify::Simplify;
use crate::git::model::id_tables::{IdMap, IdSet};
use crate::git::repository::Repository;
use crate::git::{Oid, Pathspec};

/// How commits with several parents are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Merges {
    /// Not at all: `--no-merges`.
    #[default]
    Skip,
    /// Compared with their first parent: `--diff-merges=first-parent`.
    FirstParent,
    /// Compared with each of their parents: `-m`.
    AllParents,
}

/// Which commits of a range are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HistoryOptions {
    /// How merges are shown.
    pub merges: Merges,
    /// Only commits of this time or later, in microseconds since 1970: `--since`.
    pub since: Option<i64>,
    /// Only commits of this time or earlier: `--until`.
    pub until: Option<i64>,
    /// Whether only the first parent of a merge is followed: `--first-parent`.
    pub first_parent: bool,
}

impl HistoryOptions {
    fn is_too_old(&self, date: u64) -> bool {
        self.since.is_some_and(|since| micros(date) < i128::from(since))
    }

    fn is_too_new(&self, date: u64) -> bool {
        self.until.is_some_and(|until| micros(date) > i128::from(until))
    }
}

fn micros(seconds: u64) -> i128 {
    i128::from(seconds) * 1_000_000
}

/// The ends of a range: what is reachable from the tips, less what is from those that are hidden.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RevRange {
    /// Where the walk starts.
    pub tips: Vec<Oid>,
    /// What is left out.
    pub hidden: Vec<Oid>,
    /// The commits that were read to find these ends: of what is left out, all that lies behind it is known to be.
    pub read: Vec<Oid>,
}

impl RevRange {
    /// Returns a text that is the same as long as the range leads to the same commits.
    pub fn state(&self) -> String {
        format!("{:?} {:?}", self.tips, self.hidden)
    }
}

/// A commit of the walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visited {
    /// The commit's id.
    pub id: Oid,
    /// The tree of its files.
    pub tree: Oid,
    /// Its parents in order; none where a shallow history ends.
    pub parents: Vec<Oid>,
}

/// A commit and what it is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparable {
    /// The commit's id.
    pub id: Oid,
    /// The tree of its files.
    pub tree: Oid,
    /// The parents that it is compared with, each with its tree; without one it is compared with nothing.
    pub parents: Vec<(Oid, Oid)>,
}

/// The commits of a range, as an iterator; after an error it ends. What is given before the walk has ended may be
/// excluded.
pub struct History {
    commits: Commits,
    options: HistoryOptions,
    known: IdMap<Known>,
    hidden: IdSet,
    /// What the range itself leaves out.
    bottoms: IdSet,
    /// By date, then by when they were met.
    queue: BinaryHeap<(u64, Reverse<u64>, Oid)>,
    met: u64,
    /// Where a walk with hidden commits stands, until it has ended.
    limit: Option<Limit>,
    /// What such a walk has found and not given.
    found: VecDeque<Oid>,
    /// What it gave before it had ended.
    given: Vec<Oid>,
    /// Why it ended early.
    failed: Option<Error>,
    excluded: Arc<Excluded>,
    simplify: Option<Simplify>,
    /// What the commits that were met take.
    charge: Charge,
    budget: Arc<Budget>,
}

/// The commits that were given and turned out to be left out.
#[derive(Debug, Default)]
pub struct Excluded(OnceLock<IdSet>);

/// When a walk with hidden commits ends.
struct Limit {
    /// The date of the commit that was found last.
    last: u64,
    /// Commits that are still looked at.
    slop: usize,
    /// A commit in the queue that was not hidden when it was last looked at.
    interesting: Option<Oid>,
}

/// A commit that was met.
struct Known {
    tree: Oid,
    date: u64,
    parents: Vec<Oid>,
    is_queued: bool,
}

/// What a commit that was met takes but its parents: its place in the tables, the queue and what is found.
const MET_BYTES: usize = 2 * size_of::<(Oid, Known)>() + 4 * size_of::<(u64, u64, Oid)>();

/// How many commits git still looks at after the last that could matter, as clocks may be wrong.
const SLOP: usize = 5;

impl History {
    /// Starts the walk.
    pub fn new(repository: &Repository, ends: &RevRange, options: HistoryOptions) -> Result<Self> {
        let budget = Arc::clone(repository.budget());
        let mut history = Self {
            commits: Commits::new(repository)?,
            options,
            known: IdMap::default(),
            hidden: ends.hidden.iter().copied().collect(),
            bottoms: ends.hidden.iter().copied().collect(),
            queue: BinaryHeap::new(),
            met: 0,
            limit: None,
            found: VecDeque::new(),
            given: Vec::new(),
            failed: None,
            excluded: Arc::default(),
            simplify: None,
            charge: budget.charge(0)?,
            budget,
        };
        for id in ends.hidden.iter().chain(&ends.tips) {
            history.enqueue(id)?;
        }
        if !ends.hidden.is_empty() {
            ends.read.iter().try_for_each(|id| history.load(id))?;
        }
        // As in git: which parents decide on a merge depends on what is known to be left out when it is met.
        for id in &ends.hidden {
            history.hide_parents(id)?;
        }
        if history.hidden.is_empty() {
            history.finish();
        } else {
            history.limit = Some(Limit { last: u64::MAX, slop: SLOP, interesting: None });
        }
        Ok(history)
    }

    /// Leaves out commits that change nothing of what pathspecs name, and follows one side of a merge where that has
    /// all of it: git's default simplification.
    ///
    /// # Errors
    /// `invalid_args` for a path that leads out of the repository.
    pub fn with_paths(self, repository: &Repository, paths: &[Pathspec]) -> Result<Self> {
        if paths.is_empty() {
            return Ok(self);
        }
        let bottoms = self.bottoms.clone();
        let simplify = Simplify::new(repository, paths, bottoms)?;
        Ok(Self { simplify: Some(simplify), ..self })
    }

    /// Returns what tells the commits that were given too early.
    pub fn excluded(&self) -> Arc<Excluded> {
        Arc::clone(&self.excluded)
    }

    /// Tells whether commits that were given may still be excluded.
    pub fn is_open(&self) -> bool {
        self.limit.is_some()
    }

    /// Walks on for some time without giving commits, unless it is known already what is left out.
    pub fn walk_on(&mut self, time: Duration) {
        let start = Instant::now();
        while self.limit.is_some() && start.elapsed() < time {
            self.walk();
        }
    }

    /// Walks until it is known what is left out, and returns it.
    pub fn into_hidden(mut self) -> Result<IdSet> {
        self.settle();
        self.failed.take().map_or(Ok(self.hidden), Err)
    }

    /// Walks until it is known what is left out.
    pub fn settle(&mut self) {
        while self.limit.is_some() {
            self.walk();
        }
    }

    /// Reads a commit that was not met before.
    fn load(&mut self, id: &Oid) -> Result<()> {
        if !self.known.contains_key(id) {
            let links = self.commits.links(id)?;
            self.charge.grow(MET_BYTES + links.parents.len() * size_of::<Oid>())?;
            let known = Known {
                tree: links.tree,
                date: links.date,
                parents: links.parents,
                is_queued: false,
            };
            self.known.insert(*id, known);
        }
        Ok(())
    }

    /// Takes the next commit off the queue.
    fn pop(&mut self) -> Result<Option<(u64, Oid)>> {
        self.budget.check()?;
        Ok(self.queue.pop().map(|(date, _, id)| (date, id)))
    }

    /// Reads a commit and puts it in the queue, unless it was there before.
    fn enqueue(&mut self, id: &Oid) -> Result<()> {
        self.load(id)?;
        if let Some(known) = self.known.get_mut(id)
            && !std::mem::replace(&mut known.is_queued, true)
        {
            self.queue.push((known.date, Reverse(self.met), *id));
            self.met += 1;
        }
        Ok(())
    }

    /// Puts a commit that is left out in the queue; it may be missing, as in git.
    fn enqueue_hidden(&mut self, id: &Oid) -> Result<()> {
        match self.enqueue(id) {
            Err(_) if self.commits.is_missing(id)? => Ok(()),
            read => read,
        }
    }

    /// Returns the next commit of a walk in which nothing is hidden, of any time but the too old.
    fn streamed(&mut self) -> Result<Option<Visited>> {
        while let Some((date, id)) = self.pop()? {
            // git goes no further at a commit that is too old: those behind it are older, as a rule.
            if self.options.is_too_old(date) {
                continue;
            }
            let parents = self
                .known
                .get_mut(&id)
                .map(|known| std::mem::take(&mut known.parents))
                .unwrap_or_default();
            self.follow(&id, &parents)?;
            if let Some(shown) = self.shown(id, parents) {
                return Ok(Some(shown));
            }
        }
        Ok(None)
    }

    /// Meets the parents at which the walk goes on.
    fn follow(&mut self, id: &Oid, parents: &[Oid]) -> Result<()> {
        if self.simplify.is_some() {
            parents.iter().try_for_each(|parent| self.load(parent))?;
        }
        if let Some(simplify) = &mut self.simplify {
            let tree = |id: &Oid| self.known.get(id).map(|known| known.tree);
            let first_parent = self.options.first_parent;
            if let Some(only) =
                simplify.only_parent(id, parents, first_parent, tree, &self.hidden)?
            {
                if let Some(known) = self.known.get_mut(id) {
                    // As in git: what becomes hidden later is hidden along this way alone.
                    known.parents = vec![only];
                }
                return self.enqueue(&only);
            }
        }
        let followed = if self.options.first_parent { 1 } else { parents.len() };
        parents.iter().take(followed).try_for_each(|parent| self.enqueue(parent))
    }

    /// Returns a commit if it is to be shown.
    fn shown(&self, id: Oid, parents: Vec<Oid>) -> Option<Visited> {
        let known = self.known.get(&id)?;
        if self.options.is_too_new(known.date)
            || (parents.len() > 1 && self.options.merges == Merges::Skip)
            || self.simplify.as_ref().is_some_and(|simplify| simplify.is_same(&id))
        {
            return None;
        }
        Some(Visited { id, tree: known.tree, parents })
    }

    /// Returns the tree of a commit that was met.
    pub(in crate::git) fn tree_of(&self, id: &Oid) -> Option<Oid> {
        self.known.get(id).map(|known| known.tree)
    }

    /// Returns a commit with what it is compared with.
    fn comparable(&self, visited: Visited) -> Comparable {
        let Visited { id, tree, parents } = visited;
        let compared = if self.options.merges == Merges::AllParents { parents.len() } else { 1 };
        let parents = parents.into_iter().take(compared);
        let parents = parents.filter_map(|parent| Some((parent, self.tree_of(&parent)?))).collect();
        Comparable { id, tree, parents }
    }

    /// Finds a commit that is not hidden so far, or ends the walk.
    fn walk(&mut self) {
        let Some(mut limit) = self.limit.take() else { return };
        match self.find(&mut limit) {
            Ok(Some(id)) => {
                self.found.push_back(id);
                self.limit = Some(limit);
                return;
            }
            Ok(None) => {}
            Err(error) => self.failed = Some(error),
        }
        self.finish();
    }

    /// Tells what was given and is hidden.
    fn finish(&mut self) {
        let hidden =
            std::mem::take(&mut self.given).into_iter().filter(|id| self.hidden.contains(id));
        let _ = self.excluded.0.set(hidden.collect());
    }

    /// Returns the next commit that is not hidden so far; nothing when all that remains is hidden.
    fn find(&mut self, limit: &mut Limit) -> Result<Option<Oid>> {
        while let Some((date, id)) = self.pop()? {
            if limit.interesting == Some(id) {
                limit.interesting = None;
            }
            if self.options.is_too_old(date) {
                self.hidden.insert(id);
            }
            let parents =
                self.known.get(&id).map(|known| known.parents.clone()).unwrap_or_default();
            if self.hidden.contains(&id) {
                self.hide(parents.clone())?;
                for parent in &parents {
                    self.enqueue_hidden(parent)?;
                    self.hide_parents(parent)?;
                }
                let Some((next, ..)) = self.queue.peek() else { break };
                if limit.last > *next {
                    limit.interesting =
                        limit.interesting.filter(|id| !self.hidden.contains(id)).or_else(|| {
                            self.queue
                                .iter()
                                .map(|(.., id)| *id)
                                .find(|id| !self.hidden.contains(id))
                        });
                    limit.slop = if limit.interesting.is_some() { SLOP } else { limit.slop - 1 };
                    if limit.slop == 0 {
                        break;
                    }
                } else {
                    limit.slop = SLOP;
                }
                continue;
            }
            self.follow(&id, &parents)?;
            if !self.options.is_too_new(date) {
                limit.last = date;
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Hides the parents of a commit, as far as they are known.
    fn hide_parents(&mut self, id: &Oid) -> Result<()> {
        self.hide(self.known.get(id).map(|known| known.parents.clone()).unwrap_or_default())
    }

    /// Hides commits and what is known of their ancestors.
    fn hide(&mut self, mut ids: Vec<Oid>) -> Result<()> {
        let mut pace = Pace::new();
        while let Some(id) = ids.pop() {
            pace.entry(&self.budget)?;
            if self.hidden.insert(id)
                && let Some(known) = self.known.get(&id)
            {
                ids.extend(&known.parents);
            }
        }
        Ok(())
    }

    fn step(&mut self) -> Result<Option<Visited>> {
        if self.hidden.is_empty() {
            return self.streamed();
        }
        loop {
            while self.found.is_empty() && self.limit.is_some() {
                self.walk();
            }
            let Some(id) = self.found.pop_front() else {
                return self.failed.take().map_or(Ok(None), Err);
            };
            // It may have been hidden after it was found.
            if !self.hidden.contains(&id)
                && let Some(known) = self.known.get(&id)
                && let Some(shown) = self.shown(id, known.parents.clone())
            {
                if self.limit.is_some() {
                    self.given.push(id);
                }
                return Ok(Some(shown));
            }
        }
    }
}

impl History {
    /// Returns the next commit without what it is compared with.
    pub fn next_commit(&mut self) -> Option<Result<Visited>> {
        let step = self.step();
        if step.is_err() {
            self.queue.clear();
        }
        step.transpose()
    }
}

impl Iterator for History {
    type Item = Result<Comparable>;

    fn next(&mut self) -> Option<Self::Item> {
        let visited = self.next_commit()?;
        Some(visited.map(|visited| self.comparable(visited)))
    }
}

impl Excluded {
    /// Returns the commits; nothing while the walk goes on.
    pub fn get(&self) -> Option<&IdSet> {
        self.0.get()
    }
}
